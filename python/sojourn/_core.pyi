"""The compiled half of Sojourn (crates/py)."""

from array import array
from os import PathLike
from typing import Any, Self, final

from typing_extensions import disjoint_base

__all__ = [
    "ENGINE",
    "REASONS",
    "UNIFORM",
    "VERDICTS",
    "Ack",
    "Cancel",
    "Cancelled",
    "DisciplineBase",
    "DisciplineHarness",
    "Driver",
    "Emulation",
    "Episode",
    "LedgerError",
    "Loss",
    "Random",
    "Replay",
    "Scenario",
    "ScenarioError",
    "Tables",
    "UserCodeError",
    "__version__",
    "range_value",
    "read_quantity",
    "reference",
    "schema",
    "single_summaries",
    "stacked",
]

__version__: str
ENGINE: str
"""A hash of the source that affects results."""
UNIFORM: int
"""Where the function begins that gives compiled hooks their random numbers."""
REASONS: list[str]
"""Why packets are dropped or marked."""
VERDICTS: list[tuple[int, int, int]]
"""For each reason the codes of a drop and of a mark; and that of a wait."""

class ScenarioError(ValueError):
    """What is wrong with a scenario, and where."""

class LedgerError(RuntimeError):
    """The books of a run do not balance."""

class UserCodeError(RuntimeError):
    """A discipline or a congestion control written in Python raised an exception."""

class Cancelled(RuntimeError):
    """The run was cancelled."""

@final
class Cancel:
    """Ends runs early: set by one thread, seen by those that run."""

    def __new__(cls) -> Cancel: ...
    def set(self) -> None:
        """Ask all runs that were handed this to end."""
    def is_set(self) -> bool: ...
    @property
    def permille(self) -> int:
        """How much of all runs that were handed this is over, in thousandths of a run."""

@final
class Scenario:
    """A checked scenario: every point of it can be run."""

    @staticmethod
    def load(
        text: str,
        file: str,
        folder: str | PathLike[str],
        overrides: list[tuple[str, str]],
        known: dict[str, bytes] | None = None,
    ) -> Scenario:
        """Read and check the text of a file; files in ``known`` hold what is there."""
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def replicas(self) -> int: ...
    @property
    def precision(self) -> float | None: ...
    @property
    def precision_of(self) -> str | None: ...
    @property
    def max_replicas(self) -> int: ...
    @property
    def points(self) -> int: ...
    @property
    def vary_keys(self) -> list[str]: ...
    def vary(self, point: int) -> str:
        """The values that vary at a point, as a JSON object."""
    def duration_s(self, point: int) -> float:
        """Simulated time of a point."""
    def warmup_s(self, point: int) -> float | None:
        """Where the measurements of a point start; None if pilot replicas choose it."""
    def identity(self, point: int) -> str:
        """All that the results of a point depend on, as a JSON object."""
    def document(self) -> str:
        """The scenario as a JSON object, with what was set from outside."""
    def warnings(self) -> list[str]:
        """Settings that are allowed but a known mistake, each with its place."""
    def links(self, point: int) -> list[str]:
        """The names of the links of a point."""
    def flows(self, point: int) -> list[tuple[str, str]]:
        """The names of the flows of a point, each with its group."""
    def groups(self) -> dict[str, str]:
        """The group of each flow that there is at any point."""
    def link_details(self, point: int) -> str:
        """The links of a point with all parameters of their queues, as a JSON array."""
    def layout(self, point: int) -> str:
        """The links and flows of a point, as a JSON object."""
    def outside(self, point: int) -> list[str]:
        """The disciplines and controllers of a point that are Python code, as `module:Class`."""
    def check_captured(self, links: list[str]) -> None:
        """See to it that there are links of these names to be captured."""
    def run(
        self,
        point: int,
        replica: int,
        cancel: Cancel,
        trace: tuple[str, str | PathLike[str], list[str], bool] | None = None,
        warmup: str | None = None,
        series: str | None = None,
    ) -> Tables:
        """Run one replica of one point.

        A trace has its format, how the paths of its files begin, the links that captures show, and
        whether they store payload.
        """
    def begin(self, point: int, replica: int) -> Episode:
        """Begin one replica of one point, to be run in steps."""

