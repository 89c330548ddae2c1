"""The keys of the tables of a scenario file, as keywords.

Generated from the code by `make generate`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict


class Head(TypedDict, total=False):
    """The head of a scenario.

    Keys:
        title: Title shown in tables and figures. Default ``auto``.
        duration: Simulated time. Must be given.
        warmup: Time at which measurements start. "auto": chosen by pilot replicas (MSER-5), one
            value for all points that differ only in queues and transports. Default ``0 s``.
        seed: Seed of all random streams. Default ``1``.
        replicas: Number of replicas. Replicas differ only in their random streams. Default ``1``.
        series: Sampling interval of the time series; at most the duration. Default ``none``.
        transfers: Whether each finite transfer over TCP has a row in a table: its size, when it
            began, and how long it took. Default ``false``.
        precision: Replicas are added until the 95 % confidence interval extends no further than
            this from the mean. Default ``none``.
        precision_of: The metrics to which `precision` applies, separated by commas. "auto":
            "total.goodput_bps, total.delay_mean_s". Allowed only together with `precision`.
            Default ``auto``.
        max_replicas: The largest number of replicas that `precision` may use. Allowed only
            together with `precision`. Default ``100``.
    """

    title: str
    duration: str
    warmup: str
    seed: int
    replicas: int
    series: str
    transfers: bool
    precision: str
    precision_of: str
    max_replicas: int
    vary: Any
    design: Any


class LinkKeys(TypedDict, total=False):
    """A link.

    Keys:
        overhead: Link-layer framing of each packet; it counts for serialisation only. Default ``0
            B``.
        device_queue: Capacity of the drop-tail queue below the discipline. "auto": 100 packets if
            the queue has the preset ns3, otherwise none. Default ``auto``.
        reorders: Whether a packet may overtake an earlier one where `jitter` or `changes` make the
            delay vary. If not, it arrives together with the earlier packet. Default ``false``.
        delay: Propagation delay of one way. One value holds for all links of a numbered node; a
            list has one for each, in the order of their numbers; `{ first, step }` gives the first
            link `first` and every further one `step` more. What is random is drawn once for each
            link and replica, the same for both directions. Default: ``0 s``.
        changes: How its rate or delay changes, both ways where it has two. A list has what holds
            from each instant on; a table has rates or delays that follow each other from the
            start, each for one `step`, and begin anew when all have been. The packet that is being
            sent goes out as it began. `0 bit/s` is an outage: nothing is sent. Room that is
            counted in `bdp` or `ms` stays as `rate` says; more: docs/how-to/changing-links.md.
            Default: none.
        loss: What is lost on the wire: a share of the packets, each by itself, or a table of
            another law. A packet that is lost has been sent and has crossed; it is a drop with the
            reason `link`. More: docs/how-to/lossy-links.md. Default: ``0``.
        reverse_loss: As `loss`, on the way back. Only where `duplex = true`. Default: ``0``.
        jitter: What a packet takes on the wire beyond the link's delay, drawn anew for each. It
            comes out no earlier than those that were sent before it, unless `reorders`. More:
            docs/how-to/uneven-links.md. Default: ``0 s``.
        reverse_jitter: As `jitter`, on the way back. Only where `duplex = true`. Default: ``0 s``.
        queue: What waits before the link. The packet being sent is not in it. Default:
            ``droptail``, ``1000 packets``.
        reverse_queue: As `queue`, on the way back. Only where `duplex = true`. Default:
            ``droptail``, ``1000 packets``.
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
        first: Number of the first node that `s*` stands for. Default ``0``.
        start: Time at which the flow starts. Default ``0 s``.
        stop: Time at which the flow stops. Default ``none``.
        access: In a dumbbell, of a flow that names no ends: its own links at both sides. What it
            does not give is as the dumbbell's. Default: the dumbbell's.
        rtt: In a dumbbell, of a flow that names no ends: its two-way propagation delay. Its access
            links share equally what the bottleneck's delay leaves of it. With `count`, a list has
            one for each flow; `{ first, step }` gives the first flow `first` and every further one
            `step` more. What is random is drawn once for each flow and replica. Default: the
            dumbbell's.
    """

    first: int
    start: str
    stop: str
    access: Mapping[str, Any]
    rtt: str | Sequence[str] | Mapping[str, str]


class UdpKeys(TypedDict, total=False):
    """A flow over UDP.

    Keys:
        first: Number of the first node that `s*` stands for. Default ``0``.
        start: Time at which the flow starts. Default ``0 s``.
        stop: Time at which the flow stops. Default ``none``.
        access: In a dumbbell, of a flow that names no ends: its own links at both sides. What it
            does not give is as the dumbbell's. Default: the dumbbell's.
        rtt: In a dumbbell, of a flow that names no ends: its two-way propagation delay. Its access
            links share equally what the bottleneck's delay leaves of it. With `count`, a list has
            one for each flow; `{ first, step }` gives the first flow `first` and every further one
            `step` more. What is random is drawn once for each flow and replica. Default: the
            dumbbell's.
        preset: Which implementation's defaults apply. Default ``reference``.
        payload: Payload of each packet. Default ``1472 B``; ns3: ``512 B``; ns2: ``210 B``.
        header: Header bytes on the wire around each payload. Default ``28 B``; ns2: ``0 B``.
        ecn: Whether packets are ECN-capable. `true`: ECT(0). "ect1": ECT(1), as those of scalable
            (L4S) senders. Default ``false``.
        dscp: Differentiated-services codepoint of the flow's packets. Default ``0``.
    """

    first: int
    start: str
    stop: str
    access: Mapping[str, Any]
    rtt: str | Sequence[str] | Mapping[str, str]
    preset: Literal["reference", "linux", "ns3", "ns2"]
    payload: str
    header: str
    ecn: Literal["ect1"] | bool
    dscp: int | str


class TcpKeys(TypedDict, total=False):
    """A flow over TCP.

    Keys:
        first: Number of the first node that `s*` stands for. Default ``0``.
        start: Time at which the flow starts. Default ``0 s``.
        stop: Time at which the flow stops. Default ``none``.
        access: In a dumbbell, of a flow that names no ends: its own links at both sides. What it
            does not give is as the dumbbell's. Default: the dumbbell's.
        rtt: In a dumbbell, of a flow that names no ends: its two-way propagation delay. Its access
            links share equally what the bottleneck's delay leaves of it. With `count`, a list has
            one for each flow; `{ first, step }` gives the first flow `first` and every further one
            `step` more. What is random is drawn once for each flow and replica. Default: the
            dumbbell's.
        preset: Which implementation's defaults apply. Default ``reference``.
        dscp: Differentiated-services codepoint of the flow's packets. Default ``0``.
        segment: Largest payload of a segment. With the headers around it, it implies the MTU of
            the path: with timestamps the default is that of an MTU of 1512 bytes. Default ``1460
            B``; linux: ``1448 B``; ns3: ``536 B``; ns2: ``1000 B``.
        header: Header bytes on the wire around each payload; an acknowledgement is only a header.
            "auto": 40, with timestamps 52. Default ``auto``.
        window: Largest amount of outstanding data, in packets or bytes: the lesser of the sender's
            own limit and the receiver's window. "none": the largest window that a receiver can
            offer, 1.07 GB (RFC 7323, 2.3). Under the preset linux the window starts at 64 KiB and
            grows to this value with what each round trip brings. Default ``none``; linux:
            ``3145728 B``; ns3: ``131072 B``; ns2: ``20 packets``.
        send_buffer: Largest amount of data written but not yet acknowledged, in packets or bytes,
            or "none". When it is reached, a source that writes at its own rate is held back.
            Transfers of a given size are written as a whole, and so is data without end; under the
            preset ns3 both are written in pieces of 512 bytes, as room comes free. Default
            ``none``; ns3: ``131072 B``.
        initial_window: Window at the start and after idle time (RFC 6928: 10; RFC 3390: 3 of 1460
            bytes, 4 up to 1095 bytes, 2 from 2190 bytes on; RFC 2581: 2), in packets or bytes. At
            most 1 GB and never "none", since all of it is sent at once. Default ``10 packets``;
            ns2: ``2 packets``.
        initial_ssthresh: Slow-start threshold at the start. "auto": none; under the preset ns2,
            `window`. Default ``auto``.
        sack: Selective acknowledgements (RFC 2018, 6675). Default ``true``; ns2: ``false``.
        prr: Proportional rate reduction (RFC 9937) during recovery, or the preset's variant of it;
            needs `sack`. The preset ns3 has that of ns-3.48; "ns-3.37" selects the older one.
            Default ``true``; ns2: ``false``.
        rack: Loss detection by time, and tail-loss probes (RFC 8985); needs `sack`. Default
            ``true``; ns3: ``false``; ns2: ``false``.
        frto: Detects spurious timeouts by what is acknowledged after them (F-RTO) and undoes them;
            needs `sack`. The algorithm is Linux's under every preset, not RFC 5682's (3.1).
            Default ``false``; linux: ``true``.
        undo: Undoes timeouts and recoveries that timestamps (RFC 3522) or reports of duplicates
            prove spurious: the window is restored. Needs `sack`. The algorithm is Linux's under
            every preset, without the cautions of RFC 3708 (A.1, A.3, A.4). Default ``false``;
            linux: ``true``.
        timestamps: Timestamps (RFC 7323): every acknowledgement gives an RTT sample. Default
            ``true``; ns2: ``false``.
        limited_transmit: Limited transmit: the first two duplicate acknowledgements each send a
            new segment (RFC 3042). Default ``true``.
        dupthresh: Number of duplicate acknowledgements that indicate a loss. Default ``3``.
        impatient: NewReno restarts the retransmission timer only at the first partial
            acknowledgement of a recovery (RFC 6582, 3.2, step 3; RFC 2582 calls it "impatient").
            Default ``true``.
        byte_counting: Largest number of segments that one acknowledgement counts for in the growth
            of the window: L of RFC 3465, which bounds slow start; here it bounds congestion
            avoidance too. 1: growth per acknowledgement (RFC 5681). In the slow start after a
            timeout it is 1 at most, except under the presets linux, ns2 and ns3. Default ``1``;
            linux: ``1000000``.
        validate_cwnd: Whether the window grows only while it limits the sender (RFC 9438, 5.8).
            Default ``true``; ns2: ``false``.
        min_rto: Minimum retransmission timeout. Default ``1 s``; linux: ``200 ms``; ns2: ``200
            ms``.
        max_rto: Maximum retransmission timeout, above zero. Default ``60 s``; linux: ``120 s``.
        initial_rto: Retransmission timeout before the first RTT sample, above zero. If the SYN was
            lost, it is at least 3 s after the handshake (RFC 6298, 5.7), here only where that gave
            no sample, and not under the preset ns2. Under the preset ns3 it is at least 3 s for
            the SYN as well. Default ``1 s``; ns2: ``3 s``.
        granularity: Granularity of the sender's clock. Under the preset linux a tick of the
            kernel's timer wheel, by which all timers of a connection expire late. Default ``1
            ms``; ns2: ``10 ms``.
        delayed_ack: Number of segments per acknowledgement. 1: no acknowledgement is delayed.
            Default ``2``; ns2: ``1``.
        delayed_ack_timeout: Longest delay of an acknowledgement. Under the preset linux it is the
            shortest: where segments arrive at longer intervals the delay grows, up to the
            round-trip time of the handshake. Default ``40 ms``; ns3: ``200 ms``; ns2: ``100 ms``.
        quick_acks: Number of segments at the start of a connection that are acknowledged one by
            one. Under the preset linux, if this is not 0, segments that let the receive window
            grow are acknowledged one by one too. Default ``0``; linux: ``16``; ns3: ``1``.
        idle_restart: Slow start after idle time (RFC 5681, 4.1). Default ``true``; ns3: ``false``.
        handshake: Three-way handshake: data is sent only after the answer to the SYN. Default
            ``false``; ns2: ``true``.
        fin: Whether a finite stream ends with a FIN. Default ``false``.
        ecn: Whether packets are ECN-capable, and how marks are fed back. `true`: as the congestion
            control needs it, otherwise classic (RFC 3168). "auto": as the congestion control needs
            it, otherwise off. Default ``auto``.
        pacing: Whether segments are spread over the round trip. "auto": as the congestion control
            needs it. Default ``auto``.
    """

    first: int
    start: str
    stop: str
    access: Mapping[str, Any]
    rtt: str | Sequence[str] | Mapping[str, str]
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
