"""`sojourn replay` of captures: their flows, senders and sizes, and where one ends too soon."""

import json

import pytest
from arrivals import THREE, pcap, table, udp

from sojourn.replay import replay


def test_a_capture_names_its_flows(tmp_path):
    packets = [(0.001 * k, udp(5, 6 + k % 2, 972), 1000) for k in range(10)]
    done = replay(pcap(tmp_path, packets), ["sfq"], "8 Mbit/s")
    assert list(done.flows["flow"]) == [
        "udp 10.0.0.1:5 > 10.0.0.2:6",
        "udp 10.0.0.1:5 > 10.0.0.2:7",
    ]
    assert list(done.flows["sent_packets"]) == [5, 5]
    assert done.warnings == ()


def ethernet(ip: bytes, tags: int = 0) -> bytes:
    """A frame around a packet of IPv4, with VLAN tags."""
    return bytes(12) + bytes([0x81, 0, 0, 7]) * tags + bytes([8, 0]) + ip


def of_ethernet(path):
    """Makes a capture of Ethernet of one of raw IP."""
    text = bytearray(path.read_bytes())
    text[20] = 1
    path.write_bytes(text)
    return path


def test_packets_that_no_usual_ethernet_has_are_counted(tmp_path):
    """1501 B of IP, whatever the frame has besides, and however little of it was captured."""
    sizes = [1500, 1501, 100, 3052, 1500]
    packets = [(0.01 * k, udp(5, 6, size - 28), size) for k, size in enumerate(sizes)]
    frames = [(at, ethernet(ip, 1), size + 18) for at, ip, size in packets]
    said = (
        "packets of more than 1500 B, the usual MTU of an Ethernet: 2, of up to 3052 B; they are "
        "jumbo frames, or were captured before the network card cut them up or after it put them "
        "together, and then a real queue sees smaller ones"
    )
    assert replay(pcap(tmp_path, packets), "codel", "8 Mbit/s").warnings == (said,)
    path = of_ethernet(pcap(tmp_path, frames))
    assert replay(path, "codel", "8 Mbit/s").warnings == (said,)
    rows = "".join(f"{0.01 * k},{size}\n" for k, size in enumerate([1514, 1523, 9216, 1522]))
    found = replay(table(tmp_path, "time_s,size_B\n" + rows), "codel", "8 Mbit/s")
    assert found.warnings == (said.replace("3052", "9216"),)


def test_packets_above_every_mtu_were_never_on_a_wire(tmp_path):
    path = table(tmp_path, "time_s,size_B\n0,3052\n1,9217\n")
    (said,) = replay(path, "codel", "8 Mbit/s").warnings
    assert said.startswith("found packets of up to 9217 B: captured before the network card cut")


def test_full_frames_of_an_ethernet_ask_for_no_warning(tmp_path):
    """Of 1514 B, with one VLAN tag or two, with a check sequence; and labels of MPLS."""
    full = udp(5, 6, 1472)
    frames = [
        (ethernet(full, tags), 1514 + 4 * tags + check) for tags in range(3) for check in (0, 4)
    ]
    frames.append((bytes(12) + bytes([0x88, 0x47]) + bytes(8) + full, 1522))
    packets = [(0.01 * k, *frame) for k, frame in enumerate(frames)]
    done = replay(of_ethernet(pcap(tmp_path, packets)), "codel", "8 Mbit/s")
    assert done.warnings == ()
    rows = "".join(f"{k},{size}\n" for k, size in enumerate([1500, 1514, 1518, 1522]))
    done = replay(table(tmp_path, "time_s,size_B\n" + rows), "codel", "8 Mbit/s")
    assert done.warnings == ()


def sent(source: int, destination: int, *ports: int) -> bytes:
    """A packet of UDP from 10.0.0.SOURCE to 10.0.0.DESTINATION."""
    ip = bytearray(udp(*ports, 72))
    ip[15], ip[19] = source, destination
    return bytes(ip)


