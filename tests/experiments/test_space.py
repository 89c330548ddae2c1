"""Sensitivity and tuning on links whose answer is known."""

import json
import math
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

import sojourn as sj
from sojourn.experiments.sensitivity import sensitivity
from sojourn.experiments.space import Range, Space
from sojourn.experiments.trying import trying
from sojourn.experiments.tune import judged, tune
from sojourn.experiments.tuning import Ratio, Tuning

from .conftest import PATIENCE_S, Counter, started

pytest.importorskip("SALib")
pytest.importorskip("optuna")

TWO_DELAYS = """
name = "two-delays"
duration = "3 s"
warmup = "1 s"
replicas = 2
link = [
    { name = "one", from = "a", to = "b", rate = "100 Mbit/s" },
    { name = "two", from = "b", to = "c", rate = "100 Mbit/s" },
    { name = "idle", from = "c", to = "a", rate = "100 Mbit/s" },
]

[[flow]]
name = "f"
from = "a"
to = "c"
transport = { protocol = "udp" }
traffic = { source = "cbr", rate = "1 Mbit/s" }

[vary]
"link.two.delay" = { from = "0 ms", to = "20 ms" }
"link.idle.delay" = { from = "0 ms", to = "20 ms" }
"link.one.delay" = { from = "0 ms", to = "40 ms" }
"""

BUFFER = """
name = "buffer"
duration = "5 s"
warmup = "1 s"
replicas = 3

[[link]]
name = "b"
from = "a"
to = "c"
rate = "4 Mbit/s"
delay = "5 ms"
queue = { discipline = "droptail", limit = "40 packets" }

[[flow]]
name = "f"
from = "a"
to = "c"
transport = { protocol = "udp", payload = "472 B" }
traffic = { source = "poisson", rate = "3.8 Mbit/s" }

[vary]
"flow.f.traffic.rate" = ["3.6 Mbit/s", "3.8 Mbit/s", "4.2 Mbit/s"]
"link.b.queue.limit" = { from = "2 packets", to = "200 packets", scale = "log" }
"""


@pytest.fixture
def file(tmp_path):
    def make(text: str, name: str = "scenario") -> Path:
        path = tmp_path / f"{name}.toml"
        path.write_text(text)
        return path

    return make


def test_values_of_a_range():
    rate = Range("k", 1, 100, "Mbit/s", is_whole=False, is_log=True)
    assert [rate.value(share) for share in (0, 0.5, 1)] == [
        "1.0 Mbit/s",
        "10.0 Mbit/s",
        "100.0 Mbit/s",
    ]
    count = Range("k", 1, 4, "", is_whole=True, is_log=False)
    assert [count.value(share) for share in (0, 0.24, 0.26, 0.99, 1)] == [1, 1, 2, 4, 4]
    assert [count.place(share) for share in (0, 0.26, 1)] == pytest.approx([0, 1 / 3, 1])
    assert [rate.place(share) for share in (0, 0.5, 1)] == pytest.approx([0, 0.5, 1])
    assert Range("k", 3, 3, "", is_whole=True, is_log=False).place(1) == 0


def test_whole_numbers_on_a_log_scale_have_equal_parts_of_it():
    # Up to where 4 would begin there are two octaves: 1 has the first, 2 and 3 share the second.
    count = Range("k", 1, 3, "packets", is_whole=True, is_log=True)
    shares = (0, 0.49, 0.51, 0.79, 0.8, 1)
    assert [count.value(share) for share in shares] == [
        f"{number} packets" for number in (1, 1, 2, 2, 3, 3)
    ]
    drawn = Range("k", 0.001, 0.7, "", is_whole=False, is_log=False)
    assert drawn.value(1 / 3) == 0.234


