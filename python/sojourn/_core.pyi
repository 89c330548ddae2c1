"""The compiled half of Sojourn (crates/py)."""

from os import PathLike
from typing import Any

__version__: str

class ScenarioError(ValueError):
    """What is wrong with a scenario, and where."""

class LedgerError(RuntimeError):
    """The books of a run do not balance."""

class Cancelled(RuntimeError):
    """The run was cancelled."""

class Cancel:
    """Ends runs early: set by one thread, seen by those that run."""

    def __new__(cls) -> Cancel: ...
    def set(self) -> None:
        """Ask all runs that were handed this to end."""
    def is_set(self) -> bool: ...

class Scenario:
    """A checked scenario: every point of it can be run."""

    @staticmethod
    def load(
        text: str, file: str, folder: str | PathLike[str], overrides: list[tuple[str, str]]
    ) -> Scenario:
        """Read and check the text of a file."""
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def replicas(self) -> int: ...
    @property
    def duration_s(self) -> float: ...
    @property
    def points(self) -> int: ...
    @property
    def vary_keys(self) -> list[str]: ...
    def vary(self, point: int) -> str:
        """The values that vary at a point, as a JSON object."""
    def warnings(self) -> list[str]:
        """Settings that are allowed but a known mistake, each with its place."""
    def links(self, point: int) -> list[str]:
        """The names of the links of a point."""
    def flows(self, point: int) -> list[tuple[str, str]]:
        """The names of the flows of a point, each with its group."""
    def run(
        self,
        point: int,
        replica: int,
        cancel: Cancel,
        ns2_trace: str | PathLike[str] | None = None,
    ) -> dict[str, Any]:
        """Run one replica of one point; its tables as dicts of columns."""

class Driver:
    """A conversation about one bare discipline: `sojourn drive`."""

    def __new__(cls) -> Driver: ...
    def answer(self, request: str) -> str:
        """Answer one request, a line of JSON, with one."""

def reference() -> str:
    """The registries and the scenario file's tables, as a JSON document."""

def schema() -> str:
    """The JSON Schema of scenario files."""
