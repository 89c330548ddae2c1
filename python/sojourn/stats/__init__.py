"""Statistics over replicas: intervals, paired comparisons, rankings, warm-up, stopping."""

from sojourn.stats.bootstrap import bootstrap_interval
from sojourn.stats.holm import holm
from sojourn.stats.intervals import Interval, student_interval
from sojourn.stats.paired import (
    Comparison,
    compare_all,
    paired_difference,
    separated,
)
from sojourn.stats.proportions import clopper_pearson, never_seen_bound
from sojourn.stats.ranking import Better, Rank, rank
from sojourn.stats.sequential import enough
from sojourn.stats.warmup import Truncation, mser5

__all__ = [
    "Better",
    "Comparison",
    "Interval",
    "Rank",
    "Truncation",
    "bootstrap_interval",
    "clopper_pearson",
    "compare_all",
    "enough",
    "holm",
    "mser5",
    "never_seen_bound",
    "paired_difference",
    "rank",
    "separated",
    "student_interval",
]
