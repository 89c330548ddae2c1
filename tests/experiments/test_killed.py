"""SIGKILL at any moment, and a full disk: what is finished stays, and the rest is completed."""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sojourn.experiments.sweep import sweep
from sojourn.store.runs import Store

from .conftest import PATIENCE_S, assert_same, started

KILLS = 8


@pytest.fixture
def scenario(text, tmp_path) -> Path:
    """An experiment of 160 runs, some seconds in all."""
    path = tmp_path / "scenario.toml"
    path.write_text(text(duration="20 s", replicas=40))
    return path


@pytest.fixture
def undisturbed(scenario, tmp_path) -> Path:
    sweep(scenario, tmp_path / "undisturbed")
    return tmp_path / "undisturbed"


def test_killed_at_many_moments_it_comes_to_the_same_values(text, tmp_path):
    scenario, out, moments = tmp_path / "long.toml", tmp_path / "killed", random.Random(1)
    scenario.write_text(text(duration="150 s", replicas=40))
    finished = killed = 0
    for _ in range(KILLS):
        program = started("sweep", scenario, "--out", out, "--jobs", 2)
        wait_for_records(out, program)
        time.sleep(moments.uniform(0, 0.4))
        program.kill()
        program.communicate()
        killed += program.returncode == -signal.SIGKILL
        now = len(Store(out / "store")) if (out / "store").exists() else 0
        assert now >= finished, "a finished run was lost"
        finished = now
    program = started("sweep", scenario, "--out", out)
    _, errors = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 0, errors
    sweep(scenario, tmp_path / "undisturbed")
    assert_same(out, tmp_path / "undisturbed")
    assert killed >= KILLS // 2, "most were killed in the middle"


def wait_for_records(out: Path, program: subprocess.Popen) -> None:
    """Wait until a program has begun to write, or has ended."""
    journals = set((out / "store").glob("*.journal"))
    patience = time.monotonic() + PATIENCE_S
    while time.monotonic() < patience and program.poll() is None:
        new = set((out / "store").glob("*.journal")) - journals
        if any(path.stat().st_size > 0 for path in new):
            return
        time.sleep(0.01)


@pytest.mark.parametrize("limit", [2_000, 30_000, 100_000])
def test_a_file_too_large_for_the_system(scenario, undisturbed, tmp_path, limit):
    """RLIMIT_FSIZE stands for a quota: writes fail in the middle of a record."""
    out = tmp_path / "limited"

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    program = started("sweep", scenario, "--out", out, preexec_fn=limited)
    _, errors = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 1
    assert "File too large; finished runs are kept" in errors
    assert "Traceback" not in errors
    store = Store(out / "store")
    assert store.damages == [], "the half record was taken back"
    assert not list(out.glob("*.part"))
    before = len(store)
    program = started("sweep", scenario, "--out", out)
    _, errors = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 0, errors
    assert f"{before} runs were finished before" in errors or before == 0
    assert_same(out, undisturbed)


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 200 kB, where one may be mounted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(disk)]
    if sys.platform != "linux" or os.getuid() != 0 or not shutil.which("mount"):
        pytest.skip("needs the right to mount a tmpfs")
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("a tmpfs cannot be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk(scenario, undisturbed, small_disk):
    out = small_disk / "out"
    program = started("sweep", scenario, "--out", out)
    _, errors = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 1
    assert "No space left on device; finished runs are kept" in errors
    before = len(Store(out / "store"))
    assert 0 < before < 160
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    program = started("sweep", scenario, "--out", out)
    _, errors = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 0, errors
    assert f"{before} runs were finished before, {160 - before} are new" in errors
    assert_same(out, undisturbed)


def test_ctrl_c_keeps_what_is_finished(text, tmp_path):
    scenario, out = tmp_path / "long.toml", tmp_path / "interrupted"
    scenario.write_text(text(duration="100 s", replicas=20))
    program = started("sweep", scenario, "--out", out, "--jobs", 2)
    wait_for_records(out, program)
    program.send_signal(signal.SIGINT)
    _, errors = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 130
    assert "what is finished is kept" in errors
    assert "Traceback" not in errors
    assert 0 < len(Store(out / "store")) < 80
    sweep(scenario, out)
    sweep(scenario, tmp_path / "undisturbed")
    assert_same(out, tmp_path / "undisturbed")
