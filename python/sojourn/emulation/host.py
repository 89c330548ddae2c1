"""What becomes a host: gives its network one link, hands its packets out, turns into a command.

It is started in a network of its own, without the rest of Sojourn::

    python host.py CONTROL ADDRESS... -- COMMAND...

``CONTROL`` is the number of an open socket. Through it goes the descriptor of the link's packets,
or a text that says why there is none. A byte comes back when all are ready, and after it either
the command runs, which closes the socket, or a text says why it does not.
"""

import ctypes
import fcntl
import os
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path

NAME = "sojourn"
"""How the link is called."""

TUNSETIFF = 0x400454CA
IFF_TUN = 0x0001
IFF_NO_PI = 0x1000
"""From Linux's ``if_tun.h``: a device of IP packets, without a header of its own."""

ROOM_PACKETS = 10_000
"""Packets that may wait to be taken out: more than come before somebody looks."""


PR_SET_PDEATHSIG = 1
"""From Linux's ``prctl.h``: the signal to get when who started this has gone."""


def end_with_the_front() -> None:
    """Have this process, and the command that it becomes, end with who started it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def end_without_a_word() -> None:
    """Have Ctrl-C end this process as it ends most commands, where it is not to be ignored.

    Before that Python would print a traceback, so it has been started deaf to it.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))


def turn_into(command: list[str]) -> None:
    """Become a command, to which signals do what they do to most. Raises OSError."""
    # Python ignores them: a command would go on writing where nobody reads any more.
    for one in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(one, signal.SIG_DFL)
    os.execvp(command[0], command)


def packets_of_link() -> int:
    """Make the link; a descriptor from which its packets are read, one at a time."""
    packets = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(packets, TUNSETIFF, struct.pack("16sH22x", NAME.encode(), IFF_TUN | IFF_NO_PI))
    return packets


def set_up(addresses: list[str]) -> None:
    """Give the link its addresses and switch it on, the host's loopback too."""
    ip("link", "set", "lo", "up")
    ip("link", "set", NAME, "txqueuelen", str(ROOM_PACKETS))
    has_ipv6 = knows_ipv6()
    if has_ipv6:
        # Without an address that the system chooses it has nothing to announce.
        ip("link", "set", NAME, "addrgenmode", "none")
    ip("link", "set", NAME, "up")
    for address in addresses:
        if ":" not in address:
            ip("address", "add", address, "dev", NAME)
        elif has_ipv6:
            ip("address", "add", address, "dev", NAME, "nodad")


def knows_ipv6() -> bool:
    """Whether the link may have addresses of IPv6: not so where it is switched off."""
    switch = Path(f"/proc/sys/net/ipv6/conf/{NAME}/disable_ipv6")
    return switch.exists() and switch.read_text().strip() == "0"


def ip(*words: str) -> None:
    """Run ``ip``. Raises OSError with what it says."""
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"ip {' '.join(words)}: {done.stderr.strip()}")


def told(error: OSError) -> str:
    """What went wrong, with the file that it is about."""
    return f"{error.filename}: {error.strerror}" if error.filename else str(error)


def main() -> None:
    """Become a host."""
    end_without_a_word()
    number, *words = sys.argv[1:]
    end = words.index("--")
    addresses, command = words[:end], words[end + 1 :]
    control = socket.socket(fileno=int(number))
    os.set_inheritable(control.fileno(), False)
    end_with_the_front()
    try:
        packets = packets_of_link()
        set_up(addresses)
    except OSError as error:
        control.sendall(told(error).encode())
        sys.exit(1)
    try:
        socket.send_fds(control, [b"\0"], [packets])
        os.close(packets)
        is_to_run = control.recv(1)
    except ConnectionError:
        is_to_run = b""
    if not is_to_run:
        sys.exit(1)
    try:
        turn_into(command)
    except OSError as error:
        control.sendall((error.strerror or str(error)).encode())
        sys.exit(127)


if __name__ == "__main__":
    main()
