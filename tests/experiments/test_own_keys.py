"""A stored run is used again only where the code of the user would do the same again."""

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import sojourn as sj
from sojourn.results import of_outcomes
from sojourn.runner import outcomes_of

from .conftest import PATIENCE_S

SCENARIO = """
name = "own"
duration = "2 s"
replicas = 2

[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "2 Mbit/s", queue = { discipline = "aqm:Drops" } }

[[flow]]
name = "load"
transport = { protocol = "udp", payload = "200 B" }
traffic = { source = "poisson", rate = "1 Mbit/s" }
"""

AQM = """
import sojourn as sj
{imports}

class Drops(sj.queue.Discipline):
    {attribute}

    def enqueue(self, now, size, flow, ecn):
        return sj.queue.DROP if self.random() < {share} else sj.queue.ACCEPT
"""


def written(folder: Path, imports: str = "", attribute: str = "pass", share: str = "0.2") -> None:
    folder.mkdir(exist_ok=True)
    (folder / "own.toml").write_text(SCENARIO)
    (folder / "aqm.py").write_text(AQM.format(imports=imports, attribute=attribute, share=share))


def program(
    folder: Path, *arguments: str, hash_seed: str = "0"
) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments in a folder, to a good end."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )
    assert done.returncode == 0, done.stderr
    return done


def swept(folder: Path, *options: str, hash_seed: str = "0") -> str:
    """Sweep in a process of its own, without workers unless `options` ask for them.

    Return what it says of the runs, or nothing of them.
    """
    command = ["-m", "sojourn", "sweep", "own.toml", "--out=out", "--jobs=1", *options]
    done = program(folder, *command, hash_seed=hash_seed)
    return done.stderr.partition("out: ")[2].strip()


FOUND = "2 runs were finished before, 0 are new"
"""What is said where nothing was run."""


def losses(frame) -> list[float]:
    return [round(loss, 1) for loss in frame.filter(link="bottleneck")["loss_ratio"]]


def helper_of(folder: Path, share: float, name: str = "helper.py") -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(f"P = {share}\n\ndef share():\n    return {share}\n")


IMPORTING = {
    "function": ("from helper import share", "share()", "helper.py"),
    "constant": ("from helper import P", "P", "helper.py"),
    "module": ("import helper", "helper.P", "helper.py"),
    "through": ("from between import P", "P", "helper.py"),
    "part": ("from parts.helper import P", "P", "parts/helper.py"),
    "dotted": ("import parts.helper", "parts.helper.P", "parts/helper.py"),
    "package": ("from parts import P", "P", "parts/helper.py"),
}
"""Of each module what it imports, what it calls of that, and the file in which that stands."""


def test_the_modules_that_it_imports_count(tmp_path):
    written(tmp_path)
    for name, (imports, share, _) in IMPORTING.items():
        code = AQM.format(imports=imports, attribute="pass", share=share)
        (tmp_path / f"{name}.py").write_text(code)
    own = ", ".join(f'{{ discipline = "{name}:Drops" }}' for name in IMPORTING)
    with (tmp_path / "own.toml").open("a") as file:
        file.write(f'\n[vary]\n"dumbbell.bottleneck.queue" = [{own}]\n')
    (tmp_path / "between.py").write_text("from helper import P\n")
    files = {file for _, _, file in IMPORTING.values()}
    for file in files:
        helper_of(tmp_path, 0.0, file)
    (tmp_path / "parts" / "__init__.py").write_text("from .helper import P\n")
    assert swept(tmp_path) == ""
    assert swept(tmp_path) == "14 runs were finished before, 0 are new"
    # The runs of the others are as good as they were.
    helper_of(tmp_path, 0.5, "helper.py")
    assert swept(tmp_path) == "6 runs were finished before, 8 are new"
    # In workers, where the modules have to come with the class.
    helper_of(tmp_path, 0.5, "parts/helper.py")
    assert swept(tmp_path, "--jobs=2") == "8 runs were finished before, 6 are new"
    # All of it lies beside the results, and is what they were made of.
    for file in files:
        assert (tmp_path / "out" / file).read_text() == (tmp_path / file).read_text()
    again = sj.run(tmp_path / "out" / "scenario.toml", jobs=1)
    assert losses(again.links) == [0.5] * 14


