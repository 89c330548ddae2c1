"""What the options of several programs here have in common."""

import argparse


def at_least_one(word: str) -> int:
    """A number of runs. Raises argparse's error for what is none."""
    if not word.isdecimal() or int(word) < 1:
        raise argparse.ArgumentTypeError(f"found {word!r}; allowed: a whole number from 1 on")
    return int(word)
