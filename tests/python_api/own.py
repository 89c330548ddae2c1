"""Disciplines in Python, as users would write them; some are broken on purpose."""

import itertools
import math
import os
import signal

import sojourn as sj

LOST = sj.queue.drop("blue")
UNFORCED = sj.queue.drop("unforced")
FULL = sj.queue.drop("overlimit")


def goodput(scenario: sj.Scenario) -> list[float]:
    """What every flow got through."""
    return sj.run(scenario, jobs=1).flows["goodput_bps"].to_list()


class Blue(sj.queue.Discipline):
    """BLUE as `crates/queue/src/blue.rs` describes it, without ECN."""

    increment = sj.params.probability(0.02, "What a loss adds.")
    decrement = sj.params.probability(0.002, "What an idle link takes.")
    freeze_time = sj.params.time("100 ms", "Least time between two changes.")
    probes = ("prob",)

    def reset(self):
        self.prob = 0.0
        self.last_update = None
        self.is_idle = False

    def step(self, change, now):
        if self.last_update is None or now - self.last_update > self.freeze_time:
            self.prob = min(1.0, max(0.0, self.prob + change))
            self.last_update = now

    def enqueue(self, now, size, flow, ecn):
        self.is_idle = False
        if not self.has_room(size):
            self.step(self.increment, now)
            return FULL
        return LOST if self.random() < self.prob else sj.queue.ACCEPT

    def on_empty(self, now):
        if not self.is_idle:
            self.is_idle = True
            self.step(-self.decrement, now)


class CompiledBlue(sj.queue.Discipline):
    """The same, compiled; the limit is in packets."""

    increment = sj.params.probability(0.02, "What a loss adds.")
    decrement = sj.params.probability(0.002, "What an idle link takes.")
    freeze_time = sj.params.time("100 ms", "Least time between two changes.")
    room = sj.params.packets("1000 packets", "As the limit.")
    state = {"prob": 0.0, "last_update": -1e9, "is_idle": 0.0}  # noqa: RUF012
    probes = ("prob",)

    @sj.njit_policy
    def enqueue(state, packet):
        state.is_idle = 0.0
        if packet.packets >= state.room:
            if packet.now - state.last_update > state.freeze_time:
                state.prob = min(1.0, state.prob + state.increment)
                state.last_update = packet.now
            return FULL
        return LOST if sj.uniform(packet) < state.prob else sj.queue.ACCEPT

    @sj.njit_policy
    def on_empty(state, packet):
        if state.is_idle == 0.0:
            state.is_idle = 1.0
            if packet.now - state.last_update > state.freeze_time:
                state.prob = max(0.0, state.prob - state.decrement)
                state.last_update = packet.now


class CompiledPaced(sj.queue.Discipline):
    """One packet each millisecond, compiled."""

    state = {"free": 0.0}  # noqa: RUF012

    @sj.njit_policy
    def dequeue(state, packet):
        if packet.now < state.free:
            packet.wait_until = state.free
            return sj.queue.WAIT
        state.free = packet.now + 0.001
        return sj.queue.SEND


class Pi(sj.queue.Discipline):
    """PI as its manual page describes it."""

    limit = "100 packets"
    target = sj.params.packets("20 packets", "Queue aimed at.")
    a = sj.params.number(1.822e-3, "Gain of the distance now.")
    b = sj.params.number(1.816e-3, "Gain of the distance before.")
    interval = sj.params.time("6.25 ms", "Time between two updates.")
    probes = ("prob",)

    def reset(self):
        self.prob, self.before = 0.0, 0
        self.next_timer = self.interval

    def enqueue(self, now, size, flow, ecn):
        return UNFORCED if self.random() < self.prob else sj.queue.ACCEPT

    def on_timer(self, now):
        change = self.a * (self.packets - self.target) - self.b * (self.before - self.target)
        self.prob, self.before = min(1.0, max(0.0, self.prob + change)), self.packets
        self.next_timer = now + self.interval


