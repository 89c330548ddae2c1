"""Code of the user: disciplines, congestion controls and hooks that are written in Python."""
