"""Classes of one name, as factories and the cells of a notebook make them, stay what they are."""

import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

import sojourn as sj
from sojourn.own import classes, modules


def dropping(share: float) -> type:
    """A class that drops this share of the arrivals."""

    class Drops(sj.queue.Discipline):
        def enqueue(self, now, size, flow, ecn):
            return sj.queue.DROP if self.random() < share else sj.queue.ACCEPT

    return Drops


def keeping(share: float) -> type:
    """A control that keeps this share of its window after a loss."""

    class Keeps(sj.transport.CongestionControl):
        def on_ack(self, ack):
            if ack.may_grow:
                left = self.slow_start(ack.acked)
                self.cwnd += left / self.cwnd

        def on_loss(self, loss):
            self.reduce(loss, share * loss.in_flight)

    return Keeps


def losses(scenario: sj.Scenario, **how) -> list[float]:
    """The share that the bottleneck lost, to one digit."""
    links = sj.run(scenario, **how).links.filter(link="bottleneck")
    return [round(loss, 1) for loss in links["loss_ratio"]]


def short(**more) -> sj.Scenario:
    return sj.dumbbell(
        rate="2 Mbit/s", rtt="20 ms", flows=sj.udp(rate="1 Mbit/s"), duration="2 s", **more
    )


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_factory_makes_as_many_as_it_is_asked_for(jobs):
    queues = [dropping(0.0), dropping(0.5), dropping(0.9)()]
    scenario = short(vary={"link.bottleneck.queue": queues}, replicas=2)
    assert losses(scenario, jobs=jobs) == [0.0, 0.0, 0.5, 0.5, 0.9, 0.9]


def test_results_say_which_is_which():
    queues = [dropping(0.25), dropping(0.75)]
    results = sj.run(short(vary={"link.bottleneck.queue": queues}), jobs=1)
    first, second = results.points["link.bottleneck.queue"]
    assert "Drops" in first
    assert "Drops" in second
    assert first != second


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_built_does_not_change_with_a_later_class(jobs):
    before = short(queue=dropping(0.1)(), replicas=2)
    after = short(queue=dropping(0.6)(), replicas=2)
    assert losses(before, jobs=jobs) == [0.1, 0.1]
    assert losses(after, jobs=jobs) == [0.6, 0.6]
    assert losses(before.with_overrides({"seed": 2}), jobs=jobs) == [0.1, 0.1]


def test_controls_too():
    little, much = keeping(0.1), keeping(0.9)

    def goodputs(first, second):
        flows = sj.tcp(first(), name="first") + sj.tcp(second(), name="second")
        queue = sj.queue.DropTail(limit="30 packets")
        scenario = sj.dumbbell(
            rate="5 Mbit/s", rtt="40 ms", flows=flows, queue=queue, duration="20 s"
        )
        return sj.run(scenario, jobs=1).flows["goodput_bps"].to_list()

    slow, fast = goodputs(little, much)
    assert fast > 3 * slow
    assert goodputs(much, little)[0] > 3 * goodputs(little, much)[0]


def test_one_that_does_the_same_is_the_same():
    """A cell that is run once more gives no other name to what it has not changed."""
    first, second = (short(queue=dropping(0.35)()).to_toml() for _ in range(2))
    assert first == second


CELL = """
import sojourn as sj
P = {share}
class Drops(sj.queue.Discipline):
    def enqueue(self, now, size, flow, ecn):
        return sj.queue.DROP if self.random() < P else sj.queue.ACCEPT
"""

NOTEBOOK = f"""
CELL = {CELL!r}
exec(CELL.format(share=0.0))
def built(queue):
    return sj.dumbbell(
        rate="2 Mbit/s", rtt="20 ms", queue=queue, flows=sj.udp(rate="1 Mbit/s"), duration="2 s",
        replicas=2,
    )
def losses(scenario, out):
    links = sj.sweep(scenario, out, jobs=JOBS).links.filter(link="bottleneck")
    return [round(loss, 1) for loss in links["loss_ratio"]]
if __name__ == "__main__":
    first = built(Drops())
    print(losses(first, "out"))
    P = 0.5
    print(losses(first, "out"))
    exec(CELL.format(share=0.5))
    print(losses(built(Drops()), "out"), built(Drops()).outside)
    exec(CELL.format(share=0.0).replace("< P", "< P + 0.9"))
    print(losses(built(Drops()), "out"), built(Drops()).outside)
    print(losses(first, "out"))
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_cells_of_a_notebook(tmp_path, jobs):
    """What a run takes is what the variables are when it is begun, as everywhere in Python."""
    (tmp_path / "notebook.py").write_text(NOTEBOOK.replace("JOBS", str(jobs)))
    done = subprocess.run(
        [sys.executable, "notebook.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "[0.0, 0.0]",
        "[0.5, 0.5]",
        "[0.5, 0.5] ['__main__:Drops']",
        "[0.9, 0.9] ['__main__:Drops-2']",
        "[0.0, 0.0]",
    ]


MODULE = """
import sojourn as sj
SHARE = {share}
class Drops(sj.queue.Discipline):
    def enqueue(self, now, size, flow, ecn):
        return sj.queue.DROP if self.random() < SHARE else sj.queue.ACCEPT
