"""Every queue discipline of the registry.

Generated from the code by `make generate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sojourn.named_table import Queue

__all__ = [
    "Ared",
    "Avq",
    "Blue",
    "Cake",
    "Choke",
    "CoDel",
    "Cobalt",
    "DropTail",
    "Drr",
    "DualPi2",
    "Eqm",
    "FengGreen",
    "Fq",
    "FqCobalt",
    "FqCodel",
    "FqPie",
    "Green",
    "HeadDrop",
    "Pfifo",
    "PfifoFast",
    "Pi",
    "Pi2",
    "Pie",
    "Prio",
    "Queue",
    "Red",
    "Rem",
    "Sfb",
    "Sfq",
    "Tbf",
]


@dataclass(frozen=True, kw_only=True, repr=False)
class DropTail(Queue):
    """Drop-tail: first in, first out; an arrival that finds no room is dropped.

    Its manual page: ``docs/reference/disciplines/droptail.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets or bytes; the packet being transmitted is not counted.
            Default ``1000 packets``; ns2: ``50 packets``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "droptail"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class HeadDrop(Queue):
    """Head-drop: first in, first out; a full queue drops its oldest packet and takes the arrival.

    Its manual page: ``docs/reference/disciplines/headdrop.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets or bytes; the packet being transmitted is not counted.
            Default ``1000 packets``; ns2: ``50 packets``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "headdrop"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Pfifo(Queue):
    """PFIFO: drop-tail with its room in packets, under the name that `tc` gives it.

    Its manual page: ``docs/reference/disciplines/pfifo.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets; the packet being transmitted is not counted. Default
            ``1000 packets``; ns2: ``50 packets``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "pfifo"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class PfifoFast(Queue):
    """PFIFO-fast: three first-in, first-out bands; a band is served only when those above are
    empty.

    Its manual page: ``docs/reference/disciplines/pfifo_fast.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest total queue, in packets or bytes; under Linux's preset, of each band.
            Default ``1000 packets``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "pfifo_fast"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Red(Queue):
    """RED: random early detection; drops by the average queue length, before the buffer is full.

    Its manual page: ``docs/reference/disciplines/red.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets or bytes; the packet being transmitted is not counted.
            Default ``1000 packets``; linux: ``400 kB``; ns3: ``25 packets``; ns2: ``50 packets``.
        min_th: Average queue length from which packets are dropped early. Default ``5 packets``;
            linux: ``auto``; ns2: ``auto``.
        max_th: Average queue length at which the probability reaches `max_p`. Default ``15
            packets``; linux: ``auto``; ns2: ``auto``.
        max_p: Drop probability at `max_th`. Default ``0.02``; ns2: ``0.1``.
        w_q: Weight of an arrival in the average. Default ``0.002``; linux: ``auto``; ns2:
            ``auto``.
        gentle: Whether the probability rises from `max_p` to 1 between `max_th` and twice
            `max_th`. Default ``false``; ns3: ``true``; ns2: ``true``.
        nonlinear: Whether the probability rises with the square of the average, to 1.5 `max_p`
            (nonlinear RED). Linux has no such option. Default ``false``.
        wait: Whether to wait for about 1/p packets after each drop. Default ``false``; ns3:
            ``true``; ns2: ``true``.
        bytes: Whether to count the queue in bytes and to drop in proportion to a packet's size.
            Automatic: if the limit is in bytes, time or BDP. Default ``auto``; linux: ``true``;
            ns2: ``true``.
        mean_packet: Size of a typical packet: the unit of idle time, and of lengths in packets
            where the queue is counted in bytes. Default ``500 B``; linux: ``1000 B``.
        ecn: Whether to mark ECN-capable packets instead of dropping them early. Default ``false``.
        hard_drop: Whether to drop packets instead of marking them while the average is at or above
            the hard threshold (`max_th`; with `gentle`, twice `max_th`). Default ``true``; linux:
            ``false``.
        no_drop: Whether packets that are not ECN-capable get in where others are marked, so that
            only marks and the limit are left. It needs `ecn`. Default ``false``.
        use_mark_p: Whether to mark only while the probability is below `mark_p`, and to let the
            probability alone decide above the hard threshold. Default ``false``; ns2: ``true``.
        mark_p: Probability from which ECN-capable packets are dropped, with `use_mark_p`. Default
            ``0.1``.
        target_delay: Target queueing delay; the automatic `min_th` is half of it. Default ``5
            ms``.
        burst: Number of packets of a burst that pass without a drop, for Linux's automatic `w_q`.
            Automatic: (2 `min_th` + `max_th`) / (3 `mean_packet`). Default ``auto``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "red"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    min_th: str | None = None
    max_th: str | None = None
    max_p: float | None = None
    w_q: float | None = None
    gentle: bool | None = None
    nonlinear: bool | None = None
    wait: bool | None = None
    bytes: bool | str | None = None
    mean_packet: str | None = None
    ecn: bool | None = None
    hard_drop: bool | None = None
    no_drop: bool | None = None
    use_mark_p: bool | None = None
    mark_p: float | None = None
    target_delay: str | None = None
    burst: int | str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Ared(Queue):
    """ARED: RED that sets its own parameters and adapts its drop probability to keep the average
    queue length midway between its thresholds.

    Its manual page: ``docs/reference/disciplines/ared.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets or bytes; the packet being transmitted is not counted.
            Default ``1000 packets``; linux: ``400 kB``; ns3: ``25 packets``; ns2: ``50 packets``.
        min_th: Average queue length from which packets are dropped early. Default ``auto``.
        max_th: Average queue length at which the probability reaches `max_p`. Default ``auto``.
        max_p: Initial drop probability at `max_th`. Default ``0.1``; linux: ``0.02``; ns3:
            ``0.02``.
        w_q: Weight of an arrival in the average. Default ``auto``.
        gentle: Whether the probability rises from `max_p` to 1 between `max_th` and twice
            `max_th`. Default ``true``.
        wait: Whether to wait for about 1/p packets after each drop. Default ``false``; ns3:
            ``true``; ns2: ``true``.
        bytes: Whether to count the queue in bytes, and to drop in proportion to a packet's size.
            Default ``auto``; linux: ``true``; ns2: ``true``.
        mean_packet: Size of a typical packet. Default ``500 B``; linux: ``1000 B``.
        ecn: Whether to mark ECN-capable packets instead of dropping them early. Default ``false``.
        hard_drop: Whether to drop packets instead of marking them while the average is at or above
            the hard threshold (`max_th`; with `gentle`, twice `max_th`). Default ``true``; linux:
            ``false``.
        use_mark_p: Whether to mark only while the probability is below `mark_p`, and to let the
            probability alone decide above the hard threshold. Default ``false``; ns2: ``true``.
        mark_p: Probability from which ECN-capable packets are dropped, with `use_mark_p`. Default
            ``0.1``.
        target_delay: Target queueing delay; the automatic `min_th` is half of it. Default ``5
            ms``.
        burst: Number of packets of a burst that pass without a drop, for Linux's automatic `w_q`.
            Default ``auto``.
        adapts: Whether `max_p` adapts at all. Default ``true``; linux: ``false``.
        interval: Time between two changes of `max_p`. Default ``500 ms``.
        alpha: Largest amount added to `max_p` at a time. Default ``0.01``.
        beta: Factor by which `max_p` is reduced. Default ``0.9``.
        top: `max_p` above which it is not raised. Default ``0.5``.
        bottom: `max_p` below which it is not reduced. Automatic: 0.01, in ns-2 and ns-3 less on
            fast links. Default ``auto``.
        rtt: Round-trip time for ns-3's automatic `bottom`. Default ``100 ms``.
        feng_adaptive: Whether to adapt `max_p` by Feng's rule. Default ``false``.
        feng_alpha: Divisor of `max_p` when the average falls below `min_th`. Default ``3``; ns2:
            ``0.01``.
        feng_beta: Factor of `max_p` when the average rises above `max_th`. Default ``2``; ns2:
            ``0.9``.
        hz: Clock ticks per second of the Linux kernel; only Linux's preset has this parameter.
            Default ``1000``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "ared"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    min_th: str | None = None
    max_th: str | None = None
    max_p: float | None = None
    w_q: float | str | None = None
    gentle: bool | None = None
    wait: bool | None = None
    bytes: bool | str | None = None
    mean_packet: str | None = None
    ecn: bool | None = None
    hard_drop: bool | None = None
    use_mark_p: bool | None = None
    mark_p: float | None = None
    target_delay: str | None = None
    burst: int | str | None = None
    adapts: bool | None = None
    interval: str | None = None
    alpha: float | None = None
    beta: float | None = None
    top: float | None = None
    bottom: float | str | None = None
    rtt: str | None = None
    feng_adaptive: bool | None = None
    feng_alpha: float | None = None
    feng_beta: float | None = None
    hz: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Choke(Queue):
    """CHOKe: RED that compares each arrival with a queued packet, and drops both if they belong to
    the same flow.

    Its manual page: ``docs/reference/disciplines/choke.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets; the packet being transmitted is not counted. Default
            ``1000 packets``.
        min_th: Average queue length above which arrivals are compared and dropped early. Default
            ``5 packets``; linux: ``auto``.
        max_th: Average queue length from which every arrival is dropped. Default ``15 packets``;
            linux: ``auto``.
        max_p: RED's probability at `max_th`. Default ``0.02``.
        w_q: Weight of an arrival in the average. Default ``0.002``; linux: ``auto``.
        candidates: Number of packets drawn for comparison. Default ``1``.
        mean_packet: Size of a typical packet: the unit of idle time. Default ``500 B``; linux:
            ``1000 B``.
        ecn: Whether to mark ECN-capable packets that the RED part would drop. Default ``false``.
        burst: Number of packets of a burst that pass without a drop, for Linux's automatic `w_q`.
            Default ``auto``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "choke"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    min_th: str | None = None
    max_th: str | None = None
    max_p: float | None = None
    w_q: float | None = None
    candidates: int | None = None
    mean_packet: str | None = None
    ecn: bool | None = None
    burst: int | str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Rem(Queue):
    """REM: random exponential marking; a price based on input rate and queue length sets the
    probability.

    Its manual page: ``docs/reference/disciplines/rem.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets or bytes; the packet being transmitted is not counted.
            Default ``1000 packets``; ns2: ``50 packets``.
        gamma: Gain of the price. Default ``0.001``.
        alpha: Weight of the queue relative to the rate. Default ``0.1``.
        phi: Base of the exponential, above 1. Default ``1.001``.
        target: Target queue length (b*; ns-2's `pbo_`). Default ``20 packets``.
        interval: Time between two updates of the price. Default ``2 ms``.
        inw: Weight of the last interval in the average rate. Default ``1``.
        mean_packet: Size of the packets in which rates and queue lengths are measured. Default
            ``500 B``; ns2: ``1000 B``.
        bytes: Whether to measure the input in bytes. Under ns-2's preset also whether to count the
            queue and its limit in bytes and to scale the probability by size. Default ``true``;
            ns2: ``false``.
        ecn: Whether to mark ECN-capable packets instead of dropping them. Default ``false``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "rem"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    gamma: float | None = None
    alpha: float | None = None
    phi: float | None = None
    target: str | None = None
    interval: str | None = None
    inw: float | None = None
    mean_packet: str | None = None
    bytes: bool | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Sfq(Queue):
    """SFQ: stochastic fair queueing; flows are hashed to buckets that are served in turn.

    Its manual page: ``docs/reference/disciplines/sfq.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest total queue, in packets or bytes; ns-2's preset ignores it. Default ``1000
            packets``; linux: ``127 packets``; ns2: ``none``.
        maxqueue: Largest total queue under ns-2's preset, in packets (automatic: 40 packets); only
            that preset has this parameter. Default ``auto``.
        buckets: Number of buckets. Default ``1024``; ns2: ``16``.
        perturb: Time between two changes of the salt of the hash; zero for never. Default ``10
            s``; linux: ``0 s``; ns2: ``0 s``.
        quantum: Bytes that a bucket may send in a turn. Automatic: one packet; the bytes of the
            largest packet under Linux's preset. Default ``auto``.
        depth: Largest number of packets in a bucket. Automatic: no limit. Default ``auto``; linux:
            ``127``.
        flows: Largest number of buckets in use at a time. Automatic: all. Default ``auto``; linux:
            ``128``.
        head_drop: Whether the oldest packet of a bucket that is too long is dropped instead of its
            newest or the arrival. Not under ns-2's preset, and not with `inner`, except for
            Linux's RED. Default ``false``.
        inner: Discipline of each bucket. Default ``none``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "sfq"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    maxqueue: str | None = None
    buckets: int | None = None
    perturb: str | None = None
    quantum: str | None = None
    depth: int | str | None = None
    flows: int | str | None = None
    head_drop: bool | None = None
    inner: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Eqm(Queue):
    """EQM (reconstruction): drops the share of the arrival rate that exceeds what the link can
    take.

    Its manual page: ``docs/reference/disciplines/eqm.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets or bytes; the packet being transmitted is not counted.
            Default ``50 packets``.
        utilization: Target utilization of the link (u): above 0, at most 1. Default ``1``.
        averaging: Time constant of the average arrival rate (K). Default ``100 ms``.
        q_ref: Target queue length. Automatic: 0.3 of the limit. Default ``auto``.
        tau: Time in which an excess over `q_ref` is to drain. Default ``100 ms``.
        q_min: Queue length below which nothing is dropped early. Automatic: 0.1 of the limit.
            Default ``auto``.
        p_max: Largest share of arrivals that is dropped early. Default ``1``.
        ecn: Whether to mark ECN-capable packets instead of dropping them. Default ``false``.
        mark_limit: Value of p, the share of arrivals to be dropped, from which ECN-capable packets
            are dropped instead of marked. Default ``0.5``.
        bytes: Whether to drop in proportion to a packet's size. Default ``false``.
        randomised: Ablation: drop with probability p instead of in exact proportion. Default
            ``false``.
        per_flow: Ablation: drop only packets of flows above their fair share. Default ``false``.
        queue_only: Ablation: ignore the arrival rate. Default ``false``.
        rate_only: Ablation: ignore the queue. Default ``false``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "eqm"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    utilization: float | None = None
    averaging: str | None = None
    q_ref: str | None = None
    tau: str | None = None
    q_min: str | None = None
    p_max: float | None = None
    ecn: bool | None = None
    mark_limit: float | None = None
    bytes: bool | None = None
    randomised: bool | None = None
    per_flow: bool | None = None
    queue_only: bool | None = None
    rate_only: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class CoDel(Queue):
    """CoDel: drops from the head of the queue when waits have exceeded a target for an interval.

    Its manual page: ``docs/reference/disciplines/codel.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets or bytes; the packet being transmitted is not counted.
            Default ``1000 packets``; ns3: ``1500 kB``.
        target: Acceptable sojourn time of a packet. Default ``5 ms``.
        interval: How long sojourn times must stay above the target before packets are dropped:
            about the longest round-trip time. Default ``100 ms``.
        max_packet: Backlog behind a packet up to which CoDel never drops it. Automatic: the
            largest packet. Default ``auto``; ns3: ``1500 B``.
        ecn: Whether to mark ECN-capable packets instead of dropping them. Default ``false``.
        ce_threshold: Sojourn time above which every ECN-capable packet is marked. Default
            ``none``.
        l4s: Whether packets of scalable senders, ECT(1) and CE, are only ever marked, and only
            above `ce_threshold`, which then applies to no other packets (ns-3's `UseL4s`). Default
            ``false``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "codel"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    target: str | None = None
    interval: str | None = None
    max_packet: str | None = None
    ecn: bool | None = None
    ce_threshold: str | None = None
    l4s: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Blue(Queue):
    """BLUE: a drop probability that rises with losses and falls when the link goes idle.

    Its manual page: ``docs/reference/disciplines/blue.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets or bytes; the packet being transmitted is not counted.
            Default ``1000 packets``.
        increment: What a loss adds to the drop probability. Default ``0.02``.
        decrement: What an idle link subtracts from the drop probability. Default ``0.002``.
        freeze_time: Shortest time between two changes. Default ``100 ms``.
        threshold: Queue length beyond which an arrival counts as a loss, though it is kept.
            Default ``none``.
        idle_decay: Whether an idle link makes one step, or one for every `freeze_time`
            (`"every"`). Default ``once``.
        ecn: Whether to mark ECN-capable packets instead of dropping them. Default ``false``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "blue"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    increment: float | None = None
    decrement: float | None = None
    freeze_time: str | None = None
    threshold: str | None = None
    idle_decay: Literal["once", "every"] | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Sfb(Queue):
    """SFB: stochastic fair BLUE; flows are hashed to bins that each learn a drop probability.

    Its manual page: ``docs/reference/disciplines/sfb.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets or bytes; the packet being transmitted is not counted.
            Default ``200 packets``; linux: ``1000 packets``.
        levels: Number of rows of bins, at most 16. Default ``2``; linux: ``8``.
        bins: Number of bins in a row. Default ``23``; linux: ``16``.
        bin_size: Number of packets at which a bin is full. Automatic: four fifths of `max`, or 20.
            Default ``13``; linux: ``auto``.
        max: Number of packets in the emptiest bin of an arrival from which the arrival is dropped.
            Automatic: five quarters of `bin_size`. Default ``none``; linux: ``auto``.
        increment: What a full bin adds to its drop probability. Default ``0.0010070954``; linux:
            ``0.00050354772``.
        decrement: What an empty bin subtracts from its drop probability. Default
            ``0.00016784924``; linux: ``0.000045777066``.
        rehash: Time between two changes of the set of bins; zero for never. Default ``600 s``.
        warmup: How long before a change the other set of bins begins to learn. Default ``60 s``.
        penalty_rate: Packets per second that all unresponsive flows together may send. Default
            ``10``.
        penalty_burst: Largest number of packets that these flows may send at once. Default ``20``.
        ecn: Whether to mark ECN-capable packets instead of dropping them. Default ``false``;
            linux: ``true``.
        hz: Clock ticks per second of the Linux kernel; only Linux's preset has this parameter.
            Default ``1000``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "sfb"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    levels: int | None = None
    bins: int | None = None
    bin_size: int | None = None
    max: int | str | None = None
    increment: float | None = None
    decrement: float | None = None
    rehash: str | None = None
    warmup: str | None = None
    penalty_rate: float | None = None
    penalty_burst: float | None = None
    ecn: bool | None = None
    hz: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Pie(Queue):
    """PIE: drops arrivals with a probability that a controller of the queueing delay sets.

    Its manual page: ``docs/reference/disciplines/pie.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets or bytes; the packet being transmitted is not counted.
            Default ``1000 packets``; ns3: ``25 packets``.
        target: Target queueing delay. Default ``15 ms``.
        t_update: Time between two updates of the probability. Default ``15 ms``.
        max_burst: Burst allowance: how long nothing is dropped after the queue has been idle.
            Default ``150 ms``.
        alpha: Gain of the difference between the delay and the target, per second. Default
            ``0.125``.
        beta: Gain of the change of the delay since the last update, per second. Default ``1.25``.
        mean_packet: Size of a typical packet: nothing is dropped while no more than two of them
            wait. Automatic: 1000 bytes; the largest packet under Linux's preset. Default ``auto``.
        bytes: Whether the drop probability is proportional to the packet's size. Automatic: true
            under ns-3's preset with a limit in bytes, else false. Default ``auto``.
        cap_drop: Whether the probability rises by at most 0.02 in an update once it is 0.1 or
            more. Default ``true``.
        derandomize: Whether to space drops by accumulated probability. Default ``false``; linux:
            ``true``.
        dequeue_rate_estimator: Whether to estimate the delay from the departure rate instead of
            the last packet's sojourn time. Default ``false``.
        dequeue_threshold: Bytes over which the departure rate is measured; a measurement begins
            only while at least as many bytes wait. Default ``16384 B``.
        ecn: Whether to mark ECN-capable packets instead of dropping them. Default ``false``.
        mark_threshold: Probability from which ECN-capable packets are dropped instead of marked.
            Default ``0.1``.
        active_threshold: Delay at which PIE is switched on; it is switched off when the
            probability and the delay are back to zero (ns-3). Default ``none``.
        ce_threshold: Sojourn time above which packets of scalable senders are marked, with `l4s`.
            Default ``none``.
        l4s: Whether packets of scalable senders, ECT(1) and CE, are only marked, according to
            `ce_threshold`. Default ``false``.
        hz: Clock ticks per second of the Linux kernel; only Linux's preset has this parameter.
            Default ``1000``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "pie"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    target: str | None = None
    t_update: str | None = None
    max_burst: str | None = None
    alpha: float | None = None
    beta: float | None = None
    mean_packet: str | None = None
    bytes: bool | str | None = None
    cap_drop: bool | None = None
    derandomize: bool | None = None
    dequeue_rate_estimator: bool | None = None
    dequeue_threshold: str | None = None
    ecn: bool | None = None
    mark_threshold: float | None = None
    active_threshold: str | None = None
    ce_threshold: str | None = None
    l4s: bool | None = None
    hz: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Pi(Queue):
    """PI: a proportional-integral controller sets the drop probability from the queue length.

    Its manual page: ``docs/reference/disciplines/pi.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets or bytes; the packet being transmitted is not counted.
            Default ``1000 packets``; ns2: ``50 packets``.
        target: Target queue length. Default ``200 packets``; ns2: ``50 packets``.
        a: Gain of the difference between the queue and the target now, per packet. Default
            ``1.822e-5``.
        b: Gain of the difference between the queue and the target one interval ago, per packet.
            Default ``1.816e-5``.
        interval: Time between two updates of the probability. Default ``6250 us``; ns2: ``5882353
            ns``.
        bytes: Whether to count the queue in bytes, and to drop in proportion to a packet's size.
            Default ``false``.
        mean_packet: Size of a typical packet. Default ``500 B``.
        ecn: Whether to mark ECN-capable packets instead of dropping them. Default ``false``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "pi"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    target: str | None = None
    a: float | None = None
    b: float | None = None
    interval: str | None = None
    bytes: bool | None = None
    mean_packet: str | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Avq(Queue):
    """AVQ: drops by the overflow of a virtual queue whose capacity adapts to the load.

    Its manual page: ``docs/reference/disciplines/avq.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets or bytes; the packet being transmitted is not counted.
            Default ``1000 packets``; ns2: ``50 packets``.
        virtual_limit: Room in the virtual queue. Automatic: the limit. Default ``auto``.
        gamma: Target utilization of the link. Default ``0.98``.
        alpha: Gain of the adaptation. Default ``0.15``.
        initial: Initial virtual capacity, as a share of the link's capacity. Default ``0.8``.
        adapts: Whether the virtual capacity adapts. Default ``true``.
        mean_packet: Size of a typical packet. Default ``1000 B``.
        ecn: Whether to mark ECN-capable packets instead of dropping them. Default ``false``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "avq"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    virtual_limit: str | None = None
    gamma: float | None = None
    alpha: float | None = None
    initial: float | None = None
    adapts: bool | None = None
    mean_packet: str | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Green(Queue):
    """GREEN: keeps the arrival rate just below the link's by a drop probability that moves in
    steps.

    Its manual page: ``docs/reference/disciplines/green.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets or bytes; the packet being transmitted is not counted.
            Default ``1000 packets``.
        utilization: Target arrival rate, as a share of the link's rate. Default ``0.97``.
        averaging: Time constant of the average arrival rate. Default ``100 ms``.
        interval: Time between two steps of the drop probability. Default ``10 ms``.
        step: Change of the drop probability in a step. Default ``0.001``.
        ecn: Whether to mark ECN-capable packets instead of dropping them. Default ``false``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "green"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    utilization: float | None = None
    averaging: str | None = None
    interval: str | None = None
    step: float | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class FengGreen(Queue):
    """GREEN (Feng): drops from each flow the share that, by TCP's equation, makes its rate fair.

    Its manual page: ``docs/reference/disciplines/feng_green.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets or bytes; the packet being transmitted is not counted.
            Default ``1000 packets``.
        window: How long a flow counts after its last packet. Default ``500 ms``.
        c: Constant of TCP's equation. Default ``1.2247448713915890``.
        rtt: Round-trip time of flows whose packets do not give it. Automatic: the link's largest
            base round-trip time. Default ``auto``.
        ecn: Whether to mark ECN-capable packets instead of dropping them. Default ``false``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "feng_green"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    window: str | None = None
    c: float | None = None
    rtt: str | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Pi2(Queue):
    """PI2: a plain PI controller of the queueing delay, whose output is squared for classic
    traffic.

    Its manual page: ``docs/reference/disciplines/pi2.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets or bytes; the packet being transmitted is not counted.
            Default ``1000 packets``.
        target: Target queueing delay. Default ``20 ms``.
        t_update: Time between two updates of p'. Default ``32 ms``; linux: ``30 ms``.
        alpha: Gain of the difference between the delay and the target, per second. Default
            ``0.3125``.
        beta: Gain of the change of the delay since the last update, per second. Default ``3.125``.
        k: Factor from p' to the mark probability of scalable traffic. Default ``2``.
        ecn: Whether to mark ECN-capable packets instead of dropping them. Default ``true``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "pi2"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    target: str | None = None
    t_update: str | None = None
    alpha: float | None = None
    beta: float | None = None
    k: float | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class DualPi2(Queue):
    """DualPI2: one queue for scalable low-latency traffic, one for classic, coupled by one
    controller.

    Its manual page: ``docs/reference/disciplines/dualpi2.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest total of both queues, in packets or bytes. Default ``250 ms``; linux:
            ``10000 packets``.
        target: Target queueing delay. Default ``15 ms``.
        t_update: Time between two updates of p'. Default ``16 ms``.
        alpha: Gain of the difference between the delay and the target, per second. Default
            ``0.16``; linux: ``0.16015625``.
        beta: Gain of the change of the delay since the last update, per second. Default ``3.2``;
            linux: ``3.19921875``.
        k: Coupling factor from p' to the mark probability of scalable traffic. Default ``2``.
        min_th: Sojourn time in L above which the ramp marks packets. Default ``800 us``.
        range: Width of the ramp: it marks every packet from `min_th` + `range` on. Default ``400
            us``.
        step_th: Sojourn time above which Linux marks packets of L; only Linux's preset has this
            parameter. Default ``1 ms``.
        classic_most: Value of p'^2 from which C drops the packets that it would mark. Automatic:
            1/k^2, at most 1, where k p' reaches 1. Default ``auto``.
        classic_weight: Share of the bytes that C gets while both queues are busy. Default
            ``0.0625``; linux: ``0.1``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "dualpi2"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    target: str | None = None
    t_update: str | None = None
    alpha: float | None = None
    beta: float | None = None
    k: float | None = None
    min_th: str | None = None
    range: str | None = None
    step_th: str | None = None
    classic_most: float | str | None = None
    classic_weight: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Cobalt(Queue):
    """COBALT: CoDel against standing queues, combined with BLUE against floods.

    Its manual page: ``docs/reference/disciplines/cobalt.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets or bytes; the packet being transmitted is not counted.
            Default ``1000 packets``; ns3: ``1500 kB``.
        target: Acceptable sojourn time of a packet. Default ``5 ms``.
        interval: How long sojourn times must stay above the target before packets are dropped:
            about the longest round-trip time. Default ``100 ms``.
        increment: What an overflow adds to BLUE's drop probability. Default ``0.00390625``.
        decrement: What an empty queue subtracts from BLUE's drop probability. Default
            ``0.000244140625``.
        ecn: Whether to mark ECN-capable packets that the CoDel part would drop. Default ``false``.
        ce_threshold: Sojourn time above which every ECN-capable packet is marked, with `ecn`.
            Default ``none``.
        blue_threshold: Sojourn time that counts as an overflow for BLUE. Default ``none``; ns3:
            ``400 ms``.
        l4s: Whether packets of scalable senders, ECT(1) and CE, are only marked, according to
            `ce_threshold`. Default ``false``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "cobalt"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    target: str | None = None
    interval: str | None = None
    increment: float | None = None
    decrement: float | None = None
    ecn: bool | None = None
    ce_threshold: str | None = None
    blue_threshold: str | None = None
    l4s: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Prio(Queue):
    """Priority: first-in, first-out bands served in strict order, chosen by the packet's priority.

    Its manual page: ``docs/reference/disciplines/prio.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue of each band, in packets or bytes; an `inner` has its own. Default
            ``1000 packets``.
        bands: Number of bands, at most 16. Default ``3``.
        priomap: Band of each priority, 0 to 15. Default ``1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1``.
        inner: Discipline of each band. Default ``none``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "prio"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    bands: int | None = None
    priomap: str | None = None
    inner: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Tbf(Queue):
    """Token bucket: a shaper that sends at `rate` and, after a pause, up to `burst` bytes at once.

    Its manual page: ``docs/reference/disciplines/tbf.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest queue, in packets or bytes; the packet being transmitted is not counted. An
            `inner` has its own. Default ``1000 packets``.
        rate: Rate at which the bucket fills. Default ``1 Mbit/s``.
        burst: Size of the bucket. Default ``125000 B``.
        peak_rate: Rate at which the second bucket fills. Default ``none``.
        mtu: Size of the second bucket. Automatic: the link's MTU. Default ``auto``.
        inner: Discipline of the queue behind the bucket. Default ``none``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "tbf"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    rate: str | None = None
    burst: str | None = None
    peak_rate: str | None = None
    mtu: str | None = None
    inner: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Drr(Queue):
    """DRR: deficit round robin; flows take turns counted in bytes and carry over what a turn
    leaves.

    Its manual page: ``docs/reference/disciplines/drr.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest total queue of all flows, in packets or bytes. Default ``1000 packets``;
            ns2: ``25000 B``.
        buckets: Number of queues. Default ``1024``; ns2: ``10``.
        quantum: Bytes that a flow may send in a turn. Automatic: the largest packet. Default
            ``auto``; ns2: ``250 B``.
        inner: Discipline of each flow's queue. Default ``none``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "drr"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    buckets: int | None = None
    quantum: str | None = None
    inner: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Fq(Queue):
    """FQ: fair queueing; packets leave in the order in which bit-by-bit round robin would finish
    them.

    Its manual page: ``docs/reference/disciplines/fq.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest total queue of all flows, in packets or bytes. Default ``1000 packets``.
        weights: Weights of the flows 0, 1, 2 ..., the same for all connections of a flow; further
            flows have weight 1. Default ``1 1``.
        inner: Discipline of each flow's queue. Default ``none``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "fq"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    weights: str | None = None
    inner: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class FqCodel(Queue):
    """FQ-CoDel: a queue with CoDel for each flow, served in turn by bytes, new flows first.

    Its manual page: ``docs/reference/disciplines/fq_codel.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest total queue of all flows, in packets or bytes. Default ``10240 packets``.
        memory_limit: Largest total size of the packets of all flows, beside `limit`. Default
            ``none``.
        target: Acceptable sojourn time of a packet. Default ``5 ms``.
        interval: How long sojourn times must stay above the target before packets are dropped:
            about the longest round-trip time. Default ``100 ms``.
        quantum: Bytes that a flow may send in a turn. Automatic: 1514; the largest packet under
            Linux's preset; the MTU under ns-3's. Default ``auto``.
        flows: Number of queues. Default ``1024``.
        drop_batch: Largest number of packets dropped at a time when the limit is exceeded. Default
            ``64``.
        max_packet: Backlog behind a packet up to which CoDel never drops it. Automatic: the
            largest packet. Default ``auto``; ns3: ``1500 B``.
        ecn: Whether to mark ECN-capable packets instead of dropping them. Default ``true``.
        ce_threshold: Sojourn time above which every ECN-capable packet is marked. Default
            ``none``.
        ce_threshold_selector: To which packets `ce_threshold` applies, by bits of the
            differentiated-services field, ECN's two lowest included: `"0x1/0x3"` for those that
            are ECT(1) alone. None: to all. Default ``none``.
        l4s: Whether packets of scalable senders, ECT(1) and CE, are only ever marked, and only
            above `ce_threshold`, which then applies to no other packets (ns-3's `UseL4s`). Default
            ``false``.
        set_ways: Size of a set of neighbouring queues in which a flow looks for a free one
            (set-associative hash); the hash of a flow is then its key, without a salt. Default
            ``none``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "fq_codel"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    memory_limit: str | None = None
    target: str | None = None
    interval: str | None = None
    quantum: str | None = None
    flows: int | None = None
    drop_batch: int | None = None
    max_packet: str | None = None
    ecn: bool | None = None
    ce_threshold: str | None = None
    ce_threshold_selector: str | None = None
    l4s: bool | None = None
    set_ways: int | str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class FqPie(Queue):
    """FQ-PIE: a queue with PIE for each flow, served in turn by bytes, new flows first.

    Its manual page: ``docs/reference/disciplines/fq_pie.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest total queue of all flows, in packets or bytes. Default ``10240 packets``.
        quantum: Bytes that a flow may send in a turn. Automatic: 1514; the largest packet under
            Linux's preset; the MTU under ns-3's. Default ``auto``.
        flows: Number of queues. Default ``1024``.
        drop_batch: Largest number of packets dropped at a time when the limit is exceeded. Default
            ``64``.
        target: Target queueing delay. Default ``15 ms``.
        t_update: Time between two updates of the probability. Default ``15 ms``.
        max_burst: Burst allowance: how long nothing is dropped after the queue has been idle.
            Default ``150 ms``.
        alpha: Gain of the difference between the delay and the target, per second. Default
            ``0.125``.
        beta: Gain of the change of the delay since the last update, per second. Default ``1.25``.
        mean_packet: Size of a typical packet: nothing is dropped while no more than two of them
            wait. Automatic: 1000 bytes; the largest packet under Linux's preset. Default ``auto``.
        bytes: Whether the drop probability is proportional to the packet's size. Automatic: true
            under ns-3's preset with a limit in bytes, else false. Default ``auto``.
        cap_drop: Whether the probability rises by at most 0.02 in an update once it is 0.1 or
            more. Default ``true``.
        derandomize: Whether to space drops by accumulated probability. Default ``false``; linux:
            ``true``.
        dequeue_rate_estimator: Whether to estimate the delay from the departure rate instead of
            the last packet's sojourn time. Default ``false``.
        dequeue_threshold: Bytes over which the departure rate is measured; a measurement begins
            only while at least as many bytes wait. Default ``16384 B``.
        ecn: Whether to mark ECN-capable packets instead of dropping them. Default ``false``; ns3:
            ``true``.
        mark_threshold: Probability from which ECN-capable packets are dropped instead of marked.
            Default ``0.1``.
        ce_threshold: Sojourn time above which packets of scalable senders are marked, with `l4s`.
            Default ``none``.
        l4s: Whether packets of scalable senders, ECT(1) and CE, are only marked, according to
            `ce_threshold`. Default ``false``.
        set_ways: Size of a set of neighbouring queues in which a flow looks for a free one
            (set-associative hash); the hash of a flow is then its key, without a salt. Default
            ``none``.
        hz: Clock ticks per second of the Linux kernel; only Linux's preset has this parameter.
            Default ``1000``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "fq_pie"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    quantum: str | None = None
    flows: int | None = None
    drop_batch: int | None = None
    target: str | None = None
    t_update: str | None = None
    max_burst: str | None = None
    alpha: float | None = None
    beta: float | None = None
    mean_packet: str | None = None
    bytes: bool | str | None = None
    cap_drop: bool | None = None
    derandomize: bool | None = None
    dequeue_rate_estimator: bool | None = None
    dequeue_threshold: str | None = None
    ecn: bool | None = None
    mark_threshold: float | None = None
    ce_threshold: str | None = None
    l4s: bool | None = None
    set_ways: int | str | None = None
    hz: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class FqCobalt(Queue):
    """FQ-COBALT: a queue with COBALT for each flow, served in turn by bytes, new flows first.

    Its manual page: ``docs/reference/disciplines/fq_cobalt.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        limit: Largest total queue of all flows, in packets or bytes. Default ``10240 packets``.
        target: Acceptable sojourn time of a packet. Default ``5 ms``.
        interval: How long sojourn times must stay above the target before packets are dropped:
            about the longest round-trip time. Default ``100 ms``.
        quantum: Bytes that a flow may send in a turn. Automatic: 1514; the largest packet under
            Linux's preset; the MTU under ns-3's. Default ``auto``.
        flows: Number of queues. Default ``1024``.
        drop_batch: Largest number of packets dropped at a time when the limit is exceeded. Default
            ``64``; linux: ``1``.
        increment: What an overflow adds to BLUE's drop probability. Default ``0.00390625``.
        decrement: What an empty queue subtracts from BLUE's drop probability. Default
            ``0.000244140625``.
        ecn: Whether to mark ECN-capable packets that the CoDel part would drop. Default ``true``.
        ce_threshold: Sojourn time above which every ECN-capable packet is marked, with `ecn`.
            Default ``none``.
        blue_threshold: Sojourn time that counts as an overflow for BLUE. Default ``none``; ns3:
            ``400 ms``.
        l4s: Whether packets of scalable senders, ECT(1) and CE, are only marked, according to
            `ce_threshold`. Default ``false``.
        set_ways: Size of a set of neighbouring queues in which a flow looks for a free one
            (set-associative hash); the hash of a flow is then its key, without a salt. Default
            ``none``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "fq_cobalt"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    limit: str | None = None
    target: str | None = None
    interval: str | None = None
    quantum: str | None = None
    flows: int | None = None
    drop_batch: int | None = None
    increment: float | None = None
    decrement: float | None = None
    ecn: bool | None = None
    ce_threshold: str | None = None
    blue_threshold: str | None = None
    l4s: bool | None = None
    set_ways: int | str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Cake(Queue):
    """CAKE: a shaper, priority tins, queues fair to hosts and flows, COBALT in each, and an ACK
    filter.

    Its manual page: ``docs/reference/disciplines/cake.md``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        bandwidth: Rate of the shaper; without one, packets are sent at the rate of the link.
            Default ``none``.
        diffserv: Tins, and which DSCP goes to which tin. Default ``diffserv3``.
        isolation: What has a queue of its own, and between whom capacity is shared fairly. Default
            ``triple-isolate``.
        rtt: Expected round-trip time: COBALT's interval. Default ``internet``.
        target: Acceptable sojourn time of a packet. Automatic: a twentieth of `rtt`. Default
            ``auto``.
        limit: Largest total queue of all tins, in packets or bytes (Linux's `memlimit`).
            Automatic: four times what the bandwidth carries in `rtt`, from 4 MiB to 10240 packets
            of the largest size; the latter without a bandwidth. Default ``auto``.
        framing: Link layer below: sets `overhead`, `mpu` and `cells`. Default ``raw``.
        overhead: Bytes added to the size of each packet. Default ``auto``.
        mpu: Smallest cost of a packet, in bytes. Default ``auto``.
        cells: Cells in which packets are sent. Default ``auto``.
        ingress: Whether dropped packets are charged to the shaper too. Default ``false``.
        ack_filter: Whether redundant acknowledgements are dropped. Default ``no``.
        ecn: Whether to mark ECN-capable packets that the CoDel part would drop; Linux always does.
            Default ``true``.
        flows: Number of queues in each tin: a multiple of 8. Default ``1024``.
        quantum: Bytes that a flow may send in a turn. Automatic: what the tin's share carries in
            1/4096 s, from 300 to 1514 bytes; the latter without a bandwidth. Default ``auto``.
    """

    WORD: ClassVar[str] = "discipline"
    NAME: ClassVar[str] = "cake"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    bandwidth: str | None = None
    diffserv: Literal["besteffort", "precedence", "diffserv3", "diffserv4", "diffserv8"] | None = (
        None
    )
    isolation: (
        Literal[
            "flowblind",
            "srchost",
            "dsthost",
            "hosts",
            "flows",
            "dual-srchost",
            "dual-dsthost",
            "triple-isolate",
        ]
        | None
    ) = None
    rtt: str | None = None
    target: str | None = None
    limit: str | None = None
    framing: (
        Literal[
            "raw",
            "conservative",
            "ethernet",
            "docsis",
            "pppoe-ptm",
            "bridged-ptm",
            "ipoa-vcmux",
            "ipoa-llcsnap",
            "bridged-vcmux",
            "bridged-llcsnap",
            "pppoa-vcmux",
            "pppoa-llc",
            "pppoe-vcmux",
            "pppoe-llcsnap",
        ]
        | None
    ) = None
    overhead: str | None = None
    mpu: str | None = None
    cells: str | None = None
    ingress: bool | None = None
    ack_filter: Literal["no", "yes", "aggressive"] | None = None
    ecn: bool | None = None
    flows: int | None = None
    quantum: str | None = None
