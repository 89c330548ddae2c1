"""Disciplines side by side on one ad-hoc bottleneck: what ``sojourn compare`` asks and answers."""
