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


def test_completion_times_of_short_transfers():
    first = data("completion-times").filter(pl.col("size_bytes") < 1e4)
    at = {(name, share): f"{1e3 * mean:.0f}" for name, _, share, _, mean, *_ in first.rows()}
    half, most = (
        [at[of, share] for of in ("droptail", "codel", "fq_codel")] for share in (0.5, 0.95)
    )
    assert (
        f"half take at most {half[0]} ms under drop-tail, {half[1]} ms under CoDel and {half[2]} "
        f"ms under FQ-CoDel; one in twenty takes longer than {most[0]}, {most[1]} and {most[2]} ms."
    ) in page("how-to/completion-times.md")


def test_the_bias_without_a_warm_up():
    start, mean, half = data("warm-up").row(0)
    assert start == 0
    told = f"Without a warm-up the mean is {1e3 * mean:.1f} ± {1e3 * half:.1f} ms"
    assert told in page("concepts/warm-up.md")


def test_differences_on_common_and_on_independent_arrivals():
    frame = data("common-random-numbers")
    mean, half, mean_apart, half_apart = frame.filter(replicas=10).row(0)[1:]
    assert abs(mean) > half, "told apart"
    assert abs(mean_apart) < half_apart
    told = page("concepts/common-random-numbers.md")
    assert f"CoDel's mean delay is shorter by {mean:.2f} ± {half:.2f} ms" in told
    assert f"it is shorter by {mean_apart:.2f} ± {half_apart:.2f} ms" in told
    wider = frame.filter(pl.col("independent_half_ms") > half)["replicas"].max()
    assert f"as narrow as the other from {wider + 1} replicas on" in told


def test_two_queues_with_one_mean():
    frame = (
        data("averages")
        .group_by("case")
        .agg(
            pl.min("value").alias("least"),
            pl.max("value").alias("most"),
            (pl.col("value") < 1).mean().alias("empty"),
        )
    )
    told = page("concepts/averages.md")
    least, most, _ = frame.filter(case="one TCP flow").row(0)[1:]
    assert f"it goes up from {least:.0f} to {most:.0f} packets, all that there is room for" in told
    # One packet takes 1512 B at 10 Mbit/s; the least wait is a part of one shorter.
    assert f"wait for {int(least * 1.2096)} to {int(most * 1.2096)} ms" in told
    assert frame.filter(case="bursts")["empty"].item() > 0.5


def test_what_jitter_costs_where_order_is_kept():
    frame = data("uneven-wire").filter(~pl.col("reorders"))
    told, costs = page("how-to/uneven-links.md"), {}
    for (control,), values in frame.group_by("congestion_control"):
        goodputs = values.sort("jitter_ms")["goodput_mbps"]
        costs[control] = (goodputs[0], goodputs[-1], 1 - goodputs[-1] / goodputs[0])
    assert max(costs["cubic"][2], costs["bbr"][2]) < 0.01
    first, last, cost = costs["newreno"]
    assert f"NewReno goes from {first:.1f} to {last:.1f} Mbit/s then, a loss of {cost:.0%}" in (
        told.replace(" %", "%")
    )
