"""Parts of a sweep, merged, are the sweep."""

import json
import shutil
import time
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

import sojourn as sj
from sojourn.experiments.folder import read
from sojourn.experiments.manifest import STORE, FolderError
from sojourn.experiments.merge import NothingFoundError, merge
from sojourn.experiments.share import Share
from sojourn.experiments.sweep import sweep
from sojourn.files.checksummed import ChecksummedFile
from sojourn.store.identity import Keys
from sojourn.store.runs import Store
from sojourn.workers.tasks import Task

from .conftest import PATIENCE_S, Counter, assert_same, started

FURTHER = 'warmup = "0.5 s"\nprecision = "2%"\nmax_replicas = 40'
"""Runs decide on further replicas."""

ADAPTIVE = FURTHER.replace("0.5 s", "auto")
"""And on the warm-up."""


def parts(scenario: sj.Scenario, folder, count: int) -> list:
    """Run all parts but into folders of their own."""
    made = []
    for number in range(1, count + 1):
        out = folder / f"part-{number}"
        sweep(scenario, out, share=Share(number, count))
        made.append(out)
    return made


def merged(*arguments) -> tuple[int, str]:
    program = started("merge", *arguments)
    _, errors = program.communicate(timeout=PATIENCE_S)
    return program.returncode, errors


@pytest.mark.parametrize("count", [2, 3, 5])
def test_parts_make_the_whole(text, whole, tmp_path, count):
    folders = parts(sj.Scenario.from_toml(text()), tmp_path, count)
    runs = [json.loads((each / "experiment.json").read_text())["runs"] for each in folders]
    assert sum(runs) == 12
    assert max(runs) - min(runs) <= 1
    assert merged(*reversed(folders), "--out", tmp_path / "merged") == (0, "")
    assert_same(tmp_path / "merged", whole)
    again = Counter()
    sweep(sj.Scenario.from_toml(text()), tmp_path / "merged", progress=again)
    assert again.runs == 0


def test_parts_may_share_a_folder(text, whole, tmp_path):
    scenario = sj.Scenario.from_toml(text())
    for number in (1, 2, 3):
        sweep(scenario, tmp_path / "shared", share=Share(number, 3))
    assert merged(tmp_path / "shared") == (0, "")
    assert_same(tmp_path / "shared", whole)


def test_parts_that_end_at_once_are_written_one_after_the_other(text, tmp_path, monkeypatch):
    scenario, out = sj.Scenario.from_toml(text()), tmp_path / "shared"
    usual = ChecksummedFile.take_place

    def slowly(file: ChecksummedFile) -> None:
        time.sleep(0.02)
        usual(file)

    monkeypatch.setattr(ChecksummedFile, "take_place", slowly)
    with ThreadPoolExecutor(3) as pool:
        done = [pool.submit(sweep, scenario, out, share=Share(n, 3)) for n in (1, 2, 3)]
    assert [len(each.result().runs) for each in done] == [4, 4, 4]
    assert len(read(out).results.runs) == 4, "the tables are of one part"


def test_parts_of_what_was_set_from_outside(text, tmp_path):
    scenario = sj.Scenario.from_toml(text(), overrides={"link.bottleneck.rate": "3 Mbit/s"})
    folders = parts(scenario, tmp_path, 2)
    sweep(scenario, tmp_path / "whole")
    assert merged(*folders, "--out", tmp_path / "merged") == (0, "")
    assert_same(tmp_path / "merged", tmp_path / "whole")


def test_parts_that_decide_on_replicas_and_warmup(text, tmp_path):
    adaptive = text(rates=(1.5, 2.0, 2.5)).replace('warmup = "0.5 s"', ADAPTIVE)
    scenario = sj.Scenario.from_toml(adaptive)
    folders = parts(scenario, tmp_path, 2)
    sweep(scenario, tmp_path / "whole")
    assert merged(*folders, "--out", tmp_path / "merged") == (0, "")
    assert_same(tmp_path / "merged", tmp_path / "whole")


def test_a_missing_part_is_said(text, tmp_path):
    first, _ = parts(sj.Scenario.from_toml(text()), tmp_path, 2)
    status, errors = merged(first, "--out", tmp_path / "merged")
    assert status == 1
    assert "6 runs are in none of the folders" in errors
    manifest = json.loads((tmp_path / "merged" / "experiment.json").read_text())
    assert manifest["complete"] is False
    assert manifest["runs"] == 6


