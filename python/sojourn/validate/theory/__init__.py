"""What theory expects of a discipline: closed forms, a module for each family.

``checks.toml`` names a function as ``module.function``. Each says where its formula is from; none
knows our code.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module


def function(name: str) -> Callable[..., float | list[float]]:
    """Return the function called ``module.function``.

    Raises AttributeError or ImportError where there is none.
    """
    module, _, function = name.partition(".")
    return getattr(import_module(f"{__name__}.{module}"), function)
