"""Results of one's own code can be read where that code is not."""

import sys
from pathlib import Path

import pytest

import sojourn as sj
from sojourn.experiments.diff import diff
from sojourn.experiments.folder import read

MODULE = '''
import sojourn as sj


class Coin(sj.queue.Discipline):
    """Drops half of the arrivals above a threshold."""

    threshold = sj.params.packets("20 packets", "Queue above which a coin is tossed.")

    def enqueue(self, now, size, flow, ecn):
        if self.packets > self.threshold and self.random() < 0.5:
            return sj.queue.DROP
        return sj.queue.ACCEPT
'''

SCENARIO = """
name = "own"
duration = "2 s"
replicas = 2

[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "5 Mbit/s", queue = { discipline = "MODULE:Coin", threshold = "9 packets" } }

[[flow]]
name = "load"
transport = { protocol = "udp" }
traffic = { source = "poisson", rate = "6 Mbit/s" }
"""


@pytest.fixture
def folder(tmp_path, request) -> tuple[Path, str]:
    """The folder of an experiment, and the name of a module that only its scenario's folder has."""
    module = f"coins_of_{request.node.name}"
    there = tmp_path / "there"
    there.mkdir()
    (there / f"{module}.py").write_text(MODULE)
    (there / "own.toml").write_text(SCENARIO.replace("MODULE", module))
    sj.run(there / "own.toml", jobs=1).write(tmp_path / "results")
    sys.modules.pop(module, None)
    (there / f"{module}.py").unlink()
    return tmp_path / "results", module


def test_the_module_goes_along_and_has_a_checksum(folder):
    path, module = folder
    experiment = read(path)
    assert (path / f"{module}.py").read_text() == MODULE
    assert f"{module}.py" in experiment.manifest["files"]
    again = sj.run(path / "scenario.toml", jobs=1)
    assert again.links.equals(experiment.results.links)


def test_tables_are_read_without_it_and_nothing_runs(folder, tmp_path, monkeypatch):
    path, module = folder
    first = read(path)
    without = {name: one for name, one in first.manifest["files"].items() if module not in name}
    # Where a module was installed, it stays.
    installed = tmp_path / "site-packages"
    installed.mkdir()
    (installed / f"{module}.py").write_text(MODULE)
    sys.modules.pop(module, None)
    bare = tmp_path / "bare"
    with monkeypatch.context() as patch:
        patch.syspath_prepend(installed)
        results = sj.run(sj.Scenario.from_toml(SCENARIO.replace("MODULE", module)), jobs=1)
        results.write(bare)
    sys.modules.pop(module, None)
    assert not list(bare.glob("*.py"))
    assert without.keys() == read(bare).manifest["files"].keys()
    second = read(bare)
    assert second.results.links.equals(results.links)
    assert diff(first, second).moved == []
    with pytest.raises(Exception, match=f"the module {module} cannot be imported"):
        sj.run(second.results.scenario, jobs=1)
