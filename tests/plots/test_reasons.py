"""A reason of drops has one colour in all figures and reports, whatever stands beside it."""

import polars as pl
import pytest
from matplotlib.colors import to_hex

import sojourn as sj
from sojourn.plots import drops
from sojourn.plots.open_loop import by_reason
from sojourn.plots.reasons import REASON_COLOURS
from sojourn.queue import REASONS
from sojourn.report.charts import charts


def test_every_reason_has_one_in_the_order_of_tables():
    assert [*REASON_COLOURS] == [*REASONS]


def colours(figure) -> dict[str, str]:
    """The colour of each entry of a figure's key."""
    (legend,) = figure.legends
    named = zip(legend.get_texts(), legend.get_patches(), strict=True)
    return {text.get_text(): to_hex(patch.get_facecolor()).upper() for text, patch in named}


def test_reasons_look_the_same_in_figures_and_in_the_report():
    line = sj.dumbbell(
        rate="2 Mbit/s",
        rtt="20 ms",
        flows=3 * sj.tcp("cubic", ecn=True) + sj.udp(rate="1 Mbit/s", name="call"),
        duration="5 s",
        vary={
            "dumbbell.bottleneck.queue": [
                {"discipline": "red", "ecn": True, "min_th": "3 packets", "max_th": "9 packets"},
                {"discipline": "codel", "ecn": True},
                {"discipline": "droptail", "limit": "9 packets"},
            ]
        },
    )
    results = sj.run(line)
    drawn = colours(results.plot("drops"))
    assert len(drawn) > 4
    assert [*drawn] == sorted(drawn, key=lambda one: one.startswith("marked"))
    for name, colour in drawn.items():
        assert colour == REASON_COLOURS[name.partition(": ")[2]]
    (chart,) = (one for one in charts(results) if one.id == "drops")
    fill, stroke = (chart.spec["encoding"][one]["scale"] for one in ("fill", "stroke"))
    assert fill["domain"] == stroke["domain"] == [*drawn]
    assert stroke["range"] == [*drawn.values()]
    for name, colour, filled in zip(drawn, stroke["range"], fill["range"], strict=True):
        hollow = name.startswith("marked")
        assert filled == (f"{colour}40" if hollow else colour)


@pytest.mark.parametrize("reasons", [("target", "head"), ("ce_threshold", "link"), ("head",)])
def test_others_do_not_change_a_colour(reasons):
    rows = [("one", "drop", reason, 3.0) for reason in reversed(reasons)]
    frame = pl.DataFrame(rows, schema=drops.COLUMNS, orient="row")
    wanted = {reason: REASON_COLOURS[reason] for reason in reasons}
    assert colours(drops.draw(frame)) == {f"dropped: {one}": of for one, of in wanted.items()}
    lost = pl.DataFrame(
        [("one", "tcp", "drop", reason, 3) for reason in reasons],
        schema=["queue", "flow", "kind", "reason", "packets"],
        orient="row",
    )
    bars = by_reason(lost, {"one": {"tcp"}}).axes[0].containers
    assert {bar.get_label(): to_hex(bar.patches[0].get_facecolor()).upper() for bar in bars} == (
        wanted
    )
