"""A discipline in Python is a discipline like any other."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import own
import pytest

import sojourn as sj
from sojourn.store.runs import Store

HERE = Path(__file__).parent


def traced(scenario: sj.Scenario, folder) -> str:
    """Every event of a run."""
    sj.run(scenario, trace_folder=folder, jobs=1)
    return (folder / "trace.tr").read_text()


def test_codel_of_the_page_is_codel_packet_for_packet(overloaded, page_codel, tmp_path):
    settings = {"target": "4 ms", "interval": "30 ms"}
    ours = traced(overloaded(sj.queue.CoDel(**settings), duration="20 s"), tmp_path / "a")
    theirs = traced(overloaded(page_codel(**settings), duration="20 s"), tmp_path / "b")
    assert ours.count("\nd ") > 100
    assert ours == theirs


def test_blue_draws_from_the_same_stream(overloaded, tmp_path):
    settings = {"limit": "20 packets", "increment": 0.1, "freeze_time": "20 ms"}
    ours = traced(overloaded(sj.queue.Blue(**settings), duration="20 s"), tmp_path / "a")
    theirs = traced(overloaded(own.Blue(**settings), duration="20 s"), tmp_path / "b")
    assert ours.count("\nd ") > 100
    assert ours == theirs


def test_inner_variables_are_shown_as_those_of_the_registry(overloaded):
    settings = {"limit": "20 packets", "increment": 0.1}
    shown = [
        sj.run(overloaded(queue, series="100 ms")).series("prob")["value"]
        for queue in (sj.queue.Blue(**settings), own.Blue(**settings))
    ]
    assert shown[0].max() > 0
    assert shown[0].equals(shown[1])


@pytest.mark.parametrize(
    "good", [own.Blue, own.TwoBands, own.RoundRobin, own.Paced, own.Marks, sj.queue.Discipline]
)
def test_good_ones_keep_the_laws(good):
    sj.testing.check_laws(good, {"limit": "20 packets"}, sequences=15)


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (own.Remembers, "decides differently"),
        (own.Hoards, "wait for ever"),
        (own.Reorders, "changed their order"),
    ],
)
def test_broken_ones_are_caught(broken, law):
    with pytest.raises(sj.testing.LawError, match=law):
        sj.testing.check_laws(broken)


def test_marks_only_what_can_be_marked(overloaded):
    for ecn, kind in ((True, "mark"), (False, "drop")):
        scenario = overloaded(own.Marks())
        results = sj.run(
            scenario.with_overrides(
                {"flow.poisson.transport.ecn": ecn, "flow.onoff.transport.ecn": ecn}
            )
        )
        assert results.drops["kind"].unique().to_list() == [kind]
        assert results.drops["reason"].unique().to_list() == ["target"]


def test_shaping_and_timers(overloaded):
    paced = sj.run(overloaded(own.Paced()))
    assert paced.links["throughput_bps"][0] < 4e6
    assert paced.links["departures_packets"][0] <= 5001
    ticks = sj.run(overloaded(own.RoundRobin(), series="1 s")).series("ticks")["value"]
    assert ticks.to_list() == [99, 199, 299, 399, 499]


@pytest.mark.parametrize(
    ("queue", "waiting"), [(own.Batches, 3), (own.Closed, 20), (own.Hoards, 20)]
)
def test_packets_never_given_away_are_its_own_fault(overloaded, queue, waiting):
    with pytest.raises(sj.UserCodeError) as raised:
        sj.run(overloaded(queue(limit="20 packets")))
    text = str(raised.value)
    assert text.startswith(f"own:{queue.__name__} on link x: dequeue never gives its packets away")
    assert f": {waiting} still wait at 5 s" in text


@pytest.mark.parametrize("queue", [own.Gate, own.Polls, own.Paced])
def test_what_still_waits_at_the_end_is_no_fault(overloaded, queue):
    links = sj.run(overloaded(queue(limit="20 packets"), duration="3 s")).links
    assert 0 < links["departures_packets"][0] < links["arrivals_packets"][0]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_ends_the_run_with_all_that_helps(overloaded, jobs):
    scenario = overloaded(own.Fails(), replicas=2)
    with pytest.raises(sj.UserCodeError) as raised:
        sj.run(scenario, jobs=jobs)
    assert len(raised.traceback) == 2  # the call and sj.run
    text = str(raised.value)
    for part in (
        "own:Fails on link x: enqueue raised an exception at",
        "of simulated time, over a packet of",
        'raise ZeroDivisionError("the hundredth")',
        "ZeroDivisionError: the hundredth",
    ):
        assert part in text


def test_an_answer_that_is_no_verdict_is_an_exception(overloaded):
    with pytest.raises(sj.UserCodeError, match="it answered None; allowed: ACCEPT, DROP"):
        sj.run(overloaded(own.Forgetful()))


@pytest.mark.parametrize("jobs", [0, -1])
def test_at_least_one_run_goes_at_a_time(overloaded, tmp_path, jobs):
    for call in (sj.run, lambda one, **keys: sj.sweep(one, tmp_path / "out", **keys)):
        with pytest.raises(ValueError, match=f"jobs: found {jobs}; allowed: 1 or more"):
            call(overloaded(sj.queue.CoDel()), jobs=jobs)
    assert not (tmp_path / "out").exists()


def test_parameters_are_validated(overloaded):
    for params, message in (
        ({"freeze_tme": "1 s"}, 'did you mean "freeze_time"'),
        ({"freeze_time": "1"}, "with its unit"),
        ({"increment": 2.0}, "increment"),
        ({"limit": "0 packets"}, "a queue length above zero"),
    ):
        with pytest.raises(sj.params.ParamError, match=message):
            own.Blue(**params)


FILE = """
name = "file"
duration = "2 s"
replicas = 2

