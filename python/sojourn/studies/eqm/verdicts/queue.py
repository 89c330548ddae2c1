"""Verdicts on the mean queue: Fig. 2 and Table III, row 1."""

from __future__ import annotations

from sojourn.studies.eqm.verdicts.common import Rule, cells, order

RULES: dict[str, Rule] = {
    "queue-least-eqm": order("queue-least-eqm", "queue", "all", "eqm", "lowest", "queue"),
    "queue-most-red": order("queue-most-red", "queue", "all", "red", "highest", "queue"),
    "queue-cells": cells("queue-cells", "queue", "queue", ("all", "above")),
}
