"""What each hook of a discipline of one's own knows: its random stream, the instant, the queue."""

import json
from typing import ClassVar

import own
import own_control
import pytest

import sojourn as sj
from sojourn import _core


class Once(sj.queue.Discipline):
    """Draws twice, and nothing else."""

    probes = ("first", "second")

    def reset(self):
        self.first = self.second = -1.0

    def enqueue(self, now, size, flow, ecn):
        if self.first < 0.0:
            self.first = self.random()
        elif self.second < 0.0:
            self.second = self.random()
        return sj.queue.ACCEPT


class AtReset(Once):
    """The same, the first time when it is new."""

    def reset(self):
        self.first, self.second = self.random(), -1.0


class AtLink(Once):
    """The same, when the rate changes."""

    def on_link(self):
        self.first, self.second = self.random(), self.random()

    def enqueue(self, now, size, flow, ecn):
        return sj.queue.ACCEPT


def line(queue, **head) -> sj.Scenario:
    """Packets of 500 B, one each 10 ms, to a link in each direction; at 0.5 s both change."""
    flows = [
        sj.udp(rate="400 kbit/s", payload="472 B", from_=a, to=b, name=f"from-{a}")
        for a, b in ("ab", "ba")
    ]
    changes = [{"at": "500 ms", "rate": "5 Mbit/s"}]
    links = [
        sj.link(
            *way, "10 Mbit/s", duplex=False, name=way, delay="1 ms", queue=queue, changes=changes
        )
        for way in ("ab", "ba")
    ]
    return sj.network(links, flows[0] + flows[1], duration="1 s", **head)


def shown(queue, name: str, **head) -> list[float]:
    """An inner variable at the end, at each link and replica."""
    return (
        sj.run(line(queue, **head), series_interval="1 s", jobs=1).series(name)["value"].to_list()
    )


def test_it_draws_from_its_own_stream_whenever_it_draws():
    drawn: dict[str, list[float]] = {}
    for queue in (Once(), AtReset(), AtLink()):
        for name in Once.probes:
            for seed in (1, 2):
                values = shown(queue, name, seed=seed, replicas=2)
                assert drawn.setdefault(f"{name} {seed}", values) == values
    values = [value for each in drawn.values() for value in each]
    assert len({*values}) == len(values) == 16
    assert all(0.0 <= value < 1.0 for value in values)


def test_it_does_so_where_others_make_it():
    def driven(seed: int) -> float:
        driver = _core.Driver()
        for request in (
            {"cmd": "new", "discipline": sj.own.classes.name_of(AtReset), "seed": seed},
            {"cmd": "enqueue", "t_ns": 0, "bytes": 500},
        ):
            answer = json.loads(driver.answer(json.dumps(request)))
        return answer["state"]["AtReset.first"]

    def tried(seed: int) -> float:
        return _core.DisciplineHarness(sj.own.classes.name_of(AtReset), "{}", seed).probe()[0][1]

    assert driven(1) == tried(1) != driven(2) == tried(2)
    used = _core.DisciplineHarness(sj.own.classes.name_of(AtReset), "{}", 1)
    used.reset(2)
    assert used.probe()[0][1] == tried(2)


class Spreads(sj.queue.Discipline):
    """Two queues, chosen by a salt that it draws when it is new."""

    queues = 2

    def reset(self):
        self.salt = int(self.random() * 1000)

    def enqueue(self, now, size, flow, ecn):
        return (self.salt >> flow) % 2


def test_what_draws_when_it_is_new_keeps_the_laws():
    sj.testing.check_laws(Spreads, sequences=5)


class Holds(sj.queue.Discipline):
    """Keeps all until 0.8 s; sees what waits at a change, and sets a timer."""

    probes = ("waiting", "size", "rate", "ran", "later")
    after = sj.params.number(0.1, "From the change to the timer, in s.")

    def reset(self):
        self.waiting = self.size = self.rate = self.ran = self.later = -1.0

    def dequeue(self, now, size, flow, ecn, sojourn):
        return sj.queue.SEND if now >= 0.8 else self.wait_until(0.8)

    def on_link(self):
        self.waiting, self.size, self.rate = self.packets, self.bytes, self.link_rate
        self.next_timer = 0.5 + self.after

    def on_timer(self, now):
        self.ran, self.later = now, self.packets


