"""The training workload of a release reaches all that the registries name."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import sojourn as sj
from sojourn import registries

FILES = sorted((Path(__file__).parents[2] / "benchmarks" / "training").glob("*.toml"))
KEYS = {
    "disciplines": "discipline",
    "congestion_controls": "congestion_control",
    "sources": "source",
}
"""Each registry, and the key by which a scenario names one of its entries."""


def values(tree: object, key: str) -> Iterator[str]:
    """What stands at a key, however deep."""
    if isinstance(tree, dict):
        if key in tree:
            yield tree[key]
        tree = list(tree.values())
    if isinstance(tree, list):
        for branch in tree:
            yield from values(branch, key)


def points() -> Iterator[object]:
    """All points of all files, as they run."""
    for file in FILES:
        core = sj.Scenario.load(file).core
        for point in range(core.points):
            yield json.loads(core.identity(point))


@pytest.mark.parametrize("registry", KEYS)
def test_every_entry_of_a_registry_is_trained(registry):
    trained = {name for point in points() for name in values(point, KEYS[registry])}
    assert set(registries.entries(registry)) == trained


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_training_scenario_runs(path):
    scenario = sj.Scenario.load(path, {"duration": "200 ms", "warmup": "0 s", "replicas": 1})
    assert scenario.name == path.stem
    assert scenario.warnings == []
    assert sj.run(scenario, jobs=1).complete
