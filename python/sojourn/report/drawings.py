"""Draws the figures of a report into files, and readies them for a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sojourn.plots.save import save
from sojourn.studies.base import FigureData


@dataclass(frozen=True)
class Drawing:
    """A figure as drawn: its texts, its SVG for a page, its files by ending."""

    id: str
    title: str
    caption: str
    alt: str
    svg: str
    paths: dict[str, Path]


def inline_svg(text: str, name: str) -> str:
    """An SVG file as an element of an HTML page; its identifiers get `name` before them.

    The XML prolog and the metadata go: a page needs neither. The size goes too, so that the page
    decides it; the view box keeps the shape.
    """
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    # Identifiers are unique in a file; on a page several files meet.
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(href="#|url\(#)', rf"\g<1>{name}-", text)
    head, end, rest = text.partition(">")
    head = re.sub(r'\s(width|height)="[^"]*"', "", head)
    return f'{head} aria-hidden="true" focusable="false"{end}{rest}'.strip()


def draw_all(figures: Sequence[FigureData], folder: Path) -> list[Drawing]:
    """Draw all figures into `folder`. Raises OSError when it cannot be written."""
    drawings: list[Drawing] = []
    for figure in figures:
        paths = save(figure.draw(figure.frame), figure.frame, folder, figure.id)
        svg = inline_svg(paths["svg"].read_text(encoding="utf-8"), figure.id)
        drawings.append(Drawing(figure.id, figure.title, figure.caption, figure.alt, svg, paths))
    return drawings