def test_a_space_and_its_cases(file):
    space = Space.load(file(BUFFER))
    assert [each.key for each in space.ranges] == ["link.b.queue.limit"]
    assert [case["flow.f.traffic.rate"][:3] for case in space.cases] == ["3.6", "3.8", "4.2"]
    tried = space.at([space.row([0.5]), {"link.b.queue.limit": "7 packets"}])
    assert [point["link.b.queue.limit"] for point in tried.vary] == ["20 packets"] * 3 + [
        "7 packets"
    ] * 3
    assert space.at([{}]).core.points == 3, "the defaults"
    with pytest.raises(sj.ScenarioError, match=r"closed\.toml: there is nothing to draw"):
        Space.load(file(BUFFER.split("[vary]")[0], "closed"))
    with pytest.raises(sj.ScenarioError, match=r"scenario\.toml: link\.b\.queue\.limit: found"):
        space.at([{"link.b.queue.limit": "-7 packets"}])


def test_morris_finds_the_effects_of_two_delays(file, tmp_path):
    with trying(tmp_path / "out") as tries:
        found = sensitivity(Space.load(file(TWO_DELAYS)), tries, of=["total.delay_mean_s"])
    rows = {row["parameter"]: row for row in found.table.to_dicts()}
    assert [*rows] == ["link.one.delay", "link.two.delay", "link.idle.delay"]
    effects = [(row["mu_star"], row["mu"]) for row in rows.values()]
    assert effects == [
        pytest.approx((0.04, 0.04), rel=1e-5),
        pytest.approx((0.02, 0.02), rel=1e-5),
        (0, 0),
    ]
    assert all(row["sigma"] < 1e-6 for row in rows.values()), "there is no interaction"


COUNTS = """
name = "counts"
duration = "2 s"
link = [{ name = "l", from = "a", to = "b", rate = "100 Mbit/s" }]

[[flow]]
name = "few"
from = "a"
to = "b"
transport = { protocol = "udp", payload = "100 B" }
traffic = { source = "cbr", rate = "1 Mbit/s" }

[[flow]]
name = "many"
from = "a"
to = "b"
transport = { protocol = "udp", payload = "100 B" }
traffic = { source = "cbr", rate = "1 Mbit/s" }

[vary]
"flow.few.count" = { from = 1, to = 2 }
"flow.many.count" = { from = 1, to = 9 }
"""


def test_the_effect_of_whole_numbers_is_that_of_the_steps_they_take(file, tmp_path):
    """Each flow adds 1 Mbit/s: one more of the few, eight more of the many."""
    with trying(tmp_path / "out") as tries:
        found = sensitivity(Space.load(file(COUNTS)), tries, of=["total.throughput_bps"])
    rows = {row["parameter"]: row for row in found.table.to_dicts()}
    effects = [rows[f"flow.{name}.count"]["mu_star"] for name in ("few", "many")]
    assert effects == pytest.approx([1e6, 8e6], rel=2e-3)
    assert all(row["sigma"] < 1e3 for row in rows.values()), "all steps add alike"


def test_sobol_finds_their_shares_of_the_variance(file, tmp_path):
    # Uniform delays of 40 and 20 ms: variances as 4 to 1.
    with trying(tmp_path / "out") as tries:
        found = sensitivity(
            Space.load(file(TWO_DELAYS)),
            tries,
            of=["total.delay_mean_s", "links.one.loss_ratio"],
            method="sobol",
        )
    delay = found.table.filter(quantity="total.delay_mean_s")
    assert delay["ST"].to_list() == pytest.approx([0.8, 0.2, 0], abs=0.03)
    assert delay["S1"].to_list() == pytest.approx([0.8, 0.2, 0], abs=0.1)
    never = found.table.filter(quantity="links.one.loss_ratio")
    assert never["ST"].to_list() == [0, 0, 0], "what never changes depends on nothing"
    paths = found.write(tmp_path)
    tables, figure = ["sensitivity.parquet", "sensitivity.csv"], ["svg", "pdf", "png", "csv"]
    assert [path.name for path in paths] == tables + [f"sensitivity.{one}" for one in figure]
    panel, _ = found.plot().axes
    assert panel.get_xlabel() == "Share of the variance, interactions counted (%)"
    assert [tick.get_text() for tick in panel.get_yticklabels()] == [
        "one delay",
        "two delay",
        "idle delay",
    ]


