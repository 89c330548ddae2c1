"""What a scenario may not say: the key and the line that the error names."""

import re
from typing import NamedTuple

import pytest

import sojourn as sj


class Bad(NamedTuple):
    """How to spoil the good scenario; the key at fault; words of the message."""

    old: str
    new: str
    key: str
    says: str = ""


DUMBBELL = '[dumbbell]\nbottleneck = {{ rate = "1 Mbit/s"{} }}\n{}\n[[flow]]'

TABLE = {
    "a rate of zero": Bad('"4 Mbit/s"', '"0 Mbit/s"', "link.bottleneck.rate"),
    "a rate below one bit": Bad(
        '"4 Mbit/s"', '"0.0001 bit/s"', "link.bottleneck.rate", "from 1 bit/s to 10000 Gbit/s"
    ),
    "a rate without end": Bad('"4 Mbit/s"', '"inf Mbit/s"', "link.bottleneck.rate"),
    "a rate beyond all numbers": Bad('"4 Mbit/s"', '"1e400 Mbit/s"', "link.bottleneck.rate"),
    "a rate in bytes": Bad('"4 Mbit/s"', '"4 MB/s"', "link.bottleneck.rate", "Mbit/s"),
    "a rate in other words": Bad(
        '"4 Mbit/s"', '"4 Mbps"', "link.bottleneck.rate", 'did you mean "4 Mbit/s"?'
    ),
    "a time in capitals": Bad('"1 ms"', '"1 MS"', "link.bottleneck.delay", 'did you mean "1 ms"?'),
    "a bare number": Bad('"4 Mbit/s"', "4000000", "link.bottleneck.rate"),
    "a negative delay": Bad('"1 ms"', '"-1 ms"', "link.bottleneck.delay"),
    "a duration of nothing": Bad('"2 s"', '"0 s"', "duration", "above zero"),
    "a duration beyond the clock": Bad('"2 s"', '"1000000000 s"', "duration"),
    "a warm-up that leaves nothing": Bad(
        'duration = "2 s"', 'duration = "2 s"\nwarmup = "2 s"', "warmup", "less than the duration"
    ),
    "more replicas than anyone means": Bad(
        'name = "good"', 'name = "good"\nreplicas = 4294967295', "replicas", "100000"
    ),
    "more replicas than fit into 32 bits": Bad(
        'name = "good"', 'name = "good"\nreplicas = 99999999999', "replicas", "1 to 100000"
    ),
    "a seed below zero": Bad(
        'name = "good"', 'name = "good"\nseed = -1', "seed", "0 to 9223372036854775807"
    ),
    "a series of more values than anyone reads": Bad(
        'name = "good"',
        'name = "good"\nseries = "1 us"',
        "series",
        "found more than 1000000 intervals of 1 us; allowed: a longer interval",
    ),
    "more flows than memory holds": Bad(
        'name = "load"',
        'name = "load"\ncount = 1000000000',
        "flow.load.count",
        "found 1000000000 flows in all; allowed: at most 1000000",
    ),
    "a payload of nothing": Bad('"500 B"', '"0 B"', "flow.load.transport.payload", "1 to"),
    "on periods of nothing": Bad(
        'source = "poisson"',
        'source = "onoff", on = "exponential(0 s)", off = "exponential(0 s)"',
        "flow.load.traffic.on",
        "at least",
    ),
    "on periods of next to nothing": Bad(
        'source = "poisson"', 'source = "onoff", on = "1 ps"', "flow.load.traffic.on", "at least"
    ),
    "a file of periods that is not there": Bad(
        'source = "poisson"',
        'source = "onoff", off = "empirical(none.csv)"',
        "flow.load.traffic",
        "none.csv: cannot read it",
    ),
    "no replica": Bad('name = "good"', 'name = "good"\nreplicas = 0', "replicas"),
    "a negative seed": Bad('name = "good"', 'name = "good"\nseed = -1', "seed"),
    "half a seed": Bad('name = "good"', 'name = "good"\nseed = 1.5', "seed"),
    "series without interval": Bad('name = "good"', 'name = "good"\nseries = "0 s"', "series"),
    "a series longer than the run": Bad(
        'name = "good"',
        'name = "good"\nseries = "2.1 s"',
        "series",
        "found 2.1 s; allowed: at most the duration, 2 s",
    ),
    "a name with a slash": Bad('"good"', '"../good"', "name", "letters"),
    "no name": Bad('name = "good"\n', "", "name", "found nothing"),
    "a date": Bad('name = "good"', 'name = "good"\nseed = 2020-01-01', "seed", "date"),
    "a wildcard without nodes": Bad(
        'from = "a"\nto = "b"\nrate', 'from = "x*"\nto = "b"\nrate', "link.bottleneck.from"
    ),
    "a node that no link has": Bad(
        'to = "b"\ntransport', 'to = "c"\ntransport', "flow.load.to", '"c"'
    ),
    "numbered nodes without count": Bad(
        'from = "a"\nto = "b"\ntransport', 'from = "a*"\nto = "b"\ntransport', "flow.load.from"
    ),
    "a count of nothing": Bad("transport =", "count = 0\ntransport =", "flow.load.count"),
    "a fraction of a packet": Bad('"10 packets"', '"1.5 packets"', "link.bottleneck.queue.limit"),
    "a limit without unit": Bad('"10 packets"', '"10"', "link.bottleneck.queue.limit"),
    "an unknown discipline": Bad(
        '"droptail"', '"droptial"', "link.bottleneck.queue.discipline", 'did you mean "droptail"?'
    ),
    "half the name of a class": Bad(
        '"droptail"', '"codel:"', "link.bottleneck.queue.discipline", "allowed: module:Class"
    ),
    "a class of no module": Bad(
        '"droptail"', '":Codel"', "link.bottleneck.queue.discipline", "allowed: module:Class"
    ),
    "a parameter of another discipline": Bad(
        'limit = "10 packets"', 'min_th = "5 packets"', "link.bottleneck.queue.min_th", "limit"
    ),
    "an impossible threshold": Bad(
        'discipline = "droptail"',
        'discipline = "red", min_th = "9 packets", max_th = "5 packets"',
        "link.bottleneck.queue.min_th",
        "at most max_th",
    ),
    "an unknown preset": Bad(
        'discipline = "droptail"', 'discipline = "droptail", preset = "ns4"', "", "ns3"
    ),
    "a queue that is no table": Bad(
        '{ discipline = "droptail", limit = "10 packets" }', '"droptail"', "link.bottleneck.queue"
    ),
    "an unknown source": Bad('"poisson"', '"poison"', "flow.load.traffic.source", '"poisson"?'),
    "a source without rate": Bad(', rate = "1 Mbit/s" }', " }", "flow.load.traffic.rate"),
    "traffic without source": Bad('source = "poisson", ', "", "flow.load.traffic.source"),
    "no traffic": Bad(
        'traffic = { source = "poisson", rate = "1 Mbit/s" }\n', "", "flow.load.traffic"
    ),
    "no transport": Bad(
        'transport = { protocol = "udp", payload = "500 B" }\n', "", "flow.load.transport"
    ),
    "UDP's payload under TCP": Bad(
        'protocol = "udp"', 'protocol = "tcp"', "flow.load.transport.payload", "unknown key"
    ),
    "a congestion control that is none": Bad(
        'protocol = "udp", payload = "500 B"',
        'protocol = "tcp", congestion_control = "cubik"',
        "flow.load.transport.congestion_control",
        'did you mean "cubic"',
    ),
    "a parameter of another congestion control": Bad(
        'protocol = "udp", payload = "500 B"',
        'protocol = "tcp", congestion_control = "reno", fast_convergence = true',
        "flow.load.transport.fast_convergence",
        "unknown key",
    ),
    "a window below a segment": Bad(
        'protocol = "udp", payload = "500 B"',
        'protocol = "tcp", segment = "1000 B", window = "999 B"',
        "flow.load.transport.window",
        "at least one segment of 1000 B",
    ),
    "a first window below a segment": Bad(
        'protocol = "udp", payload = "500 B"',
        'protocol = "tcp", segment = "1000 B", initial_window = "999 B"',
        "flow.load.transport.initial_window",
        "at most 1 GB, and at least one segment of 1000 B",
    ),
    "acknowledgements without a way back": Bad(
        'protocol = "udp", payload = "500 B"',
        'protocol = "tcp"',
        "flow.load",
        "no route from b to a for acknowledgements",
    ),
    "bulk over UDP": Bad(
        'source = "poisson", rate = "1 Mbit/s"',
        'source = "bulk"',
        "flow.load.traffic.source",
        'needs protocol = "tcp"',
    ),
    "a packet beyond IP": Bad('"500 B"', '"70000 B"', "flow.load.transport.payload"),
    "a header beyond IP": Bad(
        'payload = "500 B"', 'header = "70000 B"', "flow.load.transport.header"
    ),
    "a distribution that does not close": Bad(
        '"500 B"', '"exponential(500 B"', "flow.load.transport.payload", "exponential(MEAN)"
    ),
    "a Pareto law without mean": Bad(
        '"500 B"', '"pareto(0.9, 500 B)"', "flow.load.transport.payload"
    ),
    "a file of values that is not there": Bad(
        '"500 B"', '"empirical(none.csv)"', "flow.load.transport.payload", "none.csv"
    ),
    "an on time that is always empty": Bad(
        '"poisson"', '"onoff", on = "0 s"', "flow.load.traffic.on", "at least"
    ),
    "a Pareto source without mean": Bad(
        '"poisson"', '"pareto_onoff", shape = 1.0', "flow.load.traffic.shape"
    ),
    "too few delays": Bad('"1 ms"', '["1 ms", "2 ms"]', "link.bottleneck.delay", "2 delays"),
    "half a progression of delays": Bad('"1 ms"', '{ first = "1 ms" }', "link.bottleneck.delay"),
    "a queue for a way back that is not there": Bad(
        'delay = "1 ms"',
        'reverse_queue = { discipline = "droptail" }',
        "link.bottleneck.reverse_queue",
        "duplex",
    ),
    "changes in a word": Bad(
        'delay = "1 ms"', 'changes = "often"', "link.bottleneck.changes", "tables such as"
    ),
    "a change of nothing": Bad(
        'delay = "1 ms"', 'changes = [{ at = "1 s" }]', "link.bottleneck.changes", "neither a rate"
    ),
    "a change of losses": Bad(
        'delay = "1 ms"', 'changes = [{ at = "1 s", loss = 0.1 }]', "", "unknown key"
    ),
    "a change to less than nothing": Bad(
        'delay = "1 ms"',
        'changes = [{ at = "1 s", rate = "-1 bit/s" }]',
        "link.bottleneck.changes.rate",
        'or "0 bit/s" for an outage',
    ),
    "changes out of order": Bad(
        'delay = "1 ms"',
        'changes = [{ at = "1 s", rate = "1 Mbit/s" }, { at = "1 s", rate = "2 Mbit/s" }]',
        "link.bottleneck.changes.at",
        "found 1 s behind 1 s; allowed: later",
    ),
    "steps of no length": Bad(
        'delay = "1 ms"',
        'changes = { rates = ["1 Mbit/s"], step = "0 s" }',
        "link.bottleneck.changes.step",
        "above zero",
    ),
    "steps without rates": Bad(
        'delay = "1 ms"', 'changes = { step = "1 s" }', "link.bottleneck.changes.rates"
    ),
    "steps of outages alone": Bad(
        'delay = "1 ms"',
        'changes = { rates = ["0 bit/s", "0 bit/s"], step = "1 s" }',
        "link.bottleneck.changes.rates",
        "no rate above zero",
    ),
    "rates from a file that is not there": Bad(
        'delay = "1 ms"',
        'changes = { rates = "none.csv", step = "1 s" }',
        "link.bottleneck.changes",
        "none.csv",
    ),
    "a device queue in bytes": Bad(
        'delay = "1 ms"', 'device_queue = "3000 B"', "link.bottleneck.device_queue"
    ),
    "a dumbbell of two delays": Bad(
        "[[flow]]", DUMBBELL.format(', delay = "9 ms"', 'rtt = "40 ms"'), "dumbbell.rtt", "both"
    ),
    "a dumbbell without delay": Bad(
        "[[flow]]", DUMBBELL.format("", ""), "dumbbell.bottleneck.delay", "neither"
    ),
    "a dumbbell shorter than its sides": Bad(
        "[[flow]]",
        DUMBBELL.format("", 'rtt = "10 ms"\naccess = { delay = "3 ms" }'),
        "dumbbell.rtt",
    ),
    "an access link outside of a dumbbell": Bad(
        "transport =",
        'access = { rate = "1 Mbit/s" }\ntransport =',
        "flow.load.access",
        "only in a dumbbell",
    ),
    "a first number of nodes without numbers": Bad(
        "transport =", "first = 3\ntransport =", "flow.load.first", 'such as "s*"'
    ),
    "a first window without end": Bad(
        'protocol = "udp", payload = "500 B"',
        'protocol = "tcp", initial_window = "none"',
        "flow.load.transport.initial_window",
        'found "none"; allowed: a window above zero such as "10 packets" (whole) or "15 kB", at',
    ),
    "a first window that fills memory": Bad(
        'protocol = "udp", payload = "500 B"',
        'protocol = "tcp", initial_window = "1e12 packets"',
        "flow.load.transport.initial_window",
        "at most 1 GB",
    ),
    "a greatest timeout of nothing": Bad(
        'protocol = "udp", payload = "500 B"',
        'protocol = "tcp", max_rto = "0 s"',
        "flow.load.transport.max_rto",
        "found 0 s",
    ),
    "a greatest timeout of next to nothing": Bad(
        'protocol = "udp", payload = "500 B"',
        'protocol = "tcp", min_rto = "1 ps", max_rto = "1 ps"',
        "flow.load.transport.max_rto",
        "found 1 ps; allowed: a time of at least 1 us",
    ),
    "bytes where packets are counted": Bad(
        '"droptail", limit = "10 packets"',
        '"pfifo", limit = "10 kB"',
        "link.bottleneck.queue.limit",
        "found 10000 B; allowed: packets",
    ),
    "a design to vary": Bad(
        "[[flow]]",
        '[vary]\n"design.points" = [1]\n[[flow]]',
        "vary.design.points",
        "design is common",
    ),
    "no values to vary": Bad(
        "[[flow]]", '[vary]\n"link.bottleneck.rate" = []\n[[flow]]', 'vary."link.bottleneck.rate"'
    ),
    "a bare value to vary": Bad(
        "[[flow]]", '[vary]\n"seed" = 1\n[[flow]]', 'vary."seed"', "a list of values"
    ),
    "a key to vary without quotes": Bad(
        "[[flow]]",
        '[vary]\nlink.bottleneck.rate = ["1 Mbit/s"]\n[[flow]]',
        "vary.link.bottleneck.rate",
        'in quotes, "link.bottleneck.rate" = [',
    ),
    "a range to vary without quotes": Bad(
        "[[flow]]",
        "[vary]\nflow.load.count = { from = 1, to = 2, step = 1 }\n[[flow]]",
        "vary.flow.load.count",
        'in quotes, "flow.load.count" = [',
    ),
    "a queue that is a text": Bad(
        '{ discipline = "droptail", limit = "10 packets" }',
        '"codel"',
        "link.bottleneck.queue",
        'a table such as { discipline = "codel" }',
    ),
    "an unknown link to vary": Bad(
        "[[flow]]", '[vary]\n"link.x.rate" = ["1 Mbit/s"]\n[[flow]]', "link.x.rate", "bottleneck"
    ),
    "an unknown key to vary": Bad(
        "[[flow]]", '[vary]\n"flow.load.x" = [1]\n[[flow]]', "flow.load.x", "unknown key"
    ),
    "a value to vary that is wrong": Bad(
        "[[flow]]", '[vary]\n"duration" = ["1 s", "1"]\n[[flow]]', "duration", '"1"'
    ),
    "a range of two units": Bad(
        "[[flow]]",
        '[vary]\n"duration" = { from = "1 s", to = "2 s", step = "100 ms" }\n[[flow]]',
        'vary."duration"',
        "one unit",
    ),
    "a range without step": Bad(
        "[[flow]]", '[vary]\n"seed" = { from = 1, to = 2 }\n[[flow]]', 'vary."seed"', "no step"
    ),
    "a range that steps on the spot": Bad(
        "[[flow]]", '[vary]\n"seed" = { from = 1, to = 2, step = 0 }\n[[flow]]', 'vary."seed"'
    ),
    "a range that runs down": Bad(
        "[[flow]]", '[vary]\n"seed" = { from = 2, to = 1, step = 1 }\n[[flow]]', 'vary."seed"'
    ),
    "more points than anybody wants": Bad(
        "[[flow]]", '[vary]\n"seed" = { from = 1, to = 9000000, step = 1 }\n[[flow]]', 'vary."seed"'
    ),
}


