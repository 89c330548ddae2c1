"""A real Dask scheduler and real workers over loopback TCP, one of which is killed."""

import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

import sojourn as sj
from sojourn.errors.brief import InputError
from sojourn.experiments.cluster import ClusterError, _carry_out, check_address
from sojourn.experiments.sweep import sweep
from sojourn.store import record
from sojourn.store.runs import Store
from sojourn.workers.tasks import Task

from .conftest import PATIENCE_S, Counter, assert_same, started

pytest.importorskip("distributed")


SETTINGS = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s"}
"""A scheduler asks no longer than that after a worker that was killed. It would for 30 s."""


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen] = []
        about = folder / "scheduler.json"
        self._start("dask_scheduler", "--port", "0", "--scheduler-file", about, **variables)
        wait_until(lambda: about.exists() and about.read_text().strip().endswith("}"))
        self.address = json.loads(about.read_text())["address"]

    @property
    def scheduler(self) -> subprocess.Popen:
        return self.processes[0]

    def add_worker(self, **variables: str) -> subprocess.Popen:
        options = ("--nthreads", "1", "--no-nanny", "--local-directory", self.folder)
        return self._start("dask_worker", self.address, *options, **variables)

    def _start(self, program: str, *arguments: object, **variables: str) -> subprocess.Popen:
        log = (self.folder / f"{program}-{len(self.processes)}.log").open("w")
        options = ("--host", "127.0.0.1", "--no-dashboard")
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{program}", *map(str, arguments), *options],
            stdout=log,
            stderr=log,
            env={**os.environ, **SETTINGS, **variables},
        )
        self.processes.append(process)
        return process

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()


def wait_until(holds) -> None:
    patience = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < patience
        time.sleep(0.02)


@pytest.fixture
def cluster(tmp_path) -> Iterator[Cluster]:
    made = Cluster(tmp_path)
    yield made
    made.stop()


def records(out: Path) -> list[bytes]:
    """The keys of all records, in every journal: a run done twice would be there twice."""
    found = []
    for path in (out / "store").glob("*.journal"):
        parts = record.scan(path.read_bytes())
        found += [part.key for part in parts if isinstance(part, record.Found)]
    return found


def test_a_worker_that_dies_loses_nothing_and_doubles_nothing(cluster, text, tmp_path):
    path = tmp_path / "scenario.toml"
    path.write_text(text(duration="60 s", replicas=20))
    doomed = cluster.add_worker()
    cluster.add_worker()
    out = tmp_path / "out"
    program = started("sweep", path, "--out", out, "--cluster", cluster.address)
    wait_until(lambda: program.poll() is not None or len(records(out)) >= 10)
    assert program.poll() is None
    before = len(records(out))
    doomed.kill()
    _, errors = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 0, errors
    assert before < 80, "it was killed in the middle"
    keys = records(out)
    assert len(keys) == len(set(keys)) == 80
    sweep(path, tmp_path / "here")
    assert_same(out, tmp_path / "here")


def test_that_no_worker_is_left_is_told_and_another_goes_on(cluster, text, tmp_path):
    path = tmp_path / "scenario.toml"
    path.write_text(text(duration="60 s", replicas=20))
    doomed = cluster.add_worker()
    out = tmp_path / "out"
    program = started("sweep", path, "--out", out, "--cluster", cluster.address)
    wait_until(lambda: program.poll() is not None or len(records(out)) >= 3)
    assert program.poll() is None
    doomed.kill()
    assert program.stderr is not None
    while "the cluster has no workers any more; runs wait for one" not in program.stderr.readline():
        assert program.poll() is None
    cluster.add_worker()
    _, errors = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 0, errors
    keys = records(out)
    assert len(keys) == len(set(keys)) == 80


def test_here_and_there_share_a_store(cluster, text, tmp_path):
    out, scenario = tmp_path / "out", sj.Scenario.from_toml(text())
    sweep(sj.Scenario.from_toml(text(rates=(1.5,))), out)
    cluster.add_worker()
    counter = Counter()
    sweep(scenario, out, cluster=cluster.address, progress=counter)
    assert counter.runs == 6
    sweep(scenario, tmp_path / "here")
    assert_same(out, tmp_path / "here")


