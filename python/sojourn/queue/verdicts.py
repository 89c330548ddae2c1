"""What a discipline of your own answers about a packet: small whole numbers.

The number of a queue lets the packet into it; with one queue that is ``ACCEPT``, 0.
"""

from __future__ import annotations

from sojourn import _core

REASONS: tuple[str, ...] = tuple(_core.REASONS)
"""Why packets are dropped or marked, one vocabulary over all disciplines: ``overlimit``,
``unforced``, ``forced``, ``target``, ``ce_threshold``, ``blue``, ``match``, ``head``, ``penalty``,
``ack_filter``, ``link``."""


def drop(reason: str) -> int:
    """The verdict that drops a packet for one of :data:`REASONS`. Call it once, not per packet."""
    return _core.VERDICTS[_place(reason)][0]


def mark(reason: str, queue: int = 0) -> int:
    """The verdict that marks a packet and lets it in; drops it where it cannot be marked."""
    return _core.VERDICTS[_place(reason)][1] | queue


def _place(reason: str) -> int:
    if reason not in REASONS:
        raise ValueError(f"found {reason!r}; allowed: {', '.join(REASONS)}")
    return REASONS.index(reason)


ACCEPT = 0
"""In ``enqueue``: let the packet in. In ``dequeue``: send it."""

SEND = ACCEPT
"""The same, in ``dequeue``."""

WAIT: int = _core.VERDICTS[0][2]
"""In a compiled ``dequeue``: the packet stays. It is asked again at ``packet.wait_until``, and
earlier if a packet arrives meanwhile."""

DROP = drop("unforced")
"""Drop it: an early drop, by probability."""

MARK = mark("unforced")
"""Mark it, or drop it where it is not ECN-capable."""

NOT_ECT, ECT1, ECT0, CE = range(4)
"""ECN codepoints."""
