"""What is wrong with a class is told when an object of it is made, or compiled."""

import builtins
import subprocess
import sys

import numpy as np
import pytest

import sojourn as sj


def test_a_class_without_a_hook_is_refused():
    class Coin(sj.queue.Discipline):
        def enque(self, now, size, flow, ecn):
            return sj.queue.DROP

    with pytest.raises(ValueError, match=r"Coin: found no hook; .*enque: did you mean enqueue\?"):
        Coin()


@pytest.mark.parametrize(
    ("base", "hooks"),
    [
        (sj.queue.Discipline, {"enqueue": lambda self, now, size, flow, ecn: sj.queue.ACCEPT}),
        (
            sj.transport.CongestionControl,
            {"on_ack": lambda self, ack: None, "on_loss": lambda self, now, why: None},
        ),
    ],
)
def test_an_init_that_leaves_out_its_base_is_refused(base, hooks):
    own = type("Own", (base,), {"__init__": lambda self: None, **hooks})
    allowed = r"Own: found an __init__ that does not call super\(\).* or reset\(self\)"
    with pytest.raises(ValueError, match=allowed):
        own().table()


def test_a_method_that_looks_like_a_hook_is_warned_of():
    class Coin(sj.queue.Discipline):
        def enqueue(self, now, size, flow, ecn):
            return sj.queue.ACCEPT

        def deque(self, now, size, flow, ecn, sojourn):
            return sj.queue.DROP

    with pytest.warns(UserWarning, match="never called: deque: did you mean dequeue"):
        Coin()


def test_helpers_and_inherited_hooks_are_left_in_peace(recwarn):
    class Base(sj.queue.Discipline):
        def enqueue(self, now, size, flow, ecn):
            return self.judge(size)

        def judge(self, size):
            return sj.queue.ACCEPT

    class Child(Base):
        pass

    assert Child().limit == "1000 packets"
    assert not recwarn.list


@pytest.mark.parametrize(
    ("hook", "found"), [("enqueue", "self, now, size"), ("on_timer", "self"), ("on_empty", "self")]
)
def test_a_hook_takes_what_it_is_called_with(hook, found):
    names: dict = {}
    exec(f"def {hook}({found}): return 0", names)
    cls = type("Short", (sj.queue.Discipline,), {hook: names[hook]})
    with pytest.raises(ValueError, match=rf"found {hook}\({found}\); allowed: {hook}\(self, now"):
        cls()


@pytest.mark.parametrize("queues", [0, -1, 1.5, "2", 2**16, True])
def test_queues_are_counted(queues):
    given = {"enqueue": lambda self, now, size, flow, ecn: 0, "queues": queues}
    told = rf"Own: found queues = {queues!r}; allowed: a whole number from 1 to 65535"
    with pytest.raises(ValueError, match=told):
        type("Own", (sj.queue.Discipline,), given)()


def test_numbers_of_numpy_and_names_of_ones_own_are_taken():
    given = {"enqueue": lambda self, now, size, flow, ecn: 0, "queues": np.int64(2), "pacing": 0.5}
    type("Own", (sj.queue.Discipline,), given)()
    given = {"on_ack": lambda self, ack: None, "on_loss": lambda self, loss: None, "queues": "no"}
    type("Own", (sj.transport.CongestionControl,), given | {"pacing": np.bool_(True)})()


@pytest.mark.parametrize("probes", ["count", 3, [3]])
def test_probes_are_named(probes):
    given = {"enqueue": lambda self, now, size, flow, ecn: 0, "probes": probes}
    with pytest.raises(ValueError, match=r"Own: found probes = .*; allowed: names of attributes"):
        type("Own", (sj.queue.Discipline,), given)()


@pytest.mark.parametrize("flag", ["pacing", "own_recovery"])
def test_whether_a_controller_paces_or_recovers_is_true_or_false(flag):
    given = {"on_ack": lambda self, ack: None, "on_loss": lambda self, loss: None, flag: "no"}
    with pytest.raises(ValueError, match=rf"Own: found {flag} = 'no'; allowed: True or False"):
        type("Own", (sj.transport.CongestionControl,), given)()


@pytest.mark.parametrize("hook", ["on_link", "reset"])
def test_hooks_that_judge_nothing_take_what_they_are_called_with_too(hook):
    given = {"enqueue": lambda self, now, size, flow, ecn: 0, hook: lambda self, link: None}
    with pytest.raises(ValueError, match=rf"found {hook}\(self, link\); allowed: {hook}\(self\)"):
        type("Own", (sj.queue.Discipline,), given)()


