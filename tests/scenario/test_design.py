"""`[design]`: drawn points."""

import math

import pytest
from scipy.stats import kstest, qmc

import sojourn as sj

SCENARIO = """
name = "drawn"
duration = "1 s"
seed = {seed}

[design]
{design}

[[link]]
name = "b"
from = "a"
to = "c"
rate = "1 Mbit/s"

[[flow]]
name = "f"
from = "a"
to = "c"
count = 2
transport = {{ protocol = "udp" }}
traffic = {{ source = "poisson", rate = "1 Mbit/s" }}

[vary]
{vary}
"""

RANGES = """
"link.b.rate" = { from = "1 Mbit/s", to = "100 Mbit/s", scale = "log" }
"link.b.delay" = { from = "10 ms", to = "50 ms" }
"flow.f.count" = { from = 1, to = 4 }
"""

QUEUES = '"link.b.queue" = [{ discipline = "red" }, { discipline = "codel" }]\n'


def drawn(design: str, vary: str = RANGES, seed: int = 1) -> list[dict]:
    return sj.Scenario.from_toml(SCENARIO.format(design=design, vary=vary, seed=seed)).vary


def hypercube(points: int, **rest) -> list[dict]:
    return drawn(f'kind = "latin-hypercube"\npoints = {points}', **rest)


def shares(points: list[dict]) -> dict[str, list[float]]:
    """Where each value lies in its range."""
    rate = [math.log10(float(p["link.b.rate"].removesuffix(" Mbit/s"))) / 2 for p in points]
    delay = [(float(p["link.b.delay"].removesuffix(" ms")) - 10) / 40 for p in points]
    return {"rate": rate, "delay": delay}


def test_a_latin_hypercube_meets_every_part_of_every_range_once():
    points = hypercube(40)
    for values in shares(points).values():
        assert sorted(int(40 * value) for value in values) == list(range(40))
    counts = [p["flow.f.count"] for p in points]
    assert {count: counts.count(count) for count in counts} == {1: 10, 2: 10, 3: 10, 4: 10}


def test_random_points_are_uniform_and_independent():
    points = drawn('kind = "random"\npoints = 2000')
    rate, delay = shares(points).values()
    assert kstest(rate, "uniform").pvalue > 0.001
    assert kstest(delay, "uniform").pvalue > 0.001
    products = [(x - 0.5) * (y - 0.5) * 12 for x, y in zip(rate, delay, strict=True)]
    assert abs(sum(products) / len(products)) < 4 / math.sqrt(2000)


def test_a_hypercube_fills_the_space_better_than_chance():
    def discrepancy(points: list[dict]) -> float:
        return qmc.discrepancy(list(zip(*shares(points).values(), strict=True)))

    seeds = range(1, 21)
    filled = [discrepancy(hypercube(30, seed=seed)) for seed in seeds]
    random = [discrepancy(drawn('kind = "random"\npoints = 30', seed=seed)) for seed in seeds]
    assert sum(filled) < 0.5 * sum(random)


def test_lists_are_crossed_with_the_drawn_points():
    points = hypercube(5, vary=QUEUES + RANGES)
    assert len(points) == 10
    for red, codel in zip(points[:5], points[5:], strict=True):
        assert (red["link.b.queue"]["discipline"], codel["link.b.queue"]["discipline"]) == (
            "red",
            "codel",
        )
        assert {**red, "link.b.queue": 0} == {**codel, "link.b.queue": 0}
    # The drawn keys turn together, at the place of the first of them.
    innermost = hypercube(5, vary=RANGES + QUEUES)
    assert [p["link.b.queue"]["discipline"] for p in innermost] == ["red", "codel"] * 5
    stepped = QUEUES + RANGES + 'duration = { from = "1 s", to = "3 s", step = "1 s" }\n'
    assert len(hypercube(5, vary=stepped)) == 30


