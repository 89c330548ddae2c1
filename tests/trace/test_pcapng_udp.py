"""Captures of UDP flows, as tshark reads them, tell the story of the tables and the ns-2 trace."""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

import sojourn as sj

SCENARIO = """
name = "captured"
duration = "5 s"
seed = 3

[[link]]
name = "access"
from = "n0"
to = "n1"
rate = "20 Mbit/s"
delay = "2 ms"

[[link]]
name = "bottleneck"
from = "n1"
to = "n2"
rate = "4 Mbit/s"
delay = "10 ms"
duplex = true
queue = { discipline = "red", limit = "30 packets", ecn = true }

[[flow]]
name = "bursts"
count = 2
from = "n0"
to = "n2"
transport = { protocol = "udp", payload = "972 B", ecn = true, dscp = 34 }
traffic.source = "onoff"
traffic.rate = "4 Mbit/s"
traffic.on = "exponential(100 ms)"
traffic.off = "constant(100 ms)"

[[flow]]
name = "poisson"
from = "n0"
to = "n2"
transport = { protocol = "udp", payload = "exponential(400 B)", header = "0 B" }
traffic = { source = "poisson", rate = "1.5 Mbit/s" }
"""


class Run(NamedTuple):
    document: str
    folder: Path
    paths: list[str]
    payload: bool

    @property
    def bottleneck(self) -> dict:
        (point,) = json.loads(self.document)["points"]
        return {
            name: metric["mean"]
            for name, metric in point["links"]["bottleneck"].items()
            if "mean" in metric
        }


