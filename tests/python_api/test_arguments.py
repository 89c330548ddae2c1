"""Arguments of another kind, and those that are none: one sentence under the argument's name."""

import re
from pathlib import Path

import pytest

import sojourn as sj
from sojourn.errors.brief import InputError, KindError
from sojourn.replay import replay

FLOW = sj.udp(rate="1 Mbit/s").between("a", "b")
LINK = sj.link("a", "b", "2 Mbit/s")
SCENARIO = sj.network([LINK], FLOW, duration="100 ms", replicas=2)


@pytest.fixture(scope="module")
def results() -> sj.Results:
    """Results without series."""
    return sj.run(SCENARIO)


class Plain(sj.queue.Discipline):
    """Takes all."""


CALLS = [
    (lambda: sj.network(LINK, FLOW), "links: found Link(", "a list of links, such as ["),
    (lambda: sj.network("ab", FLOW), "links: found 'ab'", "a list of links"),
    (lambda: sj.network([LINK, "b"], FLOW), "links: found [Link(", "a list of links"),
    (lambda: sj.network([LINK], None), "flows: found None", "flows such as"),
    (lambda: sj.network([LINK], sj.tcp), "flows: found <function tcp", "flows such as"),
    (lambda: sj.tcp() + "reno", "flows: found 'reno'", "flows such as"),
    (lambda: sj.tcp() * 2.5, "count: found 2.5", "a whole number, 1 or more"),
    (lambda: "2" * sj.tcp(), "count: found '2'", "a whole number, 1 or more"),
    (lambda: sj.tcp() * 0, "count: found 0", "1 or more"),
    (
        lambda: sj.network([sj.link("a", "b", "1 Mbit/s", queue=object())], FLOW),
        "link.queue: found <object object",
        "what a scenario file can hold",
    ),
    (
        lambda: sj.parking_lot("3", rate="1 Mbit/s", delay="1 ms", flows=FLOW),
        "hops: found '3'",
        "a whole number, 1 to ",
    ),
    (
        lambda: sj.parking_lot(2, rate="1 Mbit/s", delay="1 ms", flows=FLOW, access="fast"),
        "access: found 'fast'",
        "a table",
    ),
    (
        lambda: sj.parking_lot(2, rate="1 Mbit/s", delay="1 ms", flows=FLOW, cross="reno"),
        "cross: found 'reno'",
        "flows such as",
    ),
    (
        lambda: sj.star(2.0, rate="1 Mbit/s", delay="1 ms", flows=FLOW),
        "leaves: found 2.0",
        "a whole number, 2 to ",
    ),
    (
        lambda: sj.star(10**9, rate="1 Mbit/s", delay="1 ms", flows=FLOW),
        "leaves: found 1000000000",
        "2 to 1000000",
    ),
    (
        lambda: sj.tree(2, None, rate="1 Mbit/s", delay="1 ms", flows=FLOW),
        "fanout: found None",
        "a whole number, 1 or more",
    ),
    (lambda: sj.from_networkx("a-b", FLOW), "graph: found 'a-b'", "a graph of networkx"),
    (lambda: sj.to_networkx("a-b"), "scenario: found 'a-b'", "a Scenario"),
    (lambda: sj.to_networkx(SCENARIO, 1), "point: found 1", "0 to 0"),
    (lambda: sj.to_networkx(SCENARIO, -1), "point: found -1", "0 to 0"),
    (lambda: sj.run(SCENARIO, jobs="2"), "jobs: found '2'", "a whole number, 1 or more"),
    (lambda: sj.run(SCENARIO, jobs=True), "jobs: found True", "a whole number, 1 or more"),
    (lambda: sj.run(3), "scenario: found 3", "a path"),
    (lambda: sj.run(""), "scenario: found nothing", "a path"),
    (lambda: sj.run(b"a.toml"), "scenario: found b'a.toml'", "a path"),
    (lambda: sj.run('name = "x"\n'), "scenario: found a text of several", "a path or the name"),
    (lambda: sj.run(SCENARIO, overrides="x=1"), "overrides: found 'x=1'", "a table such as"),
    (lambda: sj.run(SCENARIO, overrides=None), "overrides: found None", "a table such as"),
    (lambda: sj.run(SCENARIO, overrides=[("seed", 1)]), "overrides: found [(", "a table such as"),
    (lambda: sj.run(SCENARIO, overrides={3: "x"}), "overrides: found [(3,", "a table such as"),
    (lambda: sj.run(SCENARIO, progress="bars"), "progress: found 'bars'", "a function,"),
    (lambda: sj.run(SCENARIO, trace_folder=""), "trace_folder: found nothing", "a path"),
    (lambda: sj.run(SCENARIO, trace_folder=3), "trace_folder: found 3", "a path"),
    (
        lambda: sj.run(SCENARIO, trace_folder="no", trace_format="pcap"),
        'trace_format: found "pcap"',
        "ns2, pcapng, events",
    ),
    (
        lambda: sj.run(SCENARIO, trace_folder="no", trace_format="pcapng", trace_links="a->b"),
        "trace_links: found 'a->b'",
        "a list of names",
    ),
    (
        lambda: sj.run(SCENARIO, trace_folder="no", trace_payload="yes"),
        "trace_payload: found 'yes'",
        "true or false",
    ),
    (lambda: sj.sweep(SCENARIO, ""), "out: found nothing", "a path"),
    (lambda: sj.sweep(SCENARIO, None), "out: found None", "a path"),
    (lambda: sj.sweep(SCENARIO, "no", share="1/2"), "share: found '1/2'", "a Share"),
    (lambda: sj.sweep(SCENARIO, "no", cluster=3), "cluster: found 3", "the address of"),
    (lambda: sj.sweep(SCENARIO, "no", progress=3), "progress: found 3", "a function,"),
    (lambda: sj.Scenario.load(None), "path: found None", "a path"),
    (lambda: sj.Scenario.from_toml(Path("x")), "text: found PosixPath('x')", "a text; files"),
    (lambda: SCENARIO.with_overrides(["a"]), "overrides: found ['a']", "a table such as"),
    (lambda: sj.testing.check_laws(3), "cls: found 3", "a class that inherits"),
    (lambda: sj.testing.check_laws(sj.queue.CoDel), "cls: found <class", "a class that inherits"),
    (lambda: sj.rl.QueueEnv(3, reward=sum), "scenario: found 3", "a Scenario"),
    (lambda: sj.rl.QueueEnv(SCENARIO, reward=3), "reward: found 3", "a function of a Step"),
    (
        lambda: sj.rl.QueueEnv(SCENARIO, reward=sum, interval=3),
        "interval: found 3",
        "a time such as",
    ),
    (lambda: replay("", "codel", "1 Mbit/s"), "capture: found nothing", "a path"),
    (lambda: replay("x.csv", 3, "1 Mbit/s"), "queues: found 3", "one or several texts"),
    (lambda: replay("x.csv", "codel", 1e6), "rate: found 1000000.0", "a rate such as"),
]


