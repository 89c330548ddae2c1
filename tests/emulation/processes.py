"""The command as a program of its own, and what it has started."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

WIDE = os.environ | {"COLUMNS": "200"}
"""Tables on terminals of this width are not folded."""


def front(folder: Path, *words: str, path: str = "") -> subprocess.Popen[str]:
    """The command, in a session of its own, as if a terminal were its alone."""
    usual = ["--rate", "1 Mbit/s", "--queue", "droptail"]
    paths = [path, *os.environ.get("PYTHONPATH", "").split(":")]
    return subprocess.Popen(
        [sys.executable, "-m", "sojourn", "emulate", *usual, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=WIDE | {"PYTHONPATH": ":".join(filter(None, paths))},
        start_new_session=True,
    )


def noted_in(file: Path) -> list[int]:
    """The processes that a file names, once it does."""
    deadline = time.monotonic() + 20
    while not (file.exists() and file.read_text()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return [int(one) for one in file.read_text().split()]


def is_alive(process: int) -> bool:
    """Whether it is there, and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def left_of(processes: list[int], after_s: float) -> list[int]:
    """Those that are left after so long; then they are ended."""
    deadline = time.monotonic() + after_s
    while any(map(is_alive, processes)) and time.monotonic() < deadline:
        time.sleep(0.01)
    left = [one for one in processes if is_alive(one)]
    for one in left:
        os.kill(one, signal.SIGKILL)
    return left


def children(program: subprocess.Popen[str]) -> dict[int, str]:
    """The processes that it has started, and what each is called."""
    names = {}
    for tasks in Path(f"/proc/{program.pid}/task").glob("*/children"):
        for one in map(int, tasks.read_text().split()):
            try:
                names[one] = Path(f"/proc/{one}/comm").read_text().strip()
            except (FileNotFoundError, ProcessLookupError):
                continue
    return names


def wait_for_child(program: subprocess.Popen[str], name: str) -> list[int]:
    """All that it has started, once one is called so."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        started = children(program)
        if name in started.values():
            return list(started)
        time.sleep(0.02)
    raise AssertionError(f"no child is called {name}")