def test_killed_and_gone_on_with(cluster, text, tmp_path):
    path, out = tmp_path / "scenario.toml", tmp_path / "out"
    path.write_text(text(duration="60 s", replicas=20))
    cluster.add_worker()
    for _ in range(3):
        before = len(records(out))
        program = started("sweep", path, "--out", out, "--cluster", cluster.address)
        wait_until(lambda p=program, b=before: p.poll() is not None or len(records(out)) > b + 5)
        program.kill()
        program.communicate()
    assert 0 < len(Store(out / "store")) < 80
    sweep(path, out, cluster=cluster.address)
    sweep(path, tmp_path / "here")
    assert_same(out, tmp_path / "here")


def test_a_worker_with_another_engine_is_refused(cluster, text, tmp_path, monkeypatch):
    cluster.add_worker()
    monkeypatch.setattr("sojourn.store.identity.ENGINE", "another")
    with pytest.raises(ClusterError, match="install the same sojourn on all workers"):
        sweep(sj.Scenario.from_toml(text()), tmp_path / "out", cluster=cluster.address)


@pytest.fixture
def without_sojourn(tmp_path) -> dict[str, str]:
    """The environment of a process that finds no sojourn."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "sojourn.py").touch()
    return {"PYTHONPATH": str(tmp_path / "other")}


def test_a_worker_without_sojourn_is_one_clear_error(cluster, text, tmp_path, without_sojourn):
    cluster.add_worker(**without_sojourn)
    with pytest.raises(ClusterError, match="a worker cannot import sojourn: No module named"):
        sweep(sj.Scenario.from_toml(text()), tmp_path / "out", cluster=cluster.address)


def test_a_scheduler_without_sojourn_is_one_clear_error(text, tmp_path, without_sojourn):
    cluster = Cluster(tmp_path, **without_sojourn)
    try:
        cluster.add_worker()
        with pytest.raises(ClusterError, match="the scheduler cannot import sojourn: No module"):
            sweep(sj.Scenario.from_toml(text()), tmp_path / "out", cluster=cluster.address)
    finally:
        cluster.stop()


def test_a_scheduler_that_dies_is_one_clear_error(cluster, text, tmp_path):
    path, out = tmp_path / "scenario.toml", tmp_path / "out"
    path.write_text(text(duration="60 s", replicas=20))
    cluster.add_worker()
    program = started("sweep", path, "--out", out, "--cluster", cluster.address)
    wait_until(lambda: program.poll() is not None or len(records(out)) >= 3)
    cluster.scheduler.kill()
    _, errors = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 1
    (line,) = [line for line in errors.splitlines() if " runs, " not in line]
    assert line.startswith("error: the scheduler has gone; finished runs are kept; the same")


ENDLESS = """
import sojourn as sj


class Own(sj.queue.Discipline):
    def enqueue(self, now, size, flow, ecn):
        open("CALLED", "w").close()
        while True:
            pass