BOTH = [
    sent(1, 2, 5, 6),
    sent(2, 1, 6, 5),  # its answer
    sent(2, 1, 6, 5),
    sent(1, 2, 6, 5),  # another one's ports
    sent(3, 2, 7, 8),
    sent(2, 3, 8, 7),
    sent(2, 4, 8, 7),
]


def both(tmp_path):
    return pcap(tmp_path, [(0.01 * k, packet, 100) for k, packet in enumerate(BOTH)])


def test_both_directions_of_a_conversation_are_told(tmp_path):
    path = both(tmp_path)
    assert replay(path, "codel", "8 Mbit/s").warnings == (
        "conversations that were captured in both directions: 2, the first udp 10.0.0.1:5 > "
        "10.0.0.2:6; both directions went through one queue, where a link has one for each; "
        "--sender takes what one side sent",
    )


@pytest.mark.parametrize(
    ("sender", "packets", "last_s"),
    [
        ("10.0.0.1", 2, 0.03),
        # Time begins with the first packet that is taken.
        (["10.0.0.2"], 4, 0.05),
        ("10.0.0.2/31", 5, 0.05),
        (["10.0.0.1", "10.0.0.3"], 3, 0.04),
        ("10.0.0.1, 10.0.0.3/32", 3, 0.04),
    ],
)
def test_what_some_senders_sent_is_taken_alone(tmp_path, sender, packets, last_s):
    done = replay(both(tmp_path), "codel", "8 Mbit/s", sender=sender)
    assert (done.packets, done.last_arrival_s) == (packets, pytest.approx(last_s))
    assert (done.warnings == ()) == (sender != "10.0.0.2/31")


def test_a_sender_that_sent_nothing_is_refused(sojourn, tmp_path):
    path = both(tmp_path)
    given = ("--rate", "8 Mbit/s", "--queue", "codel", "--out", tmp_path / "out")
    done = sojourn("replay", path, *given, "--sender", "10.0.0.2", "--sender", "10.0.0.3", "--json")
    assert (done.status, json.loads(done.out)["packets"]) == (0, 5)
    done = sojourn("replay", path, *given, "--sender", "192.0.2.0/24")
    found = (
        "found no packet of the sender; allowed: one of those that there are, such as 10.0.0.1, "
    )
    assert done.status == 2
    assert done.errors.endswith(f"{found}10.0.0.2, 10.0.0.3\n")
    done = sojourn("replay", path, *given, "--sender", "home")
    said = 'error: --sender: found "home"; allowed: addresses or networks, with commas between'
    assert done.errors.startswith(said)
    done = sojourn("replay", table(tmp_path, THREE), *given, "--sender", "10.0.0.1")
    assert "found a CSV file, which names no addresses; allowed: " in done.errors
    with pytest.raises(TypeError, match="sender: found 7"):
        replay(path, "codel", "8 Mbit/s", sender=7)


def test_a_capture_that_is_cut_short(sojourn, tmp_path):
    packets = [(0.001 * k, udp(5, 6, 972), 1000) for k in range(10)]
    path = pcap(tmp_path, packets)
    path.write_bytes(path.read_bytes()[:-5])
    arguments = ("replay", path, "--rate", "8 Mbit/s", "--queue", "codel")
    done = sojourn(*arguments)
    assert done.status == 2
    place = 24 + 9 * (16 + 28)
    assert f"{path}: packet 10 (byte {place}): the file ends in the middle" in done.errors
    done = sojourn(*arguments, "--partial", "--json", "--out", tmp_path / "out")
    assert done.status == 0
    assert json.loads(done.out)["packets"] == 9
    assert "what came before was replayed" in done.errors


def test_a_stamp_beyond_the_clock_is_refused(sojourn, tmp_path):
    """As in a capture that began before its clock was set."""
    packets = [(time_s, udp(5, 6, 972), 1000) for time_s in (0, 1_700_000_000)]
    path = pcap(tmp_path, packets)
    done = sojourn("replay", path, "--rate", "8 Mbit/s", "--queue", "codel")
    assert done.status == 2
    found = "found a stamp 1700000000 s after the first packet's; allowed: less than 18446744 s"
    assert done.errors == f"error: {path}: packet 2 (byte 68): {found}\n"