def test_a_hook_is_a_plain_function():
    class Later(sj.queue.Discipline):
        async def enqueue(self, now, size, flow, ecn):
            return sj.queue.DROP

    class Piecewise(sj.transport.CongestionControl):
        def on_ack(self, ack):
            yield

        def on_loss(self, loss):
            self.cwnd = 1.0

    with pytest.raises(ValueError, match=r"Later: found async def enqueue; allowed: a plain"):
        Later()
    with pytest.raises(ValueError, match=r"Piecewise: found a yield in on_ack; allowed: a plain"):
        Piecewise()


def test_a_compiled_hook_takes_two_records():
    class Short(sj.queue.Discipline):
        @sj.njit_policy
        def enqueue(state):
            return 0

    with pytest.raises(ValueError, match=r"found enqueue\(state\); allowed: enqueue\(state,"):
        Short()


def test_a_controller_must_have_two_hooks():
    class Half(sj.transport.CongestionControl):
        def on_ack(self, ack):
            self.cwnd += 1.0

        def on_los(self, loss):
            self.cwnd = 1.0

    with pytest.raises(
        ValueError, match=r"found no on_loss; allowed: all of.*on_los: did you mean on_loss\?"
    ):
        sj.tcp(Half)


class Bounds(sj.queue.Discipline):
    """Two thresholds, one above the other."""

    low = sj.params.time("10 ms", "Where drops begin.")
    high = sj.params.time("30 ms", "Where all are dropped.")

    def validate(self):
        if self.low >= self.high:
            raise sj.params.ParamError("low", f"found {self.low} s; allowed: below high")

    def dequeue(self, now, size, flow, ecn, sojourn):
        return sj.queue.DROP if sojourn > self.high else sj.queue.SEND


def test_parameters_are_checked_together(overloaded):
    Bounds(low="20 ms")
    message = "low: found 0.04 s; allowed: below high"
    with pytest.raises(sj.params.ParamError, match=message):
        Bounds(low="40 ms")
    with pytest.raises(sj.params.ParamError, match=message):
        sj.testing.check_laws(Bounds, {"low": "40 ms"})
    good = overloaded(Bounds())
    with pytest.raises(sj.ScenarioError, match=r"queue\.low: found 0\.04 s; allowed: below high"):
        good.with_overrides({"link.x.queue.low": "40 ms"})


def test_a_class_stands_for_its_object(overloaded):
    assert overloaded(Bounds).to_toml() == overloaded(Bounds()).to_toml()
    assert overloaded(sj.queue.CoDel).to_toml() == overloaded(sj.queue.CoDel()).to_toml()
    varied = [Bounds, sj.queue.CoDel]
    assert overloaded(None, vary={"link.x.queue": varied}).core.points == 2


def compiled(source: str, folder, monkeypatch) -> str:
    """Why the hook of a class in a file cannot be compiled."""
    pytest.importorskip("numba")
    path = folder / "crash.py"
    lines = ["import sojourn as sj", "class Crash(sj.queue.Discipline):", '    state = {"n": 0.0}']
    path.write_text("\n".join([*lines, "    @sj.njit_policy", *source.splitlines()]) + "\n")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "crash", raising=False)
    queue = {"discipline": "crash:Crash"}
    with pytest.raises(sj.ScenarioError) as raised:
        sj.dumbbell(rate="1 Mbit/s", rtt="10 ms", flows=sj.tcp(), queue=queue)
    return str(raised.value)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("state.count += 1.0", "state has no 'count' (it has n): crash.py, line 6"),
        ("state.count = 1.0", "state has no 'count' (it has n): crash.py, line 6"),
        ("x = packet.siz", 'did you mean "size"?: crash.py, line 6'),
        ('open("x")', "Untyped global name 'open'"),
        ("x = nowhere", "name 'nowhere' is not defined: crash.py, line"),
        ('sj.queue.drop("target")', "'drop' of type the module sojourn.queue: crash.py, line 6"),
    ],
)
def test_a_hook_that_cannot_be_compiled_says_why(body, reason, tmp_path, monkeypatch):
    source = f"    def dequeue(state, packet):\n        {body}\n        return 0"
    message = compiled(source, tmp_path, monkeypatch)
    assert "crash:Crash: dequeue cannot be compiled: " in message
    assert reason in message
    assert "\\n" not in message
    assert "\n" not in message
    assert len(message) < 500


