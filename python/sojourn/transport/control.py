"""The base class of congestion controls of your own.

>>> class Halving(sj.transport.CongestionControl):
...     def on_ack(self, ack):
...         if ack.may_grow:
...             left = self.slow_start(ack.acked)
...             self.cwnd += left / self.cwnd
...
...     def on_loss(self, loss):
...         self.reduce(loss, 0.5 * loss.in_flight)
"""

from __future__ import annotations

from typing import Any, ClassVar

from sojourn import _core, params
from sojourn.own import hooks
from sojourn.own.classes import name_of

LEAST_SSTHRESH = 2.0
"""The least window after a loss, segments (RFC 5681, equation 4)."""


class CongestionControl:
    """A congestion control: sets the window as acknowledgements and losses come in.

    It sets ``cwnd`` and ``ssthresh``, in segments; the sender reads them after each hook. The
    sender detects and repairs losses; ``on_loss`` sets the threshold and the window to go on with.

    Use an object of the class in a flow, ``sj.tcp(MyControl())``; every connection makes its own.
    Draw random numbers only from :meth:`random`, and take the time only from ``now``.
    """

    probes: ClassVar[tuple[str, ...]] = ()
    """Attributes shown as inner variables."""

    own_recovery: ClassVar[bool] = False
    """Whether it sets the window during recovery too."""

    pacing: ClassVar[bool] = False
    """Whether the sender paces, at ``pacing_rate`` where that is set."""

    cwnd: float
    """The window, segments."""

    ssthresh: float
    """The slow-start threshold, segments; infinite while there is none."""

    pacing_rate: float | None = None
    """Rate to pace at, bit/s; None for the usual multiple of cwnd / SRTT."""

    mss: int
    """Bytes of a segment."""

    byte_counting: int
    """Segments that one acknowledgement counts for at most (RFC 3465)."""

    given: Any = hooks.NotYet()
    """Parameters as they were given."""

    def __init__(self, **given: Any) -> None:
        """Take parameters, with their units.

        Raises :class:`sojourn.params.ParamError`, and :class:`sojourn.own.hooks.HookError` where
        the hooks of the class cannot be called.
        """
        hooks.check(type(self), CongestionControl, _HOOKS, _NEEDED, ("reset",))
        self.given = given
        self.__dict__.update(params.read_all(type(self), given))
        self.validate()
        hooks.check_facts(self, "probes", "pacing", "own_recovery")

    def validate(self) -> None:
        """Check parameters that depend on each other, as a discipline does."""

    def reset(self) -> None:
        """Set the state of a new connection; ``cwnd`` has the initial window."""

    def on_ack(self, ack: _core.Ack, /) -> None:
        """An acknowledgement delivered something."""
        raise NotImplementedError(f"{type(self).__name__} has no on_ack")

    def on_loss(self, loss: _core.Loss, /) -> None:
        """A congestion event happened: at most one per window, except for timeouts."""
        raise NotImplementedError(f"{type(self).__name__} has no on_loss")

    def on_recovery_exit(self, now: float, /) -> None:
        """Recovery is over."""

    def on_restart(self, now: float, /) -> None:
        """Sending begins again after idle time: at most the initial window (RFC 5681, 4.1)."""
        self.cwnd = min(self.cwnd, self._initial)

    def on_undo(self, now: float, /) -> None:
        """The last reduction proved wrong: take it back.

        Called if the sender detects that: under the preset ``linux``, or with ``undo``.
        """
        before = self._before
        self.cwnd, self.ssthresh = max(self.cwnd, before[0]), max(self.ssthresh, before[1])

    def slow_start(self, segments: float) -> float:
        """Grow as slow start does, up to the threshold; return what is left over (RFC 5681).

        It changes ``cwnd``: call it on a line of its own, not within ``self.cwnd += ...``.
        """
        segments = min(segments, self.byte_counting)
        if self.cwnd >= self.ssthresh:
            return segments
        room = self.ssthresh - self.cwnd
        if segments <= room or segments <= 1.0:
            self.cwnd += segments
            return 0.0
        self.cwnd += room
        return segments - room

    def reduce(self, loss: _core.Loss, segments: float) -> None:
        """Set threshold and window to so many segments; after a timeout the window to one."""
        if not loss.again:
            self._before = (self.cwnd, self.ssthresh)
            self.ssthresh = max(segments, LEAST_SSTHRESH)
        self.cwnd = 1.0 if loss.kind == "timeout" else self.ssthresh

    def random(self) -> float:
        """A random number in [0, 1) from the connection's own stream."""
        return self._random.uniform()

    def table(self) -> dict[str, Any]:
        """Return its part of a ``transport`` table."""
        return {"congestion_control": name_of(type(self)), **self.given}

    def _begin(
        self, mss: int, cwnd: float, ssthresh: float, byte_counting: int, random: _core.Random
    ) -> None:
        """Begin a connection."""
        self.mss, self.cwnd, self.ssthresh = mss, cwnd, ssthresh
        self.byte_counting, self._random = byte_counting, random
        self._initial, self._before = cwnd, (cwnd, ssthresh)
        self.reset()


_NEEDED = ("on_ack", "on_loss")
_HOOKS = (*_NEEDED, "on_recovery_exit", "on_restart", "on_undo")
