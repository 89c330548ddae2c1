"""The page stands on its own and holds everything."""

import json
import re
from html.parser import HTMLParser

import polars as pl
import pytest

from sojourn.report import folder
from sojourn.report.drawings import inline_svg
from sojourn.studies.eqm.study import EqmStudy

COMMAND = "sojourn reproduce eqm --set 'on=0.5 s'"


class Reader(HTMLParser):
    """Collects what a page refers to and holds."""

    VOID = frozenset({"meta", "link", "br", "hr", "img", "input", "source"})

    def __init__(self):
        super().__init__()
        self.references, self.ids, self.open, self.tags = [], [], [], []
        self.labels, self.text = [], []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        for name in ("href", "src", "xlink:href", "action", "data", "srcset"):
            if name in attributes:
                self.references.append(attributes[name])
        if attributes.get("role") == "img":
            self.labels.append(attributes["aria-label"])

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def written(synthetic, tmp_path_factory):
    settings = synthetic.settings()
    report = EqmStudy().evaluate({"eqm": synthetic.frames(settings)}, settings)
    target = tmp_path_factory.mktemp("report")
    return report, folder.write(report, target, COMMAND), target


@pytest.fixture(scope="module")
def page(written):
    text = written[1].page.read_text(encoding="utf-8")
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    return text, reader


def test_nothing_is_loaded_from_elsewhere(page):
    text, reader = page
    assert all(reference.startswith("#") for reference in reader.references)
    assert not {"link", "script", "img", "iframe", "object"} & set(reader.tags)
    assert not re.search(r"@import|url\((?!#)", text)


def test_references_within_the_page_lead_somewhere(page):
    _, reader = page
    assert {one.removeprefix("#") for one in reader.references} <= set(reader.ids)


def test_ids_are_unique(page):
    _, reader = page
    assert len(reader.ids) == len(set(reader.ids))


def test_every_figure_with_its_text(written, page):
    report, _, _ = written
    text, reader = page
    assert reader.tags.count("figure") == len(report.figures) == 8
    assert reader.labels == [figure.alt for figure in report.figures]
    for figure in report.figures:
        assert f'id="{figure.id}"' in text


def test_every_verdict_and_table(written, page):
    report, _, _ = written
    _, reader = page
    text = "".join(reader.text)
    for verdict in report.verdicts:
        assert f"claim-{verdict.claim.id}" in reader.ids
        assert verdict.reason in text
    tables = [report.comparison, *(one for part in report.sections for one in part.tables)]
    # verdicts and open points are tables as well
    assert reader.tags.count("table") == len(tables) + 2
    assert reader.tags.count("caption") == reader.tags.count("table")


def test_what_repeats_it(written, page):
    report, _, _ = written
    text = "".join(page[1].text)
    assert COMMAND in text
    assert report.scenarios["eqm"] in text
    assert report.version in text


def test_light_dark_phone_and_skip_link(page):
    text, _ = page
    # On paper it is dark on white, whatever the screen is.
    assert re.findall(r"@media ([^{]*dark\))", text) == ["screen and (prefers-color-scheme: dark)"]
    assert 'name="viewport"' in text
    assert 'class="skip" href="#answer"' in text


def test_the_folder(written):
    report, found, target = written
    for drawing in found.figures:
        assert all(path.is_file() for path in drawing.paths.values())
    document = json.loads(found.summary.read_text(encoding="utf-8"))
    assert len(document["verdicts"]) == len(report.verdicts)
    assert document["command"] == COMMAND
    assert document["tables"]["table-three"][0]["eqm"] == 18
    assert pl.read_parquet(target / "observations.parquet").equals(report.observations)
    assert (target / "eqm.toml").read_text(encoding="utf-8") == report.scenarios["eqm"]
    assert all(path.read_text(encoding="utf-8").count("\n") > 1 for path in found.tables)


def test_inline_svg():
    text = (
        '<?xml version="1.0"?><!DOCTYPE svg>\n<svg width="5pt" height="3pt" viewBox="0 0 5 3">'
        '<metadata>x</metadata><g id="a" width="1"/><use xlink:href="#a" clip="url(#b)"/></svg>'
    )
    assert inline_svg(text, "fig") == (
        '<svg viewBox="0 0 5 3" aria-hidden="true" focusable="false"><g id="fig-a" width="1"/>'
        '<use xlink:href="#fig-a" clip="url(#fig-b)"/></svg>'
    )
