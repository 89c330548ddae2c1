"""``sojourn plot`` and ``sojourn report``: from a file, from a folder, and what is refused."""

from pathlib import Path

import polars as pl
import pytest

from sojourn.experiments.folder import read

FILE = Path(__file__).parents[1] / "report" / "experiment.toml"


def test_a_file_is_run_and_drawn(sojourn, tmp_path):
    done = sojourn("plot", FILE, "load", "--replicas", "1", "--out", tmp_path / "new" / "load.svg")
    assert done.status == 0
    assert done.out.split() == [str(tmp_path / "new" / f"load.{end}") for end in ("svg", "csv")]
    assert len(pl.read_csv(tmp_path / "new" / "load.csv")) == 8


def test_a_folder_is_drawn_and_reported(sojourn, tmp_path):
    folder = tmp_path / "folder"
    assert sojourn("sweep", FILE, "--out", folder).status == 0
    done = sojourn("plot", folder, "queue", "--case", "0")
    assert done.status == 0
    endings = ("svg", "pdf", "png", "csv")
    assert done.out.split() == [str(folder / "figures" / f"queue.{end}") for end in endings]
    done = sojourn("report", folder, "--no-figures")
    assert done.status == 0
    assert done.out.strip() == str(folder / "report.html")
    assert "sojourn sweep" in (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("sketched")
def test_a_report_leaves_no_figure_of_an_earlier_experiment(sojourn, tmp_path):
    out = tmp_path / "folder"
    figures = out / "figures"
    assert sojourn("sweep", FILE, "--out", out).status == 0
    first = sojourn("report", out).out.split()
    (figures / "mine.svg").write_text("a figure of the user's own")
    (figures / "queue.csv").write_text("changed by the user")
    assert sojourn("sweep", FILE, "--out", out, "--set", "series=none").status == 0
    second = sojourn("report", out).out.split()
    assert str(figures / "queue.svg") in set(first) - set(second)
    shown = {path.name for path in figures.iterdir() if not path.name.startswith(".")}
    assert shown == {Path(path).name for path in second} - {"report.html"} | {
        "mine.svg",
        "queue.csv",
    }


def test_what_is_wrong_is_said_in_one_line(sojourn, tmp_path):
    done = sojourn("plot", FILE, "pie")
    assert done.status == 2
    assert 'found "pie"; allowed: queue' in " ".join(done.errors.split())
    done = sojourn("plot", FILE, "queue", "--replicas", "1", "--link", "no")
    assert done.status == 2
    assert done.errors.strip().endswith("found the link 'no'; allowed: uplink")
    for command in (("plot", tmp_path, "queue"), ("report", tmp_path)):
        done = sojourn(*command)
        assert done.status == 2
        assert "this is no folder of an experiment" in done.errors


WITHOUT_FLOWS = """
name = "quiet"
duration = "2 s"
series = "100 ms"

[[link]]
name = "uplink"
from = "a"
to = "b"
rate = "2 Mbit/s"
queue = { discipline = "red", limit = "50 packets" }

[vary]
"link.uplink.queue.max_p" = [0.1, 0.2]
"""


@pytest.mark.usefixtures("drawn_once")
def test_a_scenario_without_flows_is_drawn_and_reported(sojourn, tmp_path):
    file, folder = tmp_path / "quiet.toml", tmp_path / "quiet"
    file.write_text(WITHOUT_FLOWS)
    for kind in ("queue", "probability"):
        assert sojourn("plot", file, kind, "--out", tmp_path / f"{kind}.svg").status == 0
    assert sojourn("run", file, "--out", folder).status == 0
    done = sojourn("report", folder)
    assert done.status == 0
    assert str(folder / "figures" / "queue.svg") in done.out.split()


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("delay", "found no series 'delay_mean_s'; the flows have none"),
        ("fairness", "found no flow; fairness is between several"),
        ("cdf", "no packet was delayed at the link uplink"),
    ],
)
def test_what_needs_flows_says_that_there_are_none(sojourn, tmp_path, kind, message):
    file = tmp_path / "quiet.toml"
    file.write_text(WITHOUT_FLOWS)
    done = sojourn("plot", file, kind, "--out", tmp_path / "figure.svg")
    assert (done.status, done.errors) == (2, f"error: {file}: {message}\n")


def test_a_file_is_no_folder_to_report(sojourn, small):
    said = f"error: {small}: this is a file; allowed: the folder of an experiment\n"
    for command in (("report", small), ("diff", small, small)):
        done = sojourn(*command)
        assert (done.status, done.errors) == (2, said)


