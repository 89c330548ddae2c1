"""Every traffic source of the registry: what a flow sends.

Generated from the code by `make generate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sojourn.named_table import Source

__all__ = [
    "Arrivals",
    "Bulk",
    "Cbr",
    "OnOff",
    "ParetoOnOff",
    "Poisson",
    "RequestResponse",
    "Source",
    "Trace",
    "Web",
]


@dataclass(frozen=True, kw_only=True, repr=False)
class Cbr(Source):
    """Constant bit rate: one packet after the other at an even pace.

    Its manual page: ``docs/reference/sources.md``, under ``cbr``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        rate: Bits per second. Must be given.
        rate_of: Which bytes the rate counts. Default ``wire``; ns3: ``payload``.
        jitter: Each gap is drawn uniformly between (1 - jitter) and (1 + jitter) times its mean.
            Default ``0``.
    """

    WORD: ClassVar[str] = "source"
    NAME: ClassVar[str] = "cbr"

    rate: str
    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    rate_of: Literal["wire", "payload"] | None = None
    jitter: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Poisson(Source):
    """Poisson arrivals: exponential gaps, independent of each other and of the sizes.

    Its manual page: ``docs/reference/sources.md``, under ``poisson``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        rate: Mean bits per second. Must be given.
        rate_of: Which bytes the rate counts. Default ``wire``; ns3: ``payload``.
    """

    WORD: ClassVar[str] = "source"
    NAME: ClassVar[str] = "poisson"

    rate: str
    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    rate_of: Literal["wire", "payload"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class OnOff(Source):
    """On/off: bursts at the peak rate with silences between them.

    Its manual page: ``docs/reference/sources.md``, under ``onoff``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        rate: Bits per second while on. Must be given.
        rate_of: Which bytes the rate counts. Default ``wire``; ns3: ``payload``.
        on: Length of an on period. Default ``exponential(500 ms)``; ns3: ``1 s``.
        off: Length of an off period. Default ``exponential(500 ms)``; ns3: ``1 s``.
    """

    WORD: ClassVar[str] = "source"
    NAME: ClassVar[str] = "onoff"

    rate: str
    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    rate_of: Literal["wire", "payload"] | None = None
    on: str | None = None
    off: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class ParetoOnOff(Source):
    """On/off with Pareto periods: the sum of many such sources is self-similar.

    Its manual page: ``docs/reference/sources.md``, under ``pareto_onoff``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        rate: Bits per second while on. Must be given.
        rate_of: Which bytes the rate counts. Default ``wire``; ns3: ``payload``.
        on: Mean length of an on period. Default ``500 ms``.
        off: Mean length of an off period. Default ``500 ms``.
        shape: Shape of both distributions, above 1. Default ``1.5``.
    """

    WORD: ClassVar[str] = "source"
    NAME: ClassVar[str] = "pareto_onoff"

    rate: str
    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    rate_of: Literal["wire", "payload"] | None = None
    on: str | None = None
    off: str | None = None
    shape: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Trace(Source):
    """Packets as recorded: those of a capture or table, at their times and sizes, whatever becomes
    of them.

    Its manual page: ``docs/reference/sources.md``, under ``trace``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        file: A capture (pcap, pcapng) or a table of arrivals (CSV: `time_s,size_B`). Must be
            given.
        interface: Name of the interface of a pcapng file to play, or `all`. Default ``all``.
        sender: Addresses or networks that sent the packets to play, such as `192.0.2.7` or
            `192.0.2.0/24, 2001:db8::/32`; or `all`. Default ``all``.
        flow: Flow to play: its name in the table, or its addresses and ports such as `udp
            10.0.0.1:5004 > 10.0.0.2:5004`; or `all`. Default ``all``.
        speed: Speed of playback, as a multiple of the recorded speed. Default ``1``.
        repeat: Whether the recording begins again at its end. Default ``false``; ns2: ``true``.
        random_start: Whether playback begins at a random packet, each being equally likely.
            Default ``false``; ns2: ``true``.
    """

    WORD: ClassVar[str] = "source"
    NAME: ClassVar[str] = "trace"

    file: str
    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    interface: str | None = None
    sender: str | None = None
    flow: str | None = None
    speed: float | None = None
    repeat: bool | None = None
    random_start: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Bulk(Source):
    """Bulk transfer: as much as the transport can carry, without end or up to a number of bytes.

    Its manual page: ``docs/reference/sources.md``, under ``bulk``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        bytes: Number of bytes to send. "none": without end. Default ``none``.
    """

    WORD: ClassVar[str] = "source"
    NAME: ClassVar[str] = "bulk"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    bytes: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Arrivals(Source):
    """Flow arrivals: transfers that begin as a Poisson process, each over a connection of its own.

    Its manual page: ``docs/reference/sources.md``, under ``arrivals``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        rate: Load: mean bits per second that the transfers bring, headers not counted. Must be
            given.
        size: Size of each transfer. Default ``pareto(1.2, 30 kB)``.
    """

    WORD: ClassVar[str] = "source"
    NAME: ClassVar[str] = "arrivals"

    rate: str
    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    size: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class RequestResponse(Source):
    """Request and response: a client asks, the server answers, the client thinks.

    Its manual page: ``docs/reference/sources.md``, under ``request_response``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        request: Size of a request. Default ``350 B``.
        response: Size of a response. Default ``10 kB``.
        think: Time from the end of a response to the next request. Default ``exponential(1 s)``.
        persistent: Whether one connection serves all requests. If not, each request has its own.
            Default ``true``.
    """

    WORD: ClassVar[str] = "source"
    NAME: ClassVar[str] = "request_response"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    request: str | None = None
    response: str | None = None
    think: str | None = None
    persistent: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Web(Source):
    """Web pages: a client loads a page and all that is embedded in it, reads, and loads the next.

    Its manual page: ``docs/reference/sources.md``, under ``web``.

    Parameters:
        preset: Whose defaults and behaviour. Default ``reference``.
        request: Size of a request. Default ``350 B``.
        main: Size of a page's main object. Default ``lognormal(1.37, 10710 B)``.
        embedded: Size of an embedded object. Default ``lognormal(2.36, 7758 B)``.
        objects: Number of embedded objects of a page. Default ``exponential(5.64)``.
        connections: Number of connections that load embedded objects at once. Default ``6``.
        parsing: Time from the arrival of the main object to the first request for an embedded one.
            Default ``exponential(130 ms)``.
        reading: Time from the end of a page to the request for the next. Default ``exponential(30
            s)``.
    """

    WORD: ClassVar[str] = "source"
    NAME: ClassVar[str] = "web"

    preset: Literal["reference", "linux", "ns3", "ns2"] | None = None
    request: str | None = None
    main: str | None = None
    embedded: str | None = None
    objects: str | None = None
    connections: int | None = None
    parsing: str | None = None
    reading: str | None = None