def test_of_runs_that_decide_on_others_what_lacks_none_is_merged(text, tmp_path):
    adaptive = text(rates=(1.5, 2.5)).replace('warmup = "0.5 s"', ADAPTIVE)
    first, _ = parts(sj.Scenario.from_toml(adaptive), tmp_path, 2)
    sweep(sj.Scenario.from_toml(adaptive), tmp_path / "whole")
    status, errors = merged(first, "--out", tmp_path / "merged")
    assert status == 1
    assert "runs are in none of the folders" in errors
    found = pl.read_parquet(tmp_path / "merged" / "total.parquet")
    there = pl.read_parquet(tmp_path / "whole" / "total.parquet").filter(pl.col("point") < 2)
    assert found.equals(there)
    assert_incomplete(tmp_path / "merged", runs=len(there))


def test_without_the_further_replicas_nothing_is_whole(text, tmp_path):
    scenario = sj.Scenario.from_toml(text().replace('warmup = "0.5 s"', FURTHER))
    sweep(scenario, tmp_path / "whole")
    whole, part = Store(tmp_path / "whole" / STORE), tmp_path / "part"
    shutil.copytree(tmp_path / "whole", part, ignore=shutil.ignore_patterns(STORE))
    keys = Keys(scenario)
    with Store(part / STORE).journal() as journal:
        for key in (keys.of(Task(point, replica)) for point in range(4) for replica in range(10)):
            journal.append([(key, whole.payload(key))])
    with pytest.raises(NothingFoundError) as error:
        merge([part], tmp_path / "merged")
    assert error.value.missing > 0
    assert not (tmp_path / "merged" / "experiment.json").exists(), "empty tables help nobody"


def assert_incomplete(folder, *, runs: int) -> None:
    """The folder says in both places that it lacks something, and how many runs it has."""
    manifest = json.loads((folder / "experiment.json").read_text())
    assert (manifest["complete"], manifest["runs"]) == (False, runs)
    assert json.loads((folder / "summary.json").read_text())["complete"] is False


def test_what_does_not_belong_together_is_refused(text, whole, tmp_path):
    sweep(sj.Scenario.from_toml(text(replicas=2)), tmp_path / "other")
    status, errors = merged(whole, tmp_path / "other", "--out", tmp_path / "merged")
    assert status == 2
    assert "of another scenario" in errors
    status, errors = merged(tmp_path, "--out", tmp_path / "merged")
    assert status == 2
    assert "no folder of an experiment" in errors
    assert merged(whole, whole)[0] == 2


@pytest.mark.parametrize("out", ["part", "another"])
def test_what_has_no_store_is_refused_and_stays_as_it_is(text, tmp_path, out):
    """As ``sojourn run --out`` makes it: there is nothing to make the tables of."""
    sj.run(sj.Scenario.from_toml(text())).write(tmp_path / "part")
    before = contents(tmp_path)
    status, errors = merged(tmp_path / "part", "--out", tmp_path / out)
    assert status == 2
    assert errors == (
        f"error: {tmp_path / 'part'}: found tables, as of sojourn run, but no store/ with the "
        "runs that are merged; allowed: a folder of sojourn sweep\n"
    )
    assert contents(tmp_path) == before


def test_no_empty_tables_take_the_place_of_others(text, tmp_path):
    """A part whose machine had no run to do, into a folder with good tables."""
    scenario, out = sj.Scenario.from_toml(text()), tmp_path / "out"
    sweep(scenario, tmp_path / "part", share=Share(13, 13))
    sj.run(scenario).write(out)
    before = contents(out)
    status, errors = merged(tmp_path / "part", "--out", out)
    assert status == 1
    assert "12 runs are in none of the folders: run their shards again" in errors
    assert contents(out) == before
    assert len(read(out).results.runs) == 12


@pytest.fixture
def reading(text, tmp_path):
    """A scenario that reads a file from outside of its folder."""
    (tmp_path / "here" / "deep").mkdir(parents=True)
    (tmp_path / "here" / "sizes.csv").write_text("472\n")
    place = tmp_path / "here" / "deep" / "file.toml"
    place.write_text(text().replace('"472 B"', '"empirical(../sizes.csv)"'))
    return place


def test_results_of_a_file_from_outside_can_be_read_and_merged(reading, tmp_path):
    folders = parts(sj.Scenario.load(reading), tmp_path / "there", 2)
    # From the results the name leads to another file, which is not the one.
    (tmp_path / "there" / "sizes.csv").write_text("100\n")
    merge(folders, tmp_path / "merged")
    sweep(reading, tmp_path / "whole")
    assert_same(tmp_path / "merged", tmp_path / "whole")
    assert read(tmp_path / "merged").results.scenario.files == {"../sizes.csv": b"472\n"}
    # Where the scenario has gone, the very file may lie so that the name leads there.
    shutil.rmtree(tmp_path / "here")
    (tmp_path / "sizes.csv").write_text("472\n")
    assert len(read(tmp_path / "merged").results.runs) == 12


