"""Links on whose wire not all packets take equally long, from a file and from Python."""

from math import sqrt

import polars as pl
import pytest

import sojourn as sj
from sojourn import registries

HEAD = """
name = "uneven"
duration = "20 s"
replicas = 2

[[link]]
name = "l"
from = "a"
to = "b"
rate = "4 Mbit/s"
delay = "10 ms"
duplex = true
WIRE
queue = { discipline = "red", limit = "30 packets" }
"""

UDP = """
[[flow]]
name = "udp"
from = "a"
to = "b"
transport = { protocol = "udp", payload = "472 B" }
traffic = { source = "poisson", rate = "1 Mbit/s" }
"""

TCP = """
[[flow]]
name = "tcp"
from = "a"
to = "b"
transport = { protocol = "tcp" }
traffic = { source = "bulk" }
"""

DISCIPLINES = [*registries.entries("disciplines")]


def text(wire: str = "", flows: str = UDP) -> str:
    return HEAD.replace("WIRE", wire) + flows


def ran(wire: str = "", flows: str = UDP, **overrides) -> sj.Results:
    keys = {key.replace("__", "."): value for key, value in overrides.items()}
    return sj.run(sj.Scenario.from_toml(text(wire, flows), overrides=keys))


def of_flows(results: sj.Results, metric: str) -> float:
    return float(results.flows[metric].mean())


@pytest.mark.parametrize(
    ("jitter", "mean_ms", "deviation_ms"),
    [
        ('"3 ms"', 3, 0),
        ('"uniform(1 ms, 5 ms)"', 3, 4 / sqrt(12)),
        ('"exponential(2 ms)"', 2, 2),
        ('{ extra = "20 ms", share = 0.1 }', 2, 6),
        ('{ extra = "uniform(0 ms, 20 ms)" }', 10, 20 / sqrt(12)),
    ],
)
def test_packets_take_longer_by_what_the_law_says(jitter, mean_ms, deviation_ms):
    longer, plain = ran(f"jitter = {jitter}\nreorders = true"), ran()
    packets = longer.flows["received_packets"].sum()
    assert packets == pytest.approx(plain.flows["received_packets"].sum(), abs=30)
    difference_ms = 1e3 * (of_flows(longer, "delay_mean_s") - of_flows(plain, "delay_mean_s"))
    # Those that are under way at the end count in one of them alone.
    bound = 6 * deviation_ms / sqrt(packets) + 0.01
    assert difference_ms == pytest.approx(mean_ms, abs=bound)


def test_the_law_may_be_a_file(tmp_path):
    (tmp_path / "extra.csv").write_text("0.004\n0.008\n")
    file = tmp_path / "uneven.toml"
    file.write_text(text('jitter = "empirical(extra.csv)"\nreorders = true'))
    scenario = sj.Scenario.load(file)
    assert scenario.files == {"extra.csv": b"0.004\n0.008\n"}
    difference = of_flows(sj.run(scenario), "delay_mean_s") - of_flows(ran(), "delay_mean_s")
    assert difference == pytest.approx(0.006, abs=6 * 0.002 / sqrt(5_000) + 1e-5)


def test_the_queue_knows_nothing_of_it():
    uneven, plain = ran('jitter = "exponential(9 ms)"'), ran()
    alike = ["utilization", "arrivals_packets", "departures_packets", "queue_mean_packets"]
    alike += ["queueing_delay_p95_s", "throughput_bps", "loss_ratio"]
    assert uneven.links.select(alike).equals(plain.links.select(alike))


