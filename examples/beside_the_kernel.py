"""Beside the kernel: does the simulator say of a queue what Linux's own TCP makes of it?

Four uploads share a bottleneck, once in the simulator, and once for real: the kernel's CUBIC sends
through the very same disciplines, packet by packet, as time goes by.

You should see: both columns say nearly the same, queue by queue. Packets wait long behind drop-
tail, a third of that with RED, ten milliseconds with CoDel, less with FQ-CoDel.

It needs Linux, and root where /dev/net/tun is root's alone.
"""

import sys

import polars as pl

import sojourn as sj
from sojourn.emulation import emulate

QUICK = "--quick" in sys.argv
SECONDS = 5 if QUICK else 20
UPLOADS = 4
QUEUES = {
    "droptail,limit=100 packets": sj.queue.DropTail(limit="100 packets"),
    "red,preset=linux": sj.queue.Red(preset="linux"),
    "codel,preset=linux": sj.queue.CoDel(preset="linux"),
    "fq_codel,preset=linux": sj.queue.FqCodel(preset="linux"),
}

TAKE = """
import socket, threading
def take(connection):
    while connection.recv(1 << 18): pass
listening = socket.create_server(("198.18.0.2", 5201))
while True:
    threading.Thread(target=take, args=(listening.accept()[0],), daemon=True).start()
"""

UPLOAD = f"""
import selectors, socket, time
uploads = selectors.DefaultSelector()
for _ in range({UPLOADS}):
    upload = socket.socket()
    upload.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
    upload.connect(("198.18.0.2", 5201))
    upload.setblocking(False)
    uploads.register(upload, selectors.EVENT_WRITE)
end = time.monotonic() + {SECONDS}
while time.monotonic() < end:
    for ready, _ in uploads.select(timeout=0.1):
        ready.fileobj.send(bytes(1 << 16))
"""


def waits_in_the_kernels_hands(queue: str) -> float:
    """How long a packet waits in the mean, in ms."""
    done = emulate(
        [sys.executable, "-c", UPLOAD],
        queue,
        "10 Mbit/s",
        server=[sys.executable, "-c", TAKE],
        rtt="40 ms",
        down_queue="droptail",
    )
    return done.queues["queueing_delay_mean_s"][0] * 1e3


def waits_in_the_simulator(queue: sj.queue.Discipline) -> float:
    """The same."""
    linux = {"preset": "linux", "handshake": True}
    results = sj.run(
        sj.dumbbell(
            rate="10 Mbit/s",
            rtt="40 ms",
            queue=queue,
            flows=UPLOADS * sj.tcp("cubic", name="upload", start="uniform(0 ms, 10 ms)", **linux),
            access={"rate": "10 Gbit/s", "delay": "0 ms"},
            duration=f"{SECONDS} s",
            replicas=3 if QUICK else 10,
        )
    )
    of_bottleneck = results.links.filter(link="bottleneck")
    return of_bottleneck["queueing_delay_mean_s"].mean() * 1e3


try:
    kernel = [waits_in_the_kernels_hands(queue) for queue in QUEUES]
except ValueError as error:
    sys.exit(str(error))
table = pl.DataFrame(
    {
        "queue": list(QUEUES),
        "kernel, ms": kernel,
        "simulator, ms": [waits_in_the_simulator(queue) for queue in QUEUES.values()],
    }
).with_columns(pl.selectors.float().round(1))
print(table)
