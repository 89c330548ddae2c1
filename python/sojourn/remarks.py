"""What is to be said about finished runs, beside their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sojourn.stats.alike import warnings as alike_warnings


def remarks(
    groups: Iterable[str],
    sent: Iterable[float | None],
    alike: set[int],
    vary: Sequence[Mapping[str, object]],
) -> list[str]:
    """Warn of what was not measured, and of replicas that do not differ.

    ``groups`` and ``sent`` are columns of the table of groups, ``alike`` as in ``Results``.
    """
    return [*_silent(groups, sent), *alike_warnings(alike, vary)]


def _silent(groups: Iterable[str], sent: Iterable[float | None]) -> list[str]:
    """Name the groups that sent nothing while it was measured, in any run."""
    packets: dict[str, float] = {}
    for group, count in zip(groups, sent, strict=True):
        packets[group] = packets.get(group, 0.0) + (count or 0.0)
    return [
        f"flow {group} sends nothing while it is measured: it ends before the warm-up does, or "
        "begins too late"
        for group, count in packets.items()
        if count == 0
    ]