def test_without_numba_the_missing_extra_is_all_that_is_told(monkeypatch):
    find = builtins.__import__

    def without(name, *more):
        if name.partition(".")[0] == "numba":
            raise ImportError(name)
        return find(name, *more)

    class Plain(sj.queue.Discipline):
        @sj.njit_policy
        def enqueue(state, packet):
            return 0

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(sj.ScenarioError) as raised:
        sj.dumbbell(rate="1 Mbit/s", rtt="10 ms", flows=sj.tcp(), queue=Plain())
    assert str(raised.value).endswith("install it with: pip install 'sojourn[numba]'")
    assert "Traceback" not in str(raised.value)


def test_an_exception_while_a_queue_is_made_is_one_line():
    class Broken(sj.queue.Discipline):
        made = 0

        def validate(self):
            Broken.made += 1
            if Broken.made > 1:
                raise ValueError("one\ntwo")

        def on_empty(self, now):
            pass

    with pytest.raises(sj.ScenarioError, match=r"ValueError: one two \(test_hooks\.py, line \d+\)"):
        sj.dumbbell(rate="1 Mbit/s", rtt="10 ms", flows=sj.tcp(), queue=Broken())


class WaitsForNow(sj.queue.Discipline):
    """Waits until the present instant: it would never end."""

    def dequeue(self, now, size, flow, ecn, sojourn):
        return self.wait_until(now)


class CompiledWaitsForNow(sj.queue.Discipline):
    """The same, compiled."""

    @sj.njit_policy
    def dequeue(state, packet):
        packet.wait_until = packet.now
        return sj.queue.WAIT


class TimerForNow(sj.queue.Discipline):
    """A timer that stands still."""

    def reset(self):
        self.next_timer = 0.5

    def on_timer(self, now):
        self.next_timer = now


@pytest.mark.parametrize("waits", [WaitsForNow, CompiledWaitsForNow, TimerForNow])
def test_what_waits_for_the_present_instant_ends_the_run(overloaded, waits):
    if waits is CompiledWaitsForNow:
        pytest.importorskip("numba")
    with pytest.raises(sj.UserCodeError) as raised:
        sj.run(overloaded(waits()))
    text = str(raised.value)
    assert "allowed: a time after now, which is " in text
    head = text.splitlines()[0]
    assert " s of simulated time" in head
    assert not {"ns", "us", "ms"} & set(head.replace(",", " ").split())


def test_messages_name_ecn_as_the_interface_does(overloaded):
    class Fails(sj.queue.Discipline):
        def dequeue(self, now, size, flow, ecn, sojourn):
            raise ValueError

    with pytest.raises(sj.UserCodeError, match=r"ECN NOT_ECT, that has waited [\d.]+ s"):
        sj.run(overloaded(Fails()), jobs=1)


class Divides(sj.queue.Discipline):
    """Divides by zero at the tenth arrival."""

    state = {"seen": 0.0}  # noqa: RUF012

    @sj.njit_policy
    def enqueue(state, packet):
        state.seen += 1.0
        return 0 if 1.0 / (10.0 - state.seen) < 2.0 else sj.queue.DROP


def test_a_division_by_zero_raises_as_in_python(overloaded):
    pytest.importorskip("numba")
    with pytest.raises(sj.UserCodeError) as raised:
        sj.run(overloaded(Divides()))
    assert "ZeroDivisionError: division by zero" in str(raised.value)
    assert "return 0 if 1.0 / (10.0 - state.seen)" in str(raised.value)


LOCKED = """
import sys
from threading import Lock

import sojourn as sj

lock = Lock()


class Locked(sj.queue.Discipline):
    def enqueue(self, now, size, flow, ecn):
        with lock:
            return sj.queue.ACCEPT


scenario = sj.dumbbell(
    rate="1 Mbit/s", rtt="10 ms", queue=Locked(), flows=sj.tcp("cubic"), duration="1 s", replicas=2
)
sj.run(scenario, jobs=int(sys.argv[1]))
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_cannot_go_to_a_worker_is_told(jobs):
    command = [sys.executable, "-c", LOCKED, str(jobs)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == jobs - 1, done.stderr
    told = "__main__:Locked: found a value that cannot go to a worker process: cannot pickle"
    assert (told in done.stderr) == (jobs == 2)
    assert done.stderr.count('File "') <= 2
