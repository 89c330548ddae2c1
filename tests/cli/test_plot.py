"""``sojourn plot`` and ``sojourn report``: from a file, from a folder, and what is refused."""

from pathlib import Path

import polars as pl

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
