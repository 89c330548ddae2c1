"""The ns-2 trace of a run tells the same story as its tables."""

import shutil
import subprocess
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

import sojourn as sj

DURATION_S = 12

NETWORK = f"""
name = "traced"
duration = "{DURATION_S} s"
"""

LINK = """
[[link]]
name = "{name}"
from = "{start}"
to = "{end}"
rate = "{mbps} Mbit/s"
delay = "10 ms"
queue = {{ discipline = "{discipline}", limit = "50 packets" }}
"""

FLOW = """
[[flow]]
name = "source"
count = 3
from = "n*"
to = "n5"
start = "uniform(0 s, 0.1 s)"
transport = { protocol = "udp", payload = "500 B", header = "0 B" }
traffic.source = "onoff"
traffic.rate = "2.95 Mbit/s"
traffic.on = "exponential(1 s)"
traffic.off = "exponential(0.2 s)"
"""


class Line(NamedTuple):
    event: str
    time: float
    start: int
    end: int
    packet_type: str
    size: int
    flags: str
    flow: int
    source: str
    destination: str
    sequence: int
    uid: int


def scenario(discipline: str) -> sj.Scenario:
    links = [(f"in{i}", f"n{i}", "n3", 3, "droptail") for i in range(3)]
    links += [("bottleneck", "n3", "n4", 8, discipline), ("out", "n4", "n5", 9, "droptail")]
    text = NETWORK
    for name, start, end, mbps, kind in links:
        text += LINK.format(name=name, start=start, end=end, mbps=mbps, discipline=kind)
    return sj.Scenario.from_toml(text + FLOW)


def parse(path: Path) -> list[Line]:
    lines = []
    for row in path.read_text(encoding="ascii").splitlines():
        fields = row.split(" ")
        assert len(fields) == 12, row
        event, time, start, end, kind, size, flags, flow, source, sink, sequence, uid = fields
        head = (event, float(time), int(start), int(end), kind, int(size), flags)
        lines.append(Line(*head, int(flow), source, sink, int(sequence), int(uid)))
    return lines


class Traced(NamedTuple):
    results: sj.Results
    path: Path
    lines: list[Line]

    @property
    def bottleneck(self) -> dict[str, float]:
        return self.results.links.filter(link="bottleneck").row(0, named=True)


@pytest.fixture(scope="module", params=["droptail", "red", "sfq", "eqm"])
def traced(request, tmp_path_factory) -> Traced:
    folder = tmp_path_factory.mktemp("trace")
    results = sj.run(scenario(request.param), trace_folder=folder)
    (path,) = folder.iterdir()
    return Traced(results, path, parse(path))


def test_lines_look_as_those_of_ns2(traced):
    assert traced.path.name == "trace.tr"
    assert {line.event for line in traced.lines} == {"+", "-", "r", "d"}
    assert {line.packet_type for line in traced.lines} == {"exp"}
    assert {line.size for line in traced.lines} == {500}
    assert {line.flags for line in traced.lines} == {"-------"}
    assert {line.flow for line in traced.lines} == {1, 2, 3}
    hops = {(0, 3), (1, 3), (2, 3), (3, 4), (4, 5)}
    assert {(line.start, line.end) for line in traced.lines} == hops
    for line in traced.lines[:1000]:
        assert line.source == f"{line.flow - 1}.0"
        assert line.destination.startswith("5.")


def test_time_never_runs_backwards(traced):
    times = [line.time for line in traced.lines]
    assert times == sorted(times)
    assert times[0] >= 0
    assert times[-1] <= DURATION_S


def test_a_uid_is_one_packet_and_its_story_is_in_order(traced):
    stories = defaultdict(list)
    identities = defaultdict(set)
    for line in traced.lines:
        stories[line.uid].append((line.event, line.start, line.end))
        identities[line.uid].add((line.flow, line.sequence))
    assert all(len(who) == 1 for who in identities.values())
    assert len({next(iter(who)) for who in identities.values()}) == len(identities)
    for uid, story in stories.items():
        origin = next(iter(identities[uid]))[0] - 1
        path = [(origin, 3), (3, 4), (4, 5)]
        full = [(event, *hop) for hop in path for event in ("+", "-", "r")]
        if story[-1][0] == "d":
            dropped_at = story[-1][1:]
            assert story[-2] == ("+", *dropped_at)
            story = story[:-1]
        assert story == full[: len(story)]


def test_sequence_numbers_count_up_at_the_source(traced):
    for flow in (1, 2, 3):
        sent = [
            line.sequence
            for line in traced.lines
            if line.flow == flow and line.event == "+" and line.start == flow - 1
        ]
        assert sent == list(range(sent[0], sent[0] + len(sent)))


def test_counts_of_the_bottleneck_are_exact(traced):
    counts = Counter(line.event for line in traced.lines if line.start == 3)
    row = traced.bottleneck
    assert counts["+"] == row["arrivals_packets"]
    assert counts["d"] == row["drops_packets"] > 0
    assert counts["-"] == row["departures_packets"]
    assert counts["d"] / counts["+"] == pytest.approx(row["loss_ratio"], rel=1e-12)