VALUES = """
import dataclasses, enum, functools, re
import numpy as np

NAMES = {"one", "two", "three"}
TABLE = np.linspace(0.0, 1.0, 11)
PATTERN = re.compile("[a-z]+")

class Kind(enum.Enum):
    LOW = 1

@dataclasses.dataclass
class Settings:
    kinds: list = dataclasses.field(default_factory=lambda: [Kind.LOW, {"a", "b", "c"}])

SETTINGS = Settings()

@functools.lru_cache
def share():
    return TABLE[len(NAMES)] if PATTERN.match("a") and SETTINGS.kinds else 0.0
"""


def test_values_of_many_kinds_are_the_same_in_every_process(tmp_path):
    written(tmp_path, imports=VALUES, share="share()")
    assert swept(tmp_path, hash_seed="1") == ""
    assert swept(tmp_path, hash_seed="2") == FOUND


def test_what_cannot_be_told_apart_is_never_used_again(tmp_path):
    written(tmp_path, imports="import threading\nLOCK = threading.Lock()", share="(LOCK and 0.5)")
    first = swept(tmp_path)
    assert "finished before" not in swept(tmp_path)
    done = program(tmp_path, "-m", "sojourn", "sweep", "own.toml", "--out", "out")
    told = "warning: aqm:Drops: none of its runs is used again: it uses a _thread.lock"
    assert done.stderr.startswith(told), done.stderr
    assert first == ""


SCRIPT = """
import sys
import sojourn as sj

SHARE = float(sys.argv[1])

def made(share):
    class Drops(sj.queue.Discipline):
        def enqueue(self, now, size, flow, ecn):
            return sj.queue.DROP if self.random() < share else sj.queue.ACCEPT
    return Drops

class Base(sj.queue.Discipline):
    share = float(sys.argv[1])

class Inherits(Base):
    def enqueue(self, now, size, flow, ecn):
        return sj.queue.DROP if self.random() < self.share else sj.queue.ACCEPT

class Global(sj.queue.Discipline):
    def enqueue(self, now, size, flow, ecn):
        return sj.queue.DROP if self.random() < helped() else sj.queue.ACCEPT

def helped():
    return SHARE

class Held:
    def __init__(self, share):
        self.share = share

HELD = Held(SHARE)

class Object(sj.queue.Discipline):
    def enqueue(self, now, size, flow, ecn):
        return sj.queue.DROP if self.random() < HELD.share else sj.queue.ACCEPT

if __name__ == "__main__":
    for own in (made(SHARE), Inherits, Global, Object):
        told = []
        scenario = sj.dumbbell(
            rate="2 Mbit/s", rtt="20 ms", queue=own(), duration="2 s", replicas=2,
            flows=sj.udp(sj.source.Poisson(rate="1 Mbit/s"), payload="200 B"),
        )
        links = sj.sweep(scenario, own.__name__ + "-out", note=told.append).links
        losses = links.filter(link="bottleneck")["loss_ratio"]
        print([round(loss, 1) for loss in losses], *told)
"""


def test_values_that_its_methods_reach_count(tmp_path):
    """In a closure, a base, a global function and an object; the program's text stays the same."""
    (tmp_path / "script.py").write_text(SCRIPT)

    def ran(share: float) -> list[str]:
        return program(tmp_path, "script.py", str(share)).stdout.splitlines()

    assert ran(0.0) == ["[0.0, 0.0]"] * 4
    assert ran(0.5) == ["[0.5, 0.5]"] * 4
    found = "-out: 2 runs were finished before, 0 are new"
    names = ("Drops", "Inherits", "Global", "Object")
    assert ran(0.5) == [f"[0.5, 0.5] {name}{found}" for name in names]


def test_an_edit_during_a_session_does_not_poison_the_store(tmp_path):
    """What ran is filed under the source that it was made of, and that lies beside the results."""
    written(tmp_path, share="0.0")
    assert losses(sj.sweep(tmp_path / "own.toml", tmp_path / "out", jobs=1).links) == [0.0, 0.0]
    written(tmp_path, share="0.5")
    assert losses(sj.sweep(tmp_path / "own.toml", tmp_path / "out", jobs=1).links) == [0.5, 0.5]
    assert "< 0.5" in (tmp_path / "out" / "aqm.py").read_text()
    assert swept(tmp_path) == FOUND
    written(tmp_path, share="0.0")
    assert swept(tmp_path) == FOUND


