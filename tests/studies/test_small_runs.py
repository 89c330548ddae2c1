"""The studies over TCP on the engine itself, small."""

import html
import re

import pytest

from sojourn import studies
from sojourn.report import folder
from sojourn.studies.base import RunOptions
from sojourn.studies.claims import Outcome
from sojourn.studies.execution import run_scenario

SMALL = {
    "four-aqms": {"duration": "20 s", "replicas": "4"},
    "red-fairness": {"duration": "8 s", "replicas": "3", "counts": "2"},
    "rfc7928": {"duration": "4 s", "settle": "2 s", "phase": "1 s", "replicas": "3"},
}


@pytest.fixture(scope="module", params=SMALL)
def report(request):
    study = studies.find(request.param)
    settings = study.settle(SMALL[request.param])
    runs = {
        part: run_scenario(text, RunOptions(jobs=2))
        for part, text in study.scenarios(settings).items()
    }
    return study.evaluate(runs, settings)


@pytest.mark.usefixtures("drawn_once")
def test_the_report_is_whole(report, tmp_path):
    written = folder.write(report, tmp_path, "sojourn reproduce")
    assert len(written.figures) == len(report.figures) >= 10
    text = html.unescape(written.page.read_text(encoding="utf-8"))
    assert all(verdict.claim.text in text for verdict in report.verdicts)
    ids = re.findall(r'\bid="([^"]*)"', text)
    assert len(set(ids)) == len(ids)
    assert not re.search(r"<(script|img|link|iframe)\b|@import", text)
    names = {path.name for path in tmp_path.glob("*.toml")}
    assert names == {f"{part}.toml" for part in report.scenarios}


def test_tables_are_rectangular_and_named_once(report):
    tables = [report.comparison, *(one for part in report.sections for one in part.tables)]
    assert len({one.id for one in tables}) == len(tables)
    for table in tables:
        assert {len(row) for row in table.rows} <= {len(table.header)}


def test_figures_are_named_once_and_say_what_they_show(report):
    assert len({figure.id for figure in report.figures}) == len(report.figures)
    for figure in report.figures:
        assert figure.alt
        assert figure.caption
        assert not figure.frame.is_empty()


def test_open_points_name_their_knobs(report):
    knobs = {knob.name for knob in studies.find(report.study).knobs}
    named = [name for one in report.open_points for name in one.knob.split(", ") if name != "-"]
    assert set(named) == knobs - ({"queues"} if "queues" not in named else set())


def test_what_no_chance_can_change(report):
    found = {one.claim.id: one.outcome for one in report.verdicts}
    expected = {
        "four-aqms": {
            "loss-sfq": Outcome.AGREES,
            "throughput-sfq-tcp": Outcome.AGREES,
            "throughput-sfq-much": Outcome.DISAGREES,
            "delay-red-sfq-cbr": Outcome.DISAGREES,
            "droptail-burst": Outcome.AGREES,
            "ack-drops": Outcome.DISAGREES,
        },
        "red-fairness": {
            "case1-increase": Outcome.AGREES,
            "case1-equal": Outcome.AGREES,
            "longer-slower": Outcome.AGREES,
            "case4-below": Outcome.DISAGREES,
            "jain-range": Outcome.IMPOSSIBLE,
        },
        "rfc7928": {
            "larger-buffers": Outcome.AGREES,
            "factors": Outcome.CONTRADICTS_ITSELF,
        },
    }[report.study]
    assert {name: found[name] for name in expected} == expected
