"""Scenarios in Linux's words: tc and netem commands for their links."""
