"""Flows of which nothing was measured: all that they sent, they sent before."""

from __future__ import annotations

from collections.abc import Iterable


def silent_warnings(groups: Iterable[str], sent: Iterable[float | None]) -> list[str]:
    """Name the groups that sent nothing while it was measured, in any run.

    ``groups`` and ``sent`` are columns of the table of groups.
    """
    packets: dict[str, float] = {}
    for group, count in zip(groups, sent, strict=True):
        packets[group] = packets.get(group, 0.0) + (count or 0.0)
    return [
        f"flow {group} sends nothing while it is measured: it ends before the warm-up does, or "
        "begins too late"
        for group, count in packets.items()
        if count == 0
    ]