FULL = """
name = "full"
duration = "4 s"
warmup = "1 s"
replicas = 3

[[link]]
name = "l"
from = "a"
to = "b"
rate = "3.3 Mbit/s"
queue = { discipline = "droptail", limit = "20 packets" }

[[flow]]
name = "p"
from = "a"
to = "b"
transport = { protocol = "udp", payload = "433 B" }
traffic = { source = "poisson", rate = "10 Mbit/s" }

[vary]
"link.l.delay" = { from = "3 ms", to = "60 ms" }
"flow.p.traffic.rate" = { from = "8 Mbit/s", to = "20 Mbit/s" }
"""


def test_rounding_depends_on_nothing(file, tmp_path):
    """The link is always full, but the means of its throughput differ by a last bit."""
    space, quantity = Space.load(file(FULL)), "links.l.throughput_bps"
    with trying(tmp_path / "out") as tries:
        found = sensitivity(space, tries, of=[quantity], method="sobol", samples=16)
        shares = [space.row([0.5, rate / 40]) for rate in range(40)]
        outputs = {math.fsum(one) for one in tries.values(space.at(shares), [quantity])[quantity]}
    assert len(outputs) > 1
    assert found.table["ST"].to_list() == found.table["S1"].to_list() == [0, 0]


def test_two_settings_of_one_discipline_are_two_cases(file, tmp_path):
    codels = ", ".join(f'{{ discipline = "codel", target = "{ms} ms" }}' for ms in (5, 50))
    text = f'{FULL}"link.l.queue" = [{codels}]\n"flow.p.transport.ecn" = [false]\n'
    with trying(tmp_path / "out") as tries:
        found = sensitivity(
            Space.load(file(text)), tries, of=["links.l.queueing_delay_mean_s"], samples=4
        )
    cases = found.table["case"].to_list()
    assert cases == [
        *["l queue codel, target=5 ms, p ecn false"] * 2,
        *["l queue codel, target=50 ms, p ecn false"] * 2,
    ]
    (panel,) = found.plot().axes
    assert len(panel.containers) == 2


def test_effects_are_drawn_in_the_unit_of_the_quantity(file, tmp_path):
    with trying(tmp_path / "out") as tries:
        found = sensitivity(Space.load(file(TWO_DELAYS)), tries, of=["total.delay_mean_s"])
    (panel,) = found.plot().axes
    assert panel.get_xlabel() == "Change of mean delay over the whole range (ms)"
    (marks,) = [line for line in panel.lines if line.get_marker() == "o"]
    assert list(marks.get_xdata()) == pytest.approx([40, 20, 0], abs=0.01)


def test_a_quantity_that_is_undefined_is_told_by_the_first_try(file, tmp_path):
    path, counter = file(TWO_DELAYS), Counter()
    with (
        trying(tmp_path / "out", progress=counter) as tries,
        pytest.raises(sj.ScenarioError, match=r"total\.fct_s is undefined at link\.two\.delay = "),
    ):
        sensitivity(Space.load(path), tries, of=["total.delay_mean_s", "total.fct_s"])
    assert counter.runs == 2
    program = started("sensitivity", path, "--of", "total.fct_s", "--out", tmp_path / "out")
    out, errors = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 2
    assert out == ""
    assert errors.startswith(f"error: {path}: total.fct_s is undefined at ")
    assert errors.count("\n") == 1
    assert "allowed: a quantity that every run defines" in errors


def test_one_objective_finds_its_optimum(file, tmp_path):
    with trying(tmp_path / "out") as tries:
        found = tune(
            Space.load(file(BUFFER)),
            tries,
            objectives={"total.delay_mean_s": "minimise"},
            trials=24,
        )
    (best,) = found.front
    assert float(best.values["link.b.queue.limit"].split()[0]) < 4, "the shortest buffer"
    assert best.seen is not None
    assert found.is_better(best.seen["total.delay_mean_s"], "total.delay_mean_s")
    with pytest.raises(ValueError, match="found one objective"):
        found.plot()


