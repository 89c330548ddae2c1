"""Figures 3 to 15, redrawn, with SFQ's missing one, and the measures against the load."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import polars as pl

from sojourn.plots import against_load, lines_over_time
from sojourn.plots.against_load import LoadFigure
from sojourn.plots.lines_over_time import Strand, TimeFigure
from sojourn.plots.looks import look
from sojourn.studies import over_time as series
from sojourn.studies.base import FigureData, Frames
from sojourn.studies.four_aqms import measures, scenario
from sojourn.studies.four_aqms.evidence import Evidence
from sojourn.studies.four_aqms.measures import DISCIPLINES, MEASURES
from sojourn.studies.judging import label
from sojourn.studies.tables import figure_text

PANELS = {name: label(name) for name in DISCIPLINES}

ONE_RUN = " One replica, the first."
BANDS = " Mean over all replicas with 95 % intervals."

TCP_COLOUR, CBR_COLOUR = "#0072B2", "#D55E00"

SHOWN_S = 40.0
"""Windows are shown up to here."""

BIN_S = 5.0
"""Losses are counted over bins of this length."""

WINDOWS = {
    f"tcp.{k}": Strand(f"TCP {k}", colour, width=1.1, alpha=0.85)
    for k, colour in enumerate(("#0072B2", "#D55E00", "#009E73", "#B0529B", "#8C6D1F", "#6B6B6B"))
}
"""The six windows."""

RATES = {
    "tcp": Strand("TCP, over each half second", "#8FC1DF", width=0.8),
    "cbr": Strand("CBR, over each half second", "#EBB38F", width=0.8),
    "all average": Strand("all, average since the start", "#444444", width=1.8),
    "tcp average": Strand("TCP, average since the start", TCP_COLOUR, width=1.8),
    "cbr average": Strand("CBR, average since the start", CBR_COLOUR, width=1.8),
}
"""The lines of the throughput: the publication draws both kinds for all senders together."""

DELAYS = {f"tcp.{k}": Strand("TCP flows", TCP_COLOUR, width=1.2) for k in range(6)} | {
    f"cbr.{k}": Strand("CBR flows", CBR_COLOUR, (0, (4, 1.5)), width=1.4) for k in range(2)
}

BY_DISCIPLINE = {
    name: Strand(label(name), look(name).colour, look(name).line, 1.8) for name in DISCIPLINES
}


def disciplines(run: Frames) -> pl.DataFrame:
    """Point and the panel it is drawn in."""
    return measures.points(run.points).rename({"discipline": "panel"})


def panelled(run: Frames, frame: pl.DataFrame) -> pl.DataFrame:
    """A series with its panel, and its name as the line."""
    joined = frame.join(disciplines(run), on="point", maintain_order="left")
    return joined.rename({"name": "line"}).select("panel", "line", "time_s", "value")


def last_values(frame: pl.DataFrame, unit: str) -> str:
    """The last value of each line of each panel, or of each line, in words."""
    last = frame.drop_nulls("value").sort("time_s").group_by("panel", maintain_order=True).last()
    texts = {row["panel"]: figure_text(row["value"]) for row in last.iter_rows(named=True)}
    return ", ".join(f"{label(name)} {texts[name]} {unit}" for name in DISCIPLINES if name in texts)


def throughput(run: Frames) -> FigureData:
    """Figures 3 to 5: throughput over half seconds and since the start, by class and of all."""
    flows = series.of_replica(run, "throughput_bps").filter(
        pl.col("name").str.contains(r"^(tcp|cbr)\.\d+$")
    )
    by_class = flows.with_columns(pl.col("name").str.head(3))
    rates = pl.concat([by_class, flows.with_columns(pl.lit("all").alias("name"))])
    summed = rates.group_by("point", "name", "time_s", maintain_order=True).agg(
        pl.col("value").sum() / 1e6
    )
    averages = series.running_mean(summed).with_columns(pl.col("name") + " average")
    instant = summed.filter(pl.col("name") != "all")
    frame = panelled(run, pl.concat([instant, averages.select(instant.columns)]))
    ends = "; ".join(
        f"{name}: {last_values(frame.filter(pl.col('line') == f'{line} average'), 'Mbit/s')}"
        for name, line in (("all", "all"), ("TCP", "tcp"), ("CBR", "cbr"))
    )
    return FigureData(
        id="fig3-throughput",
        title="Figures 3 to 5: throughput over time",
        caption="Bits received per second, headers included. The publication has no such figure "
        "of SFQ, and does not tell the classes apart." + ONE_RUN,
        alt=f"Throughput over time, one panel per discipline. Averages at the end: {ends}.",
        frame=frame,
        draw=partial(lines_over_time.draw, what=TimeFigure("Throughput (Mbit/s)", RATES, PANELS)),
    )


def windows(run: Frames) -> FigureData:
    """Figures 6 to 9: the congestion window of each TCP sender."""
    early = series.of_replica(run, "cwnd_packets").filter(pl.col("time_s") <= SHOWN_S)
    frame = panelled(run, early)
    means = frame.group_by("panel", maintain_order=True).agg(pl.col("value").mean(), time_s=0.0)
    return FigureData(
        id="fig6-cwnd",
        title="Figures 6 to 9: congestion windows over time",
        caption="Window of each TCP sender, sampled every half second, over the first "
        f"{SHOWN_S:g} s, so that single windows can be followed.{ONE_RUN}",
        alt="Six congestion windows over time, one panel per discipline. Means: "
        + last_values(means, "packets")
        + ".",
        frame=frame,
        draw=partial(
            lines_over_time.draw, what=TimeFigure("Congestion window (packets)", WINDOWS, PANELS)
        ),
    )


def delays(run: Frames) -> FigureData:
    """Figures 10 to 13: the end-to-end delay of each flow."""
    raw = series.of_replica(run, "delay_mean_s").with_columns(pl.col("value") * 1e3)
    frame = panelled(run, series.running_mean(raw))
    tcp = frame.filter(pl.col("line").str.starts_with("tcp"))
    cbr = frame.filter(pl.col("line").str.starts_with("cbr"))
    return FigureData(
        id="fig10-delay",
        title="Figures 10 to 13: end-to-end delay of each flow over time",
        caption="Mean since the start of the means of half seconds, of each flow." + ONE_RUN,
        alt="End-to-end delay over time, one panel per discipline. At the end, a TCP flow: "
        f"{last_values(tcp, 'ms')}; a CBR flow: {last_values(cbr, 'ms')}.",
        frame=frame,
        draw=partial(
            lines_over_time.draw, what=TimeFigure("Average end-to-end delay (ms)", DELAYS, PANELS)
        ),
    )


def delay_of_all(run: Frames) -> FigureData:
    """Figure 14: the end-to-end delay of all packets, a line per discipline."""
    bins = ["point", "replica", "time_s"]
    keys = [*bins, "name"]
    delay = run.series("delay_mean_s").select(*keys, "value")
    rate = run.series("throughput_bps").select(*keys, pl.col("value").alias("rate"))
    size = pl.when(pl.col("name").str.starts_with("tcp")).then(scenario.TCP_PACKET_BYTES)
    packets = pl.col("rate") / size.otherwise(scenario.CBR_PACKET_BYTES)
    weighed = delay.join(rate, on=keys).drop_nulls("value").with_columns(packets.alias("packets"))
    sums, counts = (
        series.binned(weighed.select(*bins, value=one), BIN_S)
        for one in (pl.col("value") * pl.col("packets"), pl.col("packets"))
    )
    both = sums.join(counts, on=bins, maintain_order="left")
    means = both.select(*bins, pl.col("value") / pl.col("value_right"))
    frame = lines_by_discipline(run, means, 1e3)
    return FigureData(
        id="fig14-delay",
        title="Figure 14: end-to-end delay of all disciplines over time",
        caption="Mean of all packets delivered, over bins of 5 s." + BANDS,
        alt="Mean end-to-end delay over time, a line per discipline. At the end: "
        + last_values(frame.with_columns(panel=pl.col("line")), "ms")
        + ".",
        frame=frame,
        draw=partial(
            lines_over_time.draw,
            what=TimeFigure("Average end-to-end delay (ms)", BY_DISCIPLINE, {"all": ""}),
        ),
    )


def lines_by_discipline(run: Frames, binned: pl.DataFrame, factor: float = 1.0) -> pl.DataFrame:
    """A series of every replica over bins, with bands, a line per discipline."""
    scaled = binned.with_columns(pl.col("value") * factor)
    named = scaled.join(disciplines(run), on="point", maintain_order="left")
    bands = series.band(named.rename({"panel": "line"}), ["line"])
    return bands.with_columns(pl.lit("all").alias("panel")).select(
        "panel", "line", "time_s", "value", "low", "high"
    )


def loss(run: Frames) -> FigureData:
    """Figure 15: packets lost per second."""
    raw = (
        run.series("drops_packets")
        .filter(pl.col("name") == "bottleneck")
        .select("point", "replica", "time_s", "value")
    )
    times = raw["time_s"].unique().sort()
    interval = float(times[1] - times[0])
    frame = lines_by_discipline(run, series.binned(raw, BIN_S), 1 / interval)
    return FigureData(
        id="fig15-loss",
        title="Figure 15: loss rate over time",
        caption="Packets dropped at the bottleneck per second, over bins of 5 s." + BANDS,
        alt="Packets lost per second over time, a line per discipline. At the end: "
        + last_values(frame.with_columns(panel=pl.col("line")), "packets/s")
        + ".",
        frame=frame,
        draw=partial(
            lines_over_time.draw,
            what=TimeFigure("Packets lost per second", BY_DISCIPLINE, {"all": ""}),
        ),
    )


def red_queue(run: Frames) -> FigureData:
    """RED's queue beside the average it acts on."""
    strands = {
        "queue_packets": Strand("queue", "#9DB7D1", width=0.9),
        "avg": Strand("RED's average", "#0072B2", width=2.0),
    }
    parts = [
        series.of_replica(run, metric)
        .filter(pl.col("name") == "bottleneck")
        .with_columns(pl.lit(metric).alias("name"))
        for metric in strands
    ]
    frame = panelled(run, pl.concat(parts)).filter(pl.col("panel") == "red")
    average = frame.filter(pl.col("line") == "avg")["value"].mean()
    return FigureData(
        id="red-queue",
        title="RED's queue and its average",
        caption="What RED sees is the average; the queue runs ahead of it." + ONE_RUN,
        alt=f"RED's queue and average queue over time; the average's mean is "
        f"{figure_text(float(average)) if isinstance(average, float) else '-'}.",
        frame=frame,
        draw=partial(lines_over_time.draw, what=TimeFigure("Packets", strands, PANELS)),
    )