@pytest.mark.parametrize("bad", TABLE.values(), ids=TABLE)
def test_the_error_names_the_place(bad, good):
    text = good.but(bad.old, bad.new).text
    with pytest.raises(sj.ScenarioError) as caught:
        sj.Scenario.from_toml(text, place="spoilt.toml")
    message = str(caught.value)
    assert "\n" not in message
    place = re.match(r"spoilt\.toml(?::(\d+))?: ", message)
    assert place is not None
    assert f": {bad.key}" in message
    assert bad.says in message
    if place[1] is not None:
        assert 1 <= int(place[1]) <= text.count("\n") + 1


def test_a_series_of_more_values_than_memory_holds_is_refused(good):
    text = good.but('name = "load"', 'name = "load"\ncount = 100').text
    says = r"x:2: series: found 200000 intervals of 10 us, .* 101 links and flows; allowed: at most"
    with pytest.raises(sj.ScenarioError, match=says):
        sj.Scenario.from_toml(text.replace("\n", '\nseries = "10 us"\n', 1), place="x")
    scenario = sj.Scenario.from_toml(text, place="x")
    with pytest.raises(sj.ScenarioError, match=r"x: series_interval: found 200000 intervals"):
        sj.run(scenario, series_interval="10 us")


def test_the_line_is_that_of_the_key_in_a_table_of_many_lines(good):
    text = good.text + '\n[vary]\n"link.bottleneck.queue" = [\n  { discipline = "red" },\n'
    text += '  { discipline = "red", max_p = 2 },\n]\n'
    line = text[: text.index("max_p")].count("\n") + 1
    with pytest.raises(sj.ScenarioError, match=rf"^x:{line}: link\.bottleneck\.queue\.max_p: "):
        sj.Scenario.from_toml(text, place="x")


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('"1 ms"', '"empirical(none.csv)"', "link.bottleneck.delay"),
        ('"500 B"', '"empirical(none.csv)"', "flow.load.transport.payload"),
        ("transport =", 'start = "empirical(none.csv)"\ntransport =', "flow.load.start"),
        ('"poisson"', '"onoff", off = "empirical(none.csv)"', "flow.load.traffic.off"),
    ],
)
def test_the_line_of_a_file_that_cannot_be_read_is_that_of_its_key(good, old, new, key):
    spoilt = good.but(old, new)
    with pytest.raises(sj.ScenarioError) as caught:
        sj.Scenario.from_toml(spoilt.text, place="x")
    assert str(caught.value).startswith(f"x:{spoilt.line_of('none.csv')}: {key}: none.csv: ")


