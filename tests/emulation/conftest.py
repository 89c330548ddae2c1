"""Lets the tests of emulation share a module."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
