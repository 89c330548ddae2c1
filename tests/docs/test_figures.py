"""What the pages say of a figure is what the data behind it say."""

from pathlib import Path

import polars as pl

DOCS = Path(__file__).parents[2] / "docs"


def data(name: str) -> pl.DataFrame:
    return pl.read_csv(DOCS / "images" / f"{name}.csv")


def page(name: str) -> str:
    return " ".join((DOCS / name).read_text(encoding="utf-8").split())


def test_goodputs_over_a_wire_that_loses_packets():
    told = page("how-to/lossy-links.md")
    at = {(control, loss): f"{mbps:.1f}" for control, loss, mbps, _ in data("lossy-wire").rows()}
    lost = 0.01
    assert (
        f"At 1 % NewReno gets {at['newreno', lost]} Mbit/s, CUBIC {at['cubic', lost]}, "
        f"Westwood {at['westwood', lost]} and BBR {at['bbr', lost]}."
    ) in told
    assert f"{at['newreno', 0.001]} Mbit/s at 0.1 %" in told


def test_goodputs_over_a_wire_with_jitter():
    cubic = data("uneven-wire").filter(pl.col("reorders"), congestion_control="cubic")
    at = {jitter: f"{mbps:.1f}" for jitter, mbps in cubic[["jitter_ms", "goodput_mbps"]].rows()}
    told = f"CUBIC has {at[10]} Mbit/s left with up to 10 ms, and {at[40]} with up to 40"
    assert told in page("how-to/uneven-links.md")


def test_times_after_the_rate_of_a_link_has_changed():
    frame, fall, back = data("changing-rate"), 20, 35
    time, drained, filled = pl.col("time_s"), {}, {}
    for name, values in frame.group_by(pl.col("point")):
        low = values.filter(time.is_between(fall + 0.1, back), pl.col("waits_ms") > 50)
        high = values.filter(time > back + 0.1, pl.col("sent_mbps") > 95)
        drained[name[0]] = f"{low['time_s'].max() - fall:.1f} s"
        filled[name[0]] = f"{high['time_s'].min() - back:.1f} s"
    told = page("how-to/changing-links.md")
    assert (
        f"PIE is below 50 ms after {drained['pie']}, FQ-CoDel after {drained['fq_codel']}, and "
        f"CoDel, whose drops come slowly at first, after {drained['codel']}."
    ) in told
    assert drained["droptail"] == "15.0 s", "it keeps the room full"
    others = {filled[name] for name in ("pie", "codel", "fq_codel")}
    assert (
        f"at 95 Mbit/s after {filled['droptail']}, with the others after {', '.join(others)}"
    ) in told


def test_the_bias_without_a_warm_up():
    start, mean, half = data("warm-up").row(0)
    assert start == 0
    told = f"Without a warm-up the mean is {1e3 * mean:.1f} ± {1e3 * half:.1f} ms"
    assert told in page("concepts/warm-up.md")


def test_half_widths_of_common_and_independent_arrivals():
    (common, independent) = data("common-random-numbers").filter(replicas=10).row(0)[1:]
    told = page("concepts/common-random-numbers.md")
    assert f"the interval of that difference is ± {common:.2f} ms" in told
    assert f"With independent arrivals it is ± {independent:.2f} ms" in told
