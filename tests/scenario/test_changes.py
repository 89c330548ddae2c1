"""Links whose rate changes while a scenario runs, from a file and from Python."""

from typing import ClassVar

import pytest

import sojourn as sj
from sojourn import registries

HEAD = """
name = "changing"
duration = "8 s"
series = "1 s"

[[link]]
name = "l"
from = "a"
to = "b"
rate = "4 Mbit/s"
duplex = true
"""

FLOOD = """
[[flow]]
name = "flood"
from = "a"
to = "b"
transport = { protocol = "udp", payload = "472 B" }
traffic = { source = "cbr", rate = "9 Mbit/s" }
"""

BACK = FLOOD.replace("flood", "back").replace('"a"', '"x"').replace('"b"', '"a"')
BACK = BACK.replace('"x"', '"b"')

TCP = """
[[flow]]
name = "tcp"
from = "a"
to = "b"
transport = { protocol = "tcp" }
traffic = { source = "bulk" }
"""

DISCIPLINES = [*registries.entries("disciplines")]


def scenario(changes: str, flows: str = FLOOD, **more) -> sj.Scenario:
    key = f"changes = {changes}\n" if changes else ""
    return sj.Scenario.from_toml(HEAD + key + flows, **more)


def seconds(results: sj.Results, metric: str = "throughput_bps", name: str = "l") -> list[float]:
    """The values of each second, in Mbit/s or as they are."""
    series = results.series(metric)
    values = series.filter(series["name"] == name)["value"].to_list()
    return [value / 1e6 for value in values] if metric.endswith("bps") else values


def test_a_link_sends_at_the_rate_of_the_time():
    results = sj.run(
        scenario('[{ at = "2 s", rate = "1 Mbit/s" }, { at = "5 s", rate = "8 Mbit/s" }]')
    )
    # Each is off by less than the packet that is being sent at the change.
    assert seconds(results) == pytest.approx([4, 4, 1, 1, 1, 8, 8, 8], abs=0.005)
    (link,) = results.links.filter(results.links["link"] == "l").rows(named=True)
    assert link["throughput_bps"] == pytest.approx((2 * 4 + 3 + 3 * 8) / 8 * 1e6, abs=1000)
    assert link["utilization"] == pytest.approx(1, abs=1e-9)


def test_both_ways_of_a_link_change():
    results = sj.run(scenario('[{ at = "4 s", rate = "1 Mbit/s" }]', FLOOD + BACK))
    for name in ("l", "l.reverse"):
        assert seconds(results, name=name) == pytest.approx([4] * 4 + [1] * 4, abs=0.005)


def test_in_an_outage_nothing_is_sent_and_the_transmitter_is_idle():
    results = sj.run(
        scenario('[{ at = "2 s", rate = "0 bit/s" }, { at = "4 s", rate = "4 Mbit/s" }]')
    )
    assert seconds(results) == pytest.approx([4, 4, 0, 0, 4, 4, 4, 4], abs=0.005)
    (link,) = results.links.filter(results.links["link"] == "l").rows(named=True)
    assert link["utilization"] == pytest.approx(6 / 8, abs=1e-3)
    # The queue is full, a second long; who is in it when the outage begins waits for that too.
    assert link["queueing_delay_p95_s"] == pytest.approx(2 + 1000 * 4000 / 4e6, rel=0.01)


def test_steps_begin_anew_when_all_have_been(tmp_path):
    results = sj.run(scenario('{ rates = ["2 Mbit/s", "6 Mbit/s", "0 bit/s"], step = "1 s" }'))
    assert seconds(results) == pytest.approx([2, 6, 0, 2, 6, 0, 2, 6], abs=0.005)
    (tmp_path / "rates.csv").write_text("# bit/s\n2e6\n6e6\n0\n")
    file = tmp_path / "changing.toml"
    file.write_text(HEAD + 'changes = { rates = "rates.csv", step = "1 s" }\n' + FLOOD)
    assert sj.run(str(file)).links.equals(results.links)


def opportunities(tmp_path, trace: str, step: str) -> sj.Scenario:
    (tmp_path / "cellular.up").write_text(trace)
    file = tmp_path / "changing.toml"
    keys = f'opportunities = "cellular.up", step = "{step}"'
    file.write_text(HEAD + f"changes = {{ {keys} }}\n" + FLOOD)
    return sj.Scenario.load(file)