"""

FILE = """
name = "file"
duration = "2 s"
replicas = 2
[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "2 Mbit/s", queue = { discipline = "dropping_module:Drops" } }
[[flow]]
name = "load"
transport = { protocol = "udp" }
traffic = { source = "cbr", rate = "1 Mbit/s" }
"""


def written(folder: Path, share: float) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "dropping_module.py").write_text(MODULE.format(share=share))
    (folder / "file.toml").write_text(FILE)
    return folder / "file.toml"


@pytest.mark.parametrize("jobs", [1, 2])
def test_two_folders_may_have_modules_of_one_name(tmp_path, jobs):
    first, second = (written(tmp_path / str(share), share) for share in (0.2, 0.7))
    scenarios = [sj.Scenario.load(path) for path in (first, second)]
    assert [losses(scenario, jobs=jobs) for scenario in scenarios] == [[0.2] * 2, [0.7] * 2]
    assert losses(scenarios[0], jobs=jobs) == [0.2, 0.2]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_module_that_was_edited_is_loaded_anew(tmp_path, jobs):
    path = written(tmp_path, 0.2)
    scenario = sj.Scenario.load(path)
    assert losses(path, jobs=jobs) == [0.2, 0.2]
    # As long as before, and within the second: files compiled by Python would not be renewed.
    written(tmp_path, 0.7)
    assert losses(path, jobs=jobs) == [0.7, 0.7]
    assert losses(scenario, jobs=jobs) == [0.7, 0.7]


def test_a_name_cannot_mean_an_object_and_a_file_that_changed_since(tmp_path, monkeypatch):
    path = written(tmp_path, 0.2)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "dropping_module", raising=False)
    import dropping_module  # pyright: ignore[reportMissingImports]

    made = short(queue=dropping_module.Drops(), replicas=2)
    assert losses(path, jobs=1) == losses(made, jobs=1) == [0.2, 0.2]
    written(tmp_path, 0.7)
    assert losses(made, jobs=1) == [0.2, 0.2]
    assert losses(made, jobs=2) == [0.2, 0.2]
    with pytest.raises(sj.ScenarioError, match=r"dropping_module.py was another .* start Python"):
        sj.run(path)


def test_a_module_that_is_gone_stays_as_it_was_loaded(tmp_path):
    scenario = sj.Scenario.load(written(tmp_path, 0.2))
    (tmp_path / "dropping_module.py").unlink()
    assert losses(scenario, jobs=1) == losses(scenario, jobs=2) == [0.2, 0.2]


@pytest.mark.parametrize("make", [dropping, keeping])
def test_threads_that_name_their_classes_at_once(make, monkeypatch):
    """Each finds the name free, unless only one looks at a time."""
    together = threading.Barrier(4)
    sources_of_class = modules.sources_of_class

    def slow(cls):
        # All that are here at once have seen that the name is free.
        with suppress(threading.BrokenBarrierError):
            together.wait(timeout=0.2)
        return sources_of_class(cls)

    monkeypatch.setattr(modules, "sources_of_class", slow)
    made = [make(0.011 + 0.11 * n) for n in range(4)]
    with ThreadPoolExecutor(4) as pool:
        names = list(pool.map(classes.name_of, made))
    assert [classes.find(name) for name in names] == made


SENDER = """
import sys
import cloudpickle
import sojourn as sj

def dropping(P):
    class Drops(sj.queue.Discipline):
        def enqueue(self, now, size, flow, ecn):
            return sj.queue.DROP if self.random() < P else sj.queue.ACCEPT
    return Drops

first, second = (dropping(float(share)) for share in sys.argv[2:])

def built(**more):
    return sj.dumbbell(
        rate="2 Mbit/s", rtt="20 ms", flows=sj.udp(rate="1 Mbit/s"), duration="2 s", **more
    )

both = (
    sj.run(built(vary={"link.bottleneck.queue": [first, second]}), jobs=1),
    built().with_overrides({"link.bottleneck.queue": second}),
)
with open(sys.argv[1], "wb") as file:
    cloudpickle.dump(both, file)
"""


def sent(place: Path, *shares: float) -> tuple[sj.Results, sj.Scenario]:
    """What another process made of classes of its own, all of one name."""
    program = [sys.executable, "-c", SENDER, str(place), *map(str, shares)]
    subprocess.run(program, timeout=120, check=True)
    return pickle.loads(place.read_bytes())


def test_other_processes_may_use_the_same_names(tmp_path):
    """Each of four processes has a class of that name; all are told apart where they meet."""
    mine, mine_too = (dropping(share) for share in (0.8, 0.9))
    for cls in (mine, mine_too):
        cls.__module__, cls.__qualname__ = "__main__", "dropping.<locals>.Drops"
    here = short(vary={"link.bottleneck.queue": [mine, mine_too]})
    (results, one), (swapped, other) = (
        sent(tmp_path / "file", *shares) for shares in ((0.1, 0.5), (0.5, 0.1))
    )
    assert losses(results.scenario, jobs=1) == losses(results.scenario, jobs=2) == [0.1, 0.5]
    assert losses(swapped.scenario, jobs=1) == losses(swapped.scenario, jobs=2) == [0.5, 0.1]
    # Of the overrides too.
    assert losses(one, jobs=1) == [0.5]
    assert losses(other, jobs=1) == [0.1]
    assert losses(here, jobs=1) == [0.8, 0.9]
    # Those that do the same are the same.
    assert {*results.scenario.outside} == {*swapped.scenario.outside}
    assert len({*results.scenario.outside, *here.outside}) == 4


def test_a_name_that_cannot_be_changed_is_refused(monkeypatch):
    """As where a text writes it with an escape."""
    first, second = dropping(0.45), dropping(0.55)
    scenario = short(queue=first)
    monkeypatch.setattr(scenario, "text", scenario.text.replace("Drops", "D\\u0072ops"))
    rebuild, (parts, found, *more) = scenario.__reduce__()
    with pytest.raises(sj.ScenarioError, match=r"another class in this process.*new process"):
        rebuild(parts, dict.fromkeys(found, second), *more)