def test_throughput_of_each_flow_is_exact(traced):
    received = Counter()
    for line in traced.lines:
        if line.event == "r" and line.end == 5:
            received[line.flow] += line.size
    flows = traced.results.flows
    for number, row in enumerate(flows.to_dicts(), start=1):
        assert received[number] * 8 / DURATION_S == pytest.approx(row["throughput_bps"], rel=1e-12)


def test_the_queue_and_its_delay_come_out_of_the_trace(traced):
    """The queue is `+` less `-` less `d`; each line is up to half a microsecond off."""
    queue, since, area, longest = 0, 0.0, 0.0, 0
    for line in traced.lines:
        if line.start == 3 and line.event in "+-d":
            area += queue * (line.time - since)
            since = line.time
            queue += 1 if line.event == "+" else -1
            longest = max(longest, queue)
    area += queue * (DURATION_S - since)
    row = traced.bottleneck
    rounding_s = 0.5e-6 * 2 * row["arrivals_packets"]
    assert area / DURATION_S == pytest.approx(
        row["queue_mean_packets"], abs=rounding_s / DURATION_S
    )
    # A packet that is about to be dropped, or sent at once, stands in the trace as one more.
    assert longest - 1 <= row["queue_max_packets"] <= longest
    assert row["queue_max_packets"] <= 50

    came, waits = {}, []
    for line in traced.lines:
        if line.start == 3 and line.event == "+":
            came[line.uid] = line.time
        elif line.start == 3 and line.event == "-":
            waits.append(line.time - came[line.uid])
    assert sum(waits) / len(waits) == pytest.approx(row["queueing_delay_mean_s"], abs=1e-6)


def test_end_to_end_delays_are_those_of_the_flows(traced):
    sent, delays = {}, []
    for line in traced.lines:
        if line.event == "+" and line.start < 3:
            sent[line.uid] = line.time
        elif line.event == "r" and line.end == 5:
            delays.append(line.time - sent[line.uid])
    row = traced.results.totals.row(0, named=True)
    assert len(delays) == row["received_packets"]
    assert sum(delays) / len(delays) == pytest.approx(row["delay_mean_s"], abs=1e-6)
    assert min(delays) >= 0.030 + 4000 / 3e6 + 4000 / 8e6 + 4000 / 9e6 - 2e-6


AWK = r"""
$3 == 3 && $4 == 4 {
    if ($1 == "+" || $1 == "-" || $1 == "d") {
        area += queue * ($2 - since); since = $2
        queue += ($1 == "+") ? 1 : -1
        count[$1]++
    }
}
$1 == "r" && $4 == 5 { bytes += $6 }
END {
    area += queue * (duration - since)
    printf "%.3f %.9f %.6f\n", bytes * 8 / duration, count["d"] / count["+"], area / duration
}
"""


@pytest.mark.skipif(shutil.which("awk") is None, reason="there is no awk")
def test_an_awk_script_for_ns2_finds_the_numbers_of_the_run(traced):
    command = ["awk", "-v", f"duration={DURATION_S}", AWK, str(traced.path)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    throughput, loss, queue = map(float, run.stdout.split())
    row = traced.bottleneck
    assert throughput == pytest.approx(sum(traced.results.flows["throughput_bps"]), abs=0.01)
    assert loss == pytest.approx(row["loss_ratio"], abs=1e-8)
    assert queue == pytest.approx(row["queue_mean_packets"], abs=5e-3)


def test_a_trace_changes_no_table(traced):
    without = sj.run(traced.results.scenario)
    for frame in ("links", "flows", "groups", "totals", "drops"):
        assert getattr(without, frame).equals(getattr(traced.results, frame))


def test_each_point_and_replica_has_a_trace_of_its_own(tmp_path):
    text = scenario("droptail").text.replace(f"{DURATION_S} s", "0.5 s")
    text += '[vary]\n"flow.source.traffic.rate" = ["1 Mbit/s", "2 Mbit/s"]\n'
    sj.run(sj.Scenario.from_toml(text), replicas=2, trace_folder=str(tmp_path / "new"))
    names = sorted(path.name for path in (tmp_path / "new").iterdir())
    assert names == [f"trace-point{p}-replica{r}.tr" for p in (0, 1) for r in (0, 1)]
    assert all(parse(tmp_path / "new" / name) for name in names)


def test_marked_packets_carry_their_flags(tmp_path):
    text = scenario("red").text.replace('header = "0 B"', 'header = "0 B", ecn = true')
    text = text.replace('discipline = "red"', 'discipline = "red", ecn = true')
    results = sj.run(sj.Scenario.from_toml(text), trace_folder=tmp_path)
    lines = parse(tmp_path / "trace.tr")
    marks = results.links.filter(link="bottleneck")["marks_packets"].item()
    assert {line.flags for line in lines} == {"------N", "----E-N"}
    assert marks > 0
    seen = {line.uid for line in lines if line.flags == "----E-N" and line.event == "-"}
    # Those marked on arrival may still wait at the end.
    assert marks - 50 <= len(seen) <= marks
