"""From the command line to folder, tables and exit status, on synthetic frames."""

import json
import resource
from dataclasses import replace

import pytest
import typer
from typer.testing import CliRunner

import sojourn
from sojourn import studies
from sojourn.cli import reproduce as command
from sojourn.report import drawings, folder
from sojourn.studies import execution
from sojourn.studies.eqm.study import EqmStudy
from sojourn.studies.knobs import StudyError

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

    monkeypatch.setattr(execution, "run_scenario", run_scenario)
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
    "fairness_duration": "4 s",
    "fairness_settle": "2 s",
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
        assert whole(tmp_path / name).keys() == set(summary["files"])


@pytest.mark.parametrize("study", [*studies.names(), "all"])
def test_the_help_says_which_studies_take_no_single_replica(app, study):
    told = " ".join(invoke(app, "--help").stdout.replace("│", " ").split())
    named = told.partition("Replicas of each point;")[2].partition(": 2 or more.")[0]
    try:
        for name in studies.names() if study == "all" else [study]:
            studies.find(name).settle({"replicas": "1"})
        is_taken = True
    except StudyError:
        is_taken = False
    assert (study not in named.replace(",", " ").split()) is is_taken


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
        (["all", "--replicas", "1"], 'knob "replicas" of study "ece6110"'),
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


@pytest.mark.parametrize("study", ["eqm", "all"])
def test_interrupted_before_a_run_was_finished(app, tmp_path, monkeypatch, synthetic, study):
    """Ctrl-C makes the runner give what is finished, which may be nothing."""

    def run_scenario(text, options):
        frames = synthetic.frames(synthetic.settings())
        return replace(frames, complete=False, totals=frames.totals.clear())

    monkeypatch.setattr(execution, "run_scenario", run_scenario)
    result = invoke(app, study, "--out", str(tmp_path), *SMALL)
    assert result.exit_code == 130
    which = " of eqm" if study == "all" else ""
    assert result.stderr == f"interrupted: no run{which} was finished\n"
    assert not list(tmp_path.rglob("interrupted"))


def test_of_parts_those_with_a_finished_run_are_kept(app, tmp_path, monkeypatch, synthetic):
    """The first part is whole, in the second not one run was finished when Ctrl-C came."""

    def run_scenario(text, options):
        app.given.append(text)
        frames = synthetic.frames(synthetic.settings())
        if len(app.given) == 1:
            return frames
        return replace(frames, complete=False, totals=frames.totals.clear())

    monkeypatch.setattr(execution, "run_scenario", run_scenario)
    result = invoke(app, "rfc7928", "--out", str(tmp_path))
    assert result.exit_code == 130
    assert f"the finished runs are in {tmp_path / 'interrupted'}" in result.stderr
    assert [path.name for path in (tmp_path / "interrupted").iterdir()] == ["packet-sizes"]


