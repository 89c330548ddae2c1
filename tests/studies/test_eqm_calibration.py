"""Calibration: residuals, infeasible targets, and the search."""

import math
import tomllib
from importlib import resources

import polars as pl
import pytest

from sojourn.studies.eqm import calibrated, calibration, published, scenario
from sojourn.studies.eqm.evidence import gather

ROWS = {key: row.values for key, row in published.load().table_three.items()}


@pytest.fixture
def evidence(synthetic):
    settings = synthetic.settings()
    return gather({"eqm": synthetic.frames(settings)}, settings)


def test_residuals_of_every_parameter_and_other(evidence):
    found = calibration.residuals(evidence)
    assert len(found) == 5 * 3
    one = next(r for r in found if (r.column, r.other) == ("queue", "rem"))
    assert one.published == 18 / 20
    assert one.residual == pytest.approx(math.log(one.ours / 0.9))


def test_infeasible_targets():
    assert "less lost" in calibration.why_infeasible("throughput_mbps", "rem", ROWS, 0.002)
    assert "Little" in calibration.why_infeasible("queue", "rem", ROWS, 0.002)
    assert calibration.why_infeasible("loss", "rem", ROWS, 0.002) == ""
    assert calibration.why_infeasible("utilisation_percent", "red", ROWS, 0.002) == ""
    possible = {key: dict.fromkeys(("eqm", "red", "rem", "sfq"), 10.0) for key in ROWS}
    for column in ("throughput_mbps", "queue", "queueing_ms"):
        assert calibration.why_infeasible(column, "rem", possible, 0.002) == ""


def test_the_search_finds_the_better_parameters(synthetic):
    settings = synthetic.settings()
    grid = {"q_ref": ("5 packets", "15 packets"), "tau": ("50 ms",)}
    queues = [one for one in scenario.queues(settings) if one["discipline"] in calibration.OTHERS]
    queues += [
        {"discipline": "eqm", "limit": "50 packets"} | point
        for point in calibration.grid_points(grid)
    ]
    frames = synthetic.frames(settings, disciplines=queues)
    # make the second candidate's queue twice as long as the first one's
    keep = frames.points.with_row_index()[scenario.QUEUE_KEY].str.contains("15 packets")
    worse = frames.points.filter(keep)["point"].to_list()
    frames.links = frames.links.with_columns(
        pl.when(pl.col("point").is_in(worse))
        .then(pl.col(column) * 2)
        .otherwise(pl.col(column))
        .alias(column)
        for column in ("queue_mean_packets", "queueing_delay_mean_s")
    )
    found = calibration.calibrate(frames, settings, grid)
    assert [one.parameters["q_ref"] for one in found] == ["5 packets", "15 packets"]
    assert found[0].first_ranks == 2
    assert found[1].first_ranks < 2


def test_section_reports_residuals(evidence):
    section = calibration.section(evidence)
    assert section.tables[0].id == "residuals"
    assert len(section.tables[0].rows) == 15
    assert "default parameters" in section.paragraphs[1]
    best = calibration.candidate(evidence, {"q_ref": "5 packets"})
    more = calibration.section(evidence, [best, best])
    assert [table.id for table in more.tables] == [
        "residuals",
        "calibration-grid",
        "residuals-best",
    ]


def test_the_stored_search_is_of_this_grid():
    text = resources.files("sojourn.studies.eqm").joinpath("calibrated.toml").read_text("utf-8")
    stored = tomllib.loads(text)
    tried = [{name: one[name] for name in calibration.GRID} for one in stored["candidate"]]
    assert len(tried) == len(calibration.grid_points(calibration.GRID))
    assert all(point in tried for point in calibration.grid_points(calibration.GRID))
    assert calibration.DEFAULTS in tried
    assert stored["words"] in calibrated.words()


def test_what_is_written_is_what_is_read(evidence):
    one = calibration.candidate(evidence, calibration.DEFAULTS)
    stored = tomllib.loads(calibrated.text([one], "1.2.3", 9))
    assert (stored["sojourn"], stored["seed"]) == ("1.2.3", 9)
    assert "The defaults come out at place 1" in stored["words"]
