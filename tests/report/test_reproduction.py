"""From the command line to folder, tables and exit status, on synthetic frames."""

import json
import resource

import pytest
import typer
from typer.testing import CliRunner

from sojourn import studies
from sojourn.cli import reproduce as command
from sojourn.studies import runner

SMALL = ["--set", "loads=12", "--set", "duration=30 s", "--set", "replicas=8"]


@pytest.fixture
def app(monkeypatch, synthetic):
    """The command with a runner that gives synthetic frames; `.given` is what it was asked."""
    asked = []

    def run_scenario(text, options):
        asked.append((text, options))
        frames = synthetic.frames(synthetic.settings())
        frames.complete = not getattr(run_scenario, "interrupted", False)
        return frames

    monkeypatch.setattr(runner, "run_scenario", run_scenario)
    app = typer.Typer()
    app.command()(command.reproduce)
    app.given = asked
    app.runner = run_scenario
    return app


def invoke(app, *words):
    return CliRunner().invoke(app, list(words))


@pytest.mark.usefixtures("drawn_once")
def test_tables_then_paths(app, tmp_path):
    out = tmp_path / "report"
    result = invoke(app, "eqm", "--out", str(out), *SMALL)
    assert result.exit_code == 0, result.output
    assert "Verdicts" in result.stdout
    assert "Table III, published and ours" in result.stdout
    assert "EQM (reconstruction)" in result.stdout
    lines = result.stdout.strip().splitlines()
    assert lines[-1] == f"Page: {out / 'eqm.html'}"
    assert (out / "eqm.html").is_file()
    assert (out / "figures" / "fig2-queue.png").is_file()


@pytest.mark.usefixtures("sketched")
def test_json_is_one_document(app, tmp_path):
    result = invoke(app, "eqm", "--json", "--out", str(tmp_path), "--seed", "7", *SMALL)
    document = json.loads(result.stdout)
    assert document["study"] == "eqm"
    assert document["page"] == str(tmp_path / "eqm.html")
    assert "--seed 7" in document["command"]
    assert {one["outcome"] for one in document["verdicts"]} == {
        "agrees",
        "disagrees",
        "impossible",
        "contradicts itself",
    }


@pytest.mark.usefixtures("sketched")
def test_options_reach_the_run(app, tmp_path):
    invoke(app, "eqm", "--seed", "3", "--jobs", "2", "--out", str(tmp_path), *SMALL)
    text, options = app.given[0]
    assert (options.seed, options.jobs) == (3, 2)
    assert "replicas = 8" in text


@pytest.mark.usefixtures("sketched")
def test_no_room_for_a_summary_leaves_the_earlier_one(app, tmp_path):
    """Half of one would be taken for a file of the user's own, that no report may write over."""
    command = ("eqm", "--out", str(tmp_path), *SMALL)
    invoke(app, *command)
    summary = tmp_path / "summary.json"
    before = summary.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, limits[1]))
    try:
        again = invoke(app, *command, "--seed", "2")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert isinstance(again.exception, OSError)
    assert again.exception.filename == str(summary)
    assert summary.read_bytes() == before
    assert invoke(app, *command).exit_code == 0


TINY = {
    "duration": "4 s",
    "replicas": "2",
    "loads": "4",
    "counts": "2",
    "settle": "2 s",
    "phase": "1 s",
}
"""As little of every study as makes a report."""


@pytest.mark.usefixtures("sketched")
def test_all_gives_one_table_of_all_studies(tmp_path):
    """On the engine itself: each study gets the knobs that it has."""
    app = typer.Typer()
    app.command()(command.reproduce)
    words = [word for knob in TINY.items() for word in ("--set", "=".join(knob))]
    result = invoke(app, "all", "--out", str(tmp_path), *words)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("Verdicts") == 1
    for name in studies.names():
        assert (tmp_path / name / f"{name}.html").is_file()
        summary = json.loads((tmp_path / name / "summary.json").read_text(encoding="utf-8"))
        rows = [line for line in result.stdout.splitlines() if line.split()[:1] == [name]]
        assert len(rows) == len(summary["verdicts"]) > 0
        known = {knob.name for knob in studies.find(name).knobs}
        given = [knob for knob in TINY if f"--set '{knob}=" in summary["command"]]
        assert set(given) | {"replicas"} <= known


def test_one_study_refuses_the_knobs_of_another(tmp_path):
    app = typer.Typer()
    app.command()(command.reproduce)
    result = invoke(app, "four-aqms", "--out", str(tmp_path / "none"), "--set", "loads=4")
    assert result.exit_code == 2
    assert 'study "four-aqms" has no knob "loads"' in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["eqn"], 'there is no study "eqn"; did you mean "eqm"?'),
        (["eqm", "--set", "durration=1 s"], 'no knob "durration"; did you mean "duration"?'),
        (["eqm", "--set", "on=soon"], 'knob "on" of study "eqm": "soon" is not a number'),
        (["eqm", "--set", "on"], '"on" is not key=value'),
        (["eqm", "--replicas", "3", "--set", "replicas=4"], "disagree"),
        (["four-aqms", "--calibrate"], 'study "four-aqms" has nothing to calibrate'),
        (["all", "--set", "nonsense=1"], 'no study has a knob "nonsense"'),
    ],
)
def test_errors_are_one_line_and_write_nothing(app, tmp_path, words, message):
    out = tmp_path / "none"
    result = invoke(app, *words, "--out", str(out))
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert not out.exists()
    assert app.given == []


def test_interrupted(app, tmp_path):
    app.runner.interrupted = True
    out = tmp_path / "none"
    result = invoke(app, "eqm", "--out", str(out), *SMALL)
    assert result.exit_code == 130
    assert f"the tables of the finished runs are in {out / 'interrupted'}" in result.stderr
    assert {path.name for path in out.iterdir()} == {".lock", "interrupted"}
    assert (out / "interrupted" / "eqm" / "links.parquet").exists()


def test_a_broken_law_shows_no_number(app, tmp_path, synthetic, monkeypatch):
    def broken(text, options):
        return synthetic.frames(losses=synthetic.LOSSES | {"rem": 0.1})

    monkeypatch.setattr(runner, "run_scenario", broken)
    result = invoke(app, "eqm", "--out", str(tmp_path / "none"), *SMALL)
    assert result.exit_code == 1
    assert "Drop-tail bound" in result.stderr
    assert result.stdout == ""


def test_the_command_on_the_page_repeats_the_run():
    from sojourn.report.reproduction import Request, command_text

    request = Request("all", quick=True, seed=4, replicas=3, knobs=("on=0.5 s",))
    assert command_text(request, "eqm") == (
        "sojourn reproduce eqm --quick --replicas 3 --seed 4 --set 'on=0.5 s'"
    )
