"""Little's law by hand: 100 packets per second that wait 50 ms are five at a time."""

import polars as pl
import pytest

from sojourn.studies import laws

LAW = {"full": 10, "rate_pps": 100.0, "window_s": 20.0, "warmup_s": 0.0}


def little(queue, queueing_ms=(50.0,), **changed):
    frame = pl.DataFrame(
        {"queue": queue, "queueing_ms": queueing_ms},
        schema_overrides={"queueing_ms": pl.Float64},
    )
    return laws.little(frame, pl.lit(100.0), **LAW | changed)


@pytest.mark.parametrize(
    ("queue", "warmup_s", "kept"),
    [
        # Ten packets at the end, for 100 ms each, over 20 s: 0.05 packets.
        (5.049, 0.0, True),
        (5.051, 0.0, False),
        (4.951, 0.0, True),
        (4.949, 0.0, False),
        # A window that begins in the run has two ends.
        (5.099, 1.0, True),
        (5.101, 1.0, False),
    ],
)
def test_what_waits_at_an_end_is_allowed_and_no_more(queue, warmup_s, kept):
    found = little([queue], warmup_s=warmup_s)
    assert found.kept is kept
    assert f"explains up to {0.1 if warmup_s else 0.05:.4f}" in found.detail
    assert "left out" not in found.detail


def test_runs_without_a_packet_served_do_not_count():
    found = little([5.0, 0.0], [50.0, None], left_out="SFQ")
    assert found.kept is True
    assert "in 1 runs" in found.detail
    assert found.detail.endswith("(SFQ left out)")
    assert little([0.0], [None]).kept is None