def test_what_cannot_be_written_leaves_nothing_behind(sojourn, small, tmp_path):
    folder, place = tmp_path / "folder", tmp_path / "taken"
    assert sojourn("run", small, "--out", folder).status == 0
    (place / "cdf.svg").mkdir(parents=True)
    done = sojourn("report", folder, "--no-figures", "--out", place)
    assert (done.status, done.errors) == (1, f"error: {place}: Is a directory\n")
    with pytest.raises(IsADirectoryError):
        read(folder).results.report(place)
    done = sojourn("plot", folder, "cdf", "--out", place / "cdf.svg")
    assert (done.status, done.errors) == (1, f"error: {place / 'cdf.svg'}: Is a directory\n")
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.usefixtures("drawn_once")
def test_where_no_packet_waits_nothing_is_warned_of(process, small, tmp_path):
    done = process("run", small, "--set", "flow.load.start='100 s'", "--out", tmp_path / "late")
    assert done.status == 0
    done = process("report", tmp_path / "late")
    assert (done.status, done.errors) == (0, "")
    assert not (tmp_path / "late" / "figures" / "delay-goodput.svg").exists()
    done = process("plot", tmp_path / "late", "delay-goodput")
    assert done.status == 2
    assert done.errors == f"error: {tmp_path / 'late'}: no packet was delayed\n"


@pytest.mark.parametrize(
    ("search", "options", "has", "shown"),
    [
        ("tune", ("--trials", "2"), "tuning.json has every trial", "front"),
        ("tune", ("--trials", "2", "--minimise", "total.delay_mean_s"), "tuning.json", None),
        ("sensitivity", ("--samples", "2"), "sensitivity.parquet has every effect", "sensitivity"),
    ],
)
def test_of_a_search_it_is_said_what_there_is(
    sojourn, small, tmp_path, search, options, has, shown
):
    text = small.read_text().partition("[vary]")[0]
    text += '[vary]\n"link.bottleneck.queue.limit" = { from = "5 packets", to = "50 packets" }\n'
    small.write_text(text)
    out = tmp_path / "out"
    assert sojourn(search, small, "--out", out, *options).status == 0
    for command in (("plot", out, "load"), ("report", out)):
        done = sojourn(*command)
        (line,) = done.errors.splitlines()
        assert done.status == 2
        assert line.startswith(f"error: {out}: this is a folder of sojourn {search}, which makes")
        assert has in line
        assert (f"figures/{shown}.svg shows what was found" in line) == (shown is not None)
        assert (shown is None) == ("figures/" not in line)
        assert line.endswith("sweep a scenario with the values of interest")


def test_a_format_that_is_not_there_is_refused_before_anything_is_run(
    sojourn, small, tmp_path, monkeypatch
):
    def runs(*_, **__):
        raise AssertionError("it is run first")

    monkeypatch.setattr("sojourn.runner.run", runs)
    done = sojourn("plot", small, "drops", "--out", tmp_path / "drops.pgf")
    assert done.status == 2
    (line,) = done.errors.splitlines()
    assert line.startswith("error: --out: found the ending '.pgf'; allowed: svg, pdf, png; LaTeX")
    done = sojourn("plot", small, "drops", "--out", tmp_path)
    assert done.status == 2
    assert done.errors == f"error: --out: found the folder '{tmp_path}'; allowed: a file in it\n"


def test_a_figure_is_written_into_a_file(sojourn, small, tmp_path):
    for place in (".", tmp_path):
        done = sojourn("plot", small, "load", "--x", "link.bottleneck.queue", "--out", place)
        assert done.status == 2


@pytest.mark.parametrize("option", ["--set=seed=2", "--replicas=2", "--jobs=1"])
def test_what_is_for_runs_is_not_passed_over_where_nothing_is_run(sojourn, small, tmp_path, option):
    out = tmp_path / "out"
    sojourn("run", small, "--out", out)
    done = sojourn("plot", out, "drops", option)
    assert done.status == 2
    assert option.partition("=")[0] in done.errors


def test_one_distribution_is_of_a_link_or_of_flows(sojourn, small):
    done = sojourn("plot", small, "cdf", "--link", "bottleneck", "--flow", "load")
    said = f"error: {small}: found a link and a flow; allowed: one of them\n"
    assert (done.status, done.errors) == (2, said)


def test_transfers_are_recorded_where_the_figure_shows_them(sojourn, tmp_path):
    short = ("--set", "duration='12 s'", "--replicas", 1, "--out", tmp_path / "fct.svg")
    done = sojourn("plot", "scenarios/access-line.toml", "fct", *short)
    assert done.status == 0, done.errors
    table = (tmp_path / "fct.csv").read_text().splitlines()
    assert table[0] == "discipline,quantity,share,size_bytes,value,low,high"
    assert {row.split(",")[0] for row in table[1:]} == {"droptail", "pie", "codel", "fq_codel"}


def test_a_series_is_recorded_of_the_shortest_run(sojourn, small, tmp_path):
    short = ("--set", "duration='50 us'", "--out", tmp_path / "short.svg")
    done = sojourn("plot", small, "queue", *short)
    assert (done.status, done.errors) == (0, "")
