"""What the tests of studies share: synthetic frames, small runs, and what a whole report is."""

import html
import importlib.util
import re
import sys
from pathlib import Path

import pytest

from sojourn import studies
from sojourn.report import folder
from sojourn.studies.base import RunOptions
from sojourn.studies.execution import run_scenario
from sojourn.studies.publication import read


@pytest.fixture(scope="session")
def synthetic():
    """The module `synthetic.py`."""
    name = "sojourn_tests_synthetic"
    if name not in sys.modules:
        path = Path(__file__).with_name("synthetic.py")
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="session")
def run_all():
    """Runs all parts of a study on the engine: to be done once in a module, it takes long."""

    def run(study, settings):
        return {
            part: run_scenario(text, RunOptions(jobs=2))
            for part, text in study.scenarios(settings).items()
        }

    return run


@pytest.fixture
def whole(drawn_once, tmp_path):
    """Writes a report, and asserts that nothing is missing in it; gives what is written."""

    def write(report):
        passed_on_all_claims(report)
        tables_are_rectangular_and_named_once(report)
        figures_are_named_once_and_say_what_they_show(report)
        open_points_name_their_knobs(report)
        written = folder.write(report, tmp_path, f"sojourn reproduce {report.study}")
        assert len(written.figures) == len(report.figures)
        for drawing in written.figures:
            assert drawing.paths["svg"].stat().st_size > 10_000
            assert len(drawing.paths["csv"].read_text().splitlines()) > 4
        text = html.unescape(written.page.read_text(encoding="utf-8"))
        assert all(verdict.claim.text in text for verdict in report.verdicts)
        ids = re.findall(r'\bid="([^"]*)"', text)
        assert len(set(ids)) == len(ids)
        assert text.count("<figure ") == len(report.figures)
        assert not re.search(r"<(script|img|link|iframe)\b|@import", text)
        assert "src=" not in text
        names = {path.name for path in tmp_path.glob("*.toml")}
        assert names == {f"{part}.toml" for part in report.scenarios}
        return written

    return write


@pytest.fixture(scope="session")
def outcomes_of():
    """The outcomes of a report, by claim."""

    def outcomes(report):
        return {one.claim.id: one.outcome for one in report.verdicts}

    return outcomes


def passed_on_all_claims(report):
    claims = read(studies.find(report.study).package).claims
    assert [one.claim.id for one in report.verdicts] == list(claims)
    assert all(one.reason and one.ours and one.published for one in report.verdicts)


def tables_are_rectangular_and_named_once(report):
    tables = [report.comparison, *(one for part in report.sections for one in part.tables)]
    assert len({one.id for one in tables}) == len(tables)
    for table in tables:
        assert {len(row) for row in table.rows} <= {len(table.header)}


def figures_are_named_once_and_say_what_they_show(report):
    assert len({figure.id for figure in report.figures}) == len(report.figures)
    for figure in report.figures:
        assert len(figure.alt) > 50
        assert figure.caption
        assert not figure.frame.is_empty()


def open_points_name_their_knobs(report):
    knobs = {knob.name for knob in studies.find(report.study).knobs}
    named = [name for one in report.open_points for name in one.knob.split(", ") if name != "-"]
    assert set(named) == knobs - ({"queues"} if "queues" not in named else set())
