"""Where results go: what cannot take them is known before the runs; no file of the user goes."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import sojourn as sj
from sojourn import events as log
from sojourn import runner
from sojourn.cli.reproduce import reproduce
from sojourn.experiments import sweep
from sojourn.experiments.folder import read
from sojourn.experiments.output_folder import at_work

SHORT = ("--set", "duration='1 s'")
QUICK = ("--duration", "2 s", "--warmup", "1 s", "--replicas", "1")


@pytest.fixture
def idle(monkeypatch):
    """No run may begin."""
    for module in (sweep, runner):
        monkeypatch.setattr(module, "execute", lambda *_, **__: pytest.fail("it ran"))


@pytest.mark.parametrize("place", ["below a file", "/proc/x"])
@pytest.mark.parametrize("command", ["run", "sweep", "compare", "reproduce"])
def test_a_folder_that_cannot_be_made_is_known_before_the_runs(
    sojourn, small, tmp_path, idle, monkeypatch, command, place
):
    monkeypatch.chdir(tmp_path)
    out = small / "below" if place == "below a file" else place
    what = {"compare": ["codel"], "reproduce": ["eqm", "--quick"]}.get(command, [small])
    done = sojourn(command, *what, "--out", out)
    assert (done.status, done.out) == (1, "")
    (line,) = done.errors.splitlines()
    assert line.startswith(f"error: {out}: ")
    assert "kept" not in line, "there was no place to keep anything"


def test_a_quantity_is_not_minimised_and_maximised(process, small, tmp_path):
    same = ("--minimise", "total.delay_mean_s", "--maximise", "total.delay_mean_s")
    done = process("tune", small, "--out", "out", *same)
    assert done.status == 2
    told = " ".join(done.errors.replace("│", "").split())
    assert "--maximise: found total.delay_mean_s, which is minimised too; allowed: one" in told
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("address", ["", "foo", "localhost", "tcp://host", "ftp://host:1"])
@pytest.mark.parametrize("command", ["sweep", "tune", "sensitivity"])
def test_what_is_no_address_of_a_scheduler_is_refused_before_anything_is_made(
    sojourn, small, tmp_path, command, address
):
    out = tmp_path / "out"
    done = sojourn(command, small, "--out", out, "--cluster", address)
    assert done.status == 2
    told = " ".join(done.errors.replace("│", "").split())
    said = f'found "{address}"; allowed: the address of a scheduler, such as tcp://host:8786'
    assert f"Invalid value for '--cluster': {said}" in told
    assert not out.exists()
    if command == "sweep":
        with pytest.raises(ValueError, match=f"cluster: {said}"):
            sj.sweep(small, out, cluster=address)
        assert not out.exists()


@pytest.mark.parametrize("command", ["tune", "sensitivity"])
def test_nothing_is_said_to_be_kept_where_nothing_could_be(sojourn, small, command):
    text = small.read_text().partition("[vary]")[0]
    text += '[vary]\n"link.bottleneck.queue.limit" = { from = "5 packets", to = "50 packets" }\n'
    small.write_text(text)
    done = sojourn(command, small, "--out", "/proc/x")
    assert (done.status, done.out) == (1, "")
    assert done.errors == "error: /proc/x: No such file or directory\n"


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_what_was_found_is_shown_though_it_cannot_be_written(sojourn, small, tmp_path, options):
    out = tmp_path / "out"
    (out / "links.parquet").mkdir(parents=True)
    done = sojourn("run", small, "--out", out, *options)
    assert done.status == 1
    assert done.out == sojourn("run", small, *options).out
    assert done.errors == f"error: {out / 'links.parquet'}: Is a directory\n"


def test_what_was_found_is_shown_though_ctrl_c_comes_while_it_is_written(
    sojourn, small, tmp_path, monkeypatch
):
    out = tmp_path / "out"
    found = sojourn("run", small, "--out", out)

    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupted)
    done = sojourn("run", small, "--seed", 2, "--out", out)
    assert done.status == 130
    assert done.errors == "interrupted: perhaps before the results were written\n"
    assert done.out == sojourn("run", small, "--seed", 2).out != found.out
    assert read(out).results.seed == 1


def test_what_is_written_there_meanwhile_stays_and_what_was_found_is_shown(
    sojourn, small, tmp_path, monkeypatch
):
    file = small.rename(tmp_path / "scenario.toml")
    found = sojourn("run", file).out
    run = runner.outcomes_of

    def edited(*given):
        file.write_text(file.read_text() + "# another thought\n")
        return run(*given)

    monkeypatch.setattr(runner, "outcomes_of", edited)
    done = sojourn("run", file, "--out", tmp_path)
    assert (done.status, done.out) == (2, found)
    assert file.read_text().endswith("# another thought\n")


@pytest.mark.usefixtures("sketched")
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_verdicts_are_shown_though_the_report_cannot_be_written(tmp_path, options):
    out = tmp_path / "out"
    out.mkdir()
    (out / "tables").write_text("no folder")
    app = typer.Typer()
    app.command()(reproduce)
    tiny = ["--set", "loads=4", "--set", "duration=4 s", "--set", "replicas=2"]
    done = CliRunner().invoke(app, ["eqm", "--out", str(out), *tiny, *options])
    assert isinstance(done.exception, NotADirectoryError | FileExistsError)
    if options:
        document = json.loads(done.stdout)
        assert document["study"] == "eqm"
        assert "page" not in document
    else:
        assert "Verdicts" in done.stdout
        assert "Page:" not in done.stdout


@pytest.mark.parametrize("command", ["run", "sweep"])
def test_the_scenario_that_is_read_stays_as_it_is(sojourn, small, tmp_path, idle, command):
    file = small.rename(tmp_path / "scenario.toml")
    text = file.read_bytes()
    done = sojourn(command, file, "--out", tmp_path, *SHORT)
    assert (done.status, done.out) == (2, "")
    said = "found the scenario that is read, which what is set from outside would change"
    assert done.errors == f"error: {file}: {said}; allowed: another folder for the results\n"
    assert file.read_bytes() == text
    assert not (tmp_path / "links.parquet").exists()


@pytest.mark.parametrize("command", ["run", "sweep"])
def test_a_file_of_somebody_else_is_not_written_over(sojourn, small, tmp_path, idle, command):
    out = tmp_path / "out"
    out.mkdir()
    (out / "scenario.toml").write_text("mine")
    done = sojourn(command, small, "--out", out)
    assert (done.status, done.out) == (2, "")
    assert "found a file that no experiment has written" in done.errors
    assert [path.read_text() for path in out.iterdir()] == ["mine"]


def test_results_in_code_are_as_careful(small, tmp_path):
    results = sj.run(small, replicas=1, overrides={"duration": "1 s"})
    (tmp_path / "scenario.toml").write_text("mine")
    with pytest.raises(sj.ScenarioError, match="found a file that no experiment has written"):
        results.write(tmp_path)
    assert (tmp_path / "scenario.toml").read_text() == "mine"
    assert results.write(str(tmp_path / "out"))[0].parent == tmp_path / "out"


@pytest.mark.parametrize("command", ["run", "sweep"])
def test_a_folder_of_results_takes_others(sojourn, small, tmp_path, command):
    out = tmp_path / "out"
    assert sojourn(command, small, "--out", out).status == 0
    assert sojourn(command, small, "--out", out, *SHORT).status == 0
    assert read(out).results.scenario.core.duration_s(0) == 1
    # From its own copy too, as long as this stays what it is.
    assert sojourn(command, out / "scenario.toml", "--out", out).status == 0
    (out / "experiment.json").write_text("{")
    assert sojourn(command, small, "--out", out).status == 0
    assert read(out).results.scenario.core.duration_s(0) == 2


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*") if path.is_file()}


@pytest.mark.parametrize("command", ["run", "sweep", "compare", "events"])
def test_results_stay_where_ctrl_c_came_before_there_were_others(
    sojourn, small, tmp_path, monkeypatch, command
):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    out = tmp_path / "out"
    what = ("codel", *QUICK) if command == "compare" else (small,)
    assert sojourn(command, *what, "--out", out, "--seed", "1").status == 0
    before = contents(out)
    for module, name in ((sweep, "execute_plan"), (runner, "execute_plan"), (log, "attended")):
        monkeypatch.setattr(module, name, interrupted)
    done = sojourn(command, *what, "--out", out, "--seed", "2")
    assert (done.status, done.out) == (130, "")
    assert contents(out) == before


def test_nothing_is_not_written_in_the_place_of_results(small, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    out = tmp_path / "out"
    sj.run(small, replicas=1).write(out)
    before = contents(out)
    monkeypatch.setattr(runner, "execute_plan", interrupted)
    with pytest.raises(ValueError, match="out: found no finished run to write"):
        sj.run(small).write(out)
    assert contents(out) == before


def test_a_sweep_that_was_ended_goes_on_whatever_has_changed(sojourn, small, tmp_path):
    out = tmp_path / "out"
    assert sojourn("sweep", small, "--out", out).status == 0
    (out / "experiment.json").unlink()
    assert sojourn("sweep", small, "--out", out, *SHORT).status == 0


def test_traces_of_an_earlier_run_are_not_said_to_be_new(sojourn, small, tmp_path):
    trace = ("--trace", "ns2", "--out", tmp_path / "out")
    done = sojourn("run", small, *trace)
    assert sum(line.endswith(".tr") for line in done.errors.splitlines()) == 4
    done = sojourn("run", small, "--replicas", "1", *trace)
    told = {line for line in done.errors.splitlines() if line.endswith(".tr")}
    assert told == {str(tmp_path / "out" / f"trace-point{point}.tr") for point in (0, 1)}
    again = sojourn("run", small, "--replicas", "1", *trace)
    assert {line for line in again.errors.splitlines() if line.endswith(".tr")} == told


def traces(folder):
    return {path.name for path in folder.glob("trace*")}


@pytest.mark.parametrize("command", ["run", "sweep"])
def test_traces_of_another_experiment_go_with_its_tables(sojourn, small, tmp_path, command):
    out = tmp_path / "out"
    for kind in ("ns2", "pcapng"):
        assert sojourn("run", small, "--replicas", "1", "--trace", kind, "--out", out).status == 0
    both = traces(out)
    assert {name.partition(".")[2] for name in both} == {"tr", "pcapng"}
    # The same runs: all of them are right.
    assert sojourn(command, small, "--replicas", "1", "--out", out).status == 0
    assert traces(out) == both
    (out / "trace-point0.tr").write_text("mine")
    (out / "trace-mine.tr").write_text("mine")
    again = ("--replicas", "1", *SHORT, "--out", out)
    assert sojourn(command, small, *again).status == 0
    assert traces(out) == {"trace-point0.tr", "trace-mine.tr"}


def test_traces_that_are_written_anew_stay(sojourn, small, tmp_path):
    run = ("run", small, "--trace", "ns2", "--out", tmp_path / "out")
    assert sojourn(*run).status == 0
    assert sojourn(*run, *SHORT).status == 0
    assert len(traces(tmp_path / "out")) == 4
    assert sojourn(*run, *SHORT, "--replicas", "1").status == 0
    assert traces(tmp_path / "out") == {"trace-point0.tr", "trace-point1.tr"}


@pytest.mark.usefixtures("sketched")
def test_pages_about_another_log_go_with_it(sojourn, small, tmp_path):
    def pages():
        return sorted(path.name for path in tmp_path.glob("out/*.html"))

    events = ("events", small, "--out", tmp_path / "out")
    for number in (1, 2):
        assert sojourn(*events, "--show", number).status == 0
    assert pages() == ["decision-1.html", "decision-2.html"], "both are about the same log"
    assert sojourn(*events, "--seed", "2", "--show", "2").status == 0
    assert pages() == ["decision-2.html"]
    assert not (tmp_path / "out" / "decision-1.csv").exists()
    (tmp_path / "out" / "decision-2.html").write_text("mine")
    assert sojourn(*events, "--seed", "3").status == 0
    assert pages() == ["decision-2.html"], "somebody has changed it"
    assert not (tmp_path / "out" / "decision-2.csv").exists()


@pytest.mark.parametrize("command", ["run", "sweep", "compare"])
def test_a_file_from_elsewhere_is_not_copied_and_named(
    sojourn, small, tmp_path, monkeypatch, command
):
    (tmp_path / "far").mkdir()
    monkeypatch.chdir(tmp_path / "far")
    (tmp_path / "sizes.csv").write_text("100\n200\n")
    (tmp_path / "calls.csv").write_text("time_s,size_B\n0.1,100\n0.2,200\n")
    text = small.read_text().replace('"472 B"', '"empirical(../sizes.csv)"')
    (tmp_path / "far" / "far.toml").write_text(text)
    what, name = ("far.toml", *SHORT), "../sizes.csv"
    if command == "compare":
        what, name = ("codel", *QUICK, "--flows", "1 cubic + 1 trace@../calls.csv"), "../calls.csv"
    done = sojourn(command, *what, "--out", "out")
    assert done.status == 0
    said = f"{name}: by its name it does not lie below the scenario's folder (.), so it is not "
    said += "copied: "
    said += "out/scenario.toml cannot be run elsewhere without it"
    assert done.errors.splitlines().count(f"warning: {said}") == 1
    assert said in json.loads(Path("out/experiment.json").read_text())["warnings"]


@pytest.mark.parametrize("given", [["--out", ""], ["--out="]])
@pytest.mark.parametrize("command", ["run", "sweep", "events", "plot", "reproduce"])
def test_an_empty_path_is_not_the_current_folder(
    sojourn, small, tmp_path, idle, monkeypatch, command, given
):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    what = {"reproduce": ["eqm"], "plot": [small, "load"]}.get(command, [small])
    done = sojourn(command, *what, *given)
    assert done.status == 2
    assert "found nothing; allowed: a path" in done.errors
    assert list((tmp_path / "here").iterdir()) == []


@pytest.mark.parametrize("command", ["run", "check", "tc", "report", "diff"])
def test_an_empty_argument_is_not_the_current_folder(sojourn, command):
    """A variable that a script has not set."""
    done = sojourn(command, "", *[""] * (command == "diff"))
    assert done.status == 2
    assert done.errors.endswith("found nothing; allowed: a path\n")


def test_the_page_of_a_report_is_no_folder(sojourn, small, tmp_path):
    out = tmp_path / "out"
    sojourn("run", small, "--out", out)
    done = sojourn("report", out, "--out", ".")
    assert (done.status, done.errors) == (1, "error: .: Is a directory\n")
    assert not (out / "figures").exists()


def reproduced(out, *options):
    app = typer.Typer()
    app.command()(reproduce)
    words = ["eqm", "--quick", "--replicas", "2", "--set", "loads=4", "--out", str(out), *options]
    return CliRunner().invoke(app, words)


@pytest.mark.usefixtures("sketched")
def test_a_report_replaces_what_a_report_has_written(tmp_path):
    assert reproduced(tmp_path).exit_code == 0
    assert reproduced(tmp_path, "--seed", "2").exit_code == 0


@pytest.mark.parametrize("name", ["eqm.toml", "eqm.html", "summary.json"])
def test_a_report_writes_over_no_file_of_the_user(tmp_path, name):
    (tmp_path / name).write_text('{"mine": 1}')
    done = reproduced(tmp_path)
    assert done.exit_code == 2
    assert f"{tmp_path / name}: found a file that no report" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == '{"mine": 1}'


@pytest.mark.usefixtures("sketched")
def test_a_scenario_of_a_report_that_was_edited_stays(tmp_path):
    assert reproduced(tmp_path).exit_code == 0
    edited = (tmp_path / "eqm.toml").read_text() + "# mine\n"
    (tmp_path / "eqm.toml").write_text(edited)
    assert reproduced(tmp_path, "--seed", "2").exit_code == 2
    assert (tmp_path / "eqm.toml").read_text() == edited


@pytest.mark.parametrize("command", ["run", "sweep", "compare", "events", "reproduce"])
def test_the_second_of_two_at_once_is_refused_at_its_start(sojourn, small, tmp_path, idle, command):
    out = tmp_path / "out"
    what = {"compare": ["codel"], "reproduce": ["eqm", "--quick"]}.get(command, [small])
    with at_work(out):
        before = contents(out)
        done = sojourn(command, *what, "--out", out)
        assert (done.status, done.out) == (1, "")
        assert done.errors == f"error: {out}: another command is at work in this folder\n"
        assert contents(out) == before


def test_what_a_killed_command_left_goes_with_the_next(sojourn, small, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    for name in ("summary.json", "links.parquet", "scenario.toml", "experiment.json"):
        (out / f"{name}.1-7fffffff-3.part").write_text("half")
    assert sojourn("run", small, "--out", out).status == 0
    assert not list(out.glob("*.part"))