@pytest.mark.parametrize("size", ["0 B", "uniform(0 B, 0 B)"])
def test_transfers_of_nothing_are_refused_for_they_have_no_end(good, size):
    text = good.text.replace("delay =", "duplex = true\ndelay =")
    text = text.replace('protocol = "udp", payload = "500 B"', 'protocol = "tcp"')
    text = text.replace('source = "poisson"', f'source = "arrivals", size = "{size}"')
    with pytest.raises(sj.ScenarioError, match=r"flow\.load\.traffic\.size: found a mean of 0 B; "):
        sj.Scenario.from_toml(text)


def test_a_mark_in_front_of_numbers_is_none_of_them(good, tmp_path):
    (tmp_path / "sizes.csv").write_text("\ufeff64\n1500\n", encoding="utf-8")
    path = tmp_path / "scenario.toml"
    path.write_text(good.but('"500 B"', '"empirical(sizes.csv)"').text)
    assert sj.run(path).links["departures_packets"][0] > 0


def test_a_device_is_no_file_of_numbers(good):
    text = good.but('"500 B"', '"empirical(/dev/zero)"').text
    with pytest.raises(sj.ScenarioError, match="/dev/zero: found a device or a pipe; allowed: "):
        sj.Scenario.from_toml(text)


def test_a_flow_without_any_link_is_told_so(good):
    text = good.text[: good.text.index("[[link]]")] + good.text[good.text.index("[[flow]]") :]
    with pytest.raises(
        sj.ScenarioError, match=r'found the node "a", and no \[\[link\]\]; allowed: '
    ):
        sj.Scenario.from_toml(text)


