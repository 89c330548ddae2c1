"""Observations and averages from frames."""

import polars as pl
import pytest

from sojourn.studies.eqm import measures


def test_vary_values_in_every_form():
    assert measures.discipline_of('{"discipline": "red", "preset": "ns2"}') == "red"
    assert measures.discipline_of({"discipline": "sfq"}) == "sfq"
    assert measures.discipline_of("rem") == "rem"
    assert measures.rate_of("0.05 Mbit/s") == measures.rate_of(50_000) == 50_000


def test_observations(synthetic):
    settings = synthetic.settings()
    frames = synthetic.frames(settings)
    frame = measures.observations(frames, settings)
    assert frame.height == 5 * 12 * 8
    assert frame["discipline"].unique(maintain_order=True).to_list() == [
        "eqm",
        "red",
        "rem",
        "sfq",
        "droptail",
    ]
    row = frame.row(0, named=True)
    total = frames.totals.row(0, named=True)
    assert row["load"] == pytest.approx(0.75)
    assert row["delay_ms"] == pytest.approx(1e3 * total["delay_mean_s"])
    assert row["delivery_percent"] + row["loss_percent"] == pytest.approx(100)
    # equation 1: the sum of all delays over three connections
    expected = total["delay_mean_s"] * total["received_packets"] / 3
    assert row["delay_seed000"] == pytest.approx(expected)


def test_losses_of_every_link_count(synthetic):
    settings = synthetic.settings()
    frames = synthetic.frames(settings)
    frames.links = frames.links.with_columns(
        pl.when(pl.col("link") == "access0")
        .then(3.0)
        .otherwise(pl.col("drops_packets"))
        .alias("drops_packets")
    )
    frame = measures.observations(frames, settings)
    assert (frame["loss"] - frame["drops"]).unique().to_list() == [3.0]


def test_averages_over_a_reading(synthetic):
    settings = synthetic.settings()
    frame = measures.observations(synthetic.frames(settings), settings)
    readings = measures.readings(8.0)
    above = measures.averages(frame, readings["above"])
    by_hand = frame.filter(
        (pl.col("load") > 8) & (pl.col("discipline") == "red") & (pl.col("replica") == 2)
    )["queue"].mean()
    got = measures.by_discipline(above, "queue", ("red",))["red"][2]
    assert got == pytest.approx(by_hand)
    assert measures.averages(frame, readings["all"]).height == 5 * 8


def test_undefined_values_are_left_out(synthetic):
    settings = synthetic.settings()
    frames = synthetic.frames(settings)
    frames.links = frames.links.with_columns(
        pl.when(pl.col("replica") == 0)
        .then(None)
        .otherwise(pl.col("queueing_delay_mean_s"))
        .alias("queueing_delay_mean_s")
    )
    frame = measures.observations(frames, settings)
    values = measures.by_discipline(
        measures.averages(frame, measures.readings(8.0)["all"]), "queueing_ms", ("eqm",)
    )["eqm"]
    assert values[0] is None
    assert values[1] is not None