LATE = """
import importlib
import sojourn as sj

class Drops(sj.queue.Discipline):
    def {hook}:
        {imports}
        self.share = P

    def enqueue(self, now, size, flow, ecn):
        if not hasattr(self, "share"):
            self.on_first()
        return sj.queue.DROP if self.random() < self.share else sj.queue.ACCEPT
"""
RESET, AT_FIRST = "reset(self)", "on_first(self)"


def late(folder: Path, hook: str, imports: str = "from helper import P") -> None:
    """A module that imports another one only when it is called."""
    written(folder)
    (folder / "aqm.py").write_text(LATE.format(hook=hook, imports=imports))


@pytest.mark.parametrize("hook", [RESET, AT_FIRST])
def test_an_edit_of_what_is_imported_late_does_not_poison_the_store(tmp_path, hook):
    late(tmp_path, hook)
    for share in (0.0, 0.5):
        helper_of(tmp_path, share)
        swept_here = sj.sweep(tmp_path / "own.toml", tmp_path / "out", jobs=1)
        assert losses(swept_here.links) == [share, share]
        assert f"P = {share}" in (tmp_path / "out" / "helper.py").read_text()
    assert swept(tmp_path) == FOUND
    helper_of(tmp_path, 0.0)
    assert swept(tmp_path) == FOUND


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_imported_late_is_what_was_read(tmp_path, jobs):
    """An edit after that is none of the run's, in a worker neither."""
    late(tmp_path, AT_FIRST)
    helper_of(tmp_path, 0.2)
    scenario = sj.Scenario.load(tmp_path / "own.toml")
    helper_of(tmp_path, 0.7)
    drops = outcomes_of(scenario, jobs, None, None)
    assert losses(of_outcomes(drops).links) == [0.2, 0.2]


@pytest.mark.parametrize("jobs", [1, 2])
def test_folders_may_have_late_modules_of_one_name(tmp_path, jobs):
    """As if each folder had a process of its own, also where one between them has none."""
    paths = []
    for share in (0.1, 0.2, 0.6):
        if share == 0.2:
            written(tmp_path / str(share))
        else:
            late(tmp_path / str(share), RESET)
            helper_of(tmp_path / str(share), share)
        paths.append(tmp_path / str(share) / "own.toml")
    found = [losses(sj.run(path, jobs=jobs).links) for path in (*paths, *paths)]
    assert found == [[0.1, 0.1], [0.2, 0.2], [0.6, 0.6]] * 2


LATE_IMPORTS = {
    "plain": "from helper import P",
    "of a package": "from parts.helper import P",
    "by name": 'P = importlib.import_module("".join(("hel", "per"))).P',
}


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("imports", LATE_IMPORTS.values(), ids=LATE_IMPORTS)
def test_the_command_finds_late_what_lies_beside_the_file(tmp_path, imports, jobs):
    """Where it is started elsewhere, as the installed command is."""
    late(tmp_path, RESET, imports)
    helper_of(tmp_path, 0.5)
    helper_of(tmp_path, 0.5, "parts/helper.py")
    command = ["-P", "-m", "sojourn", "sweep", "own.toml", "--out=out", "--jobs", jobs]
    program(tmp_path, *command)
    assert losses(pl.read_parquet(tmp_path / "out" / "links.parquet")) == [0.5, 0.5]


IMPORTED_BEFORE = """
import importlib, os, sys
from pathlib import Path
import aqm
import sojourn as sj

def edit(old, new):
    path = Path("aqm.py")
    path.write_text(path.read_text().replace(old, new))

def losses(scenario):
    links = sj.sweep(scenario, "out", jobs=1).links.filter(link="bottleneck")
    return [round(loss, 1) for loss in links["loss_ratio"]]

def built(queue):
    flows = sj.udp(rate="1 Mbit/s")
    return sj.dumbbell(
        rate="2 Mbit/s", rtt="20 ms", flows=flows, queue=queue, duration="2 s", replicas=2
    )

edit("< 0.2", "< 0.5")
try:
    built(aqm.Drops)
except ValueError as error:
    print(error)
# A file means what is in the folder.
print(losses("own.toml"))
try:
    built(aqm.Drops)
except ValueError as error:
    print(error)
Old = importlib.reload(aqm).Drops
edit("< 0.5", "< 0.7")
print(losses(built(aqm.Drops)), "< 0.5" in Path("out/aqm.py").read_text())
"""


