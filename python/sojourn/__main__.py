"""The program: ``sojourn``, and ``python -m sojourn``."""

import signal
import sys


def program() -> None:
    """Run it. Ctrl-C is heard in one word while it is still imported too."""
    try:
        from sojourn.cli.main import program as run

        run()
    except KeyboardInterrupt:
        # It may come twice, as `timeout` sends it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    program()
