"""Small experiments, and ways to compare and to kill them."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import sojourn as sj
from sojourn.experiments.sweep import sweep

TABLES = ("points", "runs", "links", "flows", "groups", "total", "drops", "delays")
TABLES += ("series", "transfers")

PATIENCE_S = 600
"""Machines may be busy; what takes longer hangs."""

SCENARIO = """
name = "small"
duration = "{duration}"
warmup = "0.5 s"
replicas = {replicas}
series = "250 ms"

[[link]]
name = "bottleneck"
from = "a"
to = "b"
rate = "4 Mbit/s"
delay = "1 ms"
queue = {{ discipline = "droptail", limit = "30 packets" }}

[[flow]]
name = "load"
count = 2
from = "a"
to = "b"
transport = {{ protocol = "udp", payload = "472 B" }}
traffic = {{ source = "poisson", rate = "2 Mbit/s" }}

[vary]
"flow.load.traffic.rate" = [{rates}]
"link.bottleneck.queue" = [{{ discipline = "droptail" }}, {{ discipline = "red" }}]
"""


@pytest.fixture
def text() -> Callable[..., str]:
    """Make the text of an experiment: two disciplines under some loads."""

    def make(duration: str = "2 s", replicas: int = 3, rates: tuple[float, ...] = (1.5, 2.5)):
        listed = ", ".join(f'"{rate} Mbit/s"' for rate in rates)
        return SCENARIO.format(duration=duration, replicas=replicas, rates=listed)

    return make


def tables_of(folder: Path) -> dict[str, pl.DataFrame]:
    """The tables of an experiment, as anyone reads them."""
    return {name: pl.read_parquet(folder / f"{name}.parquet") for name in TABLES}


def assert_same(folder: Path, other: Path) -> None:
    """Both folders hold the same values."""
    for name, frame in tables_of(folder).items():
        assert frame.equals(pl.read_parquet(other / f"{name}.parquet")), name


@pytest.fixture
def whole(text, tmp_path) -> Path:
    """The small experiment, done without any trouble."""
    sweep(sj.Scenario.from_toml(text()), tmp_path / "whole")
    return tmp_path / "whole"


def started(*arguments: object, **options) -> subprocess.Popen:
    """Start the program as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "sojourn", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


class Counter:
    """Counts the runs that are carried out."""

    def __init__(self) -> None:
        self.runs = 0

    def __call__(self, done: int, total: int) -> None:
        self.runs += 1