ALWAYS_THE_SAME = """
name = "always-the-same"
duration = "4 s"
warmup = "1 s"
replicas = 3

[[link]]
name = "b"
from = "a"
to = "c"
rate = "4 Mbit/s"
delay = "5 ms"

[[flow]]
name = "f"
from = "a"
to = "c"
transport = { protocol = "udp", payload = "472 B" }
traffic = { source = "cbr", rate = "3 Mbit/s" }

[vary]
"link.b.delay" = { from = "1 ms", to = "2 ms" }
"""


def test_replicas_that_are_the_same_run_show_no_setting_better(file, tmp_path):
    notes, objectives = [], {"total.delay_mean_s": "minimise"}
    with trying(tmp_path / "out") as tries:
        space = Space.load(file(ALWAYS_THE_SAME))
        found = tune(space, tries, objectives=objectives, trials=8, note=notes.append)
    (best,) = found.front
    assert best.scores["total.delay_mean_s"] < 0.6
    interval = best.seen["total.delay_mean_s"]
    assert (interval.low, interval.high, interval.n) == (None, None, 1)
    assert found.better_in_all == []
    (note,) = notes
    assert "scenario.toml: the replicas in any case do not differ: nothing random" in note
    # Where only one of two cases is so, the other does not make three runs of it.
    mixed = BUFFER.replace('"3.6 Mbit/s", "3.8 Mbit/s", "4.2 Mbit/s"', '"3.6 Mbit/s"')
    mixed += '"flow.f.traffic.source" = ["poisson", "cbr"]\n'
    notes.clear()
    with trying(tmp_path / "mixed") as tries:
        found = tune(
            Space.load(file(mixed, "mixed")),
            tries,
            objectives=objectives,
            trials=8,
            note=notes.append,
        )
    assert found.better_in_all == []
    assert "mixed.toml: the replicas in 1 of 2 cases do not differ" in notes[0]


def test_what_is_better_needs_three_replicas_and_more_than_a_step():
    objectives = {"links.b.queueing_delay_p95_s": "minimise", "total.goodput_bps": "maximise"}
    delay, goodput = objectives
    found = Tuning(objectives, [], [], [], [])
    assert found.is_better(Ratio(0.9, 0.88, 0.92, 3, adjusted=0.01), delay) is True
    assert found.is_better(Ratio(0.9, 0.88, 0.92, 3, adjusted=0.01), goodput) is False
    assert found.is_better(Ratio(0.9, 0.88, 0.92, 3, adjusted=0.06), delay) is None
    assert found.is_better(Ratio(0.9, 0.88, 0.92, 2, adjusted=0.01), delay) is None
    # The buckets of percentiles are up to 1/128 wide.
    assert found.is_better(Ratio(0.9925, 0.991, 0.994, 5, adjusted=0.01), delay) is None
    assert found.is_better(Ratio(1.0075, 1.006, 1.009, 5, adjusted=0.01), delay) is None
    assert found.is_better(Ratio(1.0075, 1.006, 1.009, 5, adjusted=0.01), goodput) is True
    assert found.is_better(Ratio(0.9, None, None, 1), delay) is None


def test_the_front_of_delay_and_goodput(file, tmp_path):
    counter = Counter()
    with trying(tmp_path / "out", progress=counter) as tries:
        found = tune(Space.load(file(BUFFER)), tries, trials=16)
    assert len(found.trials) == 16
    limits = [float(one.values["link.b.queue.limit"].split()[0]) for one in found.front]
    assert limits == sorted(limits), "a longer buffer: more delay, more goodput"
    delays = [one.scores["total.delay_mean_s"] for one in found.front]
    goodputs = [one.scores["total.goodput_bps"] for one in found.front]
    assert delays == sorted(delays)
    assert goodputs == sorted(goodputs)
    assert delays[0] < 1 < delays[-1], "the default of 40 packets lies between"
    assert found.better_in_all == [], "nothing is had for nothing"
    # The middle case was held out, and nothing of it was seen.
    assert [case["flow.f.traffic.rate"] for case in found.held_out_cases] == ["3.8 Mbit/s"]
    assert len(found.seen_cases) == 2
    assert all(one.held_out is not None for one in found.front)
    # No run is done twice, not that of the defaults either: three replicas of two cases for each
    # setting, and of the third case for those of the front.
    tried, front = (
        {one.values["link.b.queue.limit"] for one in some} | {"40 packets"}
        for some in (found.trials, found.front)
    )
    assert counter.runs == 3 * (2 * len(tried) + len(front))
    shown = found.figure_frame()
    assert shown.group_by("kind").len().sort("kind")["len"].to_list() == [
        len(found.front),
        len(found.front),
        16,
    ]
    (axes,) = found.plot().axes
    assert axes.xaxis_inverted(), "less delay is to the right"
    assert not axes.yaxis_inverted()


