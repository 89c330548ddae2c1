"""Draw the figures of docs/concepts and docs/how-to from simulations: ``make figures``.

Each function is one figure: it runs its scenario, draws, and gives the data behind it, which is
written as CSV beside the picture. The numbers that the pages name are printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
from matplotlib.axes import Axes

import sojourn as sj
from sojourn import studies
from sojourn.plots.looks import Look, look, looks
from sojourn.plots.plot import Plot
from sojourn.plots.save import save
from sojourn.plots.style import (
    INK,
    SIZE,
    legend_below,
    name_axes,
    new_figure,
    new_panels,
    titled,
)
from sojourn.stats.paired import paired_difference
from sojourn.stats.unpaired import welch
from sojourn.studies.base import RunOptions
from sojourn.studies.execution import run_scenario

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images"

Drawn = tuple[Plot, pl.DataFrame]

DISCIPLINES = ("droptail", "red", "pie", "codel", "dualpi2", "fq_codel", "cake", "sfq", "blue")


def disciplines() -> Drawn:
    """Delay of a telephone call against goodput of four downloads, for nine disciplines."""
    flows = 4 * sj.tcp("cubic", name="bulk") + sj.udp(
        rate="100 kbit/s", payload="172 B", name="call"
    )
    line = sj.dumbbell(
        rate="20 Mbit/s",
        rtt="40 ms",
        flows=flows,
        duration="60 s",
        warmup="10 s",
        replicas=10,
        vary={"dumbbell.bottleneck.queue": [{"discipline": name} for name in DISCIPLINES]},
    ).with_overrides({"dumbbell.bottleneck.queue.limit": "200 packets"})
    groups = sj.run(line).groups.group_by("point", "group").mean().sort("point")
    call, bulk = (groups.filter(pl.col("group") == name) for name in ("call", "bulk"))
    frame = pl.DataFrame(
        {
            "discipline": DISCIPLINES,
            "call_p99_ms": call["delay_p99_s"] * 1e3 - 20,
            "goodput_mbps": bulk["goodput_bps"] * 1e-6,
        }
    )
    figure, axes = new_figure()
    for name, delay, goodput in frame.iter_rows():
        each = look(name)
        axes.plot(delay, goodput, each.marker, color=each.colour, label=each.label, markersize=9)
    axes.set_xscale("log")
    axes.set_xticks([2, 5, 10, 20, 50, 100], ["2", "5", "10", "20", "50", "100"])
    name_axes(
        axes, "what the call waits, 99th percentile (ms)", "goodput of the downloads (Mbit/s)"
    )
    legend_below(figure, axes)
    return figure, frame


def averages() -> Drawn:
    """Two queues with one mean."""
    tcp = sj.dumbbell(
        rate="10 Mbit/s",
        rtt="40 ms",
        queue=sj.queue.DropTail(limit="59 packets"),
        flows=sj.tcp("newreno", name="tcp"),
        duration="70 s",
        warmup="10 s",
        series="50 ms",
    )
    bursts = sj.source.OnOff(rate="30 Mbit/s", on="exponential(40 ms)", off="exponential(280 ms)")
    udp = sj.dumbbell(
        rate="10 Mbit/s",
        rtt="40 ms",
        queue=sj.queue.DropTail(limit="400 packets"),
        flows=sj.udp(bursts, payload="1472 B"),
        access={"rate": "1 Gbit/s"},
        duration="70 s",
        warmup="10 s",
        series="50 ms",
    )
    figure, panels = new_panels(1, 2, (SIZE[0] * 1.2, SIZE[1]))
    frames = []
    for axes, name, scenario in zip(panels, ("one TCP flow", "bursts"), (tcp, udp), strict=True):
        results = sj.run(scenario)
        link = results.links.filter(pl.col("link") == "bottleneck")
        mean, p99 = link.select("queue_mean_packets", "queueing_delay_p99_s").row(0)
        print(f"averages: {name}: mean {mean:.1f} packets, p99 {1e3 * p99:.0f} ms")
        bottleneck = pl.col("name") == "bottleneck"
        waits = 1e3 * results.delays.filter(bottleneck, pl.col("entity") == "link")["delay_s"]
        print(f"averages: {name}: packets wait for {waits.min():.0f} to {waits.max():.0f} ms")
        shown = results.series("queue_packets").filter(
            bottleneck & pl.col("time_s").is_between(20, 50)
        )
        axes.plot(shown["time_s"], shown["value"], color="#0072B2", linewidth=1)
        axes.axhline(mean, color="#D55E00", linestyle="--")
        titled(axes, f"{name}: mean {mean:.0f} packets, p99 {1e3 * p99:.0f} ms")
        name_axes(axes, "time (s)", "queue (packets)")
        frames.append(shown.select(pl.lit(name).alias("case"), "time_s", "value"))
    return figure, pl.concat(frames)


def warm_up() -> Drawn:
    """The mean wait in M/M/1 that began empty, against how much of the start is left out."""
    customers = sj.udp(
        sj.source.Poisson(rate="3.8 Mbit/s"),
        name="customers",
        payload="exponential(500 B)",
        header="0 B",
        from_="a",
        to="b",
    )
    queue = sj.queue.DropTail(limit="none")
    server = sj.link("a", "b", "4 Mbit/s", duplex=False, name="server", queue=queue)
    starts = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
    line = sj.network(
        [server],
        customers,
        duration="4 s",
        replicas=400,
        vary={"warmup": [f"{start} s" for start in starts]},
    )
    waits = (
        sj.run(line)
        .links.group_by("point")
        .agg(
            pl.mean("queueing_delay_mean_s").alias("mean"),
            (1.96 * pl.std("queueing_delay_mean_s") / pl.len().sqrt()).alias("half"),
        )
    )
    waits = waits.sort("point").with_columns(start_s=pl.Series(starts))
    theory = 1e3 * 0.95 / (1000 * (1 - 0.95))
    figure, axes = new_figure()
    axes.errorbar(waits["start_s"], waits["mean"] * 1e3, waits["half"] * 1e3, fmt="o-", capsize=3)
    axes.axhline(theory, color=INK, linestyle="--", linewidth=1, label=f"theory, {theory:.0f} ms")
    axes.set_ylim(0)
    name_axes(axes, "warm-up of a run of 4 s (s)", "mean wait (ms)")
    legend_below(figure, axes)
    for start, mean, half in waits.select("start_s", "mean", "half").iter_rows():
        print(f"warm_up: {start} s: {1e3 * mean:.1f} ± {1e3 * half:.1f} ms")
    return figure, waits.select("start_s", "mean", "half")


def common_random_numbers() -> Drawn:
    """Half-width of the interval of a difference, with common and with independent arrivals."""
    load = sj.udp(sj.source.Poisson(rate="9.5 Mbit/s"), payload="972 B", from_="a", to="b")
    line = sj.network(
        [sj.link("a", "b", "10 Mbit/s", duplex=False, name="line")],
        load,
        duration="10 s",
        warmup="1 s",
        replicas=50,
        vary={"link.line.queue": [{"discipline": "droptail"}, {"discipline": "codel"}]},
    )

    def waits(seed: int) -> list[list[float]]:
        links = sj.run(line, seed=seed).links.sort("point", "replica")
        parts = links.partition_by("point", maintain_order=True)
        return [(1e3 * part["queueing_delay_mean_s"]).to_list() for part in parts]

    droptail, codel = waits(1)
    _, other = waits(2)
    rows = []
    for n in range(3, 51):
        paired = paired_difference(droptail[:n], codel[:n])
        apart, _ = welch(droptail[:n], other[:n])
        rows.append((n, paired.mean, paired.half_width, apart.mean, apart.half_width))
    names = [f"{of}_{what}_ms" for of in ("common", "independent") for what in ("mean", "half")]
    frame = pl.DataFrame(rows, schema=["replicas", *names], orient="row")
    figure, axes = new_figure()
    axes.plot(frame["replicas"], frame["common_half_ms"], label="the same arrivals")
    own = "arrivals of its own each"
    axes.plot(frame["replicas"], frame["independent_half_ms"], "--", label=own)
    axes.set_ylim(0)
    name_axes(axes, "replicas", "half of the 95 % interval of the difference (ms)")
    legend_below(figure, axes)
    _, mean, half, mean_apart, half_apart = rows[7]
    print(f"common_random_numbers: 10 replicas: {mean:.2f} ± {half:.2f} ms on common arrivals")
    print(f"common_random_numbers: 10 replicas: {mean_apart:.2f} ± {half_apart:.2f} ms on others")
    wider = frame.filter(pl.col("independent_half_ms") > half)["replicas"].max()
    print(f"common_random_numbers: as narrow from {wider + 1} replicas on")
    return figure, frame


def congestion_windows() -> Drawn:
    """The window of one flow under four congestion controls, behind one buffer."""
    figure, panels = new_panels(2, 2, (SIZE[0] * 1.2, SIZE[1] * 1.3))
    frames = []
    for axes, control in zip(panels, ("newreno", "cubic", "vegas", "bbr"), strict=True):
        line = sj.dumbbell(
            rate="20 Mbit/s",
            rtt="60 ms",
            queue=sj.queue.DropTail(limit="1 bdp"),
            flows=sj.tcp(control),
            duration="60 s",
            warmup="10 s",
            series="50 ms",
        )
        results = sj.run(line)
        link = results.links.filter(pl.col("link") == "bottleneck")
        used, delay = link.select("utilization", "queueing_delay_mean_s").row(0)
        shown = results.series("cwnd_packets").drop_nulls("value")
        axes.plot(shown["time_s"], shown["value"], color="#0072B2", linewidth=1)
        titled(axes, f"{control}: busy {100 * used:.0f} %, waits {1e3 * delay:.0f} ms")
        name_axes(axes, "time (s)", "window (segments)")
        frames.append(shown.select(pl.lit(control).alias("control"), "time_s", "value"))
    return figure, pl.concat(frames)


def changing_rate() -> Drawn:
    """What waits at a link that falls to a tenth of its rate, and what it sends afterwards."""
    names, (fall, back) = ("droptail", "pie", "codel", "fq_codel"), (20, 35)
    line = sj.dumbbell(
        rate="100 Mbit/s",
        rtt="40 ms",
        queue=sj.queue.DropTail(limit="1 bdp"),
        changes=[
            {"at": f"{fall} s", "rate": "10 Mbit/s"},
            {"at": f"{back} s", "rate": "100 Mbit/s"},
        ],
        flows=4 * sj.tcp("cubic"),
        duration="45 s",
        series="200 ms",
        vary={"dumbbell.bottleneck.queue.discipline": list(names)},
    )
    results = sj.run(line)
    bottleneck, time = pl.col("name") == "bottleneck", pl.col("time_s")
    rate = pl.when((time > fall) & (time <= back)).then(10e6).otherwise(100e6)
    value, size = pl.col("value"), 8 * 1512
    waits = (1e3 * value * size / rate).alias("waits_ms")
    waiting = results.series("queue_mean_packets").filter(bottleneck)
    sent = results.series("throughput_bps").filter(bottleneck)
    frame = waiting.select("point", "time_s", waits).join(
        sent.select("point", "time_s", (value / 1e6).alias("sent_mbps")), on=["point", "time_s"]
    )
    frame = frame.with_columns(pl.col("point").replace_strict(dict(enumerate(names))))
    frame = frame.filter(time > fall - 3)
    figure, (left, right) = new_panels(1, 2, (SIZE[0] * 1.3, SIZE[1]), share=False)
    for name in names:
        each, values = look(name), frame.filter(pl.col("point") == name)
        line_looks = {"color": each.colour, "label": each.label, "linewidth": 1.2}
        line_looks |= {"linestyle": each.line}
        shown = values.filter(time <= back)
        left.plot(shown["time_s"], shown["waits_ms"], **line_looks)
        shown = values.filter(time > back - 1)
        right.plot(shown["time_s"], shown["sent_mbps"], **line_looks)
        low = values.filter(time.is_between(fall + 0.1, back))
        high = values.filter((time > back + 0.1) & (pl.col("sent_mbps") > 95))
        drained_s, filled_s = last_above(low, 50) - fall, high["time_s"][0] - back
        print(
            f"changing-rate: {name}: {low['waits_ms'].max():.0f} ms at most, "
            f"below 50 ms after {drained_s:.1f} s, at 95 Mbit/s after {filled_s:.1f} s"
        )
    # Down to zero: below 1 ms in proportion, above by ratio.
    left.set_yscale("symlog", linthresh=1, linscale=0.4)
    left.set_ylim(bottom=0)
    ticks = [0, 1, 3, 10, 30, 100, 300]
    left.set_yticks(ticks, [str(tick) for tick in ticks])
    name_axes(left, "time (s)", "what waits (ms; linear up to 1)")
    name_axes(right, "time (s)", "sent (Mbit/s)")
    titled(left, "from 100 to 10 Mbit/s at 20 s")
    titled(right, "and back at 35 s")
    legend_below(figure, left)
    return figure, frame


def one_flow(vary: dict[str, list[Any]]) -> sj.Scenario:
    """One flow over 50 Mbit/s and 40 ms, with room for one bandwidth-delay product."""
    return sj.dumbbell(
        rate="50 Mbit/s",
        rtt="40 ms",
        queue=sj.queue.DropTail(limit="1 bdp"),
        flows=sj.tcp("newreno", name="tcp"),
        duration="120 s",
        warmup="20 s",
        replicas=8,
        vary=vary,
    )


def mean_goodputs(results: sj.Results) -> pl.DataFrame:
    """The mean goodput of each point's replicas of one flow, and its standard error."""
    goodput, replicas = pl.col("goodput_bps") / 1e6, pl.len().sqrt()
    return results.flows.group_by("point", maintain_order=True).agg(
        goodput.mean().alias("goodput_mbps"), (goodput.std() / replicas).alias("error_mbps")
    )


