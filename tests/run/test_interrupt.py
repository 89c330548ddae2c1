"""Ctrl-C, SIGTERM or SIGHUP ends a run at once and keeps what is finished."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

import sojourn as sj
from sojourn.cli.endings import interrupted as interrupted_exit
from sojourn.experiments.folder import read
from sojourn.experiments.manifest import FolderError
from sojourn.signals import ENDINGS

PATIENCE_S = 60
AT_ONCE_S = 5
REPLICAS = 4000


def interrupted(
    folder: Path, text: str, wait_for: str, by: Sequence[signal.Signals] = (signal.SIGINT,)
) -> tuple[dict, str]:
    """Run until a trace of this name appears, then interrupt; return the document and stderr."""
    path = folder / "long.toml"
    path.write_text(text)
    command = ["run", str(path), "--json", "--trace", "ns2", "--out", str(folder / "out")]
    program = subprocess.Popen(
        [sys.executable, "-m", "sojourn", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        patience = time.monotonic() + PATIENCE_S
        while not (folder / "out" / wait_for).exists() and time.monotonic() < patience:
            assert program.poll() is None
            time.sleep(0.02)
        began = time.monotonic()
        for one in by:
            program.send_signal(one)
            time.sleep(0.003)
        out, errors = program.communicate(timeout=PATIENCE_S)
        took = time.monotonic() - began
    finally:
        program.kill()
    assert program.returncode == 130, errors
    assert took < AT_ONCE_S
    assert "Traceback" not in errors
    return json.loads(out), errors


OWN = """
import sojourn as sj


class Own(sj.queue.Discipline):
    def enqueue(self, now, size, flow, ecn):
        return sj.queue.ACCEPT
"""


@pytest.fixture
def own(mixed, tmp_path):
    """A folder with a scenario without end whose queue is a class in Python."""
    (tmp_path / "mine.py").write_text(OWN)
    text = mixed("mine:Own").replace("replicas = 3", "replicas = 400")
    (tmp_path / "long.toml").write_text(text.replace('"6 s"', '"100000 s"'))
    return tmp_path


RUN = ["run", "long.toml", "--jobs", "2"]
EVIDENCE = str(Path(__file__).parents[2] / "evidence")
VALIDATE = ["validate", "--only", "codel", "--evidence", EVIDENCE, "--jobs", "2"]


def children(program: subprocess.Popen) -> list[str]:
    """The processes that it has started, the first ones to look after what workers share."""
    return Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split()


def wait_for_workers(program: subprocess.Popen) -> None:
    """Wait until the first has been started, after two that look after what workers share."""
    patience = time.monotonic() + PATIENCE_S
    while len(children(program)) < 3 and time.monotonic() < patience:
        assert program.poll() is None
        time.sleep(0.01)


def wait_for_runs(program: subprocess.Popen, folder: Path, count: int) -> None:
    """Wait until so many runs write their traces."""
    patience = time.monotonic() + PATIENCE_S
    while len(list(folder.rglob("*.part"))) < count and time.monotonic() < patience:
        assert program.poll() is None
        time.sleep(0.02)


@pytest.mark.skipif(sys.platform != "linux", reason="children are listed otherwise there")
@pytest.mark.parametrize("by", ENDINGS)
def test_workers_that_start_do_not_hear_it(own, by):
    program = subprocess.Popen(
        [sys.executable, "-m", "sojourn", *RUN],
        cwd=own,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        wait_for_workers(program)
        # A terminal, or a batch system, sends it to all of them; the one in front last, so that the
        # others still start.
        for _ in range(50):
            for child in children(program):
                os.kill(int(child), by)
            time.sleep(0.02)
        os.killpg(program.pid, by)
        _, errors = program.communicate(timeout=PATIENCE_S)
    finally:
        program.kill()
    assert program.returncode == 130, errors
    assert "Traceback" not in errors
    assert "KeyboardInterrupt" not in errors


@pytest.mark.skipif(sys.platform != "linux", reason="children are listed otherwise there")
@pytest.mark.parametrize(
    ("command", "are_at_work"),
    [([*RUN, "--trace", "ns2"], True), (RUN, False), (VALIDATE, False)],
)
@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_the_process_in_front(own, command, are_at_work, by):
    """Also where they have not begun when it is killed."""
    program = subprocess.Popen(
        [sys.executable, "-m", "sojourn", *command],
        cwd=own,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    workers: list[str] = []
    try:
        if are_at_work:
            wait_for_runs(program, own, 2)
        else:
            wait_for_workers(program)
        workers = children(program)
        program.send_signal(by)
        program.wait(timeout=PATIENCE_S)
    finally:
        program.kill()
        program.wait()
    assert workers
    patience = time.monotonic() + PATIENCE_S
    while any(Path(f"/proc/{one}").exists() for one in workers) and time.monotonic() < patience:
        time.sleep(0.05)
    left = [one for one in workers if Path(f"/proc/{one}").exists()]
    for one in left:
        os.kill(int(one), signal.SIGKILL)
    assert not left


LOOKS_ALL_THE_TIME = """
from sojourn.workers import pool
from sojourn.cli.main import program

