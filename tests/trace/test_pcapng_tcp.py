"""Captures of TCP flows: tshark's own analysis of them finds what the tables say."""

from pathlib import Path
from typing import NamedTuple

import pytest

import sojourn as sj

SCENARIO = """
name = "captured"
duration = "8 s"

[[link]]
name = "access"
from = "s"
to = "r"
rate = "50 Mbit/s"
delay = "1 ms"
duplex = true

[[link]]
name = "bottleneck"
from = "r"
to = "d"
rate = "4 Mbit/s"
delay = "{delay}"
duplex = true
queue = {{ {queue} }}

[[flow]]
name = "load"
from = "s"
to = "d"
transport = {{ protocol = "tcp", {transport} }}
traffic = {{ {traffic} }}
"""

DROPTAIL = 'discipline = "droptail", limit = "15 packets"'
CODEL = 'discipline = "codel", limit = "100 packets", ecn = true'
BULK = 'source = "bulk"'

SENT_AGAIN = tuple(
    f"tcp.analysis.{name}"
    for name in (
        "retransmission",
        "fast_retransmission",
        "spurious_retransmission",
        "out_of_order",
    )
)
"""What tshark may take for a retransmission."""

MISSING = tuple(
    f"tcp.analysis.{name}"
    for name in ("lost_segment", "ack_lost_segment", "window_full", "zero_window")
)
"""What it says where the capture lacks packets, or a window is full."""


class Run(NamedTuple):
    results: sj.Results
    folder: Path

    @property
    def access(self) -> Path:
        return self.folder / "trace-access.pcapng"

    @property
    def bottleneck(self) -> Path:
        return self.folder / "trace-bottleneck.pcapng"

    @property
    def flow(self) -> dict:
        return self.results.flows.row(0, named=True)


@pytest.fixture
def run(tmp_path):
    """Run one flow over a bottleneck and capture all links, payload included."""

    def call(
        transport: str, *, queue: str = DROPTAIL, traffic: str = BULK, delay: str = "10 ms"
    ) -> Run:
        text = SCENARIO.format(transport=transport, queue=queue, traffic=traffic, delay=delay)
        results = sj.run(
            sj.Scenario.from_toml(text),
            trace_folder=tmp_path,
            trace_format="pcapng",
            trace_payload=True,
        )
        return Run(results, tmp_path)

    return call


CONNECTIONS = {
    "newreno": 'congestion_control = "newreno"',
    "handshake": 'congestion_control = "cubic", handshake = true, fin = true',
    "plain": 'congestion_control = "reno", timestamps = false, sack = false',
    "ns2": 'congestion_control = "tahoe", preset = "ns2", window = "60 packets"',
    "linux": 'congestion_control = "cubic", preset = "linux"',
    "small headers": 'congestion_control = "newreno", header = "20 B"',
    "large headers": 'congestion_control = "newreno", header = "72 B", handshake = true',
    "scaled": 'congestion_control = "newreno", window = "200 kB", handshake = true',
}


@pytest.mark.parametrize("transport", CONNECTIONS.values(), ids=CONNECTIONS)
def test_tshark_has_nothing_to_complain_of(run, tshark, transport):
    done = run(transport)
    paths = list(done.folder.glob("*.pcapng"))
    assert len(paths) == 3
    for path in paths:
        rows = tshark.sound(path, "ip.checksum.status", "tcp.checksum.status", "frame.protocols")
        assert {(ip, tcp) for ip, tcp, _ in rows} == {("1", "1")}
        assert {protocols for *_, protocols in rows} <= {"raw:ip:tcp", "raw:ip:tcp:data"}


@pytest.mark.parametrize("transport", CONNECTIONS.values(), ids=CONNECTIONS)
def test_the_senders_capture_is_analysed_as_the_tables_say(run, tshark, transport):
    done = run(transport)
    names = ("tcp.len", "tcp.srcport", *SENT_AGAIN, *MISSING)
    rows = [dict(zip(names, row, strict=True)) for row in tshark.fields(done.access, *names)]
    # Nothing is missing where nothing was lost.
    for name in MISSING:
        assert not any(row[name] for row in rows), name
    # What was sent again is told apart by tshark's own guesses; together they are all of it.
    sent = [row for row in rows if row["tcp.srcport"] == "61440"]
    assert len(sent) == done.flow["sent_packets"]
    data = [row for row in rows if row["tcp.len"] != "0"]
    again = [row for row in data if any(row[name] for name in SENT_AGAIN)]
    assert len(again) == done.flow["retransmits"] > 0


