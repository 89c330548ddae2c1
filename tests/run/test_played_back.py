"""Captures and tables of arrivals that sources play back beside other flows."""

import struct

import pytest

import sojourn as sj

NETWORK = """
name = "played"
duration = "10 s"

[[link]]
name = "access"
from = "s"
to = "r"
rate = "100 Mbit/s"
delay = "1 ms"
duplex = true

[[link]]
name = "bottleneck"
from = "r"
to = "d"
rate = "4 Mbit/s"
delay = "5 ms"
duplex = true
queue = { discipline = "droptail", limit = "8 packets" }
"""

LOAD = """
[[flow]]
name = "load"
from = "s"
to = "d"
transport = { protocol = "udp", payload = "uniform(40 B, 1400 B)" }
traffic = { source = "poisson", rate = "4 Mbit/s" }
"""

PLAYED = """
[[flow]]
name = "load"
from = "s"
to = "d"
transport = {{ protocol = "{protocol}" }}
traffic = {{ source = "trace", {traffic} }}
"""

TCP = """
[[flow]]
name = "tcp"
from = "s"
to = "d"
transport = { protocol = "tcp" }
traffic = { source = "bulk" }
"""

TABLE = """time_s,size_B,flow
0.5,1028,video
1.0,128,7
1.5,1028,video
2.0,128,7
2.5,1028,video
"""


@pytest.fixture
def play(tmp_path):
    """Read a scenario that plays something back; it lies beside `arrivals.csv`."""
    (tmp_path / "arrivals.csv").write_text(TABLE)

    def read(traffic: str = 'file = "arrivals.csv"', protocol: str = "udp") -> sj.Scenario:
        path = tmp_path / "played.toml"
        path.write_text(NETWORK + PLAYED.format(traffic=traffic, protocol=protocol))
        return sj.Scenario.load(path)

    return read


def load(results: sj.Results) -> dict:
    return results.flows.filter(flow="load").row(0, named=True)


def test_what_was_captured_comes_again(play, tmp_path):
    """The same packets at the same instants, to the nanosecond of the capture."""
    scenario = sj.Scenario.from_toml(NETWORK + LOAD + 'stop = "9 s"')
    first = sj.run(scenario, trace_folder=tmp_path, trace_format="pcapng")
    again = sj.run(play('file = "trace-access.pcapng"'))
    found, wanted = load(again), load(first)
    assert found["sent_packets"] == wanted["sent_packets"] > 5000
    assert found["loss_ratio"] == wanted["loss_ratio"] > 0.05
    assert found["goodput_bps"] == wanted["goodput_bps"]
    waits = [
        results.links.filter(link="bottleneck")["queueing_delay_mean_s"][0]
        for results in (again, first)
    ]
    assert waits[0] == pytest.approx(waits[1], abs=1e-9)


@pytest.mark.parametrize(
    ("traffic", "packets", "bits"),
    [
        ('file = "arrivals.csv"', 5, 3 * 8000 + 2 * 800),
        ('file = "arrivals.csv", flow = "video"', 3, 3 * 8000),
        ('file = "arrivals.csv", flow = "7"', 2, 2 * 800),
        ('file = "arrivals.csv", speed = 0.2', 3, 2 * 8000 + 800),
        # Again from 3, 5.5 and 8 s.
        ('file = "arrivals.csv", repeat = true', 19, 11 * 8000 + 8 * 800),
    ],
)
def test_a_table_is_played(play, traffic, packets, bits):
    flow = load(sj.run(play(traffic)))
    assert flow["sent_packets"] == packets
    assert flow["goodput_bps"] == pytest.approx(bits / 10)


def test_it_is_written_into_a_stream(play):
    flow = load(sj.run(play(protocol="tcp")))
    assert flow["goodput_bps"] == pytest.approx((3 * 1028 + 2 * 128) * 8 / 10)


def test_one_direction_of_a_capture_is_played(play, tmp_path):
    """Requests of 100 B one way, responses of 1400 B the other, on one interface."""
    records = [(0.5 * k, k % 2, 1400 if k % 2 else 100) for k in range(16)]
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    capture = [head]
    for time_s, host, size in records:
        ip = struct.pack(">BBHHHBBH", 0x45, 0, size, 0, 0, 64, 17, 0)
        ip += bytes([192, 0, 2, host, 192, 0, 2, 1 - host])
        capture.append(struct.pack("<IIII", *divmod(int(time_s * 1e6), 1_000_000), len(ip), size))
        capture.append(ip)
    (tmp_path / "both.pcap").write_bytes(b"".join(capture))
    for sender, sizes in (("192.0.2.0", [100]), ("192.0.2.1/32", [1400]), ("all", [100, 1400])):
        flow = load(sj.run(play(f'file = "both.pcap", sender = "{sender}"')))
        assert flow["sent_packets"] == 8 * len(sizes)
        # Of each packet 28 B are headers.
        assert flow["goodput_bps"] == pytest.approx(8 * sum(size - 28 for size in sizes) * 8 / 10)


