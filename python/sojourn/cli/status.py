"""Exit statuses; 0 is done, whatever was found."""

from __future__ import annotations

FAILED = 1
"""Something broke that is not the user's to mend, or an evidence check differs."""

WRONG_INPUT = 2
"""The user must mend something: an argument, a file, what is installed."""

INTERRUPTED = 130
"""Ctrl-C; what is finished is kept."""