def test_acknowledged_bytes_are_the_goodput(run, tshark):
    done = run('congestion_control = "newreno"')
    where = "tcp.srcport == 63488"
    acked = [int(row[0]) for row in tshark.fields(done.bottleneck, "tcp.ack_raw", where=where)]
    assert acked == sorted(acked)
    # The last acknowledgement may be on its way, or delayed.
    bits = (max(acked) - 1) * 8
    assert bits == pytest.approx(done.flow["goodput_bps"] * 8, abs=3 * 1460 * 8)


def test_options_are_those_of_the_connection(run, tshark):
    done = run(
        'congestion_control = "cubic", handshake = true, fin = true, window = "100 packets"',
        traffic='source = "bulk", bytes = "1 MB"',
    )
    names = (
        "tcp.flags.str",
        "tcp.options.mss_val",
        "tcp.options.sack_perm",
        "tcp.options.wscale.shift",
        "tcp.options.timestamp.tsval",
        "tcp.options.timestamp.tsecr",
    )
    syn, answer, first, *_, end = tshark.fields(done.access, *names, where="tcp.seq_raw < 2")
    # The size of a segment and of its timestamps (RFC 9293, 3.7.1).
    assert (syn[0], syn[1], *syn[3:5]) == ("··········S·", "1472", "0", "1")
    # 146 000 bytes fit into 16 bits when shifted by 2.
    assert (answer[0], answer[1], answer[3]) == ("·······A··S·", "1472", "2")
    assert syn[2]
    assert answer[2]
    assert answer[5] == "1", "the answer echoes the first tick"
    assert first[0] == "·······A····"
    assert first[5] == answer[4]
    windows = {row[0] for row in tshark.fields(done.access, "tcp.window_size", where="tcp.ack > 1")}
    assert windows == {"146000"}
    assert tshark.count(done.access, "tcp.flags.fin == 1") == 1
    # SYN, answer, acknowledgement, data, FIN.
    assert tshark.fields(done.access, "tcp.completeness")[-1] == ["31"]
    assert end[0] == "·······A····"


def test_a_tick_is_a_millisecond_and_echoes_measure_the_round_trip(run, tshark):
    done = run('congestion_control = "newreno"')
    names = ("frame.time_epoch", "tcp.options.timestamp.tsval", "tcp.options.timestamp.tsecr")
    rows = tshark.fields(done.bottleneck, *names, where="tcp.srcport == 63488")
    for time, value, echo in rows:
        # Acknowledgements begin their way back at once.
        assert int(value) == int(float(time) * 1000) + 1
        assert int(value) - int(echo) >= 11
    rtts = [float(row[0]) for row in tshark.fields(done.access, "tcp.analysis.ack_rtt") if row[0]]
    assert 0.022 < min(rtts) < 0.03
    assert sum(rtts) / len(rtts) == pytest.approx(done.flow["rtt_mean_s"], rel=0.1)


def test_sack_blocks_tell_of_holes(run, tshark):
    done = run('congestion_control = "newreno"')
    names = ("tcp.ack", "tcp.options.sack_le", "tcp.options.sack_re", "frame.len", "frame.comment")
    rows = tshark.fields(done.access, *names, where="tcp.options.sack_le")
    assert len(rows) > 20
    for ack, left, right, length, comment in rows:
        lefts, rights = ([int(edge) for edge in edges.split("|")] for edges in (left, right))
        assert all(a < b for a, b in zip(lefts, rights, strict=True))
        assert all(edge > int(ack) for edge in lefts[1:])
        assert int(length) == 20 + 20 + 12 + 4 + 8 * len(lefts)
        expected = f"52 B in the simulation, {length} B here: its real headers need more room"
        assert comment == expected
    assert {row[3] for row in rows} == {"64", "72", "80"}


