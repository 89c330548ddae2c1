"""Replays: a capture or a table of arrivals through bare queues, open loop."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from sojourn import _core
from sojourn._core import Cancel
from sojourn.errors.arguments import as_path, kind_error
from sojourn.errors.brief import InputError, brief
from sojourn.files import parquet
from sojourn.files.whole import write_together
from sojourn.tables import BY_REASON
from sojourn.workers.threads import attended

OnRead = Callable[[int, int], None]
"""Told how many bytes of the file have been read, and how many it has."""


@dataclass(frozen=True)
class Replayed:
    """The frames of a replay; ``queue`` names the queue as it was asked for.

    - ``queues``: the metrics of a link, one row for each queue; ``end_s`` is when its last packet
      was gone
    - ``flows``: the metrics of flows, one row for each queue and flow
    - ``drops``: packets of each flow that were dropped or marked, by reason
    - ``series``: ``metric``, ``time_s`` (the end of an interval) and ``value``
    """

    capture: str
    packets: int
    bytes: int
    last_arrival_s: float
    queues: pl.DataFrame
    flows: pl.DataFrame
    drops: pl.DataFrame
    series: pl.DataFrame
    warnings: tuple[str, ...]

    def summary(self) -> dict[str, Any]:
        """Return the document that ``sojourn replay --json`` prints."""
        return {
            "sojourn": _core.__version__,
            "capture": self.capture,
            "packets": self.packets,
            "bytes": self.bytes,
            "last_arrival_s": self.last_arrival_s,
            "queues": {row.pop("queue"): row for row in self._rows(self.queues)},
            "flows": self._flow_rows(),
            "warnings": list(self.warnings),
        }

    def _rows(self, frame: pl.DataFrame) -> list[dict[str, Any]]:
        """Return rows with their drops and marks by reason."""
        keys = [key for key in ("queue", "flow") if key in frame.columns]
        counted = self.drops.group_by(*keys, "kind", "reason", maintain_order=True)
        reasons: dict[tuple[Any, ...], dict[str, int]] = {}
        for *key, kind, reason, packets in counted.agg(pl.col("packets").sum()).iter_rows():
            reasons.setdefault((*key, kind), {})[reason] = packets
        rows = frame.to_dicts()
        for row in rows:
            key = tuple(row[name] for name in keys)
            for kind, name in BY_REASON.items():
                row[name] = reasons.get((*key, kind), {})
        return rows

    def _flow_rows(self) -> dict[str, dict[str, Any]]:
        """Return the flows of each queue by name."""
        flows: dict[str, dict[str, Any]] = {name: {} for name in self.queues["queue"]}
        for row in self._rows(self.flows):
            flows[row.pop("queue")][row.pop("flow")] = row
        return flows

    def write(self, folder: str | Path) -> list[Path]:
        """Write the frames as Parquet and the summary as JSON; return the paths.

        Raises OSError, which names the file, and writes none then.
        """
        contents = {}
        for name in ("queues", "flows", "drops", "series"):
            contents[Path(folder) / f"{name}.parquet"] = parquet.packed(getattr(self, name))
        text = json.dumps(self.summary(), indent=1, ensure_ascii=False, allow_nan=False)
        contents[Path(folder) / "summary.json"] = f"{text}\n".encode(errors="replace")
        write_together(contents)
        return list(contents)


@brief
def replay(
    capture: str | Path,
    queues: str | Sequence[str],
    rate: str,
    *,
    delay: str = "0 s",
    overhead: str = "0 B",
    limit: str | None = None,
    seed: int = 1,
    series: str | None = None,
    flows: int = 1000,
    interface: str | None = None,
    partial: bool = False,
    progress: OnRead | None = None,
) -> Replayed:
    """Send the packets of a capture through queues, each in front of a link of its own.

    ``capture`` is pcap, pcapng, or CSV with a header ``time_s,size_B[,flow][,ecn]``. A queue is
    ``"discipline=codel,target=5 ms"``, or ``"codel,target=5 ms"``; one alone needs no list.
    ``limit`` is for all that name none. ``series`` is the interval of the series; by default about
    a thousand values remain. Beyond ``flows`` flows those that appear later are counted together,
    as ``others``.
    ``interface`` chooses among those of a pcapng file. ``partial`` takes a file that ends in the
    middle of a packet up to there.

    Raises :class:`sojourn.ScenarioError` where what is asked for or the file is wrong, with the
    packet and the byte where it stands, and :class:`sojourn.LedgerError` where the books do not
    balance.
    """
    capture = as_path("capture", capture)
    given: list[Any] = list(queues) if isinstance(queues, list | tuple) else [queues]
    if not all(isinstance(queue, str) for queue in given):
        raise kind_error("queues", queues, 'one or several texts, such as "codel"')
    queues = given
    if not isinstance(rate, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise kind_error("rate", rate, 'a rate such as "10 Mbit/s"')
    if not queues:
        raise InputError('queues: found none; allowed: one or several, such as "codel"')
    ready = _core.Replay(
        capture,
        queues,
        rate,
        delay=delay,
        overhead=overhead,
        limit=limit,
        seed=seed,
        series=series,
        flows=flows,
        interface=interface,
        partial=partial,
    )
    size = capture.stat().st_size
    cancel = Cancel()

    def look() -> None:
        if progress is not None and size > 0:
            progress(min(ready.read, size), size)

    return _frames(str(capture), attended(lambda: ready.run(cancel), cancel, look))


def _frames(capture: str, found: dict[str, Any]) -> Replayed:
    """Turn the tables of all queues into frames."""
    queues = found["queues"]
    return Replayed(
        capture=capture,
        packets=found["packets"],
        bytes=found["bytes"],
        last_arrival_s=found["last_arrival_s"],
        queues=_stack(_link(each) for each in queues),
        flows=_stack(_table(each["label"], "flow", each["flows"]) for each in queues),
        drops=_drops(queues),
        series=_series(queues),
        warnings=tuple(found["warnings"]),
    )


def _stack(frames: Any) -> pl.DataFrame:
    """Stack frames, with null where a value is undefined."""
    stacked = pl.concat(list(frames), how="diagonal")
    return stacked.with_columns(pl.selectors.float().fill_nan(None))


def _link(queue: dict[str, Any]) -> pl.DataFrame:
    columns = {name: values for name, values in queue["link"].items() if name != "name"}
    return pl.DataFrame({"queue": [queue["label"]], "end_s": [queue["end_s"]], **columns})


def _table(queue: str, entity: str, table: dict[str, Any]) -> pl.DataFrame:
    columns = {name: values for name, values in table.items() if name != "name"}
    names = pl.Series(entity, table["name"], dtype=pl.String)
    return pl.DataFrame({"queue": [queue] * len(names), entity: names, **columns})


def _drops(queues: list[dict[str, Any]]) -> pl.DataFrame:
    rows = [(each["label"], *row) for each in queues for row in each["drops"]]
    schema = {
        "queue": pl.String,
        "flow": pl.String,
        "kind": pl.String,
        "reason": pl.String,
        "packets": pl.Int64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def _series(queues: list[dict[str, Any]]) -> pl.DataFrame:
    frames = [
        pl.DataFrame(
            {
                "queue": pl.repeat(each["label"], len(values), eager=True, dtype=pl.String),
                "metric": pl.repeat(metric, len(values), eager=True, dtype=pl.String),
                "time_s": each["time_s"],
                "value": values,
            }
        )
        for each in queues
        for metric, values in each["series"].items()
    ]
    return _stack(frames)
