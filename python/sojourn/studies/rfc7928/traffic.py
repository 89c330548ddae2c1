"""The traffic of RFC 7928: what its sections ask for, one function for each kind."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sojourn.studies import quantities

SEGMENT = "1448 B"
"""With 52 bytes of headers a packet of 1500 (timestamps on)."""

SMALL_SEGMENT = "448 B"
"""The same for packets of 500 bytes (section 4.4)."""

TOGETHER = "uniform(0 s, 1 s)"
"""When flows start that start together: within a second, so that they are not in step."""

SHORT_BYTES = "72400 B"
"""50 segments: the short transfer of section 5.1.2 has more than 10 packets and less than 100."""

OBJECTS = 50
"""Embedded objects of a page, which has 50 at least (section 7.2)."""

FRAME_MS = 40
"""From one frame of a video to the next."""

BURST = 5
"""How many times the bottleneck's rate a frame comes at."""

SHARE = 5
"""A video in frames takes one part in so many of the capacity."""

CHUNK_MS = 100
"""A chunk of a streamed video holds what the capacity carries in so long."""

PAUSE_S = 1
"""From the arrival of a chunk to the request for the next."""

Flow = dict[str, Any]


def tcp(control: str = "newreno", *, iw: int = 3, segment: str = SEGMENT, **keys: Any) -> Flow:
    """A TCP transport with SACK; `iw` is the initial window in packets."""
    return {
        "protocol": "tcp",
        "congestion_control": control,
        "segment": segment,
        "initial_window": f"{iw} packets",
        "handshake": True,
        **keys,
    }


def flow(name: str, transport: Flow, traffic: Flow, **keys: Any) -> Flow:
    """Flows from their senders to their receivers; `count`, `start` and `stop` are keys."""
    return {
        "name": name,
        "from": f"{name}-a*",
        "to": f"{name}-b*",
        "count": 1,
        "transport": transport,
        "traffic": traffic,
        "start": TOGETHER,
        **keys,
    }


def back(one: Flow) -> Flow:
    """The same in the other direction."""
    return one | {"from": one["to"], "to": one["from"]}


def bulk(name: str = "bulk", transport: Flow | None = None, **keys: Any) -> Flow:
    """Transfers without end."""
    return flow(name, transport or tcp(), {"source": "bulk"}, **keys)


def short(iw: int, start: str) -> Flow:
    """The short transfer of section 5.1.2."""
    return flow("short", tcp(iw=iw), {"source": "bulk", "bytes": SHORT_BYTES}, start=start)


def udp(name: str, rate: Fraction) -> Flow:
    """Constant bit rate over UDP in full packets, which answers to nothing."""
    traffic = {"source": "cbr", "rate": quantities.rate_text(rate), "jitter": 0.1}
    return flow(name, {"protocol": "udp", "payload": "1472 B"}, traffic)


def web(count: int = 1) -> Flow:
    """Pages of 50 objects and more over six connections, one after the other (section 7.2)."""
    traffic = {
        "source": "web",
        "main": "10 kB",
        "embedded": "uniform(1 kB, 15 kB)",
        "objects": OBJECTS,
        "connections": 6,
        "parsing": "50 ms",
        "reading": "1 s",
    }
    return flow("web", tcp(iw=10), traffic, count=count)


def video(rate: Fraction) -> Flow:
    """Frames of a video over UDP, each a burst."""
    frame = Fraction(FRAME_MS, 1000)
    on = frame / (SHARE * BURST)
    traffic = {
        "source": "onoff",
        "rate": quantities.rate_text(BURST * rate),
        "on": quantities.time_text(on),
        "off": quantities.time_text(frame - on),
    }
    return flow("video", {"protocol": "udp", "payload": "1472 B"}, traffic)


def streaming(rate: Fraction) -> Flow:
    """A video in chunks over TCP, each asked for when the one before has arrived.

    So it adapts to the network: where chunks take longer, fewer are asked for, and none waits at
    the sender.
    """
    traffic = {
        "source": "request_response",
        "response": f"{max(1, round(rate * CHUNK_MS / 8000))} B",
        "think": f"{PAUSE_S} s",
    }
    return flow("streaming", tcp(iw=10), traffic)


def voice(name: str = "voice") -> Flow:
    """A telephone: G.711, 160 bytes and an RTP header every 20 ms."""
    traffic = {"source": "cbr", "rate": "80 kbit/s"}
    return flow(name, {"protocol": "udp", "payload": "172 B"}, traffic)
