"""All kinds of figures of an experiment, one entry each."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

from sojourn.errors.arguments import repr_of
from sojourn.experiments.quantity import Quantity
from sojourn.files.written import record
from sojourn.plots import (
    against_load,
    completion_times,
    delay_cdf,
    delay_goodput,
    drop_probability,
    drops,
    fairness,
    heat_map,
    over_time,
    ranks,
    side_by_side,
)
from sojourn.plots.choice import NO_RUN, PlotError, case_of, link_of, same_arrivals
from sojourn.plots.plot import Plot
from sojourn.plots.style import headed
from sojourn.results import Results


def queue(
    results: Results, *, link: str | None = None, case: int | None = None, replica: int = 0
) -> Plot:
    """The queue of a link over time."""
    metric = "queue_packets"
    frame = over_time.gather(results, metric, "link", name=link, case=case, replica=replica)
    subtitle = _at(results, link), _drawn(results, case, replica)
    return _with(over_time.draw(frame, metric), frame, *subtitle)


def delay(
    results: Results, *, flow: str | None = None, case: int | None = None, replica: int = 0
) -> Plot:
    """The one-way delay of flows over time."""
    return _of_flows(results, "delay_mean_s", flow, case, replica)


def throughput(
    results: Results, *, flow: str | None = None, case: int | None = None, replica: int = 0
) -> Plot:
    """The throughput of flows over time."""
    return _of_flows(results, "throughput_bps", flow, case, replica)


def cwnd(
    results: Results, *, flow: str | None = None, case: int | None = None, replica: int = 0
) -> Plot:
    """The congestion window of TCP flows over time."""
    return _of_flows(results, "cwnd_packets", flow, case, replica)


def cdf(
    results: Results, *, link: str | None = None, flow: str | None = None, case: int | None = None
) -> Plot:
    """The distribution of delay: of a link's queue, or one-way of flows."""
    frame = delay_cdf.gather(results, link=link, flow=flow, case=case)
    label = delay_cdf.QUEUEING if flow is None else delay_cdf.ONE_WAY
    place = _at(results, link) if flow is None else f"Flows: {flow}"
    return _with(delay_cdf.draw(frame, label), frame, place, _drawn(results, case))


def fct(
    results: Results, *, of: str | None = None, flow: str | None = None, case: int | None = None
) -> Plot:
    """Completion times of transfers by their size, or their slowdown."""
    frame = completion_times.gather(results, of=of, flow=flow, case=case)
    whose = "" if flow is None else f"Flows: {flow}"
    apart = completion_times.left_out(results, flow=flow, case=case)
    return _with(completion_times.draw(frame), frame, whose, _drawn(results, case), apart)


def series(
    results: Results,
    *,
    of: str | None = None,
    link: str | None = None,
    flow: str | None = None,
    case: int | None = None,
    replica: int = 0,
) -> Plot:
    """Any time series of a link or of flows, such as an inner variable of a discipline."""
    if of is None:
        known = results.time_series["metric"].unique().sort()
        raise PlotError(f"a series has a name, --of NAME; there are: {', '.join(known) or 'none'}")
    of_links = results.series(of)["entity"].eq("link").any() and flow is None
    entity, name = ("link", link) if of_links else ("flow", flow)
    frame = over_time.gather(results, of, entity, name=name, case=case, replica=replica)
    place = _at(results, link) if entity == "link" else ""
    subtitle = place, _drawn(results, case, replica), over_time.limits(frame)
    return _with(over_time.draw(frame, of), frame, *subtitle)


def goodput(results: Results, *, link: str | None = None, case: int | None = None) -> Plot:
    """Delay against goodput of all flows, with 1-sigma ellipses (RFC 7928 prints 1-epsilon)."""
    frame = delay_goodput.gather(results, link=link, case=case)
    subtitle = _at(results, link), _drawn(results, case)
    return _with(delay_goodput.draw(frame), frame, *subtitle)


