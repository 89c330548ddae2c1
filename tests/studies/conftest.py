"""The synthetic frames, as a fixture."""

import importlib.util
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def synthetic():
    """The module `synthetic.py`."""
    name = "sojourn_tests_synthetic"
    if name not in sys.modules:
        path = Path(__file__).with_name("synthetic.py")
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]
