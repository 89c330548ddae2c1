"""Errors that say by themselves what is wrong, without the way on which Sojourn came to them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from sojourn._core import ScenarioError, UserCodeError

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class InputError(ValueError):
    """Something that a user wrote cannot be taken; the text says what was found and is allowed."""


class KindError(TypeError):
    """An argument of another kind than those allowed; the text says which they are."""


SAY_ALL = (InputError, KindError, ScenarioError, UserCodeError)
"""Errors whose text is all that helps: that of :class:`UserCodeError` has the user's traceback."""


def brief(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Leave what goes on inside a public function out of the tracebacks of such errors."""

    @wraps(function)
    def called(*args: Given.args, **keys: Given.kwargs) -> Answer:
        __tracebackhide__ = True  # pytest then leaves this frame out too.
        try:
            return function(*args, **keys)
        except SAY_ALL as error:
            raise error.with_traceback(None) from None

    return called