@pytest.mark.parametrize("step", ["1 ps", "1 ns", "799 ns"])
def test_a_step_of_more_changes_than_can_be_meant_is_refused(tmp_path, step):
    what = rf"found more than 10000000 changes, one each {step}; allowed: a longer step"
    rates = f'{{ rates = ["1 Mbit/s"], step = "{step}" }}'
    with pytest.raises(sj.ScenarioError, match=rf"link\.l\.changes\.step: {what}"):
        scenario(rates)
    dumbbell = f"""
name = "d"
duration = "8 s"
[dumbbell]
bottleneck = {{ rate = "1 Mbit/s", delay = "1 ms", changes = {rates} }}
[[flow]]
name = "f"
transport = {{ protocol = "udp" }}
traffic = {{ source = "cbr", rate = "9 Mbit/s" }}
"""
    with pytest.raises(sj.ScenarioError, match=rf"dumbbell\.bottleneck\.changes\.step: {what}"):
        sj.Scenario.from_toml(dumbbell)
    with pytest.raises(sj.ScenarioError, match=what):
        opportunities(tmp_path, "1\n", step)


def test_the_steps_of_a_trace_of_mahimahi_are_counted_to_its_end(tmp_path):
    """All of them are made, though the run is shorter."""
    with pytest.raises(sj.ScenarioError, match=r"cellular\.up: found more than 10000000 changes"):
        opportunities(tmp_path, "1\n20000\n", "1 us")


def test_a_trace_of_mahimahi(tmp_path):
    """1500 bytes each 6 ms, then each 2 ms, then none but at the end of the third second."""
    stamps = [*range(6, 1001, 6), *range(1002, 2001, 2), 3000]
    scenario = opportunities(tmp_path, "".join(f"{stamp}\n" for stamp in stamps), "1 s")
    whole = [166 * 0.012, 6, 0.012]
    assert seconds(sj.run(scenario)) == pytest.approx([*whole, *whole, *whole[:2]], abs=0.01)
    # By the manual page: one packet each millisecond.
    even = opportunities(tmp_path, "1\n", "20 ms")
    assert seconds(sj.run(even)) == pytest.approx([9] * 8, abs=0.01)
    # Three packets in 4 ms are 9 Mbit/s, however they lie within the step.
    uneven = opportunities(tmp_path, "1\n1\n4\n", "20 ms")
    assert seconds(sj.run(uneven)) == pytest.approx([9] * 8, abs=0.01)


@pytest.mark.parametrize(
    ("trace", "says"),
    [
        ("5\n3\n", r"found 3 behind 5; allowed: milliseconds, each at least the one before"),
        ("0\n0\n", "found no number above zero"),
        ("1\n" * 900_000, r"found 10800000000000 bit/s from 0 s to 1 ms; allowed: at most"),
        ("one\n", 'line 1: found "one"; allowed: one number of zero or more'),
    ],
)
def test_what_is_no_trace_of_mahimahi(tmp_path, trace, says):
    with pytest.raises(sj.ScenarioError, match=r"link\.l\.changes: cellular\.up: " + says):
        sj.run(opportunities(tmp_path, trace, "20 ms"))


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ('opportunities = 3, step = "1 s"', "found 3; allowed: a file of milliseconds"),
        ('opportunities = "a", rates = ["1 Mbit/s"], step = "1 s"', "found both rates and"),
        ('opportunities = "a"', "step"),
    ],
)
def test_opportunities_are_one_file(keys, says):
    with pytest.raises(sj.ScenarioError, match=says):
        scenario(f"{{ {keys} }}")


def test_a_sweep_runs_again_what_another_file_of_rates_changes(tmp_path):
    rates, file = tmp_path / "rates.csv", tmp_path / "changing.toml"
    file.write_text(HEAD + 'changes = { rates = "rates.csv", step = "1 s" }\n' + FLOOD)
    rates.write_text("2e6\n")
    first = sj.sweep(str(file), tmp_path / "out").links
    assert sj.sweep(str(file), tmp_path / "out").links.equals(first)
    rates.write_text("1e6\n")
    scenario = sj.Scenario.load(file)
    assert scenario.files == {"rates.csv": b"1e6\n"}
    again = sj.sweep(str(file), tmp_path / "out").links
    assert again["throughput_bps"][0] == pytest.approx(first["throughput_bps"][0] / 2, rel=1e-3)