def test_a_module_that_was_edited_after_its_import_is_refused(tmp_path):
    """What ran is not in its file any more; by reloading it, it is, and is kept from then on."""
    written(tmp_path)
    done = program(tmp_path, "-c", IMPORTED_BEFORE)
    refused = (
        "aqm.py was edited after its import, and what ran is not known any more; allowed: to "
        "import it anew"
    )
    assert done.stdout.splitlines() == [refused, "[0.5, 0.5]", refused, "[0.5, 0.5] True"]


PROGRAM = """
from pathlib import Path
import sojourn as sj

class Drops(sj.queue.Discipline):
    def enqueue(self, now, size, flow, ecn):
        return sj.queue.DROP

Path(__file__).write_text("# the next experiment")
flows = sj.udp(rate="1 Mbit/s")
scenario = sj.dumbbell(rate="2 Mbit/s", rtt="20 ms", queue=Drops, flows=flows, duration="2 s")
sj.sweep(scenario, "out", jobs=1)
print(scenario.sources)
"""


def test_a_program_that_is_edited_while_it_goes_on_has_no_source(tmp_path):
    """Nobody can name its classes from elsewhere, and what ran is not in its file any more."""
    (tmp_path / "program.py").write_text(PROGRAM)
    assert program(tmp_path, "program.py").stdout == "()\n"


EDITING = """
from pathlib import Path
edited = False

def edit():
    global edited
    if not edited:
        edited = True
        for name in ("aqm.py", "helper.py", EDITED):
            Path(__file__).with_name(name).write_text("# edited\\n200\\n")
"""


@pytest.mark.parametrize(("jobs", "edited"), [("1", "sizes.csv"), ("2", "helper.py")])
def test_inputs_are_copied_as_they_were_read(tmp_path, jobs, edited):
    """An edit in the middle of the runs is none of what produced them."""
    imports = "from helper import P\nfrom edits import edit"
    written(tmp_path, imports=imports, share="(edit() or P)")
    helper_of(tmp_path, 0.5)
    (tmp_path / "edits.py").write_text(EDITING.replace("EDITED", repr(edited)))
    (tmp_path / "sizes.csv").write_text("400\n")
    text = SCENARIO.replace("200 B", "empirical(sizes.csv)")
    (tmp_path / "own.toml").write_text(text)
    swept(tmp_path, "--jobs", jobs)
    out = tmp_path / "out"
    assert "# edited" in (tmp_path / edited).read_text()
    assert (out / "sizes.csv").read_text() == "400\n"
    assert (out / "helper.py").read_text().startswith("P = 0.5")
    assert "class Drops" in (out / "aqm.py").read_text()
    program(out, "-m", "sojourn", "check", "scenario.toml")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_data_file_is_what_was_read_in_workers_too(tmp_path, jobs):
    written(tmp_path)
    path = tmp_path / "own.toml"
    path.write_text(SCENARIO.replace("200 B", "empirical(sizes.csv)"))
    (tmp_path / "sizes.csv").write_text("400\n")
    scenario = sj.Scenario.load(path)
    before = sj.run(path, jobs=1)
    (tmp_path / "sizes.csv").write_text("900\n")
    assert of_outcomes(outcomes_of(scenario, jobs, None, None)).links.equals(before.links)


def test_a_data_file_that_was_edited_is_read_anew(tmp_path):
    text = SCENARIO.replace("200 B", "empirical(sizes.csv)")
    path = tmp_path / "own.toml"
    path.write_text(text.replace("aqm:Drops", "droptail"))
    sizes = tmp_path / "sizes.csv"
    sizes.write_text("400\n")
    scenario = sj.Scenario.load(path)
    before = sj.sweep(scenario, tmp_path / "out")
    sizes.write_text("900\n")
    after = sj.sweep(scenario, tmp_path / "out")
    assert (tmp_path / "out" / "sizes.csv").read_text() == "900\n"
    assert after.links["arrivals_packets"][0] < before.links["arrivals_packets"][0]
    assert after.links.equals(sj.sweep(path, tmp_path / "fresh").links)
