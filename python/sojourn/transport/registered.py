"""Every congestion control of the registry.

Generated from the code by `make generate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sojourn.named_table import Control

__all__ = [
    "Bbr",
    "Bbr3",
    "Bic",
    "Control",
    "Cubic",
    "Dctcp",
    "HighSpeed",
    "Htcp",
    "Hybla",
    "Illinois",
    "Ledbat",
    "NewReno",
    "Prague",
    "Reno",
    "Scalable",
    "Tahoe",
    "Vegas",
    "Veno",
    "Westwood",
    "Yeah",
]


@dataclass(frozen=True, kw_only=True, repr=False)
class Tahoe(Control):
    """Tahoe: slow start, congestion avoidance and fast retransmit, but no fast recovery.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``tahoe``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "tahoe"


@dataclass(frozen=True, kw_only=True, repr=False)
class Reno(Control):
    """Reno: Tahoe with fast recovery.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``reno``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "reno"


@dataclass(frozen=True, kw_only=True, repr=False)
class NewReno(Control):
    """NewReno: Reno that stays in recovery until all data outstanding at the loss has arrived.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``newreno``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "newreno"


@dataclass(frozen=True, kw_only=True, repr=False)
class Cubic(Control):
    """CUBIC: the window follows a cubic function of the time since the last loss.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``cubic``.

    Parameters:
        c: Constant C of the cubic function, segments per cubic second. Default ``0.4``.
        beta: Part of the window that remains after a loss. Default ``0.7``; linux:
            ``0.7001953125``.
        fast_convergence: Whether a loss below the last maximum lowers the maximum further. Default
            ``true``.
        reno_friendly: Whether the window is at least that of an AIMD flow with the same mean.
            Default ``true``.
        slow_start: How slow start ends. Default ``hystart++``; linux: ``hystart``; ns3:
            ``hystart``; ns2: ``plain``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "cubic"

    c: float | None = None
    beta: float | None = None
    fast_convergence: bool | None = None
    reno_friendly: bool | None = None
    slow_start: Literal["plain", "hystart++", "hystart"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Dctcp(Control):
    """DCTCP: the window is reduced in proportion to the share of marked bytes.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``dctcp``.

    Parameters:
        g: Weight g of the newest share of marks. Default ``0.0625``.
        initial_alpha: Alpha at the start. Default ``1``.
        use_ect0: Whether packets are ECT(0) and not ECT(1), the codepoint of L4S (RFC 9331; ns-3's
            `UseEct0`). Default ``true``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "dctcp"

    g: float | None = None
    initial_alpha: float | None = None
    use_ect0: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Vegas(Control):
    """Vegas: keeps between alpha and beta segments of its own in the queue.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``vegas``.

    Parameters:
        alpha: The window grows while fewer segments than this are in the queue. Default ``2``;
            ns2: ``1``.
        beta: The window shrinks while more segments than this are in the queue. Default ``4``;
            ns2: ``3``.
        gamma: Slow start ends when more segments than this are in the queue. Default ``1``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "vegas"

    alpha: float | None = None
    beta: float | None = None
    gamma: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Westwood(Control):
    """Westwood+: after a loss the window is set to what the path carries.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``westwood``.

    Parameters:
        least_interval: Shortest time over which a bandwidth sample is taken. Default ``50 ms``;
            ns3: ``0 s``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "westwood"

    least_interval: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class HighSpeed(Control):
    """HighSpeed TCP: AIMD whose parameters depend on the window.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``highspeed``.

    Parameters:
        low_window: Largest window, in segments, at which it behaves as Reno. Default ``38``.
        high_window: Window at the high end of the response function, segments. Default ``83000``.
        high_decrease: Part of the window that a loss takes away at `high_window`. Default ``0.1``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "highspeed"

    low_window: float | None = None
    high_window: float | None = None
    high_decrease: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Scalable(Control):
    """Scalable TCP: growth in proportion to the window.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``scalable``.

    Parameters:
        a: Segments added per segment acknowledged. Default ``0.01``; ns3: ``0.02``.
        b: Part of the window that a loss takes away. Default ``0.125``.
        legacy_window: Largest window, in segments, at which a loss halves and growth is Reno's.
            Default ``16``; linux: ``0``; ns3: ``0``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "scalable"

    a: float | None = None
    b: float | None = None
    legacy_window: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Bic(Control):
    """BIC: a binary search for the window at which the last loss occurred.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``bic``.

    Parameters:
        beta: Part of the window that remains after a loss. Default ``0.7998046875``; ns3: ``0.8``.
        max_increment: Largest number of segments that a round trip adds. Default ``16``.
        low_window: Largest window, in segments, at which it behaves as Reno. Default ``14``.
        smooth: Near the maximum a round trip adds 4 / smooth segments. Default ``20``; ns3: ``5``.
        fast_convergence: Whether a loss below the last maximum lowers the maximum further. Default
            ``true``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "bic"

    beta: float | None = None
    max_increment: float | None = None
    low_window: float | None = None
    smooth: float | None = None
    fast_convergence: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Htcp(Control):
    """H-TCP: growth depends on the time since the last congestion; a reduction just empties the
    queue.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``htcp``.

    Parameters:
        delta_l: How long growth remains Reno's after congestion. Default ``1 s``.
        adaptive_backoff: Whether beta adapts to the queue. Default ``true``.
        rtt_scaling: Whether growth is in proportion to the RTT, with 100 ms as the unit. Default
            ``false``; linux: ``true``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "htcp"

    delta_l: str | None = None
    adaptive_backoff: bool | None = None
    rtt_scaling: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Hybla(Control):
    """Hybla: a flow on a long path grows as one with a round-trip time of 25 ms does.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``hybla``.

    Parameters:
        rtt0: Flows with a longer round-trip time than this grow as if they had this one. Default
            ``25 ms``; ns3: ``50 ms``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "hybla"

    rtt0: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Illinois(Control):
    """Illinois: loss signals congestion; the queueing delay determines growth and reduction.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``illinois``.

    Parameters:
        alpha_max: Largest number of segments that a round trip adds. Default ``10``.
        alpha_min: Smallest number of segments that a round trip adds. Default ``0.3``.
        beta_min: Smallest part of the window that a loss takes away. Default ``0.125``.
        beta_max: Largest part of the window that a loss takes away. Default ``0.5``.
        win_thresh: Below this number of segments it behaves as Reno. Default ``15``.
        theta: Number of rounds of low delay after which growth is the largest again. Default
            ``5``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "illinois"

    alpha_max: float | None = None
    alpha_min: float | None = None
    beta_min: float | None = None
    beta_max: float | None = None
    win_thresh: float | None = None
    theta: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Yeah(Control):
    """YeAH: grows as Scalable while the queue is short and as Reno while it is long, and empties
    the queue as a precaution.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``yeah``.

    Parameters:
        alpha: Largest number of segments in the queue. Default ``80``.
        gamma: Inverse of the part of the queue that is taken away. Default ``1``.
        epsilon: The window is reduced by at most the part 1 / epsilon of it. Default ``2``.
        phy: Inverse of the largest delay, as a part of the base RTT. Default ``8``.
        rho: Number of slow rounds after which a loss halves the window. Default ``16``.
        zeta: Number of fast rounds after which Reno's window is discarded. Default ``50``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "yeah"

    alpha: float | None = None
    gamma: float | None = None
    epsilon: float | None = None
    phy: float | None = None
    rho: int | None = None
    zeta: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Veno(Control):
    """Veno: distinguishes random loss from congestion by the backlog.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``veno``.

    Parameters:
        beta: Number of segments in the queue from which on the path counts as congested. Default
            ``3``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "veno"

    beta: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Ledbat(Control):
    """LEDBAT: a scavenger that keeps the queue at a target and yields to all others.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``ledbat``.

    Parameters:
        target: Target queueing delay; the RFC allows up to 100 ms. Default ``100 ms``.
        gain: Segments per round trip that an empty queue adds; the RFC allows up to 1. Default
            ``1``.
        filter: Number of latest delay samples of which the least counts. Default ``4``; ns3:
            ``3``.
        slow_start: Whether there is slow start, at the beginning and after timeouts. Default
            ``false``; ns3: ``true``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "ledbat"

    target: str | None = None
    gain: float | None = None
    filter: int | None = None
    slow_start: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Bbr(Control):
    """BBR, version 1: follows a model of the path instead of responding to losses.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``bbr``.

    Parameters:
        pacing_margin: Part by which the pacing rate is reduced. Default ``0``; linux: ``0.01``.
        min_rtt_window: How long a least RTT is valid. Default ``10 s``.
        probe_rtt_time: Shortest time spent in ProbeRTT. Default ``200 ms``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "bbr"

    pacing_margin: float | None = None
    min_rtt_window: str | None = None
    probe_rtt_time: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Bbr3(Control):
    """BBR, version 3: follows a model of the path and also responds to losses, within bounds.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``bbr3``.

    Parameters:
        loss_threshold: Largest loss in a round trip that a probe for bandwidth may cause. Default
            ``0.02``.
        beta: Smallest part that a reduction leaves: of a short-term bound, this part of itself; of
            the long-term bound, this part of the product or of the window, whichever is less.
            Default ``0.7``.
        headroom: Part of the long-term bound that is left free for others. Default ``0.15``.
        pacing_margin: Part by which the pacing rate is reduced. Default ``0.01``.
        drain_gain: Pacing gain of Drain. Default ``0.5``; linux: ``0.347``.
        down_gain: Pacing gain of ProbeBW_DOWN. Default ``0.9``; linux: ``0.91``.
        min_rtt_window: How long a least RTT is valid. Default ``10 s``.
        probe_rtt_interval: Time without a lower RTT after which ProbeRTT begins. Default ``5 s``.
        probe_rtt_time: Shortest time spent in ProbeRTT. Default ``200 ms``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "bbr3"

    loss_threshold: float | None = None
    beta: float | None = None
    headroom: float | None = None
    pacing_margin: float | None = None
    drain_gain: float | None = None
    down_gain: float | None = None
    min_rtt_window: str | None = None
    probe_rtt_interval: str | None = None
    probe_rtt_time: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Prague(Control):
    """Prague: the scalable controller of L4S, whose rate does not depend on the RTT if that is
    short.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``prague``.

    Parameters:
        g: Weight g of the newest share of marks. Default ``0.0625``.
        initial_alpha: Alpha at the first mark. Default ``1``.
        virtual_rtt: Flows with a shorter round-trip time than this grow as if they had this one.
            Default ``25 ms``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "prague"

    g: float | None = None
    initial_alpha: float | None = None
    virtual_rtt: str | None = None
