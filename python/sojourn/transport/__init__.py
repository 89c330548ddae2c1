"""Congestion controls: those of the registry, one class each, and the base class for your own."""

from sojourn.transport import registered
from sojourn.transport.control import CongestionControl

from .registered import *  # noqa: F403

__all__ = ["CongestionControl"]
__all__ += registered.__all__