@pytest.mark.parametrize("how", ["changed", "gone"])
def test_another_file_from_outside_is_never_taken_for_the_one_that_was_read(reading, tmp_path, how):
    folders = parts(sj.Scenario.load(reading), tmp_path / "there", 2)
    file = reading.parent.parent / "sizes.csv"
    file.unlink()
    if how == "changed":
        file.write_text("473\n")
    (tmp_path / "there" / "sizes.csv").write_text("100\n")
    told = r"scenario\.toml: it reads \.\./sizes\.csv, .* found none as it was.*; allowed: what"
    with pytest.raises(FolderError, match=told):
        merge(folders, tmp_path / "merged")
    with pytest.raises(FolderError, match=told):
        read(folders[0])
    assert not (tmp_path / "merged").exists()


def test_parts_that_have_read_other_files_are_not_merged(reading, tmp_path):
    sweep(reading, tmp_path / "part-1", share=Share(1, 2))
    (reading.parent.parent / "sizes.csv").write_text("473\n")
    sweep(reading, tmp_path / "part-2", share=Share(2, 2))
    with pytest.raises(
        FolderError, match=r"part-2: .*read other files than that of .*: \.\./sizes"
    ):
        merge([tmp_path / "part-1", tmp_path / "part-2"], tmp_path / "merged")


OWN = """
import parts_helper
import sojourn as sj


class Own(sj.queue.Discipline):
    def enqueue(self, now, size, flow, ecn):
        return sj.queue.ACCEPT if self.packets < parts_helper.MOST else sj.queue.DROP
"""


@pytest.fixture
def with_copies(text, tmp_path):
    """A scenario that reads a data file and a module, which imports another."""
    place = tmp_path / "here" / "file.toml"
    place.parent.mkdir()
    (place.parent / "sizes.csv").write_text("472\n")
    (place.parent / "parts_own.py").write_text(OWN)
    (place.parent / "parts_helper.py").write_text("MOST = 20\n")
    made = text(rates=(1.5,), replicas=2).replace('"472 B"', '"empirical(sizes.csv)"')
    place.write_text(made.replace('{ discipline = "red" }', '{ discipline = "parts_own:Own" }'))
    return place


@pytest.mark.parametrize("name", ["parts_helper.py", "parts_own.py", "sizes.csv", "scenario.toml"])
def test_damaged_copies_are_refused_and_all_stays_as_it_is(with_copies, tmp_path, name):
    part = tmp_path / "part"
    sweep(with_copies, part)
    with (part / name).open("a") as file:
        file.write("\n")
    before = contents(tmp_path)
    with pytest.raises(FolderError, match=rf"{name}: it is damaged; run its shard again"):
        merge([part], part)
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("name", "content"), [("parts_helper.py", "MOST = 2\n"), ("sizes.csv", "99\n")]
)
def test_the_file_in_which_parts_differ_is_named(with_copies, tmp_path, name, content):
    parts = tmp_path / "part-1", tmp_path / "part-2"
    sweep(with_copies, parts[0], share=Share(1, 2))
    (with_copies.parent / name).write_text(content)
    sweep(with_copies, parts[1], share=Share(2, 2))
    told = f"part-2: its scenario has read other files than that of .*part-1: {name};"
    with pytest.raises(FolderError, match=told):
        merge(parts, tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


def test_a_sweep_that_ends_in_a_part_meanwhile_does_no_harm(text, whole, tmp_path, monkeypatch):
    part = tmp_path / "part"
    for number in (1, 2):
        sweep(sj.Scenario.from_toml(text()), part, share=Share(number, 2))
    usual = Store.journal

    def ends(store: Store):
        # By now the store of the part has been opened.
        Store(part / STORE).tidy()
        return usual(store)

    monkeypatch.setattr(Store, "journal", ends)
    merge([part], tmp_path / "merged")
    assert_same(tmp_path / "merged", whole)


def contents(folder):
    """All files below a folder, but those of locks."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name[0] != ".")
    return {path: path.read_bytes() for path in files}


@pytest.mark.parametrize("bad", ["0/2", "3/2", "1", "a/b", "1/0", "-1/2", ""])
def test_a_share_that_is_none(bad):
    with pytest.raises(ValueError, match="allowed"):
        Share.read(bad)
