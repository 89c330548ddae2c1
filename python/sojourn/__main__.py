"""``python -m sojourn``."""

from sojourn.cli.main import main

if __name__ == "__main__":
    main()