[[link]]
name = "x"
from = "a"
to = "b"
rate = "4 Mbit/s"
queue = {queue}

[[flow]]
name = "load"
from = "a"
to = "b"
transport = {{ protocol = "udp", payload = "472 B" }}
traffic = {{ source = "poisson", rate = "4.5 Mbit/s" }}
"""


@pytest.fixture
def program(tmp_path):
    """Run the program on a file with a queue; `own.py` lies beside the file."""
    (tmp_path / "mine.py").write_text((HERE / "own.py").read_text())

    def call(command: str, queue: str, *more: str):
        path = tmp_path / "file.toml"
        path.write_text(FILE.format(queue=queue))
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        return subprocess.run(
            [sys.executable, "-P", "-m", "sojourn", command, path, *more],
            capture_output=True,
            text=True,
            timeout=120,
            env=environment,
            check=False,
        )

    return call


def test_a_scenario_file_names_it(program):
    ours = program("run", '{ discipline = "blue", limit = "20 packets" }', "--json")
    theirs = program("run", '{ discipline = "mine:Blue", limit = "20 packets" }', "--json")
    assert theirs.returncode == 0, theirs.stderr
    assert ours.stdout == theirs.stdout


@pytest.mark.parametrize(
    ("queue", "message"),
    [
        ('{ discipline = "nowhere:Blue" }', "the module nowhere cannot be imported"),
        ('{ discipline = "mine:Green" }', "the module mine has no Green"),
        ('{ discipline = "mine:LOST" }', "which is no class"),
        ('{ discipline = "pathlib:Path" }', "inherits from sojourn.queue.Discipline"),
        ('{ discipline = "mine:Blue", freeze_time = 3 }', "queue.freeze_time: found 3; allowed:"),
        ('{ discipline = "mine:Blue", frozen = true }', "queue.frozen: unknown key"),
    ],
)
def test_what_is_wrong_in_a_file_is_one_error_with_its_line(program, queue, message):
    done = program("check", queue)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "file.toml:11: link.x.queue" in done.stderr
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_many_points_may_name_it(tmp_path):
    """They are checked in several threads, each of which asks for Python."""
    (tmp_path / "mine.py").write_text((HERE / "own.py").read_text())
    path = tmp_path / "many.toml"
    rates = '{ from = "1000 kbit/s", to = "4000 kbit/s", step = "10 kbit/s" }'
    text = FILE.format(queue='{ discipline = "mine:Blue" }')
    path.write_text(f'{text}\n[vary]\n"flow.load.traffic.rate" = {rates}\n')
    call = [sys.executable, "-m", "sojourn", "check", path]
    done = subprocess.run(call, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "301 points" in done.stdout


def test_an_exception_ends_the_program_with_status_1(program):
    done = program("run", '{ discipline = "mine:Fails" }')
    assert done.returncode == 1
    assert "ZeroDivisionError: the hundredth" in done.stderr
    assert "of simulated time" in done.stderr
    assert done.stdout == ""


def test_so_does_one_before_the_first_packet(program):
    done = program("check", '{ discipline = "mine:FailsWhenNew" }')
    assert done.returncode == 1
    assert "mine:FailsWhenNew on link x: reset raised an exception:\nTraceback" in done.stderr
    assert "ZeroDivisionError: when new" in done.stderr


def test_finished_runs_of_a_sweep_are_kept(program, tmp_path):
    queue = '{ discipline = "mine:Fails" }\n[vary]\n'
    vary = '{ discipline = "droptail" }, { discipline = "mine:Fails" }'
    path = tmp_path / "sweep.toml"
    text = FILE.format(queue='{ discipline = "droptail" }')
    path.write_text(text + f'\n[vary]\n"link.x.queue" = [{vary}]\n')
    del queue
    out = tmp_path / "out"
    call = [sys.executable, "-m", "sojourn", "sweep", path, "--out", out]
    first = subprocess.run(call, capture_output=True, text=True, timeout=120, check=False)
    assert first.returncode == 1
    mine = tmp_path / "mine.py"
    mine.write_text(mine.read_text().replace("raise ZeroDivisionError", "str"))
    second = subprocess.run(call, capture_output=True, text=True, timeout=120, check=False)
    assert second.returncode == 0, second.stderr
    assert "2 runs were finished before, 2 are new" in second.stderr


def test_one_of_its_decisions_is_a_page(program, tmp_path):
    out = tmp_path / "log"
    queue = '{ discipline = "mine:Blue", limit = "3 packets" }'
    done = program("events", queue, "--out", out, "--show", "1")
    assert done.returncode == 0, done.stderr
    page = (out / "decision-1.html").read_text()
    assert "<title>" in page
    assert "Blue" in page


def test_its_manual_page_is_listed(program, tmp_path):
    def listed(*words):
        call = [sys.executable, "-m", "sojourn", "list", *words]
        return subprocess.run(
            call, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
        )

    (entry,) = json.loads(listed("disciplines", "mine:Blue", "--json").stdout)
    assert entry["title"].startswith("BLUE as")
    (freeze,) = [param for param in entry["params"] if param["name"] == "freeze_time"]
    assert (freeze["default"], freeze["doc"]) == ("100 ms", "Least time between two changes.")
    assert freeze["allowed"].startswith("a time of zero or more")
    assert "freeze_time" in listed("disciplines", "mine:Blue").stdout
    for name, message in (("mine:Green", "has no Green"), ("pathlib:Path", "inherits from")):
        refused = listed("disciplines", name)
        assert refused.returncode == 2
        assert message in refused.stderr


def test_compare_and_drive_take_it_by_its_name(program, tmp_path):
    def call(*words, given=""):
        return subprocess.run(
            [sys.executable, "-m", "sojourn", *words],
            cwd=tmp_path,
            input=given,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    short = ("--duration", "4 s", "--warmup", "1 s", "--replicas", "2", "--json")
    one = "limit=20 packets,increment=0.1"
    done = call("compare", f"mine:Blue,{one}", f"blue,{one}", *short)
    assert done.returncode == 0, done.stderr
    ours, theirs = json.loads(done.stdout)["disciplines"]
    assert ours["discipline"].startswith("mine:Blue")
    assert {**ours, "discipline": ""} == {**theirs, "discipline": ""}

    requests = [
        {"cmd": "new", "discipline": "mine:Blue", "params": {"limit": "1 packets"}},
        {"cmd": "enqueue", "t_ns": 0, "bytes": 500},
        {"cmd": "enqueue", "t_ns": 200_000_000, "bytes": 500},
        {"cmd": "new", "discipline": "mine:Blue", "params": {"increment": "x"}},
    ]
    done = call("drive", given="".join(json.dumps(request) + "\n" for request in requests))
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert replies[0] == {}
    assert replies[2]["drops"] == [[1, "overlimit", 0]]
    assert replies[2]["state"]["Blue.prob"] == 0.02
    assert replies[3]["error"].startswith('increment: found "x"')


def test_one_that_never_gives_its_packets_away_ends_the_program_with_status_1(program):
    done = program("run", '{ discipline = "mine:Batches" }')
    assert done.returncode == 1
    assert "mine:Batches on link x: dequeue never gives its packets away" in done.stderr
    assert "fault of sojourn" not in done.stderr


def test_a_worker_that_was_killed_is_one_line_and_finished_runs_are_kept(program, tmp_path):
    killed = '{ discipline = "mine:Killed" }'
    vary = f'"link.x.queue" = [{{ discipline = "droptail" }}, {killed}]'
    text = '{ discipline = "droptail" }'
    out = tmp_path / "out"
    (tmp_path / "sweep.toml").write_text(FILE.format(queue=text) + f"\n[vary]\n{vary}\n")
    done = program("sweep", killed, "--jobs", "2", "--out", out)
    assert done.returncode == 1
    line = f"error: {out}: a worker process was killed, for want of memory perhaps; allowed: fewer"
    assert done.stderr.startswith(line)
    assert "finished runs are kept" in done.stderr
    assert done.stderr.count("\n") == 1
    call = [sys.executable, "-m", "sojourn", "sweep", tmp_path / "sweep.toml", "--out", out]
    done = subprocess.run(
        [*call, "--jobs", "2"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 1
    assert "a worker process was killed" in done.stderr
    assert len(Store(out / "store")) == 2


class Numbers(sj.queue.Discipline):
    """A parameter of each kind of number."""

    share = sj.params.probability(0.5)
    count = sj.params.whole(3)
    is_on = sj.params.flag(False)
    factor = sj.params.number(1.0)

    def enqueue(self, now, size, flow, ecn):
        return sj.queue.ACCEPT


def test_numbers_of_numpy_are_numbers(overloaded):
    given = {
        "share": np.float32(0.25),
        "count": np.int64(7),
        "is_on": np.bool_(True),
        "factor": np.float32(2.0),
    }
    made = Numbers(**given)
    assert (made.share, made.count, made.is_on, made.factor) == (0.25, 7, True, 2.0)
    plain = Numbers(share=0.25, count=7, is_on=True, factor=2.0)
    assert overloaded(made) == overloaded(plain)


@pytest.mark.parametrize("digits", [400, 5000])
def test_a_number_without_end_is_refused(digits):
    with pytest.raises(sj.params.ParamError) as raised:
        Numbers(factor=10**digits)
    assert str(raised.value) == (
        "factor: found a number of more than 308 digits; allowed: a number without a unit"
    )
