"""Statistics over replicas: intervals, paired comparisons, rankings."""

from sojourn.stats.holm import holm
from sojourn.stats.intervals import Interval, student_interval
from sojourn.stats.paired import (
    Comparison,
    compare_all,
    paired_difference,
    separated,
)
from sojourn.stats.ranking import Better, Rank, rank

__all__ = [
    "Better",
    "Comparison",
    "Interval",
    "Rank",
    "compare_all",
    "holm",
    "paired_difference",
    "rank",
    "separated",
    "student_interval",
]
