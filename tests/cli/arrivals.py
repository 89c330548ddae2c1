"""Arrivals for tests of `sojourn replay`: tables and captures."""

import random
import struct

THREE = "time_s,size_B,flow\n0,1000,a\n0,1000,b\n0,1000,b\n"


def table(tmp_path, text: str):
    path = tmp_path / "arrivals.csv"
    path.write_text(text)
    return path


def poisson(tmp_path, packets: int, rate_bps: float, seed: int = 1):
    """Poisson arrivals of 1000 bytes, of three flows in turn."""
    draw = random.Random(seed)
    now, lines = 0.0, ["time_s,size_B,flow"]
    for number in range(packets):
        now += draw.expovariate(rate_bps / 8000)
        lines.append(f"{now:.12f},1000,{number % 3}")
    return table(tmp_path, "\n".join(lines) + "\n")


def udp(source: int, destination: int, payload: int) -> bytes:
    """An IPv4 packet of UDP between 10.0.0.1 and 10.0.0.2, headers only."""
    length = 28 + payload
    ip = struct.pack(">BBHHHBBH", 0x45, 0, length, 0, 0, 64, 17, 0)
    ip += bytes([10, 0, 0, 1, 10, 0, 0, 2])
    return ip + struct.pack(">HHHH", source, destination, 8 + payload, 0)


HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
"""The head of a pcap file of raw IP."""


def stored(time_us: int, record: bytes) -> bytes:
    """A packet of a pcap file, whole."""
    return struct.pack("<IIII", *divmod(time_us, 1_000_000), len(record), len(record)) + record


def pcap(tmp_path, packets: list[tuple[float, bytes, int]]):
    """A pcap file of raw IP: times, stored bytes, lengths on the wire."""
    out = HEADER
    for time_s, stored, length in packets:
        seconds, rest = divmod(round(time_s * 1e6), 1_000_000)
        out += struct.pack("<IIII", seconds, rest, len(stored), length) + stored
    path = tmp_path / "capture.pcap"
    path.write_bytes(out)
    return path
