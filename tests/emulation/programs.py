"""Programs for both hosts: ``python programs.py NAME``, a few packets each, and they end."""

import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE, THERE = "198.18.0.1", "198.18.0.2"
HERE_6, THERE_6 = "2001:2::1", "2001:2::2"
PORT = 5201
WAIT_S = 20


def datagrams(address: str, port: int = PORT) -> socket.socket:
    """A socket for datagrams, bound."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family, socket.SOCK_DGRAM)
    made.settimeout(WAIT_S)
    made.bind((address, port))
    return made


def count_bytes() -> None:
    """Take one connection, and answer with the hash of what came."""
    with socket.create_server((THERE, PORT)) as listening:
        connection, _ = listening.accept()
        seen = hashlib.sha256()
        while data := connection.recv(1 << 16):
            seen.update(data)
        connection.sendall(seen.hexdigest().encode())
        connection.close()


def send_bytes() -> None:
    """Send a megabyte; print whether the hash of it comes back."""
    data = bytes(range(256)) * 4000
    with socket.create_connection((THERE, PORT), timeout=WAIT_S) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        answer = connection.makefile().read()
    print("equal" if answer == hashlib.sha256(data).hexdigest() else "different")


def echo() -> None:
    """Send every datagram back, over both families."""
    import threading

    for address in (THERE, THERE_6):
        threading.Thread(target=echo_on, args=(address,)).start()


def echo_on(address: str) -> None:
    """Send every datagram back, until one is empty."""
    with datagrams(address) as here:
        while True:
            data, who = here.recvfrom(2000)
            here.sendto(data, who)


def ping() -> None:
    """Print the least round trip of five, over both families, as JSON."""
    least = {}
    for name, here, there in (("ipv4", HERE, THERE), ("ipv6", HERE_6, THERE_6)):
        with datagrams(here) as mine:
            spans = []
            for _ in range(5):
                began = time.monotonic()
                mine.sendto(bytes(100), (there, PORT))
                mine.recvfrom(2000)
                spans.append(time.monotonic() - began)
        least[name] = min(spans)
    print(json.dumps(least))


def codepoints() -> None:
    """Print the ECN codepoints of four datagrams as they come."""
    with datagrams(THERE) as here:
        here.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
        for _ in range(4):
            data, ancillary, _, who = here.recvmsg(2000, 100)
            here.sendto(bytes([data[0], ancillary[0][2][0] & 3]), who)


def marked() -> None:
    """Send four datagrams at once, of three codepoints; print what they came with."""
    with datagrams(HERE) as here:
        for number, codepoint in enumerate((0, 2, 1, 0)):
            here.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, codepoint)
            here.sendto(bytes([number]) * 1000, (THERE, PORT))
        print([list(here.recv(10)) for _ in range(4)])


def burst() -> None:
    """Send a hundred datagrams at once to nobody, and wait for what is left of them to come."""
    with datagrams(HERE) as here:
        for _ in range(100):
            here.sendto(bytes(972), (THERE, PORT))


def hear() -> None:
    """Say in a file that one listens; end when a datagram has come."""
    # To a group nobody answers that nobody listens.
    with datagrams("") as here:
        Path(sys.argv[2]).touch()
        here.recv(2000)


def call() -> None:
    """Once a file says that somebody listens, send a datagram to all; stay."""
    with datagrams(THERE) as here:
        here.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(THERE))
        while not Path(sys.argv[2]).exists():
            time.sleep(0.01)
        here.sendto(bytes(972), ("224.0.0.1", PORT))
        signal.pause()


def come_early() -> None:
    """Send more datagrams than a link holds, and only then listen; stay."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here:
        # A socket with a peer is none that listens.
        here.connect((HERE, PORT))
        for _ in range(12_000):
            here.send(bytes(10))
    with socket.create_server((THERE, PORT)):
        signal.pause()


def wander() -> None:
    """Print which of some places outside can be reached."""
    reached = []
    for place in (("127.0.0.1", int(sys.argv[2])), ("192.0.2.1", 80)):
        try:
            socket.create_connection(place, timeout=1).close()
            reached.append(place)
        except OSError:
            pass
    print(reached)


def stay() -> None:
    """Note in a file who this is, and a child; listen, deaf to some signals, as the child is."""
    for name in sys.argv[2:]:
        signal.signal(signal.Signals[f"SIG{name}"], signal.SIG_IGN)
    child = subprocess.Popen(["sleep", "300"])
    with socket.create_server((THERE, PORT)):
        Path("server").write_text(f"{os.getpid()} {child.pid}")
        child.wait()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