def test_ecn_is_asked_for_marked_echoed_and_answered(run, tshark):
    done = run('congestion_control = "newreno", ecn = "classic", handshake = true', queue=CODEL)
    marks = done.results.links.filter(link="bottleneck")["marks_packets"].item()
    names = ("tcp.flags.cwr", "tcp.flags.ece", "tcp.flags.ack", "ip.dsfield.ecn")
    opening = tshark.fields(done.access, *names, where="tcp.flags.syn == 1")
    assert opening == [["1", "1", "0", "0"], ["0", "1", "1", "0"]]
    assert tshark.count(done.access, "tcp.len > 0 && ip.dsfield.ecn == 2") > 0
    marked = tshark.count(done.bottleneck, 'frame.comment contains "marked: target"')
    assert marked == tshark.count(done.bottleneck, "ip.dsfield.ecn == 3")
    assert 0 <= marks - marked <= 1
    assert marks > 5
    echoes = tshark.count(done.access, "tcp.flags.ece == 1 && tcp.flags.syn == 0")
    reductions = tshark.count(done.access, "tcp.flags.cwr == 1 && tcp.flags.syn == 0")
    assert echoes >= reductions > 5
    assert done.flow["ecn_reductions"] - reductions in (0, 1)


def test_headers_are_padded_to_the_scenarios_size(run, tshark):
    done = run('congestion_control = "newreno", header = "72 B"')
    rows = tshark.fields(done.access, "frame.len", "tcp.hdr_len", where="tcp.len == 1460")
    assert {tuple(row) for row in rows} == {("1532", "52")}
    rows = tshark.fields(done.access, "frame.len", "frame.comment", where="tcp.len == 0")
    # 72 B hold two SACK blocks beside the times.
    assert {row[0] for row in rows} == {"72", "80"}
    assert {bool(row[1]) for row in rows if row[0] == "72"} == {False}


def test_headers_that_are_too_small_are_written_in_full(run, tshark):
    done = run('congestion_control = "newreno", header = "20 B"')
    rows = tshark.fields(done.access, "frame.len", "frame.comment", where="tcp.len == 1460")
    why = "1480 B in the simulation, 1512 B here: its real headers need more room"
    assert {tuple(row) for row in rows} == {("1512", why)}


def test_a_drop_shows_as_a_hole_behind_the_queue(run, tshark):
    done = run('congestion_control = "newreno"')
    drops = done.results.links.filter(link="bottleneck")["drops_packets"].item()
    path = done.folder / "trace-bottleneck-drops.pcapng"
    assert {row[0] for row in tshark.fields(path, "frame.comment")} == {"dropped: overlimit"}
    dropped = {row[0] for row in tshark.fields(path, "frame.packet_id")}
    sent = {row[0] for row in tshark.fields(done.bottleneck, "frame.packet_id")}
    assert len(dropped) == drops > 10
    assert not dropped & sent
    assert tshark.count(done.bottleneck, "tcp.analysis.lost_segment") > 0


def test_requests_and_responses_are_two_connections_each(run, tshark):
    traffic = 'source = "request_response", think = "exponential(100 ms)"'
    done = run('congestion_control = "cubic", handshake = true', traffic=traffic)
    tshark.sound(done.access)
    names = ("ip.src", "tcp.srcport", "ip.dst", "tcp.dstport")
    opened = tshark.fields(done.access, *names, where="tcp.flags.syn == 1 && tcp.flags.ack == 0")
    assert sorted(opened) == [
        ["10.0.0.1", "61440", "10.0.0.3", "63488"],
        ["10.0.0.3", "61440", "10.0.0.1", "63488"],
    ]
    asked = tshark.fields(done.access, "tcp.len", where="ip.src == 10.0.0.3 && tcp.len > 0")
    assert {row[0] for row in asked} == {"350"}


def test_short_connections_have_ports_of_their_own(run, tshark):
    traffic = 'source = "arrivals", rate = "1 Mbit/s", size = "constant(5 kB)"'
    done = run('congestion_control = "cubic", handshake = true, fin = true', traffic=traffic)
    streams = {row[0] for row in tshark.sound(done.access, "tcp.stream")}
    ports = {row[0] for row in tshark.fields(done.access, "tcp.srcport", where="tcp.len > 0")}
    assert len(streams) == len(ports) > 100
    assert tshark.count(done.access, "tcp.analysis.reused_ports") == 0
