"""A command imports what it needs, and no more: that is most of the time of a short run."""

import subprocess
import sys

import pytest

HEAVY = {"matplotlib", "numpy", "pandas", "polars", "pydantic", "scipy"}

TINY = """
name = "tiny"
duration = "3 s"

[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "5 Mbit/s", queue = { discipline = "codel" } }

[[flow]]
name = "bulk"
transport = { protocol = "tcp" }
traffic = { source = "bulk" }
"""


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return path


def imported(*arguments):
    """The packages that the program imports in a process of its own."""
    command = [sys.executable, "-X", "importtime", "-m", "sojourn", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    modules = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines()]
    packages = {module.partition(".")[0] for module in modules}
    assert "sojourn" in packages
    return packages


def test_help_imports_nothing_heavy():
    assert not imported("--help") & HEAVY


@pytest.mark.parametrize("options", [(), ("--json",), ("--replicas", "3")])
def test_a_short_run_imports_nothing_heavy(tiny, options):
    assert not imported("run", tiny, *options) & HEAVY


def test_frames_are_made_where_they_are_written(tiny, tmp_path):
    assert "polars" in imported("run", tiny, "--out", tmp_path / "out")


def test_completion_knows_the_public_names_before_they_are_imported():
    program = "import sojourn, sys; print(*dir(sojourn)); print(*sys.modules)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    names, modules = (set(line.split()) for line in done.stdout.splitlines())
    assert {"run", "sweep", "dumbbell", "tcp", "queue", "Results"} <= names
    assert not modules & HEAVY


def test_completion_can_look_at_all_that_it_is_told_of():
    import sojourn

    assert all(getattr(sojourn, name) is not None for name in dir(sojourn))
