"""``python -m sojourn``."""

from sojourn.cli.main import program

if __name__ == "__main__":
    program()
