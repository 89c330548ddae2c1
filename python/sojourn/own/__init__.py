"""The user's code: disciplines, congestion controls and hooks that are written in Python."""
