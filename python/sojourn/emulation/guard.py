"""What ends all that runs on a host when the process in front has gone, however that went.

It is started by the process in front, without the rest of Sojourn::

    python guard.py FRONT

``FRONT`` is the number of that process. The name of the host's network comes through standard
input. When this is closed, or the front has gone, whatever is in the network is killed: daemons
too, which nobody else knows. That is not left to a PID namespace: in one, numbers of processes
would mean nothing outside, and a shell could not give the terminal back to who had it before.
"""

import os
import select
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

LOOK_INTERVAL_S = 0.2
"""How often it looks for the front: a copy of that may hold the other end of the input."""

GOES_WITHIN_S = 2.0
"""So long a process may take to end."""


def processes_in(network: str) -> list[int]:
    """What runs in a network, which has the name of the link ``/proc/.../ns/net``."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        # Of others' processes, and of those that have just ended, it cannot be read.
        with suppress(OSError):
            if os.readlink(entry / "ns/net") == network:
                found.append(int(entry.name))
    return found


def send(network: str, way: signal.Signals) -> bool:
    """Send a signal to all that runs in a network; whether anything does."""
    processes = processes_in(network)
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, way)
    return bool(processes)


def kill_all(network: str) -> None:
    """Kill all that runs in a network, and what this starts meanwhile."""
    deadline = time.monotonic() + GOES_WITHIN_S
    while send(network, signal.SIGKILL) and time.monotonic() < deadline:
        time.sleep(0.01)


def main() -> None:
    """Wait for the front to go."""
    front, network = int(sys.argv[1]), b""
    while True:
        # What it said before it went is there then.
        has_gone = os.getppid() != front
        ready, _, _ = select.select([0], [], [], 0 if has_gone else LOOK_INTERVAL_S)
        piece = os.read(0, 4096) if ready else b""
        network += piece
        if not piece and (ready or has_gone):
            break
    if network:
        kill_all(network.decode())


if __name__ == "__main__":
    main()