def load(results: Results, *, of: str | None = None, x: str | None = None) -> Plot:
    """A metric against a factor that varies, with 95 % bands."""
    quantity = _quantity(results, of)
    frame, what = against_load.gather(results, quantity, x=x)
    _demand_values(frame, quantity)
    return _with(against_load.draw(frame, what), frame)


def compare(results: Results, *, of: str | None = None, case: int | None = None) -> Plot:
    """A metric of everything that is compared, with 95 % intervals."""
    frame = side_by_side.gather(results, of or _quantity(results, None), case=case)
    return _with(side_by_side.draw(frame), frame, _drawn(results, case))


def jain(results: Results, *, flow: str | None = None, case: int | None = None) -> Plot:
    """Fairness: Jain's index, and the goodput of each flow."""
    frame = fairness.gather(results, flow=flow, case=case)
    whose = "All flows" if flow is None and len(set(results.flows["group"])) > 1 else ""
    whose = whose if flow is None else f"Flows: {flow}"
    return _with(fairness.draw(frame), frame, whose, _drawn(results, case))


def reasons(results: Results, *, link: str | None = None, case: int | None = None) -> Plot:
    """Drops and marks of a link by reason."""
    frame = drops.gather(results, link=link, case=case)
    return _with(drops.draw(frame), frame, _at(results, link), _drawn(results, case))


def probability(
    results: Results, *, link: str | None = None, case: int | None = None, replica: int = 0
) -> Plot:
    """Drop probability over time and against the queue."""
    frame = drop_probability.gather(results, link=link, case=case, replica=replica)
    drawn = _drawn(results, case, replica)
    subtitle = _at(results, link), drawn, drop_probability.limits(frame)
    return _with(drop_probability.draw(frame), frame, *subtitle)


def heatmap(
    results: Results, *, of: str | None = None, x: str | None = None, y: str | None = None
) -> Plot:
    """A metric over two factors."""
    quantity = _quantity(results, of)
    frame = heat_map.gather(results, quantity, x=x, y=y)
    _demand_values(frame, quantity)
    names = heat_map.axis_names(results, x, y)
    figure = heat_map.draw(frame, quantity.rpartition(".")[2], names)
    return _with(figure, frame, heat_map.averaged(results, x, y))


def ranking(
    results: Results, *, of: str | None = None, link: str | None = None, case: int | None = None
) -> Plot:
    """Ranks in several metrics side by side."""
    frame = ranks.gather(results, of=of, link=link, case=case)
    return _with(ranks.draw(frame), frame, _drawn(results, case))


@dataclass(frozen=True)
class Kind:
    """A kind of figure: its name, its title, what draws it, and the key of a scenario by which
    runs record what it shows, where tables of metrics do not have it."""

    name: str
    title: str
    draw: Callable[..., Plot]
    needs: Literal["series", "transfers"] | None = None

    @property
    def meaning(self) -> str:
        """What it shows."""
        return inspect.getdoc(self.draw) or ""

    @property
    def options(self) -> list[str]:
        """The options that it takes."""
        return [name for name in inspect.signature(self.draw).parameters if name != "results"]


KINDS = {
    one.name: one
    for one in (
        Kind("queue", "Queue over time", queue, needs="series"),
        Kind("delay", "Delay over time", delay, needs="series"),
        Kind("throughput", "Throughput over time", throughput, needs="series"),
        Kind("cwnd", "Congestion windows over time", cwnd, needs="series"),
        Kind("series", "A variable over time", series, needs="series"),
        Kind("cdf", "Distribution of delay", cdf),
        Kind("fct", "Completion times by size", fct, needs="transfers"),
        Kind("delay-goodput", "Delay against goodput", goodput),
        Kind("load", "Against load", load),
        Kind("compare", "Side by side", compare),
        Kind("fairness", "Fairness", jain),
        Kind("drops", "Drops and marks by reason", reasons),
        Kind("probability", "Drop probability", probability, needs="series"),
        Kind("heatmap", "Over two factors", heatmap),
        Kind("ranking", "Ranks", ranking),
    )
}
"""All kinds, by name."""


