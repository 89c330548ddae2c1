"""A command on one host, perhaps a server on another, and the queues between the two."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any

from sojourn import _core
from sojourn._core import Cancel
from sojourn.emulation.hosts import FAR, NEAR, Host, check_machine
from sojourn.emulation.interrupts import Interrupts, attended
from sojourn.errors.arguments import as_whole, kind_error
from sojourn.errors.brief import InputError, brief
from sojourn.open_loop import OpenLoop, frames

IDLE = (sys.executable, "-c", "import signal; signal.pause()")
"""What runs on the other host where nothing is to."""

STDERR = 2
"""The descriptor: what Python calls stderr may be a cell of a notebook, to which none can write."""


@dataclass(frozen=True, kw_only=True)
class Emulated(OpenLoop):
    """What the queues, ``up`` and ``down``, made of the packets of a command.

    ``status`` is the command's exit status, minus the signal that ended it. It ran for ``end_s``.
    ``interrupted``: whether Ctrl-C was heard meanwhile, which is the command's first, or its like;
    ``cut_short``: whether SIGTERM or SIGHUP came while the command ran, which ends it.
    Packets were handed over later than they were due by ``late_p50_s`` at the median,
    ``late_p99_s`` at the 99th percentile and ``late_max_s`` at the most. For ``behind_s`` in all
    the links were more than a millisecond behind.
    """

    command: tuple[str, ...]
    status: int
    interrupted: bool
    cut_short: bool
    end_s: float
    late_p50_s: float | None
    late_p99_s: float | None
    late_max_s: float | None
    behind_s: float

    def summary(self) -> dict[str, Any]:
        """Return the document that ``sojourn emulate --json`` prints."""
        return {
            "sojourn": _core.__version__,
            "command": list(self.command),
            "status": self.status,
            "end_s": self.end_s,
            "late_p50_s": self.late_p50_s,
            "late_p99_s": self.late_p99_s,
            "late_max_s": self.late_max_s,
            "behind_s": self.behind_s,
            **super().summary(),
        }


@brief
def emulate(
    command: str | Sequence[str],
    queue: str,
    rate: str,
    *,
    server: str | Sequence[str] | None = None,
    rtt: str = "0 s",
    down_queue: str | None = None,
    down_rate: str | None = None,
    overhead: str = "0 B",
    limit: str | None = None,
    seed: int = 1,
    series: str | None = None,
    flows: int = 1000,
    output: IO[Any] | None = None,
) -> Emulated:
    """Run ``command`` on one host and ``server`` on another, with a queue each way between them.

    The command has the address 198.18.0.1, the server 198.18.0.2 (2001:2::1 and 2001:2::2), and
    there is no other network. The command starts when the server listens; when it ends, so does the
    server. Both may be a text, split as a shell does, or a list of words. ``queue`` and ``rate``
    are of both ways, unless ``down_queue`` and ``down_rate`` say how the server's packets come;
    ``rtt`` is propagation there and back. What they print goes to ``output`` if that is given, the
    server's to stderr otherwise. The rest is as of :func:`sojourn.replay.replay`.

    Needs Linux with ``ip`` (iproute2), ``unshare`` (util-linux) and a ``/dev/net/tun`` that may be
    opened. Raises :class:`sojourn.ScenarioError` where a queue or the link is wrong, ValueError
    where a command or the machine is, :class:`sojourn.UserCodeError` where a class of your own
    raises an exception, and :class:`sojourn.LedgerError` where the books do not balance.
    """
    words = split("command", command)
    served = IDLE if server is None else split("server", server)
    texts: dict[str, Any] = {"queue": queue, "rate": rate, "rtt": rtt, "overhead": overhead}
    further = {"down_queue": down_queue, "down_rate": down_rate, "limit": limit, "series": series}
    texts |= {name: text for name, text in further.items() if text is not None}
    for name, text in texts.items():
        if not isinstance(text, str):
            raise kind_error(name, text, "a text")
    if output is not None and not is_of_the_system(output):
        raise kind_error("output", output, "a file of the system's, such as open() makes")
    check_machine()
    ready = _core.Emulation(
        rate,
        queue,
        down_rate=down_rate,
        down_queue=down_queue,
        rtt=rtt,
        overhead=overhead,
        limit=limit,
        seed=as_whole("seed", seed, 0, 2**63 - 1),
        series=series,
        flows=as_whole("flows", flows, 1),
    )
    with (
        attended() as interrupts,
        made(served, FAR, output or STDERR, interrupts, is_apart=True) as far,
        made(words, NEAR, output, interrupts, is_apart=False) as near,
    ):
        far.go()
        if server is not None:
            far.wait_until_it_listens()
        ready.join(near.packets, far.packets)
        # What a server has sent to nobody yet fills its link.
        lost_before = near.lost_packets() + far.lost_packets()
        found = _carried(ready, near, interrupts)
        status = near.process.returncode
        lost = near.lost_packets() + far.lost_packets() - lost_before
        server_status = far.process.poll()
    warnings = list(found["warnings"])
    if server_status:
        warnings.append(f"{served[0]}, the server, ended with {ending(server_status)}")
    if lost:
        what = "this machine is too busy, or too slow for so many"
        warnings.append(f"packets lost before they came to a queue: {lost}; {what}")
    median, late, latest = (value if value == value else None for value in found["late_s"])
    return Emulated(
        command=words,
        status=status,
        interrupted=interrupts.heard,
        cut_short=interrupts.has_ended_the_command,
        end_s=found["end_s"],
        late_p50_s=median,
        late_p99_s=late,
        late_max_s=latest,
        behind_s=found["behind_s"],
        warnings=tuple(warnings),
        **frames(found["queues"]),
    )


def split(argument: str, command: str | Sequence[str]) -> tuple[str, ...]:
    """Return the words of a command. Raises :class:`InputError`, or :class:`KindError`."""
    if not isinstance(command, str):
        words = command
    else:
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise InputError(f"{argument}: found {command!r}: {error}") from None
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        raise kind_error(argument, command, 'a text or a list of words, such as "iperf3 -s"')
    if not words or not words[0]:
        raise InputError(f'{argument}: found nothing; allowed: a command, such as "iperf3 -s"')
    return tuple(words)


def is_of_the_system(file: IO[Any]) -> bool:
    """Whether another program can write there: not so into a cell of a notebook."""
    try:
        file.fileno()
    except (AttributeError, OSError, ValueError):
        return False
    return True


@contextmanager
def made(
    command: Sequence[str],
    addresses: tuple[str, str],
    output: IO[Any] | int | None,
    interrupts: Interrupts | None = None,
    *,
    is_apart: bool,
) -> Iterator[Host]:
    """Make a host; in the end it is gone."""
    host = Host(command, addresses, output, is_apart=is_apart)
    try:
        yield host
    finally:
        host.end(interrupts)


def _carried(joined: _core.Emulation, near: Host, interrupts: Interrupts) -> dict[str, Any]:
    """Take packets through the queues until the command of ``near`` has ended."""
    stop = Cancel()

    def carried() -> dict[str, Any]:
        come_first()
        return joined.run(stop)

    def ended(run: Future[Any]) -> None:
        # Without a link the command might wait for ever.
        if run.exception() is not None:
            near.process.kill()

    with ThreadPoolExecutor(max_workers=1) as pool:
        try:
            run = pool.submit(carried)
            run.add_done_callback(ended)
            with interrupts.left_to(near.process):
                near.go()
                near.process.wait()
        finally:
            stop.set()
        return run.result()


def ending(status: int) -> str:
    """Say how a command ended, by its exit status or minus the signal that ended it."""
    return f"status {status}" if status > 0 else signal.strsignal(-status) or f"signal {-status}"


def come_first() -> None:
    """Have this thread run when it is due, whoever else is busy, as a device would; if it may."""
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