@final
class Episode:
    """One replica of one point, which waits for its next step."""

    @property
    def now_s(self) -> float:
        """The present instant."""
    @property
    def is_over(self) -> bool:
        """Whether the simulated time is over."""
    def advance(self, interval: str, cancel: Cancel) -> list[tuple[str, str, str, float]]:
        """Let an interval pass; what links and flows showed over it.

        Each value has its `entity` (link or flow), `name` and `metric`. An exception in it ends
        the episode.
        """
    def poke(self, link: str, variable: str, value: float) -> bool:
        """Set an inner variable of a link's discipline; false if there is none of that name.

        Raises ValueError where none of that name comes to such a value.
        """
    def finish(self) -> Tables:
        """End it; the tables of the run."""

@final
class Tables:
    """The tables of a run, by name. The core keeps them; what is asked for is made each time.

    ``links``, ``flows``, ``groups``, ``total``, ``delays`` and ``transfers`` are dicts of columns,
    ``drops`` tuples of link, kind, reason and packets, ``series`` a dict for each.
    """

    @staticmethod
    def keys() -> list[str]:
        """The names of all tables."""
    def __getitem__(self, name: str, /) -> Any:
        """A table."""
    def packed(self) -> bytes:
        """All of them as bytes, for a store."""
    @staticmethod
    def unpacked(payload: bytes) -> Tables:
        """Those that were packed. Raises ValueError where these are other bytes."""

@final
class Replay:
    """A capture through bare queues: `sojourn replay`."""

    def __new__(
        cls,
        file: str | PathLike[str],
        queues: list[str],
        rate: str,
        *,
        delay: str = "0 s",
        overhead: str = "0 B",
        limit: str | None = None,
        seed: int = 1,
        series: str | None = None,
        flows: int = 1000,
        interface: str | None = None,
        sender: str | None = None,
        partial: bool = False,
    ) -> Replay:
        """Open the file and make the queues."""
    @property
    def read(self) -> int:
        """Bytes of the file that have been read."""
    def run(self, cancel: Cancel) -> dict[str, Any]:
        """Run it, once; the tables of each queue as dicts of columns."""

@final
class Emulation:
    """Queues between two hosts: `sojourn emulate`."""

    def __new__(
        cls,
        rate: str,
        queue: str,
        *,
        down_rate: str | None = None,
        down_queue: str | None = None,
        rtt: str = "0 s",
        overhead: str = "0 B",
        limit: str | None = None,
        seed: int = 1,
        series: str | None = None,
        flows: int = 1000,
    ) -> Emulation:
        """Make the queues."""
    def join(self, near: int, far: int) -> None:
        """Join two hosts, each a descriptor of packets: the clock starts; once."""
    def run(self, stop: Cancel) -> dict[str, Any]:
        """Take packets from one host to the other until `stop` is set; once.

        The tables of both queues as dicts of columns.
        """

@final
class Driver:
    """A conversation about one bare discipline: `sojourn drive`."""

    def __new__(cls) -> Driver: ...
    def answer(self, request: str) -> str:
        """Answer one request, a line of JSON, with one."""

@disjoint_base
class DisciplineBase:
    """What a discipline in Python sees besides the numbers it is called with."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...
    @property
    def packets(self) -> int:
        """Packets that wait."""
    @property
    def bytes(self) -> int:
        """Bytes that wait."""
    @property
    def source(self) -> int:
        """Source address of the packet judged."""
    @property
    def destination(self) -> int:
        """Its destination address."""
    @property
    def dscp(self) -> int:
        """Its differentiated-services codepoint."""
    @property
    def link_rate(self) -> float:
        """Rate of the link, bit/s."""
    @property
    def link_delay(self) -> float:
        """Propagation delay of the link, seconds."""
    @property
    def mtu(self) -> int:
        """Largest packet, bytes."""
    @property
    def base_rtt(self) -> float:
        """Largest two-way propagation delay of the paths that cross the link, seconds."""
    @property
    def next_timer(self) -> float | None:
        """When `on_timer` is called next, in seconds; None for never."""
    @next_timer.setter
    def next_timer(self, time: float | None) -> None: ...
    def random(self) -> float:
        """A random number in [0, 1) from the discipline's own stream."""
    def has_room(self, size: int) -> bool:
        """Whether a packet of this size finds room."""
    def packets_in(self, queue: int) -> int:
        """Packets that wait in one of several queues."""
    def bytes_in(self, queue: int) -> int:
        """Bytes that wait in one of several queues."""
    def wait_until(self, time: float) -> int:
        """The answer of `dequeue` that keeps the packet until `time`, in seconds."""