NUMBERS = ("case", "replica")
"""Options that are whole numbers; the others are names."""


def plot(results: Results, kind: str, **options: object) -> Plot:
    """Draw a kind of figure.

    Options that are None count as not given. Raises PlotError for an unknown kind or option, and
    where the experiment has not what the figure shows.
    """
    if kind not in KINDS:
        raise PlotError(f"found the figure {kind!r}; allowed: {', '.join(KINDS)}")
    given = {name: value for name, value in options.items() if value is not None}
    unknown = [name for name in given if name not in KINDS[kind].options]
    if unknown:
        allowed = ", ".join(KINDS[kind].options)
        raise PlotError(f"found the option {unknown[0]!r}; {kind} takes {allowed}")
    for name, value in given.items():
        wanted, words = (int, "a whole number") if name in NUMBERS else (str, "a name")
        if not isinstance(value, wanted):
            raise PlotError(f"{name}: found {repr_of(value)}; allowed: {words}")
    if results.runs.is_empty():
        raise PlotError(NO_RUN)
    try:
        return KINDS[kind].draw(results, **given)
    except PlotError:
        raise
    except ValueError as error:
        # A quantity that the experiment does not have.
        raise PlotError(str(error)) from None


def possible(results: Results) -> dict[str, Plot]:
    """All kinds of figures that the experiment has the data for, drawn, by name."""
    drawn: dict[str, Plot] = {}
    for kind in KINDS:
        with suppress(PlotError):
            drawn[kind] = plot(results, kind)
    return drawn


def draw_all(results: Results, folder: Path) -> list[Path]:
    """Write all of them into ``folder``; return the paths. Raises OSError.

    Those that it wrote there before and does not write now are of another experiment: they go.
    """
    drawn = possible(results)
    paths = [path for kind, one in drawn.items() for path in one.save(folder / kind).values()]
    record(folder, paths)
    return paths


def _of_flows(
    results: Results, metric: str, flow: str | None, case: int | None, replica: int
) -> Plot:
    frame = over_time.gather(results, metric, "flow", name=flow, case=case, replica=replica)
    subtitle = _drawn(results, case, replica), over_time.limits(frame)
    return _with(over_time.draw(frame, metric), frame, *subtitle)


def _quantity(results: Results, of: str | None) -> str:
    """The quantity asked for; by default the mean queueing delay where packets wait longest."""
    quantity = of or f"links.{link_of(results, None)}.queueing_delay_mean_s"
    return str(Quantity.read(quantity, results.scenario))


def _demand_values(frame: pl.DataFrame, quantity: str) -> None:
    """Raise PlotError where a quantity is defined nowhere: its figure would be empty."""
    if frame["mean"].drop_nulls().is_empty():
        raise PlotError(f"{quantity} has no value at any point of the figure")


def _at(results: Results, link: str | None) -> str:
    """Which link is drawn; empty where it is the only one, or called what it is."""
    name = link_of(results, link)
    is_told = name == "bottleneck" or results.links["link"].n_unique() == 1
    return "" if is_told else f"Link: {name}"


def _drawn(results: Results, case: int | None, replica: int | None = None) -> str:
    """Which case is drawn, and which replica, in the words of a report; empty where all are."""
    chosen = case_of(results, case)
    parts = [f"Case: {chosen.title}"] if chosen.title else []
    if replica is not None:
        for_all = same_arrivals(results, chosen)
        parts.append(f"{'one' if parts else 'One'} replica ({replica}){for_all}")
    return "; ".join(parts)


def _with(figure: Plot, frame: pl.DataFrame, *told: str) -> Plot:
    first, *rest = [*filter(None, told)] or [""]
    headed(figure, "; ".join([first, *(one[0].lower() + one[1:] for one in rest)]))
    figure.data = frame
    return figure
