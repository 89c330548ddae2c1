"""The metrics: what each one means, in the unit that its name ends with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sojourn.stats.ranking import Better


@dataclass(frozen=True)
class Metric:
    """A metric of links, of flows (their groups and the total too), or of groups alone.

    ``better`` is the good end of its scale, None where neither more nor less is better.
    """

    name: str
    of: str
    better: Better | None
    meaning: str


STEP = 1 / 128
"""Percentiles come from a histogram whose buckets are at most this share of their value wide."""


def resolution(quantity: str) -> float:
    """The share of its value that a metric resolves: a step for percentiles, else 0."""
    return STEP if quantity.endswith(("_p50_s", "_p95_s", "_p99_s")) else 0.0


SERIES = {
    "queue_packets": "link: waiting packets",
    "queue_bytes": "link: waiting bytes",
    "queue_mean_packets": "link: waiting packets, averaged over the interval",
    "throughput_bps": "link: bits sent per second; flow: bits received per second",
    "drops_packets": "link: packets dropped in the interval",
    "marks_packets": "link: packets marked in the interval; flow: packets received with a mark",
    "goodput_bps": "flow: new payload bits received in order per second",
    "delay_mean_s": "flow: one-way delay of the packets received in the interval, mean",
    "cwnd_packets": "TCP: congestion windows of the open connections in segments, summed",
    "in_flight_packets": "TCP: what these have in flight in segments, summed",
    "ssthresh_packets": "TCP: slow-start threshold of the oldest open connection in segments",
    "srtt_s": "TCP: smoothed RTT of that connection",
    "retransmits": "TCP: segments sent again in the interval",
}
"""The time series of links, flows and TCP; inner variables come under their own names.

Those of each flow's queue within a discipline are left out: with many flows there are thousands.

What is not of an interval is as it stands just before the interval's end."""

METRICS = (
    Metric(
        "utilization", "link", "higher", "share of the window in which the transmitter was busy"
    ),
    Metric(
        "throughput_bps",
        "link",
        "higher",
        "bits sent per second without framing, straddling packets by their part",
    ),
    Metric("arrivals_packets", "link", None, "packets that arrived at the queue"),
    Metric("departures_packets", "link", None, "packets whose transmission began"),
    Metric(
        "drops_packets",
        "link",
        "lower",
        "packets dropped, on arrival or later, or lost on the wire",
    ),
    Metric("drops_by_reason", "link", "lower", "packets dropped, by reason"),
    Metric("marks_packets", "link", None, "packets marked"),
    Metric("marks_by_reason", "link", None, "packets marked, by reason"),
    Metric(
        "loss_ratio",
        "link",
        "lower",
        "drops divided by arrivals, both in the window: above 1 if many of the drops arrived "
        "before it",
    ),
    Metric("loss_gap_mean_s", "link", "higher", "time from one drop to the next, mean"),
    Metric("loss_gap_p50_s", "link", "higher", "time from one drop to the next, median"),
    Metric("loss_gap_p95_s", "link", "higher", "time from one drop to the next, 95th percentile"),
    Metric(
        "loss_events",
        "link",
        "lower",
        "drops of data; those less than a round trip (the longest propagation, and the wait at "
        "that time) after the first count as one; undefined where no flow of the link has a "
        "propagation delay on its path",
    ),
    Metric("loss_event_mean_packets", "link", "lower", "packets dropped in a loss event, mean"),
    Metric(
        "loss_synchronization_ratio",
        "link",
        "lower",
        "share of the link's flows that lose packets in a loss event, mean (RFC 7928, 2.4); "
        "undefined where `loss_events` is",
    ),
    Metric("queue_mean_packets", "link", "lower", "waiting packets, averaged over time"),
    Metric("queue_mean_bytes", "link", "lower", "waiting bytes, averaged over time"),
    Metric(
        "queue_max_packets", "link", "lower", "most packets that waited for longer than an instant"
    ),
    Metric("queueing_delay_mean_s", "link", "lower", "start of transmission less arrival, mean"),
    Metric("queueing_delay_p50_s", "link", "lower", "queueing delay, median"),
    Metric("queueing_delay_p95_s", "link", "lower", "queueing delay, 95th percentile"),
    Metric("queueing_delay_p99_s", "link", "lower", "queueing delay, 99th percentile"),
    Metric("sent_packets", "flow", None, "packets sent in the window"),
    Metric("received_packets", "flow", "higher", "packets received in the window"),
    Metric("throughput_bps", "flow", "higher", "bits received per second, headers included"),
    Metric("goodput_bps", "flow", "higher", "new payload bits received in order per second"),
    Metric("resolved_packets", "flow", None, "packets sent in the window, received or lost in it"),
    Metric("loss_ratio", "flow", "lower", "lost share of the resolved packets"),
    Metric("delivery_ratio", "flow", "higher", "1 less the loss ratio"),
    Metric(
        "loss_gap_mean_s",
        "flow",
        "higher",
        "time from the sending of one lost packet to that of the next, mean",
    ),
    Metric("marks_packets", "flow", None, "packets received with a mark (CE)"),
    Metric("mark_ratio", "flow", None, "marked share of the received packets"),
    Metric("delay_mean_s", "flow", "lower", "last bit received less first bit sent, mean"),
    Metric("delay_p50_s", "flow", "lower", "one-way delay, median"),
    Metric("delay_p95_s", "flow", "lower", "one-way delay, 95th percentile"),
    Metric("delay_p99_s", "flow", "lower", "one-way delay, 99th percentile"),
    Metric("jitter_s", "flow", "lower", "mean of RFC 3550's running jitter"),
    Metric("retransmits", "flow", "lower", "TCP: segments sent again"),
    Metric("timeouts", "flow", "lower", "TCP: expiries of retransmission timers"),
    Metric(
        "cwnd_mean_packets",
        "flow",
        None,
        "TCP: congestion window in segments, averaged over the time of open connections",
    ),
    Metric("rtt_mean_s", "flow", "lower", "TCP: mean of the RTT samples that the sender took"),
    Metric("transfers", "flow", None, "TCP: finite transfers that were complete in the window"),
    Metric(
        "fct_s",
        "flow",
        "lower",
        "TCP: from a transfer's beginning to its last byte's arrival, mean",
    ),
    Metric("fct_p50_s", "flow", "lower", "TCP: flow completion time, median"),
    Metric("fct_p95_s", "flow", "lower", "TCP: flow completion time, 95th percentile"),
    Metric("fct_p99_s", "flow", "lower", "TCP: flow completion time, 99th percentile"),
    Metric(
        "slowdown_mean",
        "flow",
        "lower",
        "TCP: completion time over the least that its packets take on the empty path, mean",
    ),
    Metric("ecn_reductions", "flow", None, "TCP: windows reduced for an echo of marks"),
    Metric(
        "acknowledged_bps",
        "flow",
        "higher",
        "TCP: payload bits acknowledged to the sender per second",
    ),
    Metric("jain_index", "group", "higher", "Jain's fairness index of the flows' goodputs"),
)
"""All of them."""

_BETTER: dict[str, Better | None] = {metric.name: metric.better for metric in METRICS}


def better(metric: str) -> Better | None:
    """Which end of a metric's scale is the good one; None where neither is."""
    return _BETTER[metric]