class CompiledPi(sj.queue.Discipline):
    """The same, compiled."""

    limit = "100 packets"
    target = sj.params.packets("20 packets", "Queue aimed at.")
    a = sj.params.number(1.822e-3, "Gain of the distance now.")
    b = sj.params.number(1.816e-3, "Gain of the distance before.")
    interval = sj.params.time("6.25 ms", "Time between two updates.")
    state = {"prob": 0.0, "before": 0.0, "next_timer": 0.0}  # noqa: RUF012
    probes = ("prob",)

    @sj.njit_policy
    def enqueue(state, packet):
        return UNFORCED if sj.uniform(packet) < state.prob else sj.queue.ACCEPT

    @sj.njit_policy
    def on_timer(state, packet):
        above, before = packet.packets - state.target, state.before - state.target
        state.prob = min(1.0, max(0.0, state.prob + state.a * above - state.b * before))
        state.before = packet.packets
        state.next_timer = packet.now + state.interval


class CompiledStuck(sj.queue.Discipline):
    """Sets its timer to where it stands."""

    state = {"next_timer": 0.5}  # noqa: RUF012

    @sj.njit_policy
    def on_timer(state, packet):
        state.next_timer = 0.5


class CompiledTimeless(sj.queue.Discipline):
    """Sets its timer to no time at all."""

    state = {"next_timer": 0.5}  # noqa: RUF012

    @sj.njit_policy
    def on_timer(state, packet):
        state.next_timer = math.nan


class CompiledLate(sj.queue.Discipline):
    """Sets its timer at the first arrival after 1 s, to so much later than that."""

    after = sj.params.number(-0.5, "In s.")
    state = {"next_timer": math.inf, "was_set": 0.0, "ran": -1.0}  # noqa: RUF012
    probes = ("ran",)

    @sj.njit_policy
    def enqueue(state, packet):
        if packet.now > 1.0 and state.was_set == 0.0:
            state.was_set = packet.now
            state.next_timer = packet.now + state.after
        return sj.queue.ACCEPT

    @sj.njit_policy
    def on_timer(state, packet):
        state.ran = packet.now - state.was_set


class CompiledTicks(sj.queue.Discipline):
    """Adds to the instant of its timer as often as it is told, and counts."""

    period = sj.params.time("500 ms", "Added.")
    most = sj.params.number(1e9, "How often.")
    state = {"next_timer": 0.5, "ticks": 0.0, "last": 0.0}  # noqa: RUF012
    probes = ("ticks", "last")

    @sj.njit_policy
    def on_timer(state, packet):
        state.ticks += 1.0
        state.last = packet.now
        if state.ticks <= state.most:
            state.next_timer += state.period


class CompiledBegun(sj.queue.Discipline):
    """Its first timer stands before the beginning."""

    state = {"next_timer": -1.0}  # noqa: RUF012

    @sj.njit_policy
    def on_timer(state, packet):
        state.next_timer = packet.now + 1.0


class CompiledNonsense(sj.queue.Discipline):
    """Answers a queue that there is not."""

    @sj.njit_policy
    def enqueue(state, packet):
        return 7


class CompiledFails(sj.queue.Discipline):
    """Raises at the hundredth arrival, compiled."""

    state = {"seen": 0.0}  # noqa: RUF012

    @sj.njit_policy
    def enqueue(state, packet):
        state.seen += 1.0
        if state.seen == 100.0 and sj.uniform(packet) >= 0.0:
            raise ValueError("the hundredth")
        return sj.queue.ACCEPT


class Fails(sj.queue.Discipline):
    """Raises at the hundredth arrival."""

    def reset(self):
        self.seen = 0

    def enqueue(self, now, size, flow, ecn):
        self.seen += 1
        if self.seen == 100:
            raise ZeroDivisionError("the hundredth")
        return sj.queue.ACCEPT