@pytest.mark.parametrize(
    ("rates", "says"),
    [("2e6\n1e20\n", "found 10+; allowed"), ("0\n0.3\n", "found no rate above zero")],
)
def test_a_file_of_rates_that_no_link_has_is_refused(tmp_path, rates, says):
    (tmp_path / "rates.csv").write_text(rates)
    file = tmp_path / "changing.toml"
    file.write_text(HEAD + 'changes = { rates = "rates.csv", step = "1 s" }\n' + FLOOD)
    with pytest.raises(sj.ScenarioError, match=r"link\.l\.changes: rates\.csv: " + says):
        sj.run(str(file))


@pytest.mark.parametrize("preset", ["reference", "linux", "ns3", "ns2"])
@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_a_change_to_the_same_rate_changes_nothing(discipline, preset):
    """Not a bit, though such a link foresees nothing and its discipline is asked about all."""
    queue = {"discipline": discipline, "preset": preset}
    over = {"link.l.queue": queue, "link.l.delay": "10 ms"}
    flows = TCP + FLOOD.replace("9 Mbit/s", "1 Mbit/s")
    never = sj.run(scenario("", flows, overrides=over))
    same = sj.run(scenario('{ rates = ["4 Mbit/s"], step = "7 ms" }', flows, overrides=over))
    assert same.links.equals(never.links)
    assert same.flows.equals(never.flows)
    assert same.series("queue_packets").equals(never.series("queue_packets"))


def test_no_changes_are_none():
    results = (sj.run(scenario(changes, TCP)) for changes in ("", "[]"))
    assert next(results).flows.equals(next(results).flows)


def test_tcp_follows_the_rate():
    changes = '[{ at = "4 s", rate = "1 Mbit/s" }]'
    over = {"link.l.queue": {"discipline": "codel"}, "link.l.delay": "10 ms"}
    results = sj.run(scenario(changes, TCP, overrides=over))
    goodput = seconds(results, "goodput_bps", "tcp")
    assert goodput[2:4] == pytest.approx([4, 4], rel=0.2)
    assert goodput[6:] == pytest.approx([1, 1], rel=0.2)


def test_changes_may_be_varied():
    vary = '\n[vary]\n"link.l.changes" = [[], [{ at = "4 s", rate = "1 Mbit/s" }]]\n'
    results = sj.run(scenario("", FLOOD + vary))
    of_link = results.links.filter(results.links["link"] == "l")
    assert of_link["throughput_bps"].to_list() == pytest.approx([4e6, 2.5e6], rel=1e-3)


def test_a_dumbbell_in_python_changes_as_one_in_a_file():
    flows = sj.tcp("newreno")
    changes = {"rates": ["4 Mbit/s", "1 Mbit/s"], "step": "1 s"}
    made = sj.dumbbell(rate="4 Mbit/s", rtt="20 ms", flows=flows, changes=changes, duration="4 s")
    plain = sj.dumbbell(rate="4 Mbit/s", rtt="20 ms", flows=flows, duration="4 s")
    file = plain.with_overrides({"dumbbell.bottleneck.changes": changes})
    links = sj.run(made).links
    assert links.equals(sj.run(file).links)
    assert not links.equals(sj.run(plain).links)
    link = sj.link("a", "b", "4 Mbit/s", changes=[{"at": "1 s", "rate": "2 Mbit/s"}])
    network = sj.network([link], flows.between("a", "b"), duration="2 s")
    rate = sj.run(network).links["throughput_bps"][0]
    assert 2e6 < rate < 3.1e6


def test_changes_that_come_too_late_are_told():
    (told,) = scenario('[{ at = "8 s", rate = "1 Mbit/s" }]', place="x").warnings
    assert told == "x:12: link.l.changes: nothing changes: the first comes at 8 s"


class Follower(sj.queue.Discipline):
    """Keeps what it is told of its link."""

    told: ClassVar[list[float]] = []

    def on_link(self):
        self.told.append(self.link_rate)

    def enqueue(self, now, size, flow, ecn):
        return sj.queue.ACCEPT


def test_a_discipline_of_ones_own_is_told_of_each_rate_and_not_of_outages():
    changes = [
        {"at": "1 s", "rate": "1 Mbit/s"},
        {"at": "2 s", "rate": "0 bit/s"},
        {"at": "3 s", "rate": "8 Mbit/s"},
    ]
    link = sj.link("a", "b", "4 Mbit/s", changes=changes, queue=Follower(limit="100 ms"))
    flow = sj.udp(rate="9 Mbit/s", payload="472 B").between("a", "b")
    results = sj.run(sj.network([link], flow, duration="4 s"))
    assert Follower.told == [1e6, 8e6]
    # Its room is that of the rate it was made for: 100 packets of 4000 bits.
    assert results.links["queue_max_packets"][0] == 100