def test_the_defaults_have_a_ratio_of_one(file, tmp_path):
    narrow = BUFFER.replace(
        'from = "2 packets", to = "200 packets"', 'from = "40 packets", to = "40 packets"'
    )
    with trying(tmp_path / "out") as tries:
        found = tune(Space.load(file(narrow)), tries, trials=2)
    (one,) = found.front
    assert one.scores == {"total.delay_mean_s": 1, "total.goodput_bps": 1}
    for intervals in (one.seen, one.held_out):
        assert [(each.low, each.high) for each in intervals.values()] == [(1, 1), (1, 1)]


def test_scenarios_may_be_held_out(file, tmp_path):
    other = BUFFER.replace("4 Mbit/s", "40 Mbit/s").replace("3.", "35.").split("[vary]")[0]
    held_out = Space.load(file(other, "other"), needed=False)
    with trying(tmp_path / "out") as tries:
        found = tune(Space.load(file(BUFFER)), tries, trials=8, held_out=[held_out])
    assert len(found.seen_cases) == 3
    assert found.held_out_cases == [{}]
    assert all(one.held_out["total.delay_mean_s"].n == 3 for one in found.front)


def test_a_scenario_held_out_that_has_not_what_is_searched_is_named(file, tmp_path):
    searched = BUFFER.replace('"droptail"', '"red"').split('"link.b.queue.limit"')[0]
    searched += '"link.b.queue.max_p" = { from = 0.01, to = 0.5 }\n'
    path, other = file(searched), file(BUFFER.split("[vary]")[0], "other")
    spaces = Space.load(path), Space.load(other, needed=False)
    counter = Counter()
    with (
        trying(tmp_path / "out", progress=counter) as tries,
        pytest.raises(sj.ScenarioError) as error,
    ):
        tune(spaces[0], tries, trials=8, held_out=[spaces[1]])
    assert str(error.value).startswith(
        f"{other}: link.b.queue.max_p, which the search in {path} sets: unknown key: "
        'found "max_p"; allowed: '
    )
    assert counter.runs == 0, "it is known before the search"


def test_what_the_search_sees_is_not_held_out(file, tmp_path):
    path = file(BUFFER)
    program = started("tune", path, "--held-out", path, "--out", tmp_path / "same")
    out, errors = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 2
    assert out == ""
    assert errors == (
        f"error: {path}: found all 3 cases of it among those of the search, {path}; allowed as "
        "held out: a scenario with cases that the search does not see\n"
    )
    # The same case in other words: the file's own rate, without a range.
    only = file(BUFFER.split("[vary]")[0].replace('"buffer"', '"renamed"'), "only")
    with (
        trying(tmp_path / "only") as tries,
        pytest.raises(sj.ScenarioError, match="found the only case of it among"),
    ):
        tune(Space.load(path), tries, held_out=[Space.load(only, needed=False)])
    notes = []
    half = Space.load(file(BUFFER.replace("3.6", "5"), "half"))
    with trying(tmp_path / "half") as tries:
        found = tune(Space.load(path), tries, trials=8, held_out=[half], note=notes.append)
    (note,) = notes
    assert "half.toml: the search sees 2 of its 3 cases; only the others are held out" in note
    assert found.held_out_cases == [{"flow.f.traffic.rate": "5 Mbit/s"}]


