"""What the shell completes beyond commands and options."""

from __future__ import annotations

from sojourn import registries


def disciplines_like(incomplete: str) -> list[str]:
    """The disciplines whose names begin so."""
    return [name for name in registries.entries("disciplines") if name.startswith(incomplete)]


def studies_like(incomplete: str) -> list[str]:
    """The studies whose names begin so."""
    from sojourn import studies

    return [name for name in (*studies.names(), "all") if name.startswith(incomplete)]
