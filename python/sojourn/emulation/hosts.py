"""Hosts: networks of their own with one link, and a command in each.

They are Linux's network namespaces, made for this and gone with it: nothing that the machine is
connected to is touched, and nothing gets out. Who is not root gets a user namespace with them, in
which the command takes itself for root.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from sojourn.emulation import guard
from sojourn.emulation import host as inside
from sojourn.emulation.interrupts import Interrupts
from sojourn.errors.brief import InputError
from sojourn.signals import ENDINGS

NEAR, FAR = ("198.18.0.1", "2001:2::1"), ("198.18.0.2", "2001:2::2")
"""Addresses of the host with the command and of the other one, set aside for tests of network
devices (RFC 6890)."""

LISTENS_WITHIN_S = 2.0
"""So long a server may take until it listens; who does not by then may not mean to."""

LISTENS = {"tcp": "0A", "tcp6": "0A", "udp": "07", "udp6": "07"}
"""Table of ``/proc/net`` -> state of a socket that listens."""


class Host:
    """A host whose link is there, and whose command waits for :meth:`go`."""

    def __init__(
        self,
        command: Sequence[str],
        addresses: tuple[str, str],
        output: IO[Any] | int | None,
        *,
        is_apart: bool,
    ) -> None:
        """Make it. ``is_apart``: what is typed, Ctrl-C too, is not for its command.

        Raises :class:`InputError` where the machine does not let us.
        """
        self.command = list(command)
        self._control, theirs = socket.socketpair()
        lengths = (f"{addresses[0]}/30", f"{addresses[1]}/64")
        with theirs, deaf_children():
            words = [*unshared(), sys.executable, inside.__file__]
            self.process = subprocess.Popen(
                [*words, str(theirs.fileno()), *lengths, "--", *command],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL if is_apart else None,
                stdout=output,
                start_new_session=is_apart,
            )
            # What reaches all processes of a terminal, or of a group, does not reach it.
            self._guard = subprocess.Popen(
                [sys.executable, "-S", guard.__file__, str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        message, files, _, _ = socket.recv_fds(self._control, 4096, 1)
        if not files:
            self.process.wait()
            self._dismiss_guard()
            self._control.close()
            raise InputError(f"a host cannot be made: {message.decode(errors='replace')}")
        self.packets = files[0]
        self._network = os.readlink(f"/proc/{self.process.pid}/ns/net")
        # All that runs in it is ended with it.
        if self._network == os.readlink("/proc/self/ns/net"):
            raise RuntimeError("a host has the network of this process")
        self._tell_guard(self._network)
        # It can be read when the command has ended too.
        self._devices = os.open(f"/proc/{self.process.pid}/net/dev", os.O_RDONLY)

    def go(self) -> None:
        """Have the command run. Raises :class:`InputError` where there is none."""
        message = ""
        # Where the host has been killed, its status says so.
        with suppress(ConnectionError):
            self._control.sendall(b"\0")
            message = self._control.recv(4096).decode(errors="replace")
        if message:
            raise InputError(f"{self.command[0]}: cannot be run: {message}")

    def wait_until_it_listens(self) -> None:
        """Wait until the command has a socket to which others can come, or long enough."""
        deadline = time.monotonic() + LISTENS_WITHIN_S
        while time.monotonic() < deadline and self.process.poll() is None and not self._listens():
            time.sleep(0.01)

    def _listens(self) -> bool:
        tables = Path(f"/proc/{self.process.pid}/net")
        for name, state in LISTENS.items():
            try:
                rows = (tables / name).read_text().splitlines()[1:]
            except OSError:
                continue
            if any(row.split()[3] == state for row in rows):
                return True
        return False

    def lost_packets(self) -> int:
        """Packets that found no room before they were taken out of the link."""
        for line in os.pread(self._devices, 1 << 16, 0).decode().splitlines():
            name, _, counts = line.partition(":")
            if name.strip() == inside.NAME:
                return int(counts.split()[11])
        return 0

    def end(self, interrupts: Interrupts | None = None) -> None:
        """End its command and all that this has started, and the host with them.

        They may take their time, unless ``interrupts`` says that it is urgent.
        """
        interrupts = interrupts or Interrupts()
        interrupts.tidy()
        deadline = time.monotonic() + guard.GOES_WITHIN_S
        if self.process.pid not in guard.processes_in(self._network):
            # It has gone, or has made a network of its own, in which nobody else looks for it.
            self.process.terminate()
        guard.send(self._network, signal.SIGTERM)
        while self._is_there() and time.monotonic() < deadline:
            if interrupts.is_urgent:
                break
            time.sleep(0.01)
        guard.kill_all(self._network)
        self.process.kill()
        self.process.wait()
        self._dismiss_guard()
        self._control.close()
        os.close(self._devices)
        os.close(self.packets)

    def _is_there(self) -> bool:
        """Whether anything of it runs."""
        return bool(guard.processes_in(self._network)) or self.process.poll() is None

    def _tell_guard(self, network: str) -> None:
        """Have the guard end what runs there, if it has to; it may have been killed."""
        assert self._guard.stdin is not None
        with suppress(BrokenPipeError):
            self._guard.stdin.write(network.encode())
            self._guard.stdin.flush()

    def _dismiss_guard(self) -> None:
        """Nothing is left that it could end."""
        assert self._guard.stdin is not None
        self._guard.kill()
        self._guard.wait()
        with suppress(BrokenPipeError):
            self._guard.stdin.close()


@contextmanager
def deaf_children() -> Iterator[None]:
    """Processes that start here hear nothing of what ends the front until they ask for it.

    Ctrl-C reaches all processes of a terminal, and Python prints a traceback before a program of it
    can say that it is not to.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def unshared() -> list[str]:
    """Words before those of a command that give it a network of its own."""
    is_root = os.geteuid() == 0
    return ["unshare", *([] if is_root else ["--user", "--map-root-user"]), "--net", "--"]


def check_machine() -> None:
    """See whether hosts can be made here. Raises :class:`InputError`."""
    if sys.platform != "linux":
        raise InputError(f"found the system {sys.platform}; allowed: Linux, which makes the hosts")
    try:
        done = subprocess.run([*unshared(), "true"], capture_output=True, text=True, check=False)
        subprocess.run(["ip", "-V"], capture_output=True, check=False)
    except FileNotFoundError as error:
        package = {"ip": "iproute2"}.get(error.filename, "util-linux")
        raise InputError(f"{error.filename} is not there; it is part of {package}") from None
    if done.returncode:
        hint = "" if os.geteuid() == 0 else "; as root it can"
        raise InputError(f"a host cannot be made: {done.stderr.strip()}{hint}")
