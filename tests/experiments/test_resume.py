"""What is finished is never run again; what is damaged is named, and never read."""

import json
import random
import shutil
from pathlib import Path

import pytest

import sojourn as sj
from sojourn.experiments import folder
from sojourn.experiments.manifest import FolderError, read_manifest
from sojourn.experiments.sweep import sweep
from sojourn.store import record

from .conftest import TABLES, Counter, assert_same, tables_of


def go_on(text: str, out: Path) -> tuple[int, list[str]]:
    """Sweep into a folder; return how many runs that took, and what was said."""
    counter, notes = Counter(), []
    sweep(sj.Scenario.from_toml(text), out, progress=counter, note=notes.append)
    return counter.runs, notes


def journal_of(out: Path) -> Path:
    (path,) = (out / "store").glob("*.journal")
    return path


def test_the_tables_are_those_of_a_run(text, whole):
    results = sj.run(sj.Scenario.from_toml(text()))
    for name, frame in results.frames().items():
        assert tables_of(whole)[name].equals(frame)
    manifest = read_manifest(whole)
    assert manifest["complete"] is True
    assert manifest["runs"] == 12
    assert json.loads((whole / "summary.json").read_text()) == results.summary()
    assert (whole / "scenario.toml").read_text() == text()


def test_a_finished_sweep_runs_nothing(text, whole):
    runs, notes = go_on(text(), whole)
    assert runs == 0
    assert notes == [f"{whole}: 12 runs were finished before, 0 are new"]


def test_the_number_of_workers_changes_nothing(text, whole, tmp_path):
    sweep(sj.Scenario.from_toml(text()), tmp_path / "one", jobs=1)
    sweep(sj.Scenario.from_toml(text()), tmp_path / "seven", jobs=7)
    assert_same(tmp_path / "one", whole)
    assert_same(tmp_path / "seven", whole)


@pytest.mark.parametrize("seed", range(12))
def test_a_journal_cut_off_within_a_record_is_completed(text, whole, tmp_path, seed):
    draw = random.Random(seed)
    kept, cut = record_of(whole, draw.randrange(12))
    runs, notes = complete(whole, text(), tmp_path / "cut", draw.randrange(kept + 1, cut))
    assert 1 <= runs <= 12
    assert f"is cut off at byte {kept}" in notes[0]


def test_a_journal_cut_off_between_records_misses_only_runs(text, whole, tmp_path):
    # Such a file is whole: nothing tells it from that of a sweep interrupted there.
    _, cut = record_of(whole, 4)
    runs, notes = complete(whole, text(), tmp_path / "cut", cut)
    assert (runs, len(notes)) == (7, 1)


def record_of(out: Path, number: int) -> tuple[int, int]:
    """Where a record of the journal begins and ends."""
    found = list(record.scan(journal_of(out).read_bytes()))[number]
    assert isinstance(found, record.Found)
    return found.offset, found.offset + found.length


def complete(whole: Path, text: str, out: Path, size: int) -> tuple[int, list[str]]:
    """Cut the journal of a copy to this size and sweep into it; it ends as the whole one."""
    shutil.copytree(whole, out)
    path = journal_of(out)
    path.write_bytes(path.read_bytes()[:size])
    said = go_on(text, out)
    assert_same(out, whole)
    assert go_on(text, out)[0] == 0
    return said


@pytest.mark.parametrize("seed", range(12))
def test_a_flipped_bit_costs_one_run(text, whole, tmp_path, seed):
    out = tmp_path / "flipped"
    shutil.copytree(whole, out)
    path = journal_of(out)
    content = bytearray(path.read_bytes())
    content[random.Random(seed).randrange(len(content))] ^= 1 << seed % 8
    path.write_bytes(content)
    runs, notes = go_on(text(), out)
    assert runs == 1
    assert str(path) in notes[0]
    assert_same(out, whole)
    assert go_on(text(), out) == (0, [f"{out}: 12 runs were finished before, 0 are new"])


@pytest.mark.parametrize("name", [*(f"{name}.parquet" for name in TABLES), "scenario.toml"])
@pytest.mark.parametrize("how", ["flipped", "truncated", "gone"])
def test_a_damaged_table_is_named_refused_and_made_again(text, whole, tmp_path, name, how):
    out = tmp_path / "damaged"
    shutil.copytree(whole, out)
    damage(out / name, how)
    with pytest.raises(FolderError, match=name):
        folder.read(out)
    runs, notes = go_on(text(), out)
    assert runs == 0
    assert str(out / name) in notes[0]
    assert_same(out, whole)
    assert folder.read(out).results.links.equals(tables_of(whole)["links"])