@pytest.mark.parametrize(("call", "found", "allowed"), CALLS)
def test_what_an_argument_cannot_be(tmp_path, monkeypatch, call, found, allowed):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((InputError, KindError)) as raised:
        call()
    said = str(raised.value)
    assert "\n" not in said
    assert said.startswith(found), said
    assert f"; allowed: {allowed}" in said
    assert [*tmp_path.iterdir()] == [], "nothing is written"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda r: r.series(3), "metric: found 3; allowed: the name of a series"),
        (lambda r: r.series(None), "metric: found None; allowed: the name of a series"),
        (lambda r: r.summary("studnt"), 'interval: found "studnt"; allowed: student, bootstrap'),
        (lambda r: r.report(""), "path: found nothing; allowed: a path"),
        (lambda r: r.report(3), "path: found 3; allowed: a path"),
        (lambda r: r.report("a.html", least="1%"), "least: found '1%'; allowed: a share from 0"),
        (lambda r: r.report("a.html", least=1), "least: found 1; allowed: a share from 0"),
        (lambda r: r.write(""), "folder: found nothing; allowed: a path"),
        (lambda r: r.plot("cdf").save(3), "path: found 3; allowed: a path"),
        (lambda r: r.plot("load", of=3), "of: found 3; allowed: a name"),
        (lambda r: r.plot("cdf", link=3), "link: found 3; allowed: a name"),
        (lambda r: r.plot("cdf", case="0"), "case: found '0'; allowed: a whole number"),
    ],
)
def test_what_results_cannot_be_asked(tmp_path, monkeypatch, results, call, said):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((TypeError, ValueError), match="^" + re.escape(said)):
        call(results)
    assert [*tmp_path.iterdir()] == [], "nothing is written"


def test_whole_numbers_of_other_libraries_are_numbers():
    import numpy as np

    assert (np.int64(2) * sj.tcp()).count == 2
    assert sj.run(SCENARIO, jobs=np.int64(1)).complete
    results = sj.run(SCENARIO, replicas=np.int64(3), overrides={"seed": np.int32(7)})
    assert (results.replicas, results.seed) == (3, 7)
    counts = {"flow.newreno.count": np.arange(1, 3)}
    made = sj.dumbbell(rate="1 Mbit/s", rtt="9 ms", flows=sj.tcp(), seed=np.int64(5), vary=counts)
    assert made.seed == 5
    assert [point["flow.newreno.count"] for point in made.vary] == [1, 2]


def test_links_to_trace_that_are_not_there_are_told_under_the_argument(tmp_path):
    with pytest.raises(sj.ScenarioError, match=r': trace_links: found "x"; allowed: a->b'):
        sj.run(SCENARIO, trace_folder=tmp_path, trace_format="pcapng", trace_links=["x"])