def test_a_million_intervals_are_allowed(good):
    sj.Scenario.from_toml(good.text, overrides={"series": "2 us"})


def test_an_interval_that_a_run_is_given_is_checked_too(good):
    scenario = sj.Scenario.from_toml(good.text)
    with pytest.raises(
        sj.ScenarioError, match="series_interval: found more than 1000000 intervals"
    ):
        sj.run(scenario, series_interval="1 us")


@pytest.mark.parametrize("name", ["“good”", "‘good’", "„good“", "'good’", '"good”'])
def test_typographic_quotes_are_told(good, name):
    with pytest.raises(sj.ScenarioError) as caught:
        sj.Scenario.from_toml(good.but('"good"', name).text, place="x")
    said = "this is not TOML: found typographic quotes (“ ” ‘ ’); allowed: plain ones, \" or '"
    assert re.fullmatch(r"x:\d+: " + re.escape(said), str(caught.value))


@pytest.mark.parametrize("title", ['"the “good” one', '"the “good” one" "', '"a" b = “c”'])
def test_another_mistake_beside_typographic_quotes_is_told(good, title):
    with pytest.raises(sj.ScenarioError, match=r"this is not TOML: (?!found typographic quotes)"):
        sj.Scenario.from_toml(good.but('"2 s"', f'"2 s"\ntitle = {title}').text)


