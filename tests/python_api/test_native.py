"""Disciplines compiled by Numba."""

import own
import pytest

import sojourn as sj

pytest.importorskip("numba")


def traced(scenario: sj.Scenario, folder) -> str:
    """Every event of a run."""
    sj.run(scenario, trace_folder=folder)
    return (folder / "trace.tr").read_text()


def test_a_compiled_one_equals_the_built_in_one_packet_for_packet(overloaded, tmp_path):
    settings = {"limit": "20 packets", "increment": 0.1, "freeze_time": "20 ms"}
    ours = overloaded(sj.queue.Blue(**settings), duration="20 s", series="100 ms")
    theirs = overloaded(
        own.CompiledBlue(room="20 packets", **settings), duration="20 s", series="100 ms"
    )
    events = traced(ours, tmp_path / "a")
    assert events.count("\nd ") > 100
    assert events == traced(theirs, tmp_path / "b")
    ours, theirs = (sj.run(scenario).series("prob")["value"] for scenario in (ours, theirs))
    assert ours.equals(theirs)


def test_timers_run_compiled_and_in_python_as_in_the_built_in_one(overloaded):
    built_in = sj.queue.Pi(limit="100 packets", target="20 packets", a=1.822e-3, b=1.816e-3)
    shown = [
        sj.run(overloaded(queue, duration="20 s", series="100 ms"))
        for queue in (built_in, own.Pi(), own.CompiledPi())
    ]
    first = shown[0].series("prob")["value"]
    assert first.max() > 0.05
    for each in shown[1:]:
        assert each.links["drops_packets"].equals(shown[0].links["drops_packets"])
        assert (each.series("prob")["value"] - first).abs().max() < 1e-9


def test_a_timer_that_stands_still_ends_the_run(overloaded):
    told = (
        r"on_timer at 0\.5 s of simulated time:\nValueError: state\.next_timer: found 0\.5; allow"
    )
    with pytest.raises(sj.UserCodeError, match=told):
        sj.run(overloaded(own.CompiledStuck()))


def test_a_timer_that_is_no_time_ends_the_run(overloaded):
    with pytest.raises(sj.UserCodeError, match=r"state\.next_timer: found NaN; allowed: a time"):
        sj.run(overloaded(own.CompiledTimeless()))


@pytest.mark.parametrize("after", [-0.5, -2.0, 0.0])
def test_no_hook_sets_a_timer_in_the_past(overloaded, after):
    with pytest.raises(sj.UserCodeError) as raised:
        sj.run(overloaded(own.CompiledLate(after=after), duration="2 s"))
    head, tail = str(raised.value).splitlines()
    assert head.startswith("own:CompiledLate on link x: enqueue at 1.0")
    assert tail.startswith("ValueError: state.next_timer: found ")
    assert "; allowed: a time after now, which is 1.0" in tail
    assert tail.endswith(", in s, or infinity for none")


def test_a_hook_sets_a_timer_to_come(overloaded):
    queue = own.CompiledLate(after=0.25)
    ran = sj.run(overloaded(queue, duration="2 s", series="1 s")).series("ran")["value"]
    assert ran.to_list() == [-1.0, pytest.approx(0.25, abs=1e-12)]


def test_the_first_timer_is_not_before_the_beginning(overloaded):
    with pytest.raises(sj.ScenarioError, match="state: found next_timer = -1; allowed: 0 or"):
        overloaded(own.CompiledBegun())


def test_what_a_timer_adds_to_its_instant_counts_from_there(overloaded):
    """At 0.5 s, 1 s, 1.5 s ...; those at the end of a second are not seen there yet."""
    shown = sj.run(overloaded(own.CompiledTicks(), series="1 s"))
    assert shown.series("ticks")["value"].to_list() == [1, 3, 5, 7, 9]
    assert shown.series("last")["value"].to_list() == pytest.approx([0.5, 1.5, 2.5, 3.5, 4.5])


def test_a_timer_that_is_not_set_again_runs_no_more(overloaded):
    shown = sj.run(overloaded(own.CompiledTicks(most=1), series="1 s"))
    assert shown.series("ticks")["value"].to_list() == [1, 2, 2, 2, 2]


@pytest.mark.parametrize("good", [own.CompiledBlue, own.CompiledPaced, own.CompiledPi])
def test_compiled_ones_keep_the_laws(good):
    sj.testing.check_laws(good, {"limit": "20 packets"}, sequences=15)


def test_compiled_ones_run_in_threads(overloaded):
    scenario = overloaded(own.CompiledPaced(), replicas=3, duration="2 s")
    assert not scenario.is_interpreted(0)
    one, two = (sj.run(scenario, jobs=jobs) for jobs in (1, 2))
    assert one.links.equals(two.links)
    assert (one.links["departures_packets"] <= 2001).all()


def test_an_answer_that_is_no_verdict_ends_the_run(overloaded):
    with pytest.raises(sj.UserCodeError, match="it answered 7; allowed: ACCEPT"):
        sj.run(overloaded(own.CompiledNonsense()))


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_ends_the_run_with_all_that_helps(overloaded, jobs):
    with pytest.raises(sj.UserCodeError) as raised:
        sj.run(overloaded(own.CompiledFails(), replicas=2), jobs=jobs)
    text = str(raised.value)
    for part in (
        "own:CompiledFails on link x: enqueue raised an exception at",
        "of simulated time, over a packet of",
        'raise ValueError("the hundredth")',
        "ValueError: the hundredth",
    ):
        assert part in text


class Stateless(sj.queue.Discipline):
    @sj.njit_policy
    def enqueue(_state, packet):
        sizes = (1, 2)
        return sizes[packet.packets + 5]


def test_an_exception_of_one_without_variables_is_told_too(overloaded):
    with pytest.raises(sj.UserCodeError, match="IndexError: tuple index out of range"):
        sj.run(overloaded(Stateless()))


class Share(sj.queue.Discipline):
    @sj.njit_policy
    def enqueue(_state, packet):
        return packet.packets / 100


def test_an_answer_that_would_be_cut_off_is_refused(overloaded):
    with pytest.raises(sj.ScenarioError, match="enqueue answers float64; allowed: verdicts, whole"):
        overloaded(Share())


def test_hooks_are_compiled_all_or_none():
    with pytest.raises(TypeError, match="found dequeue beside compiled hooks"):

        class Mixed(sj.queue.Discipline):
            @sj.njit_policy
            def enqueue(state, packet):
                return 0

            def dequeue(self, now, size, flow, ecn, sojourn):
                return 0