def test_a_further_key_moves_nothing_and_a_seed_everything():
    few = [p["link.b.rate"] for p in hypercube(10, vary=RANGES.splitlines()[1])]
    assert few == [p["link.b.rate"] for p in hypercube(10)]
    assert few == [p["link.b.rate"] for p in hypercube(10)]
    assert few != [p["link.b.rate"] for p in hypercube(10, seed=2)]


def test_whole_packets_stay_whole():
    limits = [p["link.b.queue.limit"] for p in hypercube(20, vary=LIMIT)]
    assert {*limits} == {f"{number} packets" for number in range(1, 21)}
    halves = hypercube(4, vary=LIMIT.replace('"1 p', '"15.5 p').replace("limit", "max_th"))
    assert any("." in p["link.b.queue.max_th"] for p in halves)


LIMIT = """
"link.b.queue" = [{ discipline = "red" }]
"link.b.queue.limit" = { from = "1 packets", to = "20 packets" }
"""


def test_listed_values_turn_together():
    vary = QUEUES + '"flow.f.count" = [1, 3]\n'
    points = drawn('kind = "listed"', vary)
    found = [(p["link.b.queue"]["discipline"], p["flow.f.count"]) for p in points]
    assert found == [("red", 1), ("codel", 3)]
    vary += 'duration = { from = "1 s", to = "2 s", step = "1 s" }\n'
    assert len(drawn('kind = "listed"', vary)) == 4


def test_what_is_drawn_is_pinned():
    points = hypercube(3)
    assert [tuple(p.values()) for p in points] == PINNED


PINNED = [
    ("80.3916 Mbit/s", "20.2733 ms", 1),
    ("3.62719 Mbit/s", "49.4012 ms", 4),
    ("6.27088 Mbit/s", "34.0345 ms", 2),
]


@pytest.mark.parametrize(
    ("design", "vary", "message"),
    [
        ('kind = "sobol"', RANGES, ":7: design.kind: found"),
        ('kind = "random"', RANGES, "design.points: found nothing; allowed: 1 to 100000"),
        ('kind = "random"\npoints = 0', RANGES, ":8: design.points: found 0"),
        ('kind = "grid"\npoints = 5', QUEUES, ":8: design.points: the listed values say how many"),
        ('kind = "random"\npoints = 5', QUEUES, "there is nothing to draw"),
        ('kind = "listed"', "duration = { from = '1 s', to = '2 s', step = '1 s' }", "no list"),
        (
            'kind = "listed"',
            QUEUES + 'duration = ["1 s"]',
            "found 1 values, but 2 under link.b.queue",
        ),
        ('kind = "listed"\npoints = 3', QUEUES, "the listed values say how many"),
        ('kinds = "random"', RANGES, "did you mean"),
        ("", RANGES.splitlines()[2], "found no step; allowed: from, to and step, or a"),
        (
            'kind = "random"\npoints = 5',
            '"link.b.rate" = { from = "1 Mbit/s", to = "2 kbit/s" }',
            "one unit for from and to",
        ),
        (
            'kind = "random"\npoints = 5',
            '"link.b.rate" = { from = "2 Mbit/s", to = "1 Mbit/s" }',
            "found from 2 Mbit/s to 1 Mbit/s; allowed: `to` not below `from`",
        ),
        (
            'kind = "random"\npoints = 5',
            '"flow.f.count" = { from = 0, to = 3, scale = "log" }',
            "found from 0 to 3 on a log scale; allowed: `to` not below `from`, and",
        ),
        (
            'kind = "random"\npoints = 5',
            '"flow.f.count" = { from = 1, to = 3, scale = "exp" }',
            'allowed: "linear" or "log"',
        ),
        (
            'kind = "random"\npoints = 5',
            '"flow.f.count" = { from = 1, until = 3 }',
            "allowed: from, to, scale",
        ),
    ],
)
def test_what_is_wrong_is_one_error_at_its_line(design, vary, message):
    with pytest.raises(sj.ScenarioError) as error:
        drawn(design, vary)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