def test_packets_overtake_each_other_only_where_they_may():
    """Of reordering TCP sees duplicates, of packets that come late together nothing."""
    long = {"link__l__queue": {"discipline": "droptail", "limit": "none"}}
    window = TCP.replace('"tcp" }', '"tcp", window = "14 packets" }')
    kept = ran('jitter = "uniform(0 ms, 9 ms)"', window, **long)
    assert of_flows(kept, "retransmits") == 0
    overtaken = ran('jitter = "uniform(0 ms, 9 ms)"\nreorders = true', window, **long)
    assert of_flows(overtaken, "retransmits") > 0
    assert of_flows(overtaken, "jitter_s") > of_flows(kept, "jitter_s")


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_a_wire_that_could_be_uneven_and_never_is_changes_nothing(discipline):
    """Not a bit, though each departure has an event of its own."""
    over = {"link__l__queue": {"discipline": discipline}, "duration": "5 s"}
    flows = TCP + UDP
    plain = ran("", flows, **over)
    hardly = '{ extra = "1 s", share = 1e-15 }'
    for wire in (
        f"jitter = {hardly}\nreverse_jitter = {hardly}",
        'changes = { delays = ["10 ms"], step = "7 ms" }',
        'reorders = true\njitter = "0 s"',
    ):
        same = ran(wire, flows, **over)
        assert same.links.equals(plain.links)
        assert same.flows.equals(plain.flows)


def test_the_way_back_has_jitter_of_its_own():
    back = ran('reverse_jitter = "5 ms"', TCP)
    there = ran('jitter = "5 ms"', TCP)
    plain = ran("", TCP)
    assert of_flows(back, "delay_mean_s") < of_flows(there, "delay_mean_s") - 0.003
    assert of_flows(back, "rtt_mean_s") > of_flows(plain, "rtt_mean_s") + 0.002


def test_a_dumbbell_from_python_may_be_uneven():
    dumbbell = {"rate": "4 Mbit/s", "rtt": "20 ms", "flows": sj.tcp(), "duration": "10 s"}
    dumbbell["queue"] = {"discipline": "droptail", "limit": "9 packets"}
    both = {"jitter": "2 ms", "reverse_jitter": {"extra": "1 ms", "share": 0.5}}
    plain = sj.run(sj.dumbbell(**dumbbell))
    uneven = sj.run(sj.dumbbell(**dumbbell, **both, reorders=True))
    assert "reorders = true" in sj.dumbbell(**dumbbell, **both, reorders=True).to_toml()
    assert of_flows(uneven, "delay_mean_s") > of_flows(plain, "delay_mean_s") + 0.0015


def delays_ms(results: sj.Results) -> list[float]:
    """The mean delay of the datagrams in each second."""
    series = results.series("delay_mean_s").filter(name="udp", replica=0)
    return [1e3 * value for value in series["value"]]


SLOW = UDP.replace("1 Mbit/s", "0.1 Mbit/s").replace("poisson", "cbr")


def test_a_delay_changes_at_instants_in_steps_and_as_a_file_says(tmp_path):
    listed = ran(
        'changes = [{ at = "2 s", delay = "40 ms" }, { at = "3 s", rate = "2 Mbit/s" }, '
        '{ at = "4 s", rate = "4 Mbit/s", delay = "5 ms" }]',
        SLOW,
        duration="6 s",
        series="1 s",
    )
    # A packet takes a millisecond, of 500 bytes.
    assert delays_ms(listed) == pytest.approx([11, 11, 41, 42, 6, 6], abs=2)
    steps = ran(
        'changes = { delays = ["5 ms", "60 ms"], step = "2 s" }', SLOW, duration="8 s", series="1 s"
    )
    assert delays_ms(steps) == pytest.approx([6, 6, 61, 61, 6, 6, 61, 61], abs=3)
    (tmp_path / "orbit.csv").write_text("# s\n0.005\n0.06\n")
    file = tmp_path / "uneven.toml"
    file.write_text(text('changes = { delays = "orbit.csv", step = "2 s" }', SLOW))
    from_file = sj.run(sj.Scenario.load(file, overrides={"duration": "8 s", "series": "1 s"}))
    assert from_file.flows.equals(steps.flows)
    both = ran(
        'changes = { delays = ["5 ms", "60 ms"], rates = ["4 Mbit/s", "1 Mbit/s"], step = "2 s" }',
        SLOW,
        duration="8 s",
        series="1 s",
    )
    assert delays_ms(both) == pytest.approx([6, 6, 64, 64, 6, 6, 64, 64], abs=3)