LOAD_FIGURES = {
    "load-tcp": ("tcp_mbps", "Goodput of the six TCP flows against the CBR load"),
    "load-cbr": ("cbr_mbps", "Goodput of the two CBR flows against their load"),
    "load-loss": ("loss_percent", "Loss ratio against the CBR load"),
    "load-delay": ("delay_ms", "End-to-end delay against the CBR load"),
    "load-fairness": ("jain", "Fairness against the CBR load"),
}
"""Figures beyond the publication's: the load that it leaves open."""


def against_the_load(evidence: Evidence, id_: str, column: str, title: str) -> FigureData:
    """One measure against the rate of the CBR senders."""
    rows: list[dict[str, object]] = []
    for discipline in DISCIPLINES:
        for text, reading in evidence.loads.items():
            one = reading.intervals(column, (discipline,))[discipline]
            rows.append(
                {
                    "discipline": discipline,
                    "load": 2 * scenario.bits(text) / 1e6,
                    "mean": one.mean,
                    "low": one.low,
                    "high": one.high,
                }
            )
    numbers = dict.fromkeys(("load", "mean", "low", "high"), pl.Float64)
    schema: Mapping[str, type[pl.DataType]] = {"discipline": pl.String} | numbers
    frame = pl.DataFrame(rows, schema=schema)
    measure = MEASURES[column]
    of = f" of {measure.of}" if measure.of != "all" else ""
    last = frame.filter(pl.col("load") == frame["load"].max())
    ends = ", ".join(
        f"{label(row['discipline'])} {figure_text(row['mean'])}"
        for row in last.iter_rows(named=True)
    )
    return FigureData(
        id=id_,
        title=title,
        caption="Not in the publication, which does not give the rate of its CBR senders." + BANDS,
        alt=f"{measure.heading}{of} against the sum of the CBR rates; at the highest: {ends}.",
        frame=frame,
        draw=partial(
            against_load.draw,
            what=LoadFigure(
                y_label=f"{measure.title}{of}{f' ({measure.unit})' * bool(measure.unit)}",
                x_label="Rate of the two CBR senders together (Mbit/s)",
                capacity=scenario.BOTTLENECK_BPS / 1e6,
            ),
        ),
    )


def figures(evidence: Evidence) -> tuple[FigureData, ...]:
    """All figures, in the order of the publication; then those against the load."""
    run = evidence.run
    return (
        throughput(run),
        windows(run),
        delays(run),
        delay_of_all(run),
        loss(run),
        red_queue(run),
        *(
            against_the_load(evidence, id_, column, title)
            for id_, (column, title) in LOAD_FIGURES.items()
        ),
    )
