"""What bare queues made of packets from outside, as frames: replays and emulations have them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from sojourn.files import parquet
from sojourn.files.whole import write_together
from sojourn.tables import BY_REASON
from sojourn.workers.forks import note_process


@dataclass(frozen=True, kw_only=True)
class OpenLoop:
    """Frames about bare queues; ``queue`` names the queue as it was asked for.

    - ``queues``: the metrics of a link, one row for each queue; ``end_s`` is when its last packet
      was gone
    - ``flows``: the metrics of flows, one row for each queue and flow
    - ``drops``: packets of each flow that were dropped or marked, by reason
    - ``series``: ``metric``, ``time_s`` (the end of an interval) and ``value``
    """

    queues: pl.DataFrame
    flows: pl.DataFrame
    drops: pl.DataFrame
    series: pl.DataFrame
    warnings: tuple[str, ...]

    def summary(self) -> dict[str, Any]:
        """Return the document that ``--json`` prints."""
        return {
            "queues": {row.pop("queue"): row for row in self._rows(self.queues)},
            "flows": self._flow_rows(),
            "warnings": list(self.warnings),
        }

    def _rows(self, frame: pl.DataFrame) -> list[dict[str, Any]]:
        """Return rows with their drops and marks by reason."""
        note_process()
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


def frames(queues: Sequence[dict[str, Any]]) -> dict[str, pl.DataFrame]:
    """Turn the tables of all queues into the frames of :class:`OpenLoop`, by name."""
    note_process()
    return {
        "queues": _stack(_link(each) for each in queues),
        "flows": _stack(_table(each["label"], "flow", each["flows"]) for each in queues),
        "drops": _drops(queues),
        "series": _series(queues),
    }


def _stack(frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Stack frames, with null where a value is undefined."""
    stacked = pl.concat(list(frames), how="diagonal")
    return stacked.with_columns(pl.selectors.float().fill_nan(None))


def _link(queue: dict[str, Any]) -> pl.DataFrame:
    columns = {name: values for name, values in queue["link"].items() if name != "name"}
    return pl.DataFrame({"queue": [queue["label"]], "end_s": [queue["end_s"]], **columns})


def _table(queue: str, entity: str, table: dict[str, Any]) -> pl.DataFrame:
    columns = {name: values for name, values in table.items() if name != "name"}
    names = pl.Series(entity, table["name"], dtype=pl.String)
    # Without a type a column of no rows would be of none, which goes with no other.
    queues = pl.repeat(queue, len(names), eager=True, dtype=pl.String)
    return pl.DataFrame({"queue": queues, entity: names, **columns})


def _drops(queues: Sequence[dict[str, Any]]) -> pl.DataFrame:
    rows = [(each["label"], *row) for each in queues for row in each["drops"]]
    schema = {
        "queue": pl.String,
        "flow": pl.String,
        "kind": pl.String,
        "reason": pl.String,
        "packets": pl.Int64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def _series(queues: Sequence[dict[str, Any]]) -> pl.DataFrame:
    stacked = [
        pl.DataFrame(
            {
                "queue": pl.repeat(each["label"], len(values), eager=True, dtype=pl.String),
                "metric": pl.repeat(metric, len(values), eager=True, dtype=pl.String),
                "time_s": pl.Series(each["time_s"], dtype=pl.Float64),
                "value": pl.Series(values, dtype=pl.Float64),
            }
        )
        for each in queues
        for metric, values in each["series"].items()
    ]
    return _stack(stacked)
