"""Figures of bare queues."""

import polars as pl
import pytest

from sojourn.plots.open_loop import MOST_FLOWS, by_reason


def drops(*rows: tuple[str, str, int]) -> pl.DataFrame:
    """Packets dropped of a queue's flow."""
    columns = ("queue", "flow", "packets")
    named = pl.DataFrame(rows, schema=columns, orient="row")
    return named.with_columns(kind=pl.lit("drop"), reason=pl.lit("overlimit"))


def shown(figure) -> dict[str, list[str]]:
    """The flows of each panel."""
    return {
        axes.get_title(loc="left"): [label.get_text() for label in axes.get_yticklabels()]
        for axes in figure.axes
    }


def test_a_queue_shows_the_flows_that_came_to_it_worst_first():
    frame = drops(("up", "a", 3), ("up", "b", 5), ("down", "c", 1))
    figure = by_reason(frame, {"up": {"a", "b"}, "down": {"c", "d"}})
    assert shown(figure) == {"up": ["b", "a"], "down": ["c"]}


def test_a_queue_that_no_flow_with_losses_came_to_is_left_out():
    figure = by_reason(drops(("up", "a", 3)), {"up": {"a"}, "down": {"d"}})
    assert shown(figure) == {"up": ["a"]}


def test_queues_with_the_same_flows_show_all_of_them():
    figure = by_reason(drops(("red", "a", 3)), {"red": {"a", "b"}, "codel": {"a", "b"}})
    assert shown(figure) == {"red": ["a"], "codel": ["a"]}
    assert len(by_reason(drops(), {"red": {"a"}, "codel": {"a"}}).axes) == 2


@pytest.mark.parametrize("more", [1, 5])
def test_those_that_lost_least_are_one(more):
    flows = [f"f{i}" for i in range(MOST_FLOWS + more)]
    frame = drops(*(("q", flow, 100 - place) for place, flow in enumerate(flows)))
    figure = by_reason(frame, {"q": set(flows)})
    assert shown(figure)["q"] == [*flows[:MOST_FLOWS], f"{more} more flows"]
