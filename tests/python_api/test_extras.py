"""What is missing is named with the extra that brings it; ready files come along."""

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import sojourn as sj
from sojourn.errors.extras import LIBRARIES, needed

ROOT = Path(__file__).resolve().parents[2]


def without(library: str, *words: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Run `sojourn` as if a library were not installed."""
    blocked = f"import sys; sys.modules[{library!r}] = None"
    (tmp_path / "sitecustomize.py").write_text(blocked)
    return subprocess.run(
        [sys.executable, "-m", "sojourn", *words],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("library", "words"),
    [
        ("matplotlib", ("plot", "scenarios/mm1.toml", "load", "--set", "duration=1 s")),
        ("jinja2", ("reproduce", "eqm", "--quick")),
        ("optuna", ("tune", "scenarios/drawn-bottlenecks.toml", "--out", "x")),
        ("distributed", ("sweep", "scenarios/mm1.toml", "--out", "x", "--cluster", "tcp://x:1")),
    ],
)
def test_one_line_names_the_extra(library, words, tmp_path):
    done = without(library, *words, tmp_path=tmp_path)
    assert done.returncode in (1, 2)
    assert f"pip install 'sojourn[{LIBRARIES[library]}]'" in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1


def test_a_replay_without_figures_leaves_no_folder(tmp_path):
    (tmp_path / "arrivals.csv").write_text("time_s,size_B\n0,1500\n0.001,1500\n")
    words = ("replay", "arrivals.csv", "--rate", "8 Mbit/s", "--queue", "droptail")
    done = without("matplotlib", *words, tmp_path=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "no figures: matplotlib is not installed" in done.stderr
    assert not (tmp_path / "results").exists()


def test_every_library_has_its_extra():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for library, extra in LIBRARIES.items():
        wanted = library.lower().replace("_", "-")
        assert any(each.lower().startswith(wanted) for each in extras[extra]), library


def test_ready_scenarios_come_along(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert sj.Scenario.load("scenarios/mm1.toml").name == "mm1"
    with pytest.raises(sj.ScenarioError, match=r"scenarios/nm1\.toml: cannot read it"):
        sj.Scenario.load("scenarios/nm1.toml")
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "mm1.toml").write_text('name = "mine"\nduration = "1 s"\n')
    assert sj.Scenario.load("scenarios/mm1.toml").name == "mine"


def test_libraries_of_extras_are_there_before_ctrl_c_is_heard():
    begun = []

    def interrupted() -> None:
        with needed("plots"):
            signal.raise_signal(signal.SIGINT)
            begun.append("and done")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert begun == ["and done"]