def test_the_largest_seed_is_told(good):
    largest = 2**63 - 1
    flow = sj.udp(rate="1 Mbit/s")
    for make in (
        lambda seed: sj.Scenario.from_toml(good.text, overrides={"seed": seed}),
        lambda seed: sj.dumbbell(
            rate="1 Mbit/s", rtt="1 ms", flows=flow, duration="1 s", seed=seed
        ),
    ):
        assert make(largest).core.seed == largest
        with pytest.raises(sj.ScenarioError, match=f"seed: found .* from 0 to {largest}$"):
            make(largest + 1)


def test_an_override_that_is_wrong_is_named_as_such(good):
    with pytest.raises(
        sj.ScenarioError, match=r"^x: overrides: link\.bottleneck\.rate: found \"1\""
    ):
        sj.Scenario.from_toml(good.text, place="x", overrides=[("link.bottleneck.rate", '"1"')])
    with pytest.raises(sj.ScenarioError, match=r"overrides: link\.none\.rate: there is no link"):
        sj.Scenario.from_toml(good.text, overrides={"link.none.rate": "1 Mbit/s"})


PERIODS = {
    "green": "interval",
    "dualpi2": "t_update",
    "pi": "interval",
    "ared": "interval",
    "fq_pie": "t_update",
    "pi2": "t_update",
    "rem": "interval",
    "pie": "t_update",
    "sfq": "perturb",
}


