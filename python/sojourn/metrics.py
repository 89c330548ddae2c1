"""The metrics: what each one means, in the unit that its name ends with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """A metric of links, of flows (their groups and the total too), or of groups alone."""

    name: str
    of: str
    meaning: str


STEP = 1 / 128
"""Percentiles come from a histogram whose buckets are at most this share of their value wide."""


def resolution(quantity: str) -> float:
    """The share of its value that a metric resolves: a step for percentiles, else 0."""
    return STEP if quantity.endswith(("_p50_s", "_p95_s", "_p99_s")) else 0.0


SERIES = (
    "queue_packets",
    "queue_bytes",
    "queue_mean_packets",
    "throughput_bps",
    "drops_packets",
    "marks_packets",
    "goodput_bps",
    "delay_mean_s",
    "cwnd_packets",
    "in_flight_packets",
    "ssthresh_packets",
    "srtt_s",
    "retransmits",
)
"""The time series of links, flows and TCP; inner variables come under their own names."""

METRICS = (
    Metric("utilization", "link", "share of the window in which the transmitter was busy"),
    Metric("throughput_bps", "link", "bits sent per second, straddling packets by their part"),
    Metric("arrivals_packets", "link", "packets that came to the queue"),
    Metric("departures_packets", "link", "packets whose transmission began"),
    Metric("drops_packets", "link", "packets dropped, on arrival or later"),
    Metric("drops_by_reason", "link", "the same by reason"),
    Metric("marks_packets", "link", "packets marked"),
    Metric("marks_by_reason", "link", "the same by reason"),
    Metric("loss_ratio", "link", "drops divided by arrivals"),
    Metric("queue_mean_packets", "link", "waiting packets, averaged over time"),
    Metric("queue_mean_bytes", "link", "waiting bytes, averaged over time"),
    Metric("queue_max_packets", "link", "most packets that waited for longer than an instant"),
    Metric("queueing_delay_mean_s", "link", "start of transmission less arrival, mean"),
    Metric("queueing_delay_p50_s", "link", "the same, median"),
    Metric("queueing_delay_p95_s", "link", "the same, 95th percentile"),
    Metric("queueing_delay_p99_s", "link", "the same, 99th percentile"),
    Metric("sent_packets", "flow", "packets sent in the window"),
    Metric("received_packets", "flow", "packets received in the window"),
    Metric("throughput_bps", "flow", "bits received per second, headers included"),
    Metric("goodput_bps", "flow", "new payload bits received in order per second"),
    Metric("resolved_packets", "flow", "packets sent in the window, received or lost in it"),
    Metric("loss_ratio", "flow", "lost share of the resolved packets"),
    Metric("delivery_ratio", "flow", "1 less the loss ratio"),
    Metric("delay_mean_s", "flow", "last bit received less first bit sent, mean"),
    Metric("delay_p50_s", "flow", "the same, median"),
    Metric("delay_p95_s", "flow", "the same, 95th percentile"),
    Metric("delay_p99_s", "flow", "the same, 99th percentile"),
    Metric("jitter_s", "flow", "mean of RFC 3550's running jitter"),
    Metric("retransmits", "flow", "TCP: segments sent again"),
    Metric("timeouts", "flow", "TCP: expiries of retransmission timers"),
    Metric("cwnd_mean_packets", "flow", "TCP: congestion window in segments, averaged over time"),
    Metric("rtt_mean_s", "flow", "TCP: mean of the RTT samples that the sender took"),
    Metric("transfers", "flow", "TCP: finite transfers that were complete in the window"),
    Metric("fct_s", "flow", "TCP: from a transfer's beginning to its last byte's arrival, mean"),
    Metric("fct_p50_s", "flow", "the same, median"),
    Metric("fct_p95_s", "flow", "the same, 95th percentile"),
    Metric("fct_p99_s", "flow", "the same, 99th percentile"),
    Metric(
        "slowdown_mean",
        "flow",
        "TCP: completion time over the least that its packets take on the empty path, mean",
    ),
    Metric("ecn_reductions", "flow", "TCP: windows reduced for an echo of marks"),
    Metric("acknowledged_bps", "flow", "TCP: payload bits acknowledged to the sender per second"),
    Metric("jain_index", "group", "Jain's fairness index of the flows' goodputs"),
)