def whole(out):
    """Every file of a folder, with its bytes."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


@pytest.mark.usefixtures("sketched")
def test_interrupted_while_figures_are_drawn(app, tmp_path, monkeypatch):
    """What all runs have found is kept, and what is missing is told; the command goes on there."""
    command = ("eqm", "--out", str(tmp_path), *SMALL)
    assert invoke(app, *command).exit_code == 0
    before = whole(tmp_path)
    save = drawings.save

    def stopped(figure, frame, folder, name):
        if name == "fig3-delay":
            raise KeyboardInterrupt
        return save(figure, frame, folder, name)

    with monkeypatch.context() as patched:
        patched.setattr(drawings, "save", stopped)
        result = invoke(app, *command, "--seed", "2")
    assert result.exit_code == 130
    assert result.stdout == ""
    assert "all runs were finished" in result.stderr
    after = whole(tmp_path)
    drawn = [f"figures/fig2-queue.{one}" for one in ("csv", "pdf", "png", "svg")]
    assert sorted(one for one in after if one.startswith("figures/")) == drawn
    assert before.keys() - after.keys() == {"eqm.html"} | {
        one for one in before if one.startswith("figures/") and one not in drawn
    }
    missing = "fig3-delay, fig3-delay-all, fig4-loss, fig4-loss-ratio, fig5-throughput, "
    missing += "fig6-utilisation, table3"
    told = result.stderr.partition("missing: the page and the figures ")[2].strip()
    assert sorted(told.split(", ")) == missing.split(", ")
    assert "--seed 2" in json.loads(after["summary.json"])["command"]
    assert invoke(app, *command).exit_code == 0
    assert whole(tmp_path) == before


def test_interrupted_while_runs_are_evaluated(app, tmp_path, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(EqmStudy, "evaluate", stopped)
    result = invoke(app, "eqm", "--out", str(tmp_path), *SMALL)
    assert result.exit_code == 130
    assert f"the finished runs are in {tmp_path / 'interrupted'}" in result.stderr
    assert (tmp_path / "interrupted" / "eqm" / "links.parquet").exists()


@pytest.mark.parametrize(
    "name",
    [
        "observations.parquet",
        "figures/table3.csv",
        "figures/fig2-queue.svg",
        "figures/mine.csv",
        "figures/old/mine.csv",
        "tables/laws.csv",
        "tables/mine.txt",
        "eqm.html",
        "eqm.toml",
        "summary.json",
    ],
)
def test_a_file_of_ones_own_is_refused_before_anything_runs(app, tmp_path, name):
    own = tmp_path / name
    own.parent.mkdir(exist_ok=True, parents=True)
    own.write_text("mine")
    result = invoke(app, "eqm", "--out", str(tmp_path), *SMALL)
    assert result.exit_code == 2
    told = own.parent if name.count("/") > 1 else own
    assert f"{told}: found a file that no report of this study has written" in result.stderr
    assert app.given == []
    assert whole(tmp_path) == {name: b"mine"}


@pytest.mark.usefixtures("sketched")
def test_beside_a_report_a_file_of_ones_own_is_refused_among_its_figures_and_tables(app, tmp_path):
    """Whatever its name: which figures and tables a report has is known when it has run."""
    command = ("eqm", "--out", str(tmp_path), *SMALL)
    invoke(app, *command)
    # Elsewhere other names are free, and no report has these.
    free = [
        tmp_path / name
        for name in ("notes.txt", "figures/.mine", "figures/table3.png.18af-1c-0.part")
    ]
    for other in free:
        other.write_text("mine")
    assert invoke(app, *command).exit_code == 0
    assert [other.read_text() for other in free] == ["mine"] * 3
    # The first is that of a table which only --calibrate gives.
    for name in ("tables/calibration-grid.csv", "tables/mine.csv", "figures/mine.svg"):
        own = tmp_path / name
        own.write_text("mine")
        result = invoke(app, *command)
        assert result.exit_code == 2
        assert f"{own}: found a file" in result.stderr
        assert own.read_text() == "mine"
        own.unlink()


@pytest.mark.usefixtures("sketched")
def test_what_an_earlier_version_drew_under_other_names_is_taken(synthetic, tmp_path):
    """Its summary names its files; that of a version before names none."""
    study, settings = EqmStudy(), synthetic.settings()
    report = study.evaluate({"eqm": synthetic.frames(settings)}, settings)
    folder.write(report, tmp_path, "sojourn reproduce eqm")
    old = ["figures/fig9-old.svg", "tables/table-old.csv"]
    for name in old:
        (tmp_path / name).write_text("old")
    texts = study.scenarios(settings)
    assert folder.foreign(study, texts, tmp_path) == tmp_path / old[1]
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    for files in ({"files": summary.pop("files") + old}, {}):
        (tmp_path / "summary.json").write_text(json.dumps(summary | files))
        assert folder.foreign(study, texts, tmp_path) is None


LOST = (
    ["eqm.html"],
    ["eqm.html", "figures/table3.png", "figures/table3.csv"],
    ["eqm.html", "summary.json"],
    ["eqm.html", "observations.parquet", "eqm.toml", "tables/laws.csv"],
)
"""What a command that was killed may not have written."""


@pytest.mark.usefixtures("sketched")
def test_the_folder_of_a_command_that_was_killed_is_taken(app, tmp_path):
    command = ("eqm", "--out", str(tmp_path), *SMALL)
    invoke(app, *command)
    before = whole(tmp_path)
    for lost in LOST:
        for name in lost:
            (tmp_path / name).unlink()
        assert invoke(app, *command).exit_code == 0
        assert whole(tmp_path) == before, lost


ONE_RUN = sojourn.Scenario.from_toml(
    """
    name = "one"
    duration = "1 s"

    [[link]]
    name = "bottleneck"
    from = "left"
    to = "right"
    rate = "2 Mbit/s"
    delay = "1 ms"
    queue = { discipline = "droptail", limit = "5 packets" }

    [[flow]]
    name = "udp"
    from = "left"
    to = "right"
    transport = { protocol = "udp" }
    traffic = { source = "cbr", rate = "1 Mbit/s" }
    """
)


@pytest.mark.usefixtures("sketched")
def test_what_earlier_reports_left_goes_and_nothing_else(synthetic, tmp_path):
    settings = synthetic.settings()
    report = EqmStudy().evaluate({"eqm": synthetic.frames(settings)}, settings)
    fewer = replace(report, figures=report.figures[:2], sections=report.sections[:1])
    folder.write(fewer, tmp_path / "fresh", "sojourn reproduce eqm")
    target = tmp_path / "again"
    folder.write(report, target, "sojourn reproduce eqm")
    sojourn.run(ONE_RUN).write(target / "interrupted" / "eqm")
    own = [target / "figures" / "mine.png", target / "tables" / "mine.csv", target / "notes.txt"]
    for path in own:
        path.write_text("mine")
    folder.write(fewer, target, "sojourn reproduce eqm")
    for path in own:
        assert path.read_text() == "mine"
        path.unlink()
    assert whole(target) == whole(tmp_path / "fresh")
    assert not (target / "interrupted").exists()
    named = json.loads((target / "summary.json").read_text(encoding="utf-8"))["files"]
    assert sorted(named) == sorted(whole(target))


@pytest.mark.usefixtures("sketched")
def test_of_interrupted_runs_only_those_go(synthetic, tmp_path):
    settings = synthetic.settings()
    report = EqmStudy().evaluate({"eqm": synthetic.frames(settings)}, settings)
    own = tmp_path / "interrupted" / "mine" / "links.parquet"
    own.parent.mkdir(parents=True)
    own.touch()
    folder.write(report, tmp_path, "sojourn reproduce eqm")
    assert own.exists()


def test_a_broken_law_shows_no_number(app, tmp_path, synthetic, monkeypatch):
    def broken(text, options):
        return synthetic.frames(losses=synthetic.LOSSES | {"rem": 0.1})

    monkeypatch.setattr(execution, "run_scenario", broken)
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