def test_tcp_measures_the_delay_of_the_time():
    window = TCP.replace('"tcp" }', '"tcp", window = "14 packets" }')
    results = ran(
        'changes = [{ at = "5 s", delay = "100 ms" }]',
        window,
        duration="10 s",
        series="1 s",
        link__l__queue={"discipline": "droptail"},
    )
    goodput = results.series("goodput_bps").filter(name="tcp", replica=0)["value"]
    # Both ways change: a window for each round trip of 20 and of 200 ms, and what is sent besides.
    assert goodput[3] > 3.5e6
    assert goodput[8] == pytest.approx(14 * 1448 * 8 / 0.203, rel=0.1)


def test_points_may_differ_in_it():
    vary = '\n[vary]\n"link.l.jitter" = ["0 s", "4 ms", { extra = "8 ms", share = 0.5 }]\n'
    scenario = sj.Scenario.from_toml(text('jitter = "0 s"') + vary)
    by_point = sj.run(scenario).flows.group_by("point", maintain_order=True)
    delay = by_point.agg(pl.col("delay_mean_s").mean())["delay_mean_s"]
    assert delay[1] - delay[0] == pytest.approx(0.004, abs=1e-6)
    # Here later ones wait for those that are late.
    assert delay[2] > delay[1]


@pytest.mark.parametrize(
    ("wire", "message"),
    [
        ("jitter = 3", "jitter: found 3; allowed: a time such as"),
        ('jitter = "normal(3 ms)"', 'jitter: found "normal(3 ms)"; allowed: a time such as'),
        ('jitter = ["3 ms"]', "jitter: found a list; allowed: a time such as"),
        ("jitter = {}", "jitter.extra: found nothing; allowed: a time"),
        ('jitter = { extra = "3 ms", share = 2 }', "jitter.share: found 2; allowed: a number"),
        (
            'jitter = { extra = "3 ms", late = 2 }',
            'jitter.late: unknown key: found "late"; allowed',
        ),
        ('jitter = "empirical(none.csv)"', "jitter: none.csv: cannot read it"),
        ('reorders = "yes"', 'reorders: found "yes"; allowed: true or false'),
        ('changes = [{ at = "1 s" }]', "changes: found neither a rate nor a delay; allowed: one"),
        (
            'changes = [{ at = "1 s", delay = "-1 s" }]',
            'delay: found "-1 s"; allowed: "none" or a time',
        ),
        ('changes = { step = "1 s" }', "rates: found nothing, and no delays; allowed: rates such"),
        ('changes = { delays = [], step = "1 s" }', "delays: found none; allowed: times such as"),
        ('changes = { delays = 3, step = "1 s" }', "delays: found 3; allowed: times such as"),
        (
            'changes = { delays = ["1 s"], rates = ["1 Mbit/s", "2 Mbit/s"], step = "1 s" }',
            "changes: found 2 rates and 1 delays; allowed: as many of both",
        ),
        (
            'changes = { delays = ["1 s"], opportunities = "a", step = "1 s" }',
            "found both delays and opportunities",
        ),
    ],
)
def test_what_is_no_jitter_or_change_is_refused_with_what_is_allowed(wire, message):
    with pytest.raises(sj.ScenarioError) as refused:
        sj.run(sj.Scenario.from_toml(text(wire)))
    assert message in str(refused.value)


def test_a_way_back_that_is_not_there_has_no_jitter():
    one_way = text('reverse_jitter = "1 ms"').replace("duplex = true", "")
    with pytest.raises(sj.ScenarioError, match="reverse_jitter: allowed: only where duplex = true"):
        sj.Scenario.from_toml(one_way)