"""


@pytest.mark.parametrize(
    ("queue", "by"), [("droptail", signal.SIGINT), ("own:Own", signal.SIGKILL)]
)
def test_a_worker_is_free_again_once_its_sweep_has_ended(cluster, text, tmp_path, queue, by):
    """Whether its run takes long, or is in a class that never comes back."""
    worker = cluster.add_worker()
    place, small, called = (tmp_path / name for name in ("long.toml", "small.toml", "called"))
    (tmp_path / "own.py").write_text(ENDLESS.replace("CALLED", str(called)))
    long = text(duration="1000000 s", replicas=1, rates=(1.5,)).replace('series = "250 ms"', "")
    place.write_text(long.replace('"red"', '"droptail"').replace("droptail", queue))
    program = started("sweep", place, "--out", tmp_path / "out", "--cluster", cluster.address)
    begun = called if queue == "own:Own" else tmp_path / "out" / "store"
    wait_until(lambda: begun.exists() or program.poll() is not None)
    time.sleep(1.5)
    assert program.poll() is None
    program.send_signal(by)
    program.communicate(timeout=PATIENCE_S)
    small.write_text(text(replicas=1, rates=(1.5,)))
    following = started("sweep", small, "--out", tmp_path / "small", "--cluster", cluster.address)
    try:
        _, errors = following.communicate(timeout=PATIENCE_S)
    finally:
        following.kill()
    assert following.returncode == 0, errors
    assert worker.poll() is None


def test_a_worker_whose_scheduler_has_gone_ends_its_run(cluster, text, tmp_path):
    worker, place = cluster.add_worker(), tmp_path / "long.toml"
    long = text(duration="1000000 s", replicas=1, rates=(1.5,))
    place.write_text(long.replace('series = "250 ms"', ""))
    program = started("sweep", place, "--out", tmp_path / "out", "--cluster", cluster.address)
    wait_until(lambda: (tmp_path / "out" / "store").exists() or program.poll() is not None)
    time.sleep(1.5)
    cluster.scheduler.kill()
    _, errors = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 1, errors
    assert worker.wait(timeout=PATIENCE_S) is not None


FAILS = """
import sojourn as sj


class Own(sj.queue.Discipline):
    def enqueue(self, now, size, flow, ecn):
        raise ZeroDivisionError
"""

WHERE = r"point 1 \(load rate 1\.5 Mbit/s, bottleneck queue own:Own\), replica 0, seed 1: "


def test_an_error_tells_its_run_and_its_worker(cluster, text, tmp_path):
    cluster.add_worker()
    (tmp_path / "own.py").write_text(FAILS)
    path = tmp_path / "scenario.toml"
    path.write_text(text(replicas=1).replace('"red"', '"own:Own"'))
    with pytest.raises(sj.UserCodeError, match=f"^worker tcp://127.*: {WHERE}own:Own on link"):
        sweep(path, tmp_path / "out", cluster=cluster.address)


def test_that_workers_died_over_a_run_tells_which(monkeypatch):
    from distributed.scheduler import KilledWorker

    killed = KilledWorker("sojourn-key", SimpleNamespace(address="tcp://1.2.3.4:5"), 3)
    monkeypatch.setattr("distributed.wait", lambda *_, **__: None)
    client = Client()

    def gather(futures: list[Future]) -> list[bytes]:
        if any(future.status == "error" for future in futures):
            raise killed
        return [future.packed for future in futures]

    client.gather = gather
    tasks = [Task(point, 0) for point in range(4)]
    keys = SimpleNamespace(of=lambda task: bytes([task.point]))
    finished = _carry_out(client, None, keys, tasks, lambda task: f"point {task.point}")
    with pytest.raises(ClusterError, match=r"^point 1: several workers died over the same run"):
        list(finished)


def test_a_worker_whose_file_was_put_right_goes_on(cluster, text, tmp_path):
    cluster.add_worker()
    path, sizes = tmp_path / "scenario.toml", tmp_path / "sizes.csv"
    path.write_text(text(replicas=1).replace('"472 B"', '"empirical(sizes.csv)"'))
    sizes.write_text("400\n")
    read = sj.Scenario.load(path)
    sizes.write_text("401\n")
    # As on a machine with another copy of it.
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sj.Scenario, "current", lambda scenario: scenario)
        with pytest.raises(
            ClusterError, match=r"^worker tcp://127.*: it cannot confirm what it is"
        ):
            sweep(read, tmp_path / "out", cluster=cluster.address)
        sizes.write_text("400\n")
        sweep(read, tmp_path / "out", cluster=cluster.address)


def test_a_class_of_the_program_is_refused_before_anything_is_handed_out(tmp_path):
    program = """
import sojourn as sj
from sojourn.experiments.sweep import sweep


class Own(sj.queue.Discipline):
    def enqueue(self, now, size, flow, ecn):
        return sj.queue.ACCEPT


