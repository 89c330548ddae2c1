"""An AQM of one's own: one idea, twelve lines, and an honest comparison.

The idea: drop an arrival with a probability that grows with the square of the delay that it would
see. No average, no timer, one parameter. Is that any good beside CoDel and PIE?

You should see: it keeps the laws that every discipline keeps; its queue is the shortest of the
three, PIE's the longest; and goodput goes the other way round. Grades differ only where paired 95
% intervals over the same traffic separate.
"""

import sys

import sojourn as sj
from sojourn.comparing import ranking

QUICK = "--quick" in sys.argv


class Square(sj.queue.Discipline):
    """Drops with the square of the delay over a target."""

    target = sj.params.time("15 ms", "Delay at which a tenth is dropped.")

    def enqueue(self, now, size, flow, ecn):
        delay = 8 * self.bytes / self.link_rate
        if self.random() < 0.1 * (delay / self.target) ** 2:
            return sj.queue.mark("unforced")
        return sj.queue.ACCEPT


sj.testing.check_laws(Square, sequences=10 if QUICK else 50)

line = sj.dumbbell(
    rate="10 Mbit/s",
    rtt="40 ms",
    flows=4 * sj.tcp("cubic", start="uniform(0 s, 1 s)") + sj.udp(rate="500 kbit/s"),
    duration="15 s" if QUICK else "60 s",
    warmup="5 s",
    replicas=3 if QUICK else 10,
    vary={"dumbbell.bottleneck.queue": [Square(), sj.queue.CoDel(), sj.queue.Pie()]},
)
results = sj.run(line)
for quantity, better in (
    ("links.bottleneck.queueing_delay_mean_s", "lower"),
    ("total.goodput_bps", "higher"),
):
    print(quantity)
    print(ranking(results, quantity, better).select("answer", "mean", "low", "high", "grade"))
