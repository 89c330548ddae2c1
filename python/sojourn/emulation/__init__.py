"""Emulations: real programs with queues between them.

Two hosts (:mod:`.hosts`), each a process that makes its own network (:mod:`.host`), are joined by
what :mod:`.emulate` runs: the core takes their packets through the queues.
"""

from sojourn.emulation.emulate import Emulated, emulate, ending

__all__ = ["Emulated", "emulate", "ending"]
