"""Numbers as texts."""

import pytest

from sojourn.stats import Interval
from sojourn.studies.tables import figure_text, interval_text, percent_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (0, "0"),
        (3.14159, "3.14"),
        (31.4159, "31.4"),
        (314.159, "314"),
        (31415.9, "31,416"),
        (0.00314, "0.00314"),
        (-0.5, "-0.500"),
        (3.1e-7, "3.10e-07"),
        (99.96, "100"),
        (999.96, "1,000"),
        (0.9996, "1.00"),
        (999_999.6, "1.00e+06"),
    ],
)
def test_numbers(value, text):
    assert figure_text(value) == text


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval(None, None, None, 0), "-"),
        (Interval(12.34, None, None, 1), "12.3"),
        (Interval(12.34, 11.9, 12.78, 9), "12.3 ± 0.4"),
        (Interval(2.0, 2.0, 2.0, 9), "2.00 ± 0"),
        (Interval(33.1, 33.0996, 33.1004, 9), "33.1 ± 0.0004"),
    ],
)
def test_intervals(interval, text):
    assert interval_text(interval) == text


def test_percent():
    assert percent_text(0.0582, 1) == "5.8 %"