class FailsWhenNew(sj.queue.Discipline):
    """Raises before the first packet."""

    def reset(self):
        raise ZeroDivisionError("when new")

    def enqueue(self, now, size, flow, ecn):
        return sj.queue.ACCEPT


class Forgetful(sj.queue.Discipline):
    """Answers nothing."""

    def enqueue(self, now, size, flow, ecn):
        pass


class Remembers(sj.queue.Discipline):
    """Keeps state beyond reset: broken."""

    seen = itertools.count()

    def enqueue(self, now, size, flow, ecn):
        return sj.queue.DROP if next(self.seen) % 7 == 0 else sj.queue.ACCEPT


class Hoards(sj.queue.Discipline):
    """Never gives a packet away: broken."""

    def dequeue(self, now, size, flow, ecn, sojourn):
        return self.wait_until(now + 1.0)


class Batches(sj.queue.Discipline):
    """Sends while three packets wait behind, and asks again and again otherwise: broken."""

    def dequeue(self, now, size, flow, ecn, sojourn):
        return sj.queue.SEND if self.packets >= 3 else self.wait_until(now + 0.001)


class Closed(sj.queue.Discipline):
    """Waits for the end of time: broken."""

    def dequeue(self, now, size, flow, ecn, sojourn):
        return self.wait_until(float("inf"))


class Gate(sj.queue.Discipline):
    """A timer opens and closes it."""

    def reset(self):
        self.is_open = False
        self.turns = self.next_timer = 0.01

    def on_timer(self, now):
        self.is_open = not self.is_open
        self.turns += 0.01
        self.next_timer = self.turns

    def dequeue(self, now, size, flow, ecn, sojourn):
        return sj.queue.SEND if self.is_open else self.wait_until(now + 0.03)


class Polls(sj.queue.Discipline):
    """One packet in two seconds, for which it looks every millisecond."""

    def reset(self):
        self.free = 0.0

    def dequeue(self, now, size, flow, ecn, sojourn):
        if now < self.free:
            return self.wait_until(now + 0.001)
        self.free = now + 2.0
        return sj.queue.SEND


class Killed(sj.queue.Discipline):
    """Ends its process, as the system does where memory is short."""

    after = sj.params.time("1 s", "When.")

    def enqueue(self, now, size, flow, ecn):
        if now > self.after:
            os.kill(os.getpid(), signal.SIGKILL)
        return sj.queue.ACCEPT


class Reorders(sj.queue.Discipline):
    """Spreads the packets of a flow over two queues: broken."""

    queues = 2

    def enqueue(self, now, size, flow, ecn):
        return self.packets % 2


class TwoBands(sj.queue.Discipline):
    """Small flow numbers first."""

    queues = 2

    def enqueue(self, now, size, flow, ecn):
        return 0 if flow == 0 else 1


class RoundRobin(sj.queue.Discipline):
    """Four queues in turn, and a timer that counts."""

    queues = 4
    period = sj.params.time("10 ms", "How often to count.")
    probes = ("ticks",)

    def reset(self):
        self.last = 0
        self.ticks = 0
        self.next_timer = self.period

    def enqueue(self, now, size, flow, ecn):
        return flow % 4

    def choose(self, now):
        places = ((self.last + k) % 4 for k in range(1, 5))
        self.last = next(k for k in places if self.packets_in(k))
        return self.last

    def on_timer(self, now):
        self.ticks += 1
        self.next_timer = now + self.period


class Paced(sj.queue.Discipline):
    """One packet each millisecond."""

    def reset(self):
        self.free = 0.0

    def dequeue(self, now, size, flow, ecn, sojourn):
        if now < self.free:
            return self.wait_until(self.free)
        self.free = now + 0.001
        return sj.queue.SEND


class Marks(sj.queue.Discipline):
    """Marks all that waited."""

    def dequeue(self, now, size, flow, ecn, sojourn):
        return sj.queue.mark("target") if sojourn > 0.001 else sj.queue.SEND
