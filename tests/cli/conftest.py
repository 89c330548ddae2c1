"""The program, inside this process or as one of its own."""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from sojourn.cli.main import main

# Some of these tests share a module.
sys.path.insert(0, str(Path(__file__).parent))

SCENARIO = """
name = "small"
title = "A small one"
duration = "2 s"
replicas = 2

[[link]]
name = "bottleneck"
from = "a"
to = "b"
rate = "4 Mbit/s"
delay = "1 ms"
queue = { discipline = "droptail", limit = "30 packets" }

[[link]]
name = "idle"
from = "b"
to = "a"
rate = "4 Mbit/s"

[[flow]]
name = "load"
count = 2
from = "a"
to = "b"
transport = { protocol = "udp", payload = "472 B" }
traffic = { source = "poisson", rate = "2.5 Mbit/s" }

[vary]
"link.bottleneck.queue" = [{ discipline = "droptail" }, { discipline = "red", max_p = 0.1 }]
"""


class Done(NamedTuple):
    """What a command left behind."""

    status: int
    out: str
    errors: str


@pytest.fixture
def small(tmp_path) -> Path:
    """A scenario file of two points and two replicas."""
    path = tmp_path / "small.toml"
    path.write_text(SCENARIO)
    return path


@pytest.fixture
def sojourn(monkeypatch, capsys):
    """Call the program as its script does, without a process for each."""

    def call(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["sojourn", *map(str, arguments)])
        status = 0
        try:
            main()
        except SystemExit as end:
            status = end.code or 0
        return Done(status, *capsys.readouterr())

    return call


@pytest.fixture
def process(tmp_path):
    """Call the program as a process of its own."""

    def call(*arguments: object, requests: str | None = None) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "sojourn", *map(str, arguments)],
            cwd=tmp_path,
            input=requests,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return call
