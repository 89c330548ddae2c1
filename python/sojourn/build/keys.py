"""The keys of the tables of a scenario file, as keywords.

Generated from the code by `make generate`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict


class Head(TypedDict, total=False):
    """The head of a scenario.

    Keys:
        title: Title of tables and figures. Default ``auto``.
        duration: Simulated time. Must be given.
        warmup: Measurements start here; "auto": pilot replicas choose it (MSER-5), one for all
            points that differ in queues and transports only. Default ``0 s``.
        seed: Seed of all random streams. Default ``1``.
        replicas: Replica k differs from the others in its random streams only. Default ``1``.
        series: Interval of the time series, at most the duration. Default ``none``.
        precision: Add replicas until the 95 % interval reaches no further than this from the mean.
            Default ``none``.
        precision_of: The metrics that `precision` is about, with commas between; "auto":
            "total.goodput_bps, total.delay_mean_s". Only beside a `precision`, as the next.
            Default ``auto``.
        max_replicas: Most replicas that `precision` may ask for. Default ``100``.
    """

    title: str
    duration: str
    warmup: str
    seed: int
    replicas: int
    series: str
    precision: str
    precision_of: str
    max_replicas: int
    vary: Any
    design: Any


class LinkKeys(TypedDict, total=False):
    """A link.

    Keys:
        overhead: Link framing of each packet: counts for serialisation only. Default ``0 B``.
        device_queue: Room of the drop-tail queue below the discipline; "auto": 100 packets under
            the queue's preset ns3, else none. Default ``auto``.
        reorders: Whether a packet may come out before one that was sent before it, where `jitter`
            or `changes` let delays vary; if not, it comes out with it. Default ``false``.
    """

    overhead: str
    device_queue: str
    reorders: bool
    delay: Any
    changes: Any
    loss: Any
    reverse_loss: Any
    jitter: Any
    reverse_jitter: Any
    queue: Any
    reverse_queue: Any


class FlowKeys(TypedDict, total=False):
    """A flow.

    Keys:
        first: Number of the first node of `s*`. Default ``0``.
        start: When it starts. Default ``0 s``.
        stop: When it stops. Default ``none``.
    """

    first: int
    start: str
    stop: str
    access: Mapping[str, Any]


class UdpKeys(TypedDict, total=False):
    """A flow over UDP.

    Keys:
        first: Number of the first node of `s*`. Default ``0``.
        start: When it starts. Default ``0 s``.
        stop: When it stops. Default ``none``.
        preset: Whose defaults. Default ``reference``.
        payload: Payload of each packet. Default ``1472 B``; ns3: ``512 B``; ns2: ``210 B``.
        header: Bytes on the wire around each payload. Default ``28 B``; ns2: ``0 B``.
        ecn: Packets are ECN-capable, ECT(0). Default ``false``.
        dscp: Differentiated-services codepoint of its packets. Default ``0``.
    """

    first: int
    start: str
    stop: str
    preset: Literal["reference", "linux", "ns3", "ns2"]
    payload: str
    header: str
    ecn: bool
    dscp: int | str
    access: Mapping[str, Any]


class TcpKeys(TypedDict, total=False):
    """A flow over TCP.

    Keys:
        first: Number of the first node of `s*`. Default ``0``.
        start: When it starts. Default ``0 s``.
        stop: When it stops. Default ``none``.
        preset: Whose defaults. Default ``reference``.
        dscp: Differentiated-services codepoint of its packets. Default ``0``.
        segment: Largest payload of a segment. Default ``1460 B``; linux: ``1448 B``; ns3: ``536
            B``; ns2: ``1000 B``.
        header: Header bytes on the wire around each payload; an acknowledgement is a header only.
            Automatic: 40, with timestamps 52. Default ``auto``.
        window: The most that may be outstanding, in packets or bytes: the lesser of what the
            sender keeps and the receiver offers. "none": the most that a receiver can offer, 1.07
            GB (RFC 7323, 2.3). Under linux it begins with 64 KiB and grows to this with what a
            round trip brings. Default ``none``; linux: ``3145728 B``; ns3: ``131072 B``; ns2: ``20
            packets``.
        send_buffer: The most that may have been written and not yet acknowledged, in packets or
            bytes, or "none": beyond it a source that writes at a rate of its own is held back.
            Transfers of a given size are written as a whole. Default ``none``; ns3: ``131072 B``.
        initial_window: Window at the start and after idle time (RFC 6928: 10; RFC 3390: 3; RFC
            2581: 2), in packets or bytes; at most 1 GB, and never "none": all of it is sent at
            once. Default ``10 packets``; ns2: ``2 packets``.
        initial_ssthresh: Slow-start threshold at the start. Automatic: none; under ns-2's preset
            the window. Default ``auto``.
        sack: Selective acknowledgements (RFC 2018, 6675). Default ``true``; ns2: ``false``.
        prr: Proportional rate reduction (RFC 9937) during recovery, or that of the preset; needs
            `sack`. The preset ns3 has that of ns-3.48; "ns-3.37" is the older. Default ``true``;
            ns2: ``false``.
        rack: Losses found by time, and probes of the tail (RFC 8985); needs `sack`. Default
            ``true``; ns3: ``false``; ns2: ``false``.
        frto: Timeouts that prove spurious are found by what is acknowledged behind them (F-RTO,
            RFC 5682, with SACK) and undone; needs `sack`. Default ``false``; linux: ``true``.
        undo: Timeouts and recoveries that stamps (RFC 3522) or reports of duplicates (RFC 3708)
            prove spurious are undone: the window is what it was; needs `sack`. Default ``false``;
            linux: ``true``.
        timestamps: Timestamps (RFC 7323): every acknowledgement gives an RTT sample. Default
            ``true``; ns2: ``false``.
        limited_transmit: New segments on the first two duplicate acknowledgements (RFC 3042).
            Default ``true``.
        dupthresh: Duplicate acknowledgements that mean a loss. Default ``3``.
        impatient: NewReno restarts the retransmission timer at the first partial acknowledgement
            of a recovery only (RFC 6582's "impatient" variant). Default ``true``.
        byte_counting: Most segments that one acknowledgement counts for in the growth of the
            window (RFC 3465's L). 1: per acknowledgement (RFC 5681). Default ``1``; linux:
            ``1000000``.
        validate_cwnd: Whether the window grows only while it is what limits the sender (RFC 9438,
            5.8). Default ``true``; ns2: ``false``.
        min_rto: Least retransmission timeout. Default ``1 s``; linux: ``200 ms``; ns2: ``200 ms``.
        max_rto: Most, above zero. Default ``60 s``; linux: ``120 s``.
        initial_rto: Before the first sample, above zero. Where the SYN was lost and the handshake
            gave none, it is 3 s at least from then on (RFC 6298, 5.7), under the preset of ns-2
            not; under that of ns-3 it is for the SYN too. Default ``1 s``; ns2: ``3 s``.
        granularity: Granularity of the sender's clock. Default ``1 ms``; ns2: ``10 ms``.
        delayed_ack: Segments per acknowledgement; 1: none is delayed. Default ``2``; ns2: ``1``.
        delayed_ack_timeout: The longest that an acknowledgement is delayed; under Linux the
            shortest, since where segments come at longer intervals it grows, up to the round trip
            of the handshake. Default ``40 ms``; ns3: ``200 ms``; ns2: ``100 ms``.
        quick_acks: Segments at the start of a connection that are acknowledged one by one; under
            Linux, if there are any, so are those by which the receive window grows. Default ``0``;
            linux: ``16``; ns3: ``1``.
        idle_restart: Slow start again after idle time (RFC 5681, 4.1). Default ``true``; ns3:
            ``false``.
        handshake: Three-way handshake: data follows the answer to a SYN. Default ``false``; ns2:
            ``true``.
        fin: A finite stream ends with a FIN. Default ``false``.
        ecn: Whether packets are ECN-capable and how marks are fed back: `true` is as the
            congestion controller needs it, else classic (RFC 3168). Automatic: as it needs it,
            else off. Default ``auto``.
        pacing: Segments are spread over the round trip. Automatic: as the controller needs it.
            Default ``auto``.
    """

    first: int
    start: str
    stop: str
    preset: Literal["reference", "linux", "ns3", "ns2"]
    dscp: int | str
    segment: str
    header: str
    window: str
    send_buffer: str
    initial_window: str
    initial_ssthresh: str
    sack: bool
    prr: Literal["ns-3.37"] | bool
    rack: bool
    frto: bool
    undo: bool
    timestamps: bool
    limited_transmit: bool
    dupthresh: int
    impatient: bool
    byte_counting: int
    validate_cwnd: bool
    min_rto: str
    max_rto: str
    initial_rto: str
    granularity: str
    delayed_ack: int
    delayed_ack_timeout: str
    quick_acks: int
    idle_restart: bool
    handshake: bool
    fin: bool
    ecn: bool | str
    pacing: bool | str
    access: Mapping[str, Any]