def test_an_objective_that_cannot_be_compared(file, tmp_path):
    text = BUFFER.replace("3.6 Mbit/s", "0.1 Mbit/s")
    with trying(tmp_path / "out") as tries, pytest.raises(sj.ScenarioError) as error:
        tune(Space.load(file(text)), tries, objectives={"total.loss_ratio": "minimise"})
    assert "total.loss_ratio is zero or undefined under the defaults at" in str(error.value)
    with trying(tmp_path / "out") as tries, pytest.raises(sj.ScenarioError, match="METRIC"):
        tune(Space.load(file(text)), tries, objectives={"loss": "minimise"})


NOTHING_COMES_THROUGH = """
name = "t"
duration = "2 s"
replicas = 2

[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "4 Mbit/s" }

[[flow]]
name = "load"
transport = { protocol = "udp", payload = "1000 B" }
traffic = { source = "poisson", rate = "3 Mbit/s" }

[vary]
"dumbbell.bottleneck.loss" = { from = 0.9999999, to = 0.99999999 }
"""


def test_where_every_setting_has_an_objective_of_zero_it_is_told(file, tmp_path):
    path = file(NOTHING_COMES_THROUGH)
    with trying(tmp_path / "out") as tries, pytest.raises(sj.ScenarioError) as error:
        tune(Space.load(path), tries, trials=3)
    assert str(error.value) == (
        f"{path}: total.delay_mean_s or total.goodput_bps is zero or undefined with each of the 3 "
        "settings tried; allowed: ranges where none is"
    )


def test_tune_is_resumed_to_the_same(file, tmp_path):
    path = file(BUFFER.replace('"5 s"', '"60 s"'))

    def command(out: str) -> subprocess.Popen:
        options = ("--out", tmp_path / out, "--trials", 24, "--json")
        return started("tune", path, *options)

    whole, errors = command("whole").communicate(timeout=PATIENCE_S)
    assert len(json.loads(whole)["tries"]) == 24, errors
    program = command("killed")
    patience = time.monotonic() + PATIENCE_S
    while not list((tmp_path / "killed").glob("store/*.journal")) and time.monotonic() < patience:
        time.sleep(0.01)
    time.sleep(0.5)
    program.send_signal(signal.SIGKILL)
    program.communicate()
    again, _ = command("killed").communicate(timeout=PATIENCE_S)
    assert json.loads(again) == json.loads(whole)


def test_the_commands_print_tables(file, tmp_path):
    program = started("sensitivity", file(TWO_DELAYS), "--out", tmp_path / "a", "--samples", 4)
    out, errors = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 0, errors
    assert "link.one.delay" in out
    assert "total.goodput_bps" in out
    program = started("tune", file(BUFFER, "b"), "--out", tmp_path / "b", "--trials", 8)
    out, errors = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 0, errors
    assert "8 settings tried under 2 cases" in out
    assert "Held out: 1 case that the search saw nothing of." in out
    assert (tmp_path / "b" / "figures" / "front.svg").exists()
    for arguments, message in [
        (("sensitivity", tmp_path / "b.toml", "--out", tmp_path / "c", "--of", "x"), "allowed:"),
        (("tune", tmp_path / "none.toml", "--out", tmp_path / "c"), "cannot read it"),
    ]:
        program = started(*arguments)
        _, errors = program.communicate(timeout=PATIENCE_S)
        assert program.returncode == 2
        assert message in errors


def test_of_many_settings_that_do_nothing_none_is_better_by_luck():
    """Ten settings on the front, each with an interval of its own: one in forty lies below 1."""
    objective = "total.delay_mean_s"
    found = Tuning({objective: "minimise"}, [], [], [], [])
    draws = random.Random(1)
    experiments, lucky, below = 500, 0, 0
    for _ in range(experiments):
        settings = [{objective: [[draws.gauss(0, 0.05) for _ in range(5)]]} for _ in range(10)]
        ratios = [each[objective] for each in judged(settings)]
        below += any(ratio.high < 1 for ratio in ratios)
        lucky += any(found.is_better(ratio, objective) for ratio in ratios)
    assert below > 0.15 * experiments
    assert lucky <= 0.05 * experiments
