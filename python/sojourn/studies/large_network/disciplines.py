"""The disciplines that the paper compares, with its parameters, on ns-3's defaults and ways."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PUBLISHED = ("droptail", "pfifo_fast", "red", "codel")
"""What the paper compares in both networks, in its order."""

DISCIPLINES = ("droptail", "pfifo_fast", "red", "ared", "codel")
"""All that the study runs there: the abstract names ARED too."""

ADAPTIVE = ("red", "ared")
"""What the paper compares over queue limits."""

SWEPT = ("red", "ared", "ared_th", "droptail")
"""What the study runs there: ARED with RED's thresholds, and drop-tail as the yardstick."""

MEAN_PACKET = "564 B"

THRESHOLDS: Mapping[str, Any] = {"min_th": "20 packets", "max_th": "80 packets", "w_q": 0.002}
"""The thresholds of Tables 1 and 2, with ns-3's weight."""

TABLES: Mapping[str, Mapping[str, Any]] = {
    "droptail": {"discipline": "droptail"},
    "pfifo_fast": {"discipline": "pfifo_fast"},
    "red": {"discipline": "red", **THRESHOLDS, "max_p": 0.02, "mean_packet": MEAN_PACKET},
    "ared": {"discipline": "ared", "mean_packet": MEAN_PACKET},
    "ared_th": {"discipline": "ared", **THRESHOLDS, "mean_packet": MEAN_PACKET},
    "codel": {"discipline": "codel"},
}
"""The queue of each, as a scenario file has it."""


def tables(names: tuple[str, ...], ared: str) -> dict[str, dict[str, Any]]:
    """The queues of these disciplines; `ared` says which ARED goes by that name."""
    found = {name: dict(TABLES[name]) for name in names}
    if ared == "thresholds" and "ared" in found:
        found["ared"] = dict(TABLES["ared_th"])
    return found