def call(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sojourn", "run", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("udp") / "captured.toml"
    path.write_text(SCENARIO)
    return path


@pytest.fixture(scope="module", params=[False, True], ids=["headers", "payload"])
def run(request, file, tmp_path_factory) -> Run:
    out = tmp_path_factory.mktemp("out")
    payload = ["--trace-payload"] if request.param else []
    done = call(file, "--json", "--trace", "pcapng", "--out", out, *payload)
    assert done.returncode == 0, done.stderr
    paths = [line for line in done.stderr.splitlines() if line.endswith(".pcapng")]
    return Run(done.stdout, out, paths, request.param)


@pytest.fixture(scope="module")
def ns2(file, tmp_path_factory) -> list[list[str]]:
    folder = tmp_path_factory.mktemp("ns2")
    sj.run(file, trace_folder=folder)
    text = (folder / "trace.tr").read_text(encoding="ascii")
    return [line.split(" ") for line in text.splitlines()]


def test_each_link_has_a_file_and_drops_have_their_own(run, tshark):
    names = ["trace-access", "trace-bottleneck", "trace-bottleneck-drops"]
    assert set(run.paths) == {str(run.folder / f"{name}.pcapng") for name in names}
    assert not list(run.folder.glob("*.part"))
    interfaces = {name: tshark.interfaces(run.folder / f"{name}.pcapng") for name in names}
    both = ["bottleneck", "bottleneck.reverse"]
    assert interfaces == {
        "trace-access": ["access"],
        "trace-bottleneck": both,
        "trace-bottleneck-drops": [f"{name} drops" for name in both],
    }


def test_tshark_has_nothing_to_complain_of(run, tshark):
    for path in map(Path, run.paths):
        fields = ("frame.len", "frame.cap_len", "ip.checksum.status", "udp.checksum.status")
        rows = tshark.sound(path, *fields, "frame.protocols")
        for length, captured, ip, udp, protocols in rows:
            assert protocols.startswith("raw:ip:udp")
            assert ip == "1"
            # tshark checks UDP where it has all of it.
            assert udp == ("1" if captured == length else "2")
            assert captured == (length if run.payload else "28")


def test_packets_are_those_whose_transmission_began(run, ns2, tshark):
    rows = tshark.fields(
        run.folder / "trace-bottleneck.pcapng", "frame.time_epoch", "frame.len", "udp.dstport"
    )
    sent = [line for line in ns2 if line[0] == "-" and line[2:4] == ["1", "2"]]
    assert len(rows) == len(sent) > 1000
    for (time, length, port), line in zip(rows, sent, strict=True):
        assert float(time) == pytest.approx(float(line[1]), abs=1e-6)
        assert int(length) == max(int(line[5]), 28)
        assert int(port) == 63488 + int(line[7]) - 1


def test_stamps_are_nanoseconds(run, tshark):
    times = [
        row[0] for row in tshark.fields(run.folder / "trace-access.pcapng", "frame.time_epoch")
    ]
    assert all(re.fullmatch(r"\d\.\d{9}", time) for time in times)
    assert any(not time.endswith("000") for time in times)
    assert times == sorted(times)


def test_every_drop_is_told_with_its_reason(run, tshark, drops_by_reason):
    expected = drops_by_reason(run.document, "bottleneck")
    assert expected
    dropped = tshark.fields(run.folder / "trace-bottleneck-drops.pcapng", "frame.comment")
    reasons = Counter(row[0].split("|")[0] for row in dropped)
    assert reasons == {f"dropped: {reason}": n for reason, n in expected.items()}
    # The packet after them tells how many, and why.
    rows = tshark.fields(
        run.folder / "trace-bottleneck.pcapng",
        "frame.drop_count",
        "frame.comment",
        where="frame.drop_count",
    )
    told = Counter()
    for count, comment in rows:
        (list_,) = re.findall(r"dropped before this packet: ([^|]*)", comment)
        parts = dict(reversed(part.split(" ")) for part in list_.split(", "))
        assert int(count) == sum(map(int, parts.values()))
        told.update({reason: int(n) for reason, n in parts.items()})
    # Those dropped after the last transmission have no packet to tell of them.
    assert sum(told.values()) <= sum(expected.values()) <= sum(told.values()) + 30
    assert told.keys() <= expected.keys()


def test_marks_are_comments_on_the_marked_packets(run, tshark):
    path = run.folder / "trace-bottleneck.pcapng"
    marked = tshark.fields(path, "ip.dsfield.ecn", where='frame.comment contains "marked: "')
    assert {row[0] for row in marked} == {"3"}
    assert tshark.count(path, "ip.dsfield.ecn == 3") == len(marked) > 0
    # A packet marked as it came may still wait at the end.
    assert 0 <= run.bottleneck["marks_packets"] - len(marked) <= 30
    assert tshark.count(run.folder / "trace-access.pcapng", "ip.dsfield.ecn == 3") == 0


def test_a_packet_is_the_same_at_every_link(run, tshark):
    seen = {}
    for link, ttl in (("access", 64), ("bottleneck", 63)):
        path = run.folder / f"trace-{link}.pcapng"
        fields = ("frame.packet_id", "ip.id", "ip.src", "ip.dst", "udp.srcport", "udp.dstport")
        rows = tshark.fields(path, *fields, "ip.ttl", "ip.dsfield.dscp")
        assert {int(row[6]) for row in rows} == {ttl}
        assert {int(row[7]) for row in rows} == {0, 34}
        assert {row[2] for row in rows} == {"10.0.0.1"}
        assert {row[3] for row in rows} == {"10.0.0.3"}
        seen[link] = {row[0]: row[1:6] for row in rows}
        assert len(seen[link]) == len(rows)
    assert seen["bottleneck"].items() <= seen["access"].items()


def test_what_is_too_small_for_real_headers_is_written_longer_and_says_so(run, tshark):
    path = run.folder / "trace-access.pcapng"
    remark = (
        "flow poisson: 0 B of headers in the scenario; IPv4 and UDP take 28 B of each packet here"
    )
    rows = tshark.fields(path, "frame.len", "frame.comment", where="udp.dstport == 63490")
    assert [comment.split("|")[-1] for _, comment in rows].count(remark) == 1
    assert rows[0][1].endswith(remark)
    short = [comment.split("|")[0] for length, comment in rows if length == "28"]
    sizes = [
        re.fullmatch(
            r"(\d+) B in the simulation, 28 B here: its real headers need more room", comment
        )
        for comment in short
        if comment
    ]
    assert len(sizes) > 10
    assert all(size is not None and int(size[1]) < 28 for size in sizes)


def test_properties_tell_what_the_capture_is_of(run, tshark):
    text = tshark.properties(run.folder / "trace-bottleneck.pcapng")
    assert "captured, seed 3, replica 0: packets as their transmission begins." in text
    assert "flow poisson: 10.0.0.1:61440 to 10.0.0.3:63490, UDP" in text
    assert "Speed = 4000000" in text
    assert "Time precision = nanoseconds (9)" in text
    assert f"Capture application: Sojourn {sj.__version__}" in text


def test_captures_are_the_same_each_time_and_change_no_table(run, file, tmp_path):
    how = {"trace_format": "pcapng", "trace_payload": run.payload}
    again = sj.run(file, trace_folder=tmp_path, **how)
    without = sj.run(file)
    for frame in ("links", "flows", "groups", "totals", "drops"):
        assert getattr(again, frame).equals(getattr(without, frame))
    for path in map(Path, run.paths):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_one_link_can_be_chosen(file, tmp_path):
    done = call(file, "--trace", "pcapng", "--trace-link", "access", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert [path.name for path in (tmp_path / "out").glob("*.pcapng")] == ["trace-access.pcapng"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--trace", "pcapng", "--trace-link", "bottlenek"),
            'captured.toml: --trace-link: found "bottlenek"; allowed: access, bottleneck; '
            'did you mean "bottleneck"?',
        ),
        (("--trace", "ns2", "--trace-link", "access"), "allowed: only with --trace pcapng"),
        (("--trace-payload",), "allowed: only with --trace pcapng"),
    ],
)
def test_wrong_options_are_refused_and_nothing_is_written(file, tmp_path, options, message):
    done = call(file, *options, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert message in re.sub(r"\s*│\n?│?\s*", " ", done.stderr)
    assert not (tmp_path / "out").exists()
