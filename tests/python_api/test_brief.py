"""Errors about what a user wrote end in what helps, and do not show the way through Sojourn."""

import linecache
import traceback
from pathlib import Path
from types import ModuleType

import own
import pytest

import sojourn as sj

NOT_TOML = "name = 1"
FLOW = sj.udp(rate="1 Mbit/s")


@pytest.mark.parametrize(
    "call",
    [
        lambda make, _: sj.run(make(own.Fails())),
        lambda make, _: sj.run(make(own.CompiledFails())),
        lambda make, out: sj.sweep(make(own.Fails()), out),
        lambda make, out: sj.sweep(make(own.Fails(), replicas=2), out, jobs=2),
        lambda _, out: sj.sweep("nowhere.toml", out),
        lambda *_: sj.run("nowhere.toml"),
        lambda *_: sj.Scenario.load("nowhere.toml"),
        lambda *_: sj.Scenario.from_toml(NOT_TOML),
        lambda make, _: make(own.Blue()).with_overrides({"link.y.rate": "1 Mbit/s"}),
        lambda *_: sj.dumbbell(rate="10", rtt="1 ms", flows=FLOW),
        lambda *_: sj.star(3, rate="10", delay="1 ms", flows=FLOW),
        lambda *_: sj.testing.check_laws(own.Fails),
    ],
)
def test_a_traceback_has_one_frame_of_sojourn(overloaded, tmp_path, call):
    with pytest.raises((sj.ScenarioError, sj.UserCodeError)) as raised:
        call(overloaded, tmp_path / "out")
    modules = [frame.f_globals["__name__"] for frame, _ in traceback.walk_tb(raised.tb)]
    assert [name for name in modules if name != __name__] == ["sojourn.errors.brief"]
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__
    assert str(Path(sj.__file__).parent) not in str(raised.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"replicas": -1}, "replicas: found -1; allowed: "),
        ({"seed": -3}, "seed: found -3; allowed: "),
        ({"precision": "x"}, 'precision: found "x"; allowed: '),
        ({"series_interval": "x"}, 'series_interval: found "x"; allowed: '),
    ],
)
def test_what_an_argument_says_is_wrong_under_its_name(overloaded, tmp_path, given, message):
    scenario = overloaded(own.Blue())
    with pytest.raises(sj.ScenarioError) as raised:
        sj.run(scenario, **given)
    assert str(raised.value).startswith(f"<network>: {message}")
    if "series_interval" not in given:
        with pytest.raises(sj.ScenarioError) as raised:
            sj.sweep(scenario, tmp_path / "out", **given)
        assert str(raised.value).startswith(f"<network>: {message}")
    with pytest.raises(sj.ScenarioError, match="overrides: duration: found"):
        sj.run(scenario, replicas=2, overrides={"duration": "x"})


@pytest.mark.parametrize("jobs", [1, 2])
def test_code_that_is_in_no_file_is_shown_by_workers_too(overloaded, monkeypatch, jobs):
    lines = [
        "import sojourn as sj\n",
        "class OfACell(sj.queue.Discipline):\n",
        "    def enqueue(self, now, size, flow, ecn):\n",
        "        return 1 // 0  # as a cell has it\n",
    ]
    monkeypatch.setitem(linecache.cache, "<cell 3>", (1, None, lines, "<cell 3>"))
    cell = ModuleType("cell")
    exec(compile("".join(lines), "<cell 3>", "exec"), cell.__dict__)
    with pytest.raises(sj.UserCodeError, match="return 1 // 0  # as a cell has it"):
        sj.run(overloaded(cell.OfACell(), replicas=2), jobs=jobs)