@pytest.mark.parametrize("discipline", PERIODS)
def test_updates_that_would_take_for_ever_are_refused(good, discipline):
    key = PERIODS[discipline]
    old = 'discipline = "droptail", limit = "10 packets"'
    for period in ("1 ps", "999 ns"):
        text = good.but(old, f'discipline = "{discipline}", {key} = "{period}"').text
        says = f"queue.{key}: found {period}; allowed: a time of at least 1 us"
        with pytest.raises(sj.ScenarioError, match=says):
            sj.Scenario.from_toml(text)
    sj.Scenario.from_toml(good.but(old, f'discipline = "{discipline}", {key} = "1 us"').text)


WINDOWS = {
    "window": ', or "none"',
    "send_buffer": ', or "none"',
    "initial_ssthresh": ', or "none"',
    "initial_window": ", at most 1 GB",
}


@pytest.mark.parametrize("key", WINDOWS)
@pytest.mark.parametrize("value", ["100 ms", "1 bdp", "0 packets", "0 B", "2.5 packets"])
def test_a_window_is_offered_what_it_takes(good, key, value):
    """Neither times nor bandwidth-delay products: a connection does not know its path."""
    text = good.text.replace("delay =", "duplex = true\ndelay =")
    text = text.replace('"udp", payload = "500 B"', f'"tcp", {key} = "VALUE"')
    with pytest.raises(sj.ScenarioError) as caught:
        sj.Scenario.from_toml(text.replace("VALUE", value))
    message = str(caught.value)
    assert f'flow.load.transport.{key}: found "{value}"; allowed: ' in message
    assert f"{WINDOWS[key]}" in message
    for offered in re.findall(r'"([^"]+)"', message.partition("allowed: ")[2]):
        sj.Scenario.from_toml(text.replace("VALUE", offered))