def draw_goodputs(axes: Axes, each: Look, at: pl.Series, values: pl.DataFrame) -> None:
    """A line with error bars through the goodputs at some abscissae."""
    axes.errorbar(
        at,
        values["goodput_mbps"],
        values["error_mbps"],
        color=each.colour,
        label=each.label,
        marker=each.marker,
        markersize=4,
        linewidth=1.2,
    )


def tell_goodputs(of: str, values: pl.DataFrame) -> None:
    """Print the goodputs of a line, for the text."""
    goodputs = ", ".join(f"{value:.1f}" for value in values["goodput_mbps"])
    print(f"{of}: {goodputs} Mbit/s")


def lossy_wire() -> Drawn:
    """What one flow gets over a wire that loses packets, by how many."""
    names, losses = ("newreno", "cubic", "westwood", "bbr"), [0.0003, 0.001, 0.003, 0.01, 0.03, 0.1]
    line = one_flow(
        {
            "flow.tcp.transport.congestion_control": list(names),
            "dumbbell.bottleneck.loss": losses,
        }
    )
    results = sj.run(line)
    told = pl.DataFrame(
        [(number, *point.values()) for number, point in enumerate(line.vary)],
        schema=["point", "congestion_control", "loss"],
        orient="row",
    )
    frame = told.join(mean_goodputs(results), on="point").drop("point")
    figure, axes = new_figure()
    for name, each in looks(names).items():
        values = frame.filter(congestion_control=name)
        draw_goodputs(axes, each, 100 * values["loss"], values)
        tell_goodputs(f"lossy-wire: {name}", values)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks([0.03, 0.1, 0.3, 1, 3, 10], ["0.03", "0.1", "0.3", "1", "3", "10"])
    axes.set_yticks([0.3, 1, 3, 10, 30], ["0.3", "1", "3", "10", "30"])
    name_axes(axes, "lost on the wire (%)", "goodput (Mbit/s)")
    legend_below(figure, axes)
    return figure, frame


