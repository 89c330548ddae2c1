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
    """NewReno: Reno that stays in recovery until all of the window at the loss has arrived.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``newreno``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "newreno"


@dataclass(frozen=True, kw_only=True, repr=False)
class Cubic(Control):
    """CUBIC: a cubic function of the time since the last loss.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``cubic``.

    Parameters:
        c: Aggressiveness C, segments per cubic second. Default ``0.4``.
        beta: What is left of the window after a loss. Default ``0.7``; linux: ``0.7001953125``.
        fast_convergence: Whether a loss below the last maximum lowers it further. Default
            ``true``.
        reno_friendly: Whether to have at least what an AIMD flow of the same mean has. Default
            ``true``.
        slow_start: How slow start is left. Default ``hystart++``; linux: ``hystart``; ns3:
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
    """DCTCP: as many marks, as much less window.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``dctcp``.

    Parameters:
        g: Weight g of the newest share of marks. Default ``0.0625``.
        initial_alpha: Alpha at the start. Default ``1``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "dctcp"

    g: float | None = None
    initial_alpha: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Vegas(Control):
    """Vegas: keeps between alpha and beta segments of its own in the queue.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``vegas``.

    Parameters:
        alpha: Below so many segments in the queue the window grows. Default ``2``; ns2: ``1``.
        beta: Above so many it shrinks. Default ``4``; ns2: ``3``.
        gamma: Above so many slow start ends. Default ``1``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "vegas"

    alpha: float | None = None
    beta: float | None = None
    gamma: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Westwood(Control):
    """Westwood+: after a loss the window is what the path carries.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``westwood``.

    Parameters:
        least_interval: The shortest time over which a bandwidth sample is taken. Default ``50
            ms``; ns3: ``0 s``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "westwood"

    least_interval: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class HighSpeed(Control):
    """HighSpeed TCP: AIMD whose numbers depend on the window.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``highspeed``.

    Parameters:
        low_window: Up to so many segments it is Reno. Default ``38``.
        high_window: The window of the high end of the response function. Default ``83000``.
        high_decrease: The part of the window that a loss takes away there. Default ``0.1``.
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
        legacy_window: Up to so many segments a loss halves and growth is Reno's. Default ``16``;
            linux: ``0``; ns3: ``0``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "scalable"

    a: float | None = None
    b: float | None = None
    legacy_window: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Bic(Control):
    """BIC: a binary search for the window at which the last loss came.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``bic``.

    Parameters:
        beta: What is left of the window after a loss. Default ``0.7998046875``; ns3: ``0.8``.
        max_increment: Most segments that a round trip adds. Default ``16``.
        low_window: Up to so many segments it is Reno. Default ``14``.
        smooth: Near the maximum a round trip adds 4 / smooth segments. Default ``20``; ns3: ``5``.
        fast_convergence: Whether a loss below the last maximum lowers it further. Default
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
    """H-TCP: growth by the time since the last congestion, a reduction that just empties the
    queue.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``htcp``.

    Parameters:
        delta_l: How long growth stays Reno's. Default ``1 s``.
        adaptive_backoff: Whether beta follows the queue. Default ``true``.
        rtt_scaling: Whether growth is in proportion to the RTT: that of 100 ms is the unit.
            Default ``false``; linux: ``true``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "htcp"

    delta_l: str | None = None
    adaptive_backoff: bool | None = None
    rtt_scaling: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Hybla(Control):
    """Hybla: a long path grows as one of 25 ms does.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``hybla``.

    Parameters:
        rtt0: The round-trip time whose growth all have. Default ``25 ms``; ns3: ``50 ms``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "hybla"

    rtt0: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Illinois(Control):
    """Illinois: growth and reduction by the queueing delay, congestion by loss.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``illinois``.

    Parameters:
        alpha_max: Most segments that a round trip adds. Default ``10``.
        alpha_min: Fewest. Default ``0.3``.
        beta_min: The least part that a loss takes away. Default ``0.125``.
        beta_max: The largest. Default ``0.5``.
        win_thresh: Below so many segments it is Reno. Default ``15``.
        theta: Rounds of low delay before the growth is the largest again. Default ``5``.
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
    """YeAH: Scalable while the queue is short, Reno while it is long, and a queue emptied by
    precaution.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``yeah``.

    Parameters:
        alpha: Most segments in the queue. Default ``80``.
        gamma: The part of the queue that is taken away: its inverse. Default ``1``.
        epsilon: The window is lowered by at most its part of 1 / epsilon. Default ``2``.
        phy: The largest delay, as a part of the base RTT: its inverse. Default ``8``.
        rho: Slow rounds after which a loss halves. Default ``16``.
        zeta: Fast rounds after which Reno's window is forgotten. Default ``50``.
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
    """Veno: tells random loss from congestion by the backlog.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``veno``.

    Parameters:
        beta: From so many segments in the queue on the path is congested. Default ``3``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "veno"

    beta: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Ledbat(Control):
    """LEDBAT: a scavenger that keeps the queue at a target and yields to all others.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``ledbat``.

    Parameters:
        target: Queueing delay that it aims at; the RFC allows up to 100 ms. Default ``100 ms``.
        gain: Segments per round trip at an empty queue; the RFC allows up to 1. Default ``1``.
        filter: Delay samples of which the least counts. Default ``4``; ns3: ``3``.
        slow_start: Slow start before the first loss. Default ``false``; ns3: ``true``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "ledbat"

    target: str | None = None
    gain: float | None = None
    filter: int | None = None
    slow_start: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Bbr(Control):
    """BBR, version 1: a model of the path instead of an answer to losses.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``bbr``.

    Parameters:
        pacing_margin: What is taken off the pacing rate. Default ``0``; linux: ``0.01``.
        min_rtt_window: How long the least RTT is believed. Default ``10 s``.
        probe_rtt_time: The least time spent in looking for it. Default ``200 ms``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "bbr"

    pacing_margin: float | None = None
    min_rtt_window: str | None = None
    probe_rtt_time: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Bbr3(Control):
    """BBR, version 3: a model of the path that also answers to losses, within bounds.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``bbr3``.

    Parameters:
        loss_threshold: Loss in a round trip that a probe for bandwidth may cause. Default
            ``0.02``.
        beta: The least that the bounds keep of themselves when they are reduced. Default ``0.7``.
        headroom: Part of the long-term bound that is left to others. Default ``0.15``.
        pacing_margin: What is taken off the pacing rate. Default ``0.01``.
        drain_gain: Pacing gain of Drain. Default ``0.5``; linux: ``0.347``.
        down_gain: Pacing gain of ProbeBW_DOWN. Default ``0.9``; linux: ``0.91``.
        min_rtt_window: How long the least RTT is believed. Default ``10 s``.
        probe_rtt_interval: How long no lower RTT is seen before ProbeRTT looks for one. Default
            ``5 s``.
        probe_rtt_time: The least time spent in ProbeRTT. Default ``200 ms``.
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
    """Prague: the scalable controller of L4S, whose rate does not depend on a short round-trip
    time.

    Its manual page: ``docs/reference/congestion-controls.md``, under ``prague``.

    Parameters:
        g: Weight g of the newest share of marks. Default ``0.0625``.
        initial_alpha: Alpha at the first mark. Default ``1``.
        virtual_rtt: The round-trip time whose growth all shorter ones have. Default ``25 ms``.
    """

    WORD: ClassVar[str] = "congestion_control"
    NAME: ClassVar[str] = "prague"

    g: float | None = None
    initial_alpha: float | None = None
    virtual_rtt: str | None = None