def test_it_does_not_react_where_others_do(play, tmp_path):
    rows = (f"{number / 250},1028" for number in range(2500))
    (tmp_path / "arrivals.csv").write_text("\n".join(["time_s,size_B", *rows]))
    alone = load(sj.run(play()))
    (tmp_path / "both.toml").write_text(play().text + TCP)
    both = sj.run(tmp_path / "both.toml")
    assert load(both)["sent_packets"] == alone["sent_packets"] == 2500
    assert alone["loss_ratio"] == 0 < load(both)["loss_ratio"]
    tcp = both.flows.filter(flow="tcp").row(0, named=True)
    # 2 of the 4 Mbit/s are taken.
    assert 1e6 < tcp["goodput_bps"] < 2.5e6


@pytest.mark.parametrize(
    ("traffic", "key", "says"),
    [
        ('file = "none.pcap"', "file", r"none\.pcap: cannot read it: no such file"),
        ('file = "."', "file", r"\.: cannot read it: is a directory"),
        ('file = "empty.csv"', "file", r"empty\.csv: found no packet"),
        ('file = "bad.csv"', "file", r"bad\.csv: packet 1 \(line 2, byte 14\): .*allowed: "),
        (
            'file = "arrivals.csv", flow = "audio"',
            "file",
            r'arrivals\.csv: found no flow "audio"; allowed: "all", or one of "7", "video"',
        ),
        (
            'file = "arrivals.csv", interface = "eth0"',
            "file",
            r"arrivals\.csv: found a CSV file, which names no interfaces",
        ),
        ('file = "arrivals.csv", speed = 0', "speed", "found 0; allowed: a number above 0"),
        ('file = "one.csv", repeat = true', "repeat", "found true; allowed: false where"),
        (
            'file = "arrivals.csv", sender = "192.0.2.7"',
            "file",
            r"arrivals\.csv: found a CSV file, which names no addresses",
        ),
        (
            'file = "arrivals.csv", sender = "home"',
            "sender",
            'found "home"; allowed: "all", or addresses or networks',
        ),
        ("speed = 2", "file", "found nothing; allowed: a text"),
    ],
)
def test_what_cannot_be_played_is_told_at_its_place(play, tmp_path, traffic, key, says):
    (tmp_path / "empty.csv").write_text("time_s,size_B\n")
    (tmp_path / "bad.csv").write_text("time_s,size_B\nsoon,100\n")
    (tmp_path / "one.csv").write_text("time_s,size_B\n0.5,100\n")
    place = rf"played\.toml:\d+: flow\.load\.traffic\.{key}: "
    with pytest.raises(sj.ScenarioError, match=place + says):
        play(traffic)


def test_a_payload_beside_it_is_refused(play):
    text = play().text.replace('"udp"', '"udp", payload = "500 B"')
    with pytest.raises(sj.ScenarioError, match=r"flow\.load\.transport\.payload: found one beside"):
        sj.Scenario.from_toml(text)


def test_the_recording_travels_with_the_scenario(play, tmp_path):
    """It lies beside the results, and a stored run is one of the recording that is there."""
    out = tmp_path / "out"
    results = sj.sweep(play(), out, jobs=2, replicas=2)
    assert results.flows["sent_packets"].to_list() == [5, 5]
    assert (out / "arrivals.csv").read_text() == TABLE
    again = sj.run(out / "scenario.toml")
    assert load(again)["sent_packets"] == 5
    (tmp_path / "arrivals.csv").write_text(TABLE + "3.0,500,video\n")
    results = sj.sweep(play(), tmp_path / "other", replicas=2)
    assert results.flows["sent_packets"].to_list() == [6, 6]


def test_from_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arrivals.csv").write_text(TABLE)
    flows = sj.udp(sj.source.Trace(file="arrivals.csv", flow="video"))
    scenario = sj.dumbbell(rate="10 Mbit/s", rtt="20 ms", flows=flows, duration="5 s")
    assert sj.run(scenario).flows["sent_packets"].to_list() == [3]
