"""Numbers with units, exactly."""

from fractions import Fraction

import pytest

from sojourn.studies import quantities


def test_exact():
    assert quantities.seconds("0.5 s") == Fraction(1, 2)
    assert quantities.seconds("20ms") == Fraction(1, 50)
    assert quantities.bits_per_second("0.05 Mbit/s") == 50_000


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        ("20", "20 s"),
        ("2.5", "2.5 s"),
        ("12345678.25", "12345678.25 s"),
        ("0.0245", "24.5 ms"),
        ("0.000000001", "0.000001 ms"),
        ("0", "0 ms"),
    ],
)
def test_durations_as_texts(seconds, text):
    assert quantities.time_text(Fraction(seconds)) == text


@pytest.mark.parametrize("bad", ["", "s", "-1 s", "1 h", "nan s", "1e3 s", "1 s s"])
def test_what_is_no_duration(bad):
    with pytest.raises(ValueError, match="is not a number and one of s, ms"):
        quantities.seconds(bad)


def test_a_bare_number_needs_a_unit():
    with pytest.raises(ValueError, match=r'"0\.2" needs a unit: s, ms'):
        quantities.seconds("0.2")


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (50_000, "0.05 Mbit/s"),
        (3_000_000, "3 Mbit/s"),
        (10_000_000, "10 Mbit/s"),
        (Fraction(100_000, 3), "33333 bit/s"),
    ],
)
def test_rates_as_texts(rate, text):
    assert quantities.rate_text(Fraction(rate)) == text