def test_two_flows_of_one_name_are_told_in_a_dumbbell_too(good):
    flow = good.text[good.text.index("[[flow]]") :]
    bare = flow.replace('from = "a"\nto = "b"\n', "")
    head = 'name = "two"\nduration = "1 s"\n[dumbbell]\n'
    head += 'bottleneck = { rate = "1 Mbit/s", delay = "1 ms" }\n'
    for text in (f"{good.text}\n{flow}", f"{head}{bare}\n{bare}"):
        line = text[: text.rindex("[[flow]]")].count("\n") + 1
        with pytest.raises(sj.ScenarioError) as caught:
            sj.Scenario.from_toml(text, place="x")
        said = "found a second flow of this name; allowed: one"
        assert str(caught.value) == f"x:{line}: flow.load: {said}"


def test_what_varies_is_not_set_from_outside(good):
    says = "vary: only the file says what varies; allowed: link.NAME.KEY, flow.NAME.KEY or another"
    for key in ("vary", "vary.seed"):
        with pytest.raises(sj.ScenarioError, match=r"^x: overrides: " + key):
            sj.Scenario.from_toml(good.text, place="x", overrides={key: [1]})
    with pytest.raises(sj.ScenarioError, match=says):
        sj.Scenario.from_toml(good.text, overrides={"vary": {"seed": [1, 2]}})


def test_where_there_is_no_link_none_is_offered(good):
    bare = 'name = "bare"\nduration = "1 s"\n'
    for key, kind in (("link.l.rate", "link"), ("flow.f.start", "flow")):
        what = rf'found "{key[5]}", and no \[\[{kind}\]\]; allowed: the name of one'
        with pytest.raises(sj.ScenarioError, match=what):
            sj.Scenario.from_toml(bare, overrides={key: "1"})
    dumbbell = bare + '[dumbbell]\nbottleneck = { rate = "1 Mbit/s", delay = "1 ms" }\n'
    with pytest.raises(sj.ScenarioError, match=r'found "l"; allowed: bottleneck$'):
        sj.Scenario.from_toml(dumbbell, overrides={"link.l.rate": "1 Mbit/s"})