scenario = sj.dumbbell(rate="10 Mbit/s", rtt="20 ms", queue=Own(), flows=sj.tcp(), duration="1 s")
sweep(scenario, "out", cluster="tcp://127.0.0.1:9")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "ClusterError: __main__:Own: found a class of the running program" in done.stderr


def test_tls_without_certificates_is_one_clear_error(text, tmp_path):
    with pytest.raises(ClusterError, match=r"allowed: .*distributed\.comm\.tls\.ca-file"):
        sweep(sj.Scenario.from_toml(text()), tmp_path / "out", cluster="tls://127.0.0.1:9")


def test_addresses_of_ucx_are_refused():
    with pytest.raises(InputError, match="allowed: the address of a scheduler"):
        check_address("ucx://127.0.0.1:9")


def test_nothing_is_logged_of_a_connection_that_was_interrupted(text, tmp_path, monkeypatch):
    tornado = logging.getLogger("tornado.application")

    def interrupted(*_, **__):
        assert not tornado.isEnabledFor(logging.ERROR)
        raise KeyboardInterrupt

    monkeypatch.setattr("distributed.Client", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sweep(sj.Scenario.from_toml(text()), tmp_path / "out", cluster="tcp://127.0.0.1:9")
    assert tornado.isEnabledFor(logging.ERROR)


def test_what_goes_wrong_in_a_run_is_told_here(cluster, text, tmp_path):
    cluster.add_worker()
    path = tmp_path / "sizes.csv"
    path.write_text("400\n")
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(text().replace('"472 B"', '"empirical(sizes.csv)"'))
    read = sj.Scenario.load(scenario)
    path.unlink()
    with pytest.raises((sj.ScenarioError, OSError), match=r"sizes\.csv"):
        sweep(read, tmp_path / "out", cluster=cluster.address)


def test_no_scheduler_is_one_clear_error(text, tmp_path, monkeypatch):
    monkeypatch.setattr("sojourn.experiments.cluster.PATIENCE_S", 1.0)
    with pytest.raises(ClusterError, match="there is no Dask scheduler"):
        sweep(sj.Scenario.from_toml(text()), tmp_path / "out", cluster="tcp://127.0.0.1:9")


def test_no_worker_is_one_clear_error(cluster, text, tmp_path, monkeypatch):
    monkeypatch.setattr("sojourn.experiments.cluster.PATIENCE_S", 1.0)
    with pytest.raises(ClusterError, match="no worker joined"):
        sweep(sj.Scenario.from_toml(text()), tmp_path / "out", cluster=cluster.address)


@dataclass(frozen=True)
class Future:
    """A run that a cluster has been handed."""

    status: str
    packed: bytes = b""

    def done(self) -> bool:
        return self.status != "pending"


class Client:
    """A cluster that has done all but the last run that it was handed; the second has failed."""

    def __init__(self) -> None:
        self.cancelled: list[Future] = []
        self._futures = iter(
            [Future("finished", b"1"), Future("error"), Future("finished", b"3"), Future("pending")]
        )

    def nthreads(self) -> dict[str, int]:
        return {"worker": 1}

    def submit(self, *_, key: str) -> Future:
        return next(self._futures)

    def gather(self, futures: list[Future]) -> list[bytes]:
        if any(future.status == "error" for future in futures):
            raise sj.LedgerError("books")
        return [future.packed for future in futures]

    def cancel(self, futures: list[Future]) -> None:
        self.cancelled = futures


def test_what_was_done_beside_a_run_that_fails_is_handed_over(monkeypatch):
    monkeypatch.setattr("distributed.wait", lambda *_, **__: None)
    client, found = Client(), []
    tasks = [Task(point, 0) for point in range(4)]
    keys = SimpleNamespace(of=lambda task: bytes([task.point]))
    finished = _carry_out(client, None, keys, tasks, str)
    with pytest.raises(sj.LedgerError, match="books"):
        found.extend(run for batch in finished for run in batch)
    assert found == [(tasks[0], b"1"), (tasks[2], b"3")]
    assert [future.status for future in client.cancelled] == ["error", "pending"]
