"""The training workload of a wheel: `maturin build --pgo` runs it in its instrumented build.

Every scenario of this folder runs for a short simulated time. Then one of them is traced, logged
packet by packet and replayed, and a discipline in Python runs: the compiler takes code that no
training has reached for code that nobody runs.
"""

import tempfile
from pathlib import Path

import sojourn as sj
from sojourn.events import log_events
from sojourn.replay import replay

SCENARIOS = sorted(Path(__file__).resolve().parent.glob("*.toml"))
CAPTURED = "bottleneck"


class Accepting(sj.queue.Discipline):
    """A discipline in Python that drops nothing."""

    def enqueue(self, now, size, flow, ecn):
        return sj.queue.ACCEPT


def main(folder: Path) -> None:
    """Run all, with the files that runs write in a folder."""
    for file in SCENARIOS:
        # One run at a time: threads that count at once lose counts.
        sj.run(file, jobs=1)
    short = sj.Scenario.load(Path(__file__).with_name("sources.toml"), {"duration": "3 s"})
    sj.run(short, jobs=1, trace_folder=folder)
    sj.run(short, jobs=1, trace_folder=folder, trace_format="pcapng", trace_links=[CAPTURED])
    log_events(short, folder)
    capture = folder / f"trace-point0-replica0-{CAPTURED}.pcapng"
    replay(capture, ["droptail", "codel", "fq_codel"], "20 Mbit/s")
    dumbbell = {"rate": "20 Mbit/s", "rtt": "30 ms", "duration": "3 s"}
    sj.run(sj.dumbbell(queue=Accepting(), flows=4 * sj.tcp(), **dumbbell), jobs=1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder))
