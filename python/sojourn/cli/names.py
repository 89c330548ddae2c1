"""Names of arguments, which are options here."""

from __future__ import annotations


def in_options(message: str) -> str:
    """Name the options in a message whose places are arguments of Python."""
    renamed = message.replace(": overrides: ", ": --set: ", 1)
    return renamed.replace(": trace_links: ", ": --trace-link: ", 1)