@final
class Random:
    """The random stream of one connection."""

    def uniform(self) -> float:
        """A random number in [0, 1)."""

@final
class Ack:
    """An acknowledgement that delivered something. Amounts are in segments, times in seconds."""

    @property
    def now(self) -> float: ...
    @property
    def acked(self) -> float:
        """Newly delivered."""
    @property
    def marked(self) -> float:
        """Of these, known to have been marked."""
    @property
    def lost(self) -> float:
        """Newly held to be lost."""
    @property
    def ece(self) -> bool:
        """The echo of marks was set."""
    @property
    def rtt(self) -> float | None:
        """Round-trip time of it, if it gave one."""
    @property
    def srtt(self) -> float:
        """Smoothed round-trip time; zero before the first sample."""
    @property
    def one_way(self) -> float | None:
        """One-way delay by the stamps of both ends."""
    @property
    def prior_in_flight(self) -> float:
        """In flight before it."""
    @property
    def in_flight(self) -> float:
        """In flight after it."""
    @property
    def may_grow(self) -> bool:
        """Whether the window may grow."""
    @property
    def in_recovery(self) -> bool:
        """Whether the sender is in fast recovery."""
    @property
    def delivered(self) -> float:
        """Delivered since the start."""

@final
class Loss:
    """A congestion event. Amounts are in segments, times in seconds."""

    @property
    def now(self) -> float: ...
    @property
    def kind(self) -> str:
        """`fast_retransmit`, `timeout` or `ecn`."""
    @property
    def in_flight(self) -> float:
        """FlightSize of RFC 5681."""
    @property
    def again(self) -> bool:
        """The timer expired again for the same segment."""

@final
class DisciplineHarness:
    """A discipline in Python on a link of its own, under the caller's clock."""

    def __new__(cls, name: str, params: str, seed: int) -> DisciplineHarness: ...
    def enqueue(self, time_us: int, id: int, size: int, flow: int, ecn: int) -> None:
        """A packet arrives."""
    def dequeue(self, time_us: int) -> tuple[int | None, float | None]:
        """The link asks for a packet: its number, or none and, if it is to wait, until when."""
    def run_timers(self, time_us: int) -> int:
        """Run the timers that are due before an instant; say how many."""
    def reset(self, seed: int) -> None:
        """Go back to the state of a new queue, random stream and clock too."""
    @property
    def backlog(self) -> tuple[int, int]:
        """What waits: packets and bytes."""
    @property
    def is_within_limit(self) -> bool:
        """Whether what waits is within the limit."""
    def verdicts(self) -> list[tuple[str, int, str]]:
        """Drops and marks since it was asked last: what, which packet, why."""
    def probe(self) -> list[tuple[str, float]]:
        """The inner variables that it shows."""

def range_value(low: float, high: float, share: float, is_log: bool, is_whole: bool) -> float:
    """What lies at a share, from 0 to 1, of the range from `low` to `high`."""

def read_quantity(kind: str, value: str | float) -> Any:
    """Read a value of a kind; give it in base units."""

def reference() -> str:
    """The registries and the scenario file's tables, as a JSON document."""

def schema() -> str:
    """The JSON Schema of scenario files."""

def single_summaries(
    points: list[int],
    names: list[str] | None,
    metrics: list[tuple[str, array[float], array[float] | None]],
    more: list[bytes] | None,
) -> list[tuple[int, bytes]]:
    """For each point an object of JSON, with a member for each of its rows, by name.

    That of a row has every metric of it over one replica, ``{"mean", "ci95", "n"}``, and ``more``,
    the text of further members. Without names a point has one row, and is as that. A metric is its
    name, its values, and upper bounds with 95 %; NaN is undefined. Raises ValueError where a value
    is infinite or columns differ in length.
    """

def stacked(
    runs: list[tuple[int, int, Tables]], entities: list[tuple[str, str | None]]
) -> dict[str, dict[str, Any]]:
    """Stack the tables of runs, each with its point and replica.

    ``entities`` are the tables that have a row for each entity, with the name of the column for
    that; the drops come with them. A table is a dict of columns: arrays of numbers, lists of names.
    What a run does not measure is NaN.
    """
