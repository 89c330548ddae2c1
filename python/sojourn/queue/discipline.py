"""The base class of queue disciplines of your own.

>>> class Coin(sj.queue.Discipline):
...     threshold = sj.params.packets("20 packets", "Queue above which a coin is tossed.")
...
...     def enqueue(self, now, size, flow, ecn):
...         if self.packets > self.threshold and self.random() < 0.5:
...             return sj.queue.DROP
...         return sj.queue.ACCEPT
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sojourn import _core, params
from sojourn.own import hooks, native
from sojourn.own.classes import name_of
from sojourn.queue.verdicts import ACCEPT


class Discipline(_core.DisciplineBase):
    """A queue discipline: decides about packets that Sojourn keeps.

    The packets wait in one first-in first-out queue, or in ``queues`` of them. ``enqueue`` is
    called for each arrival, ``dequeue`` for each packet at the head before it is sent; both return
    a verdict. Hooks that a class does not define are not called.

    Use an object of the class in a scenario, ``queue=MyAqm(target="10 ms")``; every link and
    replica then makes its own. Set its state in :meth:`reset`. Draw random numbers only from
    :meth:`random`, and take the time only from ``now``: then the same seed gives the same run.

    Beside what is documented here it has ``packets``, ``bytes`` (what waits, without the packet
    being judged), ``random()``, ``has_room(size)``, ``source``, ``destination``, ``dscp`` (of the
    packet being judged), ``link_rate``, ``link_delay``, ``mtu``, ``base_rtt``;
    ``packets_in(queue)`` and ``bytes_in(queue)`` if there are several queues;
    ``wait_until(time)``; and ``next_timer``.
    """

    limit = params.limit(
        "1000 packets", "Most that may wait; an arrival let in above it is dropped."
    )

    queues: ClassVar[int] = 1
    """How many queues the packets wait in."""

    probes: ClassVar[tuple[str, ...]] = ()
    """Attributes shown as inner variables, in time series and in ``sojourn drive``."""

    is_native: ClassVar[bool] = False
    """Whether its hooks are machine code."""

    state: ClassVar[Mapping[str, float]] = {}
    """Variables of compiled hooks, with their values in a new queue: :mod:`sojourn.own.native`."""

    given: Any = hooks.NotYet()
    """Parameters as they were given."""

    def __init_subclass__(cls) -> None:
        """See whether the hooks are compiled."""
        super().__init_subclass__()
        compiled = native.hooks_of(cls)
        own = [hook for hook in _HOOKS if getattr(cls, hook) is not getattr(Discipline, hook)]
        cls.is_native = bool(compiled)
        if compiled and (foreign := sorted(set(own) - {*native.HOOKS} | {*own} - {*compiled})):
            raise TypeError(
                f"{cls.__name__}: found {', '.join(foreign)} beside compiled hooks; allowed: "
                f"{', '.join(native.HOOKS)}, all of them with @sj.njit_policy"
            )

    def __init__(self, **given: Any) -> None:
        """Take parameters, with their units.

        Raises :class:`sojourn.params.ParamError`, and :class:`sojourn.own.hooks.HookError` where
        the hooks of the class cannot be called.
        """
        hooks.check(type(self), Discipline, _ASKED, (), _TOLD)
        self.given = given
        self.__dict__.update(params.read_all(type(self), given))
        self.validate()
        hooks.check_facts(self, "queues", "probes")

    def validate(self) -> None:
        """Check parameters that depend on each other; called when all of them are set.

        Raise :class:`sojourn.params.ParamError` with the name of the one to blame, what was found
        and what is allowed; for a scenario file the message also names the line.
        """

    def reset(self) -> None:
        """Set the state of a new queue. Link and random stream are known when it is called."""

    def enqueue(self, now: float, size: int, flow: int, ecn: int, /) -> int:
        """Decide about an arriving packet.

        ``now`` is in seconds, ``size`` in bytes; ``flow`` is equal for all packets of one
        five-tuple; ``ecn`` is one of ``NOT_ECT``, ``ECT1``, ``ECT0``, ``CE``. Return ``ACCEPT``,
        ``DROP``, ``MARK``, the number of a queue, or what ``drop()`` or ``mark()`` gave.
        """
        del now, size, flow, ecn
        return ACCEPT

    def dequeue(self, now: float, size: int, flow: int, ecn: int, sojourn: float, /) -> int:
        """Decide about the packet at the head, which has waited ``sojourn`` seconds.

        Return what :meth:`enqueue` may return; after a drop it is called for the next packet. With
        ``self.wait_until(time)`` the packet stays: this is called again at that instant, and
        earlier if a packet arrives meanwhile. Whoever wants to hold what waits keeps the instant,
        and answers with it again.
        """
        del now, size, flow, ecn, sojourn
        return ACCEPT

    def on_empty(self, now: float, /) -> None:
        """The link asked for a packet, and nothing waits."""
        del now

    def choose(self, now: float, /) -> int:
        """Return the number of the queue whose head comes next; it must hold a packet.

        Without this hook it is the first queue that holds one, so that low numbers go first.
        """
        del now
        return 0

    def on_timer(self, now: float, /) -> None:
        """Periodic work, at the instant that ``next_timer`` named. Set that again to go on."""
        del now

    def on_link(self) -> None:
        """The rate of the link changed: ``link_rate`` is the new one. It may set ``next_timer``."""

    def table(self) -> dict[str, Any]:
        """Return the ``queue`` table of a scenario file."""
        return {"discipline": name_of(type(self)), **self.given}

    def _address(self, hook: str) -> int | None:
        """Where the code of a compiled hook begins."""
        return native.addresses(type(self)).get(hook)

    def _start(self) -> tuple[list[str], list[float]]:
        """Names and values of the state of compiled hooks in a new queue."""
        return native.fields_of(type(self)), native.start(self)

    def _raise_again(self, hook: str, state: list[float], *packet: list[float]) -> None:
        """Raise again what a compiled hook raised, with its traceback."""
        native.raise_again(type(self), hook, state, [value for part in packet for value in part])

    def _has(self, hook: str) -> bool:
        """Whether the class defines a hook."""
        return getattr(type(self), hook) is not getattr(Discipline, hook)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as class and parameters: state belongs to a run."""
        return _made, (type(self), self.given)

    def __repr__(self) -> str:
        """The call that makes it."""
        given = ", ".join(f"{name}={value!r}" for name, value in self.given.items())
        return f"{type(self).__name__}({given})"


_ASKED = ("enqueue", "dequeue", "on_empty", "choose", "on_timer")
_TOLD = ("on_link", "reset")
_HOOKS = (*_ASKED, *_TOLD)


def _made(cls: type[Discipline], given: dict[str, Any]) -> Discipline:
    return cls(**given)