def test_a_change_finds_the_queue_as_it_is_and_may_set_a_timer():
    """One arrives at 0 s, 10 ms ... 490 ms before the change, ten more before the timer."""
    results = sj.run(line(Holds()), series_interval="1 s", jobs=1)
    for name, value in {
        "waiting": 50,
        "size": 25_000,
        "rate": 5e6,
        "ran": 0.6,
        "later": 61,  # that of 600 ms has come: arrivals go before timers
    }.items():
        assert results.series(name)["value"].to_list() == [value, value], name


def test_a_change_sets_no_timer_in_the_past():
    with pytest.raises(sj.UserCodeError) as raised:
        sj.run(line(Holds(after=-0.01)), jobs=1)
    head, *_, tail = str(raised.value).splitlines()
    assert head.endswith("on link ab: on_link raised an exception at 0.5 s of simulated time:")
    assert tail == (
        "ValueError: next_timer: found 0.49 s; allowed: a time after now, which is 0.5 s"
    )


class Held(sj.queue.Discipline):
    """Keeps all until 35 ms, and writes down when it is asked."""

    asked: ClassVar[set[float]] = set()

    def dequeue(self, now, size, flow, ecn, sojourn):
        self.asked.add(round(now, 6))
        return sj.queue.SEND if now >= 0.035 else self.wait_until(0.035)


def test_who_waits_is_asked_again_at_arrivals_too():
    """One arrives every 10 ms; sent are those of 0 to 30 ms, 400 us apart."""
    sj.run(line(Held()), jobs=1)
    assert sorted(Held.asked)[:8] == [0.0, 0.01, 0.02, 0.03, 0.035, 0.0354, 0.0358, 0.0362]


class Forgets(sj.queue.Discipline):
    """Waits until an instant, and for nothing when it is asked again, at the next arrival."""

    def reset(self):
        self.asked = 0

    def dequeue(self, now, size, flow, ecn, sojourn):
        self.asked += 1
        return self.wait_until(now + 0.05) if self.asked == 1 else sj.queue.WAIT


@pytest.mark.parametrize(("late", "at"), [(False, "0 s"), (True, "0.01 s")])
def test_a_wait_until_no_instant_is_its_own_fault(late, at):
    queue = Forgets() if late else type("AtOnce", (own.Paced,), {"dequeue": _waits})()
    with pytest.raises(sj.UserCodeError) as raised:
        sj.run(line(queue), jobs=1)
    head, tail = str(raised.value).splitlines()
    assert f"dequeue raised an exception at {at} of simulated time, over a packet of 500 B" in head
    allowed = "allowed: to answer self.wait_until(...)"
    assert tail == f"ValueError: it answered WAIT, and not until when; {allowed}"


def _waits(self, now, size, flow, ecn, sojourn):
    return sj.queue.WAIT


def test_an_exception_in_reset_has_its_traceback():
    with pytest.raises(sj.UserCodeError) as raised:
        line(own.FailsWhenNew())
    text = str(raised.value)
    assert text.startswith("own:FailsWhenNew on link ab: reset raised an exception:\nTraceback")
    assert text.endswith("ZeroDivisionError: when new")
    with pytest.raises(sj.UserCodeError, match="FailsWhenNew on a bench: reset raised"):
        sj.testing.check_laws(own.FailsWhenNew)


def test_so_has_one_in_the_reset_of_a_congestion_control(monkeypatch):
    def made() -> sj.Scenario:
        flow = sj.tcp(own_control.FailsWhenNew(), name="tcp")
        return sj.dumbbell(rate="5 Mbit/s", rtt="30 ms", flows=flow, duration="1 s")

    scenario = made()
    monkeypatch.setattr(own_control.FailsWhenNew, "fails", True)
    for call in (made, lambda: sj.run(scenario, jobs=1)):
        with pytest.raises(sj.UserCodeError) as raised:
            call()
        text = str(raised.value)
        head = "own_control:FailsWhenNew: reset raised an exception:\nTraceback"
        assert text.startswith(head)
        assert text.endswith("ZeroDivisionError: when new")