def uneven_wire() -> Drawn:
    """What one flow gets over a wire whose delay varies, with and without reordering."""
    names, most_ms = ("newreno", "cubic", "bbr"), [0.5, 1, 2, 5, 10, 20, 40]
    line = one_flow(
        {
            "flow.tcp.transport.congestion_control": list(names),
            "dumbbell.bottleneck.reorders": [False, True],
            "dumbbell.bottleneck.jitter": [f"uniform(0 ms, {most} ms)" for most in most_ms],
        }
    )
    results = sj.run(line)
    told = pl.DataFrame(
        [(number, *list(point.values())[:2]) for number, point in enumerate(line.vary)],
        schema=["point", "congestion_control", "reorders"],
        orient="row",
    )
    told = told.with_columns(jitter_ms=pl.Series(most_ms * (len(line.vary) // len(most_ms))))
    frame = told.join(mean_goodputs(results), on="point").drop("point")
    figure, panels = new_panels(1, 2, (SIZE[0] * 1.3, SIZE[1]))
    for axes, reorders in zip(panels, (False, True), strict=True):
        for name, each in looks(names).items():
            values = frame.filter(congestion_control=name, reorders=reorders)
            draw_goodputs(axes, each, values["jitter_ms"], values)
            tell_goodputs(f"uneven-wire: {name}, reorders = {reorders}", values)
        axes.set_xscale("log")
        axes.set_xticks([0.5, 1, 2, 5, 10, 20, 40], ["0.5", "1", "2", "5", "10", "20", "40"])
        axes.set_ylim(0, 52)
        titled(axes, "packets overtake each other" if reorders else "packets keep their order")
    name_axes(panels[0], "longer by up to (ms)", "goodput (Mbit/s)")
    name_axes(panels[1], "longer by up to (ms)", "")
    legend_below(figure, panels[0])
    return figure, frame


def last_above(values: pl.DataFrame, waits_ms: float) -> float:
    """When so much waited for the last time."""
    above = values.filter(pl.col("waits_ms") > waits_ms)
    return float(above["time_s"][-1])


def completion_times() -> Drawn:
    """How long web transfers take on an access line, by their size, for four disciplines."""
    settings = {"transfers": True, "duration": "120 s", "replicas": 20}
    line = sj.Scenario.load("scenarios/access-line.toml", settings)
    figure = sj.run(line).plot("fct")
    return figure, figure.data


def unequal_round_trips() -> Drawn:
    """How two NewReno flows share, by the round trip of one: from the study `rfc7928`."""
    study = studies.find("rfc7928")
    settings = study.settle({})
    texts = study.scenarios(settings)
    results = {part: run_scenario(text, RunOptions()) for part, text in texts.items()}
    report = study.evaluate(results, settings)
    (shown,) = (one for one in report.figures if one.id == "rtt-fairness")
    return shown.draw(shown.frame), shown.frame


FIGURES: tuple[Callable[[], Drawn], ...] = (
    disciplines,
    averages,
    warm_up,
    common_random_numbers,
    congestion_windows,
    changing_rate,
    lossy_wire,
    uneven_wire,
    completion_times,
    unequal_round_trips,
)


def main() -> None:
    """Draw all figures, or those named."""
    drawn = {draw.__name__.replace("_", "-"): draw for draw in FIGURES}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="these alone")
    wanted = parser.parse_args().names
    if unknown := sorted(set(wanted) - set(drawn)):
        parser.error(f"found {', '.join(unknown)}; allowed: {', '.join(drawn)}")
    for name, draw in drawn.items():
        if not wanted or name in wanted:
            figure, frame = draw()
            save(figure, frame, FOLDER, name, formats=["png"])
            print(FOLDER / f"{name}.png")


if __name__ == "__main__":
    main()
