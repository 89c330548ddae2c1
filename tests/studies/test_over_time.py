"""Series made ready for figures."""

import polars as pl
import pytest

from sojourn.studies import over_time


def frame(values, name="a"):
    times = [0.5 * (k + 1) for k in range(len(values))]
    return pl.DataFrame({"point": 0, "name": name, "time_s": times, "value": values})


def test_the_running_mean_leaves_out_what_is_undefined():
    found = over_time.running_mean(frame([None, 2.0, None, 4.0]))
    assert found["value"].to_list() == [None, 2.0, 2.0, 3.0]


def test_each_name_has_its_own_running_mean():
    both = pl.concat([frame([1.0, 3.0]), frame([10.0, 20.0], "b")])
    found = over_time.running_mean(both).filter(pl.col("name") == "b")
    assert found["value"].to_list() == [10.0, 15.0]


def test_a_value_belongs_to_the_bin_in_which_its_interval_ends():
    found = over_time.binned(frame([1.0, 3.0, 5.0, 9.0]), 1.0)
    assert found["time_s"].to_list() == [0.5, 1.5]
    assert found["value"].to_list() == [2.0, 7.0]


def test_the_band_is_students_over_replicas():
    values = pl.DataFrame(
        {"line": "red", "replica": [0, 1, 2], "time_s": 1.0, "value": [1.0, 2.0, 3.0]}
    )
    found = over_time.band(values, ["line"]).row(0, named=True)
    assert found["value"] == 2.0
    assert found["high"] - found["value"] == pytest.approx(4.302653 / 3**0.5, rel=1e-5)
