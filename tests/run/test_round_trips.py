"""Flows of a dumbbell that have round trips of their own, from a file and from Python."""

import pytest

import sojourn as sj

HEAD = """
name = "round-trips"
duration = "2 s"

[dumbbell]
bottleneck = { rate = "1 Gbit/s", delay = "5 ms" }
access = { rate = "1 Gbit/s", delay = "7 ms" }
"""

UDP = """
[[flow]]
name = "udp"
count = 4
KEYS
start = "uniform(0 ms, 100 ms)"
transport = { protocol = "udp", payload = "972 B" }
traffic = { source = "cbr", rate = "80 kbit/s" }
"""

TCP = UDP.replace("udp", "tcp").replace('payload = "972 B"', "delayed_ack = 1")

SENT_S = 3 * 8e-6
"""What 1000 bytes take on three links, where no other packet is."""


def scenario(keys: str = "", flow: str = UDP, **overrides: object) -> sj.Scenario:
    given = {key.replace("__", "."): value for key, value in overrides.items()}
    return sj.Scenario.from_toml(HEAD + flow.replace("KEYS", keys), overrides=given)


def round_trips_ms(results: sj.Results, replica: int = 0) -> list[float]:
    """Those of the flows, by what their packets took one way."""
    flows = results.flows.filter(replica=replica).sort("flow")
    return [2e3 * (one - SENT_S) for one in flows["delay_mean_s"]]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("", [38, 38, 38, 38]),
        ('rtt = "10 ms"', [10, 10, 10, 10]),
        ('rtt = "50 ms"', [50, 50, 50, 50]),
        ('rtt = ["10 ms", "20 ms", "40 ms", "80 ms"]', [10, 20, 40, 80]),
        ('rtt = { first = "12 ms", step = "30 ms" }', [12, 42, 72, 102]),
        ('rtt = "20 ms"\naccess = { rate = "1 Gbit/s" }', [20, 20, 20, 20]),
    ],
)
def test_packets_take_half_of_it(keys, expected):
    assert round_trips_ms(sj.run(scenario(keys))) == pytest.approx(expected)


def test_acknowledgements_take_the_other_half():
    results = sj.run(
        scenario('rtt = ["10 ms", "20 ms", "40 ms", "80 ms"]', TCP.replace("80 k", "8 k"))
    )
    seen = results.flows.sort("flow")["rtt_mean_s"]
    assert seen.to_list() == pytest.approx([0.010, 0.020, 0.040, 0.080], rel=0.02)


def test_what_is_random_is_drawn_for_each_flow_and_replica():
    results = sj.run(scenario('rtt = "uniform(10 ms, 90 ms)"'), replicas=50)
    drawn = [one for replica in range(50) for one in round_trips_ms(results, replica)]
    assert len({round(one, 6) for one in drawn}) == 200
    assert 10 <= min(drawn) < 12
    assert 88 < max(drawn) <= 90
    assert sum(drawn) / 200 == pytest.approx(50, abs=4 * 80 / 12**0.5 / 200**0.5)
    again = sj.run(scenario('rtt = "uniform(10 ms, 90 ms)"'), replicas=50)
    assert again.flows.equals(results.flows)


def test_other_draws_stay_as_they_are():
    starts = UDP.replace('start = "uniform(0 ms, 100 ms)"', 'start = "uniform(0 s, 4 s)"')
    drawn = sj.run(scenario('rtt = "uniform(10 ms, 90 ms)"', starts)).flows["sent_packets"]
    assert drawn.n_unique() > 1
    assert drawn.equals(sj.run(scenario('rtt = "10 ms"', starts)).flows["sent_packets"])


def test_measured_ones_come_from_a_file(tmp_path):
    (tmp_path / "rtts.csv").write_text("0.02\n0.06\n")
    file = tmp_path / "mine.toml"
    file.write_text(HEAD + UDP.replace("KEYS", 'rtt = "empirical(rtts.csv)"'))
    drawn = round_trips_ms(sj.run(file, replicas=8), 7)
    assert {round(one, 6) for one in drawn} <= {20, 60}
    (tmp_path / "rtts.csv").write_text("0.02\n0.006\n")
    with pytest.raises(
        sj.ScenarioError, match="rtt: found one that may be 6 ms; allowed: at least 10"
    ):
        sj.run(file)


def test_it_is_varied_and_given_from_python():
    flows = 4 * sj.udp(rate="80 kbit/s", payload="972 B", name="udp", rtt="30 ms")
    built = sj.dumbbell(
        rate="1 Gbit/s",
        delay="5 ms",
        access={"rate": "1 Gbit/s"},
        flows=flows,
        duration="1 s",
        vary={"flow.udp.rtt": ["20 ms", ["10 ms", "20 ms", "40 ms", "80 ms"]]},
    )
    flows = sj.run(built).flows.sort("flow")
    by_point = [group["delay_mean_s"] for _, group in flows.group_by("point", maintain_order=True)]
    firsts = [round(2e3 * (one.min() or 0)) for one in by_point]
    assert sorted(firsts) == [10, 20]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (
            'rtt = "9 ms"',
            "rtt: found 9 ms; allowed: at least 10 ms, the bottleneck's delay there and",
        ),
        ('rtt = "exponential(50 ms)"', "rtt: found one that may be 0 s; allowed: at least 10 ms"),
        ('rtt = ["10 ms", "20 ms"]', "rtt: found 2 round trips; allowed: one for each of 4 flows"),
        ('rtt = { first = "10 ms" }', "rtt.step: found nothing; allowed: a time"),
        ('rtt = { first = "10 ms", step = "1 ms", last = 3 }', "rtt.last: unknown key"),
        ('rtt = "fast"', 'rtt: found "fast"; allowed: a time such as "20 ms"'),
        (
            'rtt = "20 ms"\naccess = { delay = "1 ms" }',
            "rtt: found a delay of its access links too",
        ),
        ('rtt = "20 ms"\nfrom = "left"\nto = "right"', "rtt: found a round trip; allowed: only in"),
        ('rtt = "empirical(none.csv)"', "rtt: none.csv: cannot read it"),
    ],
)
def test_what_cannot_be_is_refused(keys, said):
    with pytest.raises(sj.ScenarioError) as refused:
        sj.run(scenario(keys))
    assert f"flow.udp.{said}" in str(refused.value)


def test_without_a_dumbbell_links_have_the_delay():
    text = """
name = "no-dumbbell"
duration = "1 s"
[[link]]
from = "a"
to = "b"
rate = "1 Mbit/s"
"""
    flow = UDP.replace("KEYS", 'from = "a"\nto = "b"\nrtt = "20 ms"')
    with pytest.raises(
        sj.ScenarioError, match=r"flow.udp.rtt: found a round trip; allowed: only in"
    ):
        sj.run(sj.Scenario.from_toml(text + flow))