pool.LOOK_INTERVAL_S = 0.0
program()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("_try", range(5))
def test_it_is_heard_while_the_workers_are_looked_after(own, _try):
    """Several tries: a lock that is held half of the time is caught in half of them."""
    program = subprocess.Popen(
        [sys.executable, "-c", LOOKS_ALL_THE_TIME, *RUN, "--trace", "ns2"],
        cwd=own,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for_runs(program, own, 1)
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=PATIENCE_S)
    finally:
        program.kill()
    assert program.returncode == 130, errors


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("by", [*[(one,) for one in ENDINGS], (signal.SIGINT, signal.SIGINT)])
def test_finished_runs_are_kept(mixed, tmp_path, by):
    text = mixed().replace("replicas = 3", f"replicas = {REPLICAS}")
    document, errors = interrupted(tmp_path, text, "trace-replica8.tr", by)
    assert "interrupted" in errors
    assert document["complete"] is False
    assert document["replicas"] == REPLICAS
    metric = document["points"][0]["links"]["bottleneck"]["utilization"]
    assert 1 <= metric["n"] < REPLICAS
    assert 0 < metric["mean"] <= 1
    kept = pl.read_parquet(tmp_path / "out" / "links.parquet")
    assert kept["replica"].n_unique() == metric["n"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_nothing_finished_is_a_document_all_the_same(mixed, tmp_path):
    text = mixed().replace("replicas = 3", "replicas = 2").replace('"6 s"', '"100000 s"')
    document, errors = interrupted(tmp_path, text, "trace-replica0.tr.part")
    assert "interrupted" in errors
    assert not list((tmp_path / "out").glob("trace*")), "a trace that is cut off is no trace"
    assert document["complete"] is False
    (point,) = document["points"]
    assert point["links"] == {}
    assert point["flows"] == {}


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("command", ["run", "sweep"])
def test_a_run_without_end_leaves_one_line(mixed, tmp_path, command):
    path, out = tmp_path / "long.toml", tmp_path / "out"
    path.write_text(mixed().replace('"6 s"', '"100000 s"'))
    options = {"run": ["--trace", "ns2"], "sweep": []}[command]
    program = subprocess.Popen(
        [sys.executable, "-m", "sojourn", command, str(path), "--out", str(out), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    sign = {"run": "trace-replica0.tr.part", "sweep": "store"}[command]
    try:
        patience = time.monotonic() + PATIENCE_S
        while not list(out.glob(sign)) and time.monotonic() < patience:
            time.sleep(0.02)
        program.send_signal(signal.SIGINT)
        shown, errors = program.communicate(timeout=PATIENCE_S)
    finally:
        program.kill()
    assert program.returncode == 130
    assert shown == ""
    if command == "run":
        assert "interrupted: no run was finished" in errors.splitlines()
    else:
        assert re.search(r"^interrupted after \d.* runs: what is finished is kept in", errors, re.M)
        with pytest.raises(
            FolderError, match=r"its sweep has not finished.*sojourn sweep FILE --out"
        ):
            read(out)


def test_what_is_missing_is_named(capsys):
    scenario = sj.dumbbell(
        rate="10 Mbit/s",
        rtt="20 ms",
        flows=sj.tcp(start="uniform(0 s, 1 s)"),
        duration="1 s",
        vary={"link.bottleneck.queue": [sj.queue.DropTail(), sj.queue.CoDel(), sj.queue.Pie()]},
    )
    assert interrupted_exit(scenario, [0], "kept").exit_code == 130
    assert capsys.readouterr().err.splitlines() == [
        "interrupted: 1 run was finished; kept",
        "nothing yet of codel; pie",
    ]


ENDLESS = """
import sojourn as sj


class Own(sj.queue.Discipline):
    def enqueue(self, now, size, flow, ecn):
        open("called", "w").close()
        while True:
            pass
"""


@contextmanager
def called(own: Path, code: str, arguments: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A program of Python that is in a call of a class of this code."""
    (own / "mine.py").write_text(code)
    program = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=own,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        patience = time.monotonic() + PATIENCE_S
        while not (own / "called").exists() and time.monotonic() < patience:
            time.sleep(0.02)
        yield program
    finally:
        program.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("command", ["run", "sweep", "events"])
def test_a_class_that_never_comes_back_is_left_behind_if_ctrl_c_is_repeated(own, command):
    options = ["--out", "out", *(["--jobs", "1"] if command != "events" else [])]
    with called(own, ENDLESS, ["-m", "sojourn", command, "long.toml", *options]) as program:
        patience = time.monotonic() + PATIENCE_S
        while program.poll() is None and time.monotonic() < patience:
            program.send_signal(signal.SIGINT)
            time.sleep(0.001)
        _, errors = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 130, errors
    assert errors.splitlines()[-1].startswith("interrupted")
    assert not list(own.glob("out/events.*"))


PATIENT_FOR_A_MOMENT = """
from sojourn.workers import endable
from sojourn.cli.main import program

endable.PATIENCE_S = {patience_s}
program()
"""

WAITS_IN_A_LIBRARY = ENDLESS.replace("pass", "__import__('time').sleep(1000)")

CATCHES_ALL = """
import sojourn as sj


class Own(sj.queue.Discipline):
    def enqueue(self, now, size, flow, ecn):
        open("called", "w").close()
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
"""


def ended(
    own: Path, code: str, command: list[str], by: Sequence[signal.Signals], patience_s: float
) -> str:
    """Send signals, a moment between them, to a command whose class never comes back; return what
    it printed, once it has ended."""
    program_text = PATIENT_FOR_A_MOMENT.format(patience_s=patience_s)
    with called(own, code, ["-c", program_text, *command]) as program:
        for one in by:
            program.send_signal(one)
            time.sleep(0.4)
        shown, errors = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 130, errors
    assert "interrupted" in errors
    assert "Traceback" not in errors
    return shown


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize(
    ("command", "code", "by"),
    [
        (["run", "--jobs", "1"], ENDLESS, signal.SIGINT),
        (["sweep", "--out", "out", "--jobs", "1"], WAITS_IN_A_LIBRARY, signal.SIGHUP),
        (["sweep", "--out", "out", "--replicas", "1"], CATCHES_ALL, signal.SIGTERM),
        (["events", "--out", "out"], ENDLESS, signal.SIGTERM),
        (["events", "--out", "out"], WAITS_IN_A_LIBRARY, signal.SIGINT),
    ],
)
def test_a_class_that_never_comes_back_is_ended_by_one_signal(own, command, code, by):
    ended(own, code, [*command, "long.toml"], [by], 0.2)
    assert not list(own.glob("out/events.*"))


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_a_second_signal_does_not_wait_for_what_never_comes_back(own):
    # The first run takes longer than what a thread does before it hands over what is done.
    begins = (
        "        if now < 0.2:\n            time.sleep(0.001)\n            return sj.queue.ACCEPT\n"
    )
    code = "import time\n" + ENDLESS.replace("        open", f"{begins}        open")
    path = own / "long.toml"
    text = path.read_text().replace("replicas = 400", "replicas = 1").replace('warmup = "1 s"', "")
    path.write_text(text + '[vary]\nduration = ["0.1 s", "9 s"]\n')
    command = ["run", "--jobs", "1", "--json", "long.toml"]
    document = json.loads(ended(own, code, command, [signal.SIGINT, signal.SIGTERM], 1000))
    finished = [bool(point["links"]) for point in document["points"]]
    assert (document["complete"], finished) == (False, [True, False]), "what is finished is kept"


SLOW = """
import time
import sojourn as sj


class Own(sj.queue.Discipline):
    def enqueue(self, now, size, flow, ecn):
        open("called", "w").close()
        time.sleep(0.001)
        return sj.queue.ACCEPT
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_a_log_is_not_left_half_where_ctrl_c_is_sent_twice(own):
    """As `timeout` sends it: to the program, then to its group."""
    (own / "mine.py").write_text(SLOW)
    program = subprocess.Popen(
        [sys.executable, "-m", "sojourn", "events", "long.toml", "--out", "out"],
        cwd=own,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        patience = time.monotonic() + PATIENCE_S
        while not (own / "called").exists() and time.monotonic() < patience:
            time.sleep(0.01)
        # While the class is called, and when it comes back.
        for _ in range(2):
            program.send_signal(signal.SIGINT)
            time.sleep(0.1)
        _, errors = program.communicate(timeout=PATIENCE_S)
    finally:
        program.kill()
    assert (program.returncode, errors) == (130, "interrupted: nothing was written\n")
    assert not list(own.glob("out/events.*"))


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_as_the_program_ends_by_it_does_not_change_how(mixed, tmp_path):
    (tmp_path / "long.toml").write_text(mixed().replace('"6 s"', '"100000 s"'))
    program = subprocess.Popen(
        [sys.executable, "-m", "sojourn", "events", "long.toml", "--out", "out"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for_runs(program, tmp_path, 1)
        program.send_signal(signal.SIGINT)
        assert program.stderr is not None
        told = program.stderr.readline()
        while program.poll() is None:
            program.send_signal(signal.SIGINT)
            time.sleep(0.001)
        _, more = program.communicate(timeout=PATIENCE_S)
    finally:
        program.kill()
    assert told == "interrupted: nothing was written\n"
    assert program.returncode == 130, more
