"""Tables that fit into a terminal: what matters least is left out, no number is broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sojourn.columns import Column

FRAME = 3
"""What a column takes beside its text: a line and a blank on either side."""


@dataclass
class FittingTable:
    """Rows of names and of numbers under their headings; a number may be marked as the best.

    Names have headings, and are never left out.
    """

    title: str
    names: list[str]
    numbers: list[Column]
    caption: str | None = None
    rows: list[list[tuple[str, bool]]] = field(default_factory=list)

    def add(self, names: Sequence[str], numbers: Sequence[str], best: Sequence[bool] = ()) -> None:
        """Add a row."""
        marks = best or [False] * len(numbers)
        cells = [(name, False) for name in names]
        cells += [
            (f"{number} *" if mark else number, mark)
            for number, mark in zip(numbers, marks, strict=True)
        ]
        self.rows.append(cells)

    def print(self, console: Console) -> None:
        """Print the columns for which there is room; say which are left out."""
        headings = [*self.names, *(column.heading for column in self.numbers)]
        kept = self._kept(headings, console.width)
        table = Table(title=self.title, title_justify="left", caption_justify="left")
        widths = self._widths(headings, kept, console.width)
        for column in kept:
            is_name = column < len(self.names)
            table.add_column(
                headings[column],
                justify="left" if is_name else "right",
                overflow="fold" if is_name else "ellipsis",
                min_width=None if is_name else self._broadest(column),
                width=widths.get(column),
            )
        for row in self.rows:
            cells = [row[column] for column in kept]
            table.add_row(*(Text(text, style="bold" if best else "") for text, best in cells))
        missing = [name for column, name in enumerate(headings) if column not in kept]
        left_out = f"no room for: {', '.join(missing)} (--json has all)" if missing else None
        table.caption = "\n".join(part for part in (self.caption, left_out) if part) or None
        console.print(table)

    def _kept(self, headings: Sequence[str], width: int) -> list[int]:
        """The columns that fit."""
        kept = list(range(len(headings)))
        places = enumerate(self.numbers, start=len(self.names))
        droppable = [(of.priority, place) for place, of in places if of.priority is not None]
        for _, place in sorted(droppable):
            if 1 + sum(FRAME + self._least(column, headings[column]) for column in kept) <= width:
                break
            kept.remove(place)
        return kept

    def _widths(self, headings: Sequence[str], kept: Sequence[int], width: int) -> dict[int, int]:
        """How wide each column is; none where even the least is too wide, so that names fold."""
        widths = {column: self._least(column, headings[column]) for column in kept}
        spare = width - 1 - sum(FRAME + least for least in widths.values())
        if spare < 0:
            return {}
        for column in kept:
            more = min(max(len(headings[column]) - widths[column], 0), spare)
            widths[column] += more
            spare -= more
        return widths

    def _least(self, column: int, heading: str) -> int:
        """The least width of a column: headings wrap between words, what stands below does not."""
        return max([self._broadest(column), *map(len, heading.split())])

    def _broadest(self, column: int) -> int:
        """What stands below the heading needs so much."""
        return max((len(row[column][0]) for row in self.rows), default=0)
