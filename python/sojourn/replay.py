"""Replays: a capture or a table of arrivals through bare queues, open loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sojourn import _core
from sojourn._core import Cancel
from sojourn.errors.arguments import as_path, kind_error
from sojourn.errors.brief import InputError, brief
from sojourn.open_loop import OpenLoop, frames
from sojourn.workers.threads import attended

OnRead = Callable[[int, int], None]
"""Told how many bytes of the file have been read, and how many it has."""


@dataclass(frozen=True, kw_only=True)
class Replayed(OpenLoop):
    """What the queues made of a capture."""

    capture: str
    packets: int
    bytes: int
    last_arrival_s: float

    def summary(self) -> dict[str, Any]:
        """Return the document that ``sojourn replay --json`` prints."""
        return {
            "sojourn": _core.__version__,
            "capture": self.capture,
            "packets": self.packets,
            "bytes": self.bytes,
            "last_arrival_s": self.last_arrival_s,
            **super().summary(),
        }


@brief
def replay(
    capture: str | Path,
    queues: str | Sequence[str],
    rate: str,
    *,
    delay: str = "0 s",
    overhead: str = "0 B",
    limit: str | None = None,
    seed: int = 1,
    series: str | None = None,
    flows: int = 1000,
    interface: str | None = None,
    sender: str | Sequence[str] | None = None,
    partial: bool = False,
    progress: OnRead | None = None,
) -> Replayed:
    """Send the packets of a capture through queues, each in front of a link of its own.

    ``capture`` is pcap, pcapng, or CSV with a header ``time_s,size_B[,flow][,ecn]``. A queue is
    ``"discipline=codel,target=5 ms"``, or ``"codel,target=5 ms"``; ``"module:Class"`` is one of
    your own. One alone needs no list.
    ``limit`` applies to all queues that name none. ``series`` is the interval of the time series;
    by default one or two thousand values remain. ``flows`` flows are told apart; later ones are
    counted together as ``others``. ``interface`` selects one interface of a pcapng file, ``sender``
    the packets that an address or network sent, such as ``"192.0.2.0/24"``, or one of several.
    ``partial`` accepts a file that ends in the middle of a packet, up to there.

    Raises :class:`sojourn.ScenarioError` if an argument or the file is wrong, with the packet and
    the byte, :class:`sojourn.UserCodeError` if a class of your own raises an exception, and
    :class:`sojourn.LedgerError` if the books do not balance.
    """
    capture = as_path("capture", capture)
    given: list[Any] = list(queues) if isinstance(queues, list | tuple) else [queues]
    if not all(isinstance(queue, str) for queue in given):
        raise kind_error("queues", queues, 'one or several texts, such as "codel"')
    queues = given
    if not isinstance(rate, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise kind_error("rate", rate, 'a rate such as "10 Mbit/s"')
    if isinstance(sender, list | tuple):
        sender = ",".join(map(str, sender))
    if not isinstance(sender, str | None):
        raise kind_error("sender", sender, 'one or several texts, such as "192.0.2.7"')
    if not queues:
        raise InputError('queues: found none; allowed: one or several, such as "codel"')
    ready = _core.Replay(
        capture,
        queues,
        rate,
        delay=delay,
        overhead=overhead,
        limit=limit,
        seed=seed,
        series=series,
        flows=flows,
        interface=interface,
        sender=sender,
        partial=partial,
    )
    size = capture.stat().st_size
    cancel = Cancel()

    def look() -> None:
        if progress is not None and size > 0:
            progress(min(ready.read, size), size)

    found = attended(lambda: ready.run(cancel), cancel, look)
    return Replayed(
        capture=str(capture),
        packets=found["packets"],
        bytes=found["bytes"],
        last_arrival_s=found["last_arrival_s"],
        warnings=tuple(found["warnings"]),
        **frames(found["queues"]),
    )