@pytest.mark.parametrize("how", ["flipped", "truncated", "gone"])
def test_a_damaged_manifest_too(text, whole, how):
    damage(whole / "experiment.json", how)
    with pytest.raises(FolderError, match=r"experiment\.json"):
        folder.read(whole)
    assert go_on(text(), whole)[0] == 0
    assert folder.read(whole).manifest["complete"]


def test_a_scenario_that_is_run_from_there_and_was_edited_is_not_damaged(whole, tmp_path):
    out = tmp_path / "edited"
    shutil.copytree(whole, out)
    place = out / "scenario.toml"
    place.write_text(place.read_text() + "# another thought\n")
    notes: list[str] = []
    sweep(place, out, note=notes.append)
    assert notes == [f"{out}: 12 runs were finished before, 0 are new"]
    assert place.read_text().endswith("# another thought\n")


def damage(path: Path, how: str) -> None:
    content = bytearray(path.read_bytes())
    if how == "gone":
        path.unlink()
    elif how == "truncated":
        path.write_bytes(content[: len(content) // 2])
    else:
        content[len(content) // 3] ^= 4
        path.write_bytes(content)


def test_a_changed_scenario_runs_what_has_changed(text, whole, tmp_path):
    # Another load in the middle: two further points of three replicas; points are numbered anew.
    changed = text(rates=(1.5, 2.0, 2.5))
    runs, _ = go_on(changed, whole)
    assert runs == 6
    go_on(changed, tmp_path / "fresh")
    assert_same(whole, tmp_path / "fresh")
    # More replicas, another name: the replicas alone.
    runs, _ = go_on(text(replicas=5).replace('"small"', '"renamed"'), whole)
    assert runs == 8
    # Back again: everything is there still.
    assert go_on(text(), whole)[0] == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("4 Mbit/s", "5 Mbit/s"),
        ('duration = "2 s"', 'duration = "3 s"'),
        ('warmup = "0.5 s"', 'warmup = "0.6 s"'),
        ('series = "250 ms"', 'series = "500 ms"'),
        ("replicas = 3", "replicas = 3\nseed = 2"),
        ('name = "load"', 'name = "other"'),
    ],
)
def test_whatever_matters_is_run_again(text, whole, old, new):
    changed = (
        text()
        .replace(old, new)
        .replace("flow.load.", "flow.other." if "other" in new else "flow.load.")
    )
    assert go_on(changed, whole)[0] == 12


def test_the_names_of_all_files_are_forced_to_the_disk(text, tmp_path, monkeypatch):
    """Those of files that lie deeper too, all before the manifest that vouches for them."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "sizes.csv").write_text("472\n")
    scenario = tmp_path / "file.toml"
    scenario.write_text(text().replace('"472 B"', '"empirical(data/sizes.csv)"'))
    out = tmp_path / "out"
    forced = []
    monkeypatch.setattr(
        folder,
        "sync_folder",
        lambda path: forced.append((path, (out / "experiment.json").exists())),
    )
    sweep(sj.Scenario.load(scenario), out)
    assert set(forced) == {(out, False), (out / "data", False), (out, True)}


def test_a_file_that_a_scenario_reads_matters(text, tmp_path):
    path = tmp_path / "sizes.csv"
    path.write_text("400\n500\n")
    scenario = tmp_path / "file.toml"
    scenario.write_text(text().replace('"472 B"', '"empirical(sizes.csv)"'))

    def runs() -> int:
        counter = Counter()
        sweep(scenario, tmp_path / "out", progress=counter)
        return counter.runs

    assert runs() == 12
    assert runs() == 0
    # The folder can be run by itself.
    assert sj.run(tmp_path / "out" / "scenario.toml").links.equals(
        tables_of(tmp_path / "out")["links"]
    )
    path.write_text("400\n501\n")
    assert runs() == 12


@pytest.fixture
def reading(text, tmp_path):
    """Make a scenario file that reads sizes below its folder, or one that reads none."""

    def make(sizes: str | None, folder: Path = tmp_path) -> Path:
        (folder / "data").mkdir(exist_ok=True, parents=True)
        place = folder / "scenario.toml"
        place.write_text(text())
        if sizes is not None:
            (folder / "data" / "sizes.csv").write_text(sizes)
            place.write_text(text().replace('"472 B"', '"empirical(data/sizes.csv)"'))
        return place

    return make


def test_a_scenario_may_cease_to_read_a_file_and_read_another_of_that_name(reading, tmp_path):
    out = tmp_path / "out"
    copy = out / "data" / "sizes.csv"
    sweep(reading("400\n"), out)
    assert copy.read_text() == "400\n"
    sweep(reading(None), out)
    assert not copy.exists()
    sweep(reading("500\n"), out)
    assert copy.read_text() == "500\n"


def test_a_copy_that_was_changed_is_somebodys(reading, tmp_path):
    out = tmp_path / "out"
    sweep(reading("400\n"), out)
    (out / "data" / "sizes.csv").write_text("mine\n")
    sweep(reading(None), out)
    assert (out / "data" / "sizes.csv").read_text() == "mine\n"
    with pytest.raises(sj.ScenarioError, match="a file that no experiment has written"):
        sweep(reading("500\n"), out)


def test_files_of_a_scenario_in_the_folder_itself_are_the_users(reading, tmp_path):
    out = tmp_path / "out"
    sweep(reading("400\n", out), out)
    sweep(reading(None, out), out)
    sweep(reading(None), out)
    assert (out / "data" / "sizes.csv").read_text() == "400\n"


@pytest.mark.parametrize(
    "name", ["links.parquet", "scenario.toml", "experiment.json", "summary.json", "store/a.csv"]
)
def test_a_file_that_would_lie_in_place_of_a_table_is_refused(text, tmp_path, name):
    read = tmp_path / name
    read.parent.mkdir(exist_ok=True)
    read.write_text("472\n")
    place, out = tmp_path / "file.toml", tmp_path / "out"
    place.write_text(text().replace('"472 B"', f'"empirical({name})"'))
    counter = Counter()
    refused = f"file.toml: {name}: found the name of a file of the results, .*; allowed: any other"
    with pytest.raises(sj.ScenarioError, match=refused):
        sweep(place, out, progress=counter)
    assert counter.runs == 0
    assert not out.exists()
    results = sj.run(place)
    with pytest.raises(sj.ScenarioError, match=refused):
        results.write(out)
    assert not out.exists()


def test_another_engine_uses_nothing(text, whole, monkeypatch):
    monkeypatch.setattr("sojourn.store.identity.ENGINE", "another")
    assert go_on(text(), whole)[0] == 12


def test_two_sweeps_do_not_share_a_folder(text, whole):
    from sojourn.experiments.sweep import at_work

    with at_work(whole), pytest.raises(OSError, match="another command is at work"):
        go_on(text(), whole)


def test_points_that_are_the_same_run_once(text, tmp_path):
    twice = text(rates=(1.5, 1.5))
    assert go_on(twice, tmp_path / "twice")[0] == 6
    links = tables_of(tmp_path / "twice")["links"]
    first = links.filter(links["point"] == 0).drop("point")
    assert first.equals(links.filter(links["point"] == 2).drop("point"))


def test_tcp_is_kept_like_all_else(text, tmp_path):
    path = tmp_path / "tcp.toml"
    path.write_text(TCP)
    half = TCP.replace("replicas = 4", "replicas = 2")
    assert go_on(half, tmp_path / "out")[0] == 4
    assert go_on(TCP, tmp_path / "out")[0] == 4
    results = sj.run(path)
    for name, frame in results.frames().items():
        assert tables_of(tmp_path / "out")[name].equals(frame)
    assert results.flows["cwnd_mean_packets"].null_count() == 0


TCP = """
name = "tcp"
duration = "5 s"
warmup = "1 s"
replicas = 4

[dumbbell]
rtt = "40 ms"
bottleneck = { rate = "10 Mbit/s" }

[[flow]]
name = "f"
count = 2
transport = { protocol = "tcp" }
traffic = { source = "bulk" }
start = "uniform(0 s, 1 s)"

[vary]
"link.bottleneck.queue" = [{ discipline = "codel" }, { discipline = "red" }]
"""
