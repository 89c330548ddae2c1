"""Scenarios and results travel, show themselves, and are used from threads and processes."""

import pickle
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from copy import copy, deepcopy
from dataclasses import replace
from functools import partial
from multiprocessing import get_all_start_methods, get_context
from types import ModuleType

import cloudpickle
import own
import pytest
from own import goodput

import sojourn as sj
from sojourn.comparing import ranking
from sojourn.replay import replay
from sojourn.workers import processes


def test_scenarios_and_results_pickle(overloaded):
    for queue in (sj.queue.CoDel(), own.Blue(limit="20 packets")):
        scenario = overloaded(queue, replicas=2).with_overrides({"seed": 9})
        again = pickle.loads(pickle.dumps(scenario))
        assert again.to_toml() == scenario.to_toml()
        assert again.seed == 9
        results = sj.run(scenario)
        travelled = pickle.loads(pickle.dumps(results))
        assert travelled.links.equals(results.links)
        assert travelled.summary() == results.summary()


def test_what_is_the_same_is_equal(overloaded):
    queue = own.Blue(limit="20 packets")
    scenario, other = overloaded(queue), overloaded(queue, seed=4)
    results = sj.run(scenario)
    for again in (copy(results), deepcopy(results), pickle.loads(pickle.dumps(results))):
        assert again == results == sj.run(scenario)
        assert again.scenario == scenario
        assert hash(again) == hash(results)
        assert {scenario, again.scenario} == {scenario}
    assert results != sj.run(other)
    assert scenario != other
    assert results != replace(results, complete=False)
    assert results != replace(results, links=results.links.head(0))
    assert results != scenario


@pytest.mark.parametrize("kind", ["sizes", "recording"])
def test_they_travel_with_their_data_files(tmp_path, monkeypatch, kind):
    """What was run can be read where its files are gone, or are others by now."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "data.csv"
    if kind == "sizes":
        file.write_text("400\n600\n")
        sender = sj.udp(rate="1 Mbit/s", payload="empirical(data.csv)")
    else:
        file.write_text("time_s,size_B\n0.1,400\n0.2,600\n")
        sender = sj.udp(sj.source.Trace(file="data.csv"))
    scenario = sj.dumbbell(rate="2 Mbit/s", rtt="20 ms", flows=sender, duration="1 s")
    results = sj.run(scenario)
    packed = pickle.dumps(results)
    file.write_text("1400\n")
    assert deepcopy(results).scenario.files == results.scenario.files
    file.unlink()
    for again in (pickle.loads(packed), deepcopy(results)):
        assert again.summary() == results.summary()
        assert sj.run(again.scenario).links.equals(results.links)


def test_disciplines_travel_as_class_and_parameters():
    queue = pickle.loads(pickle.dumps(own.Blue(increment=0.5)))
    assert queue.increment == 0.5
    assert repr(queue) == "Blue(increment=0.5)"
    assert repr(sj.queue.CoDel(target="5 ms")) == "CoDel(target='5 ms')"


@pytest.mark.parametrize("queue", [sj.queue.CoDel(), own.Blue(limit="20 packets")], ids=repr)
def test_threads_and_processes_give_the_same(overloaded, queue):
    scenarios = [overloaded(queue, seed=seed, duration="2 s") for seed in range(1, 5)]
    alone = [goodput(scenario) for scenario in scenarios]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(goodput, scenarios)) == alone
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        assert list(processes.map(goodput, scenarios)) == alone


def test_threads_that_pack_at_once(overloaded, monkeypatch):
    """Each tells cloudpickle of the module, and would take it from the others at the end."""
    scenario = overloaded(own.Blue())
    dumps, inside = cloudpickle.dumps, []

    def slow(value):
        inside.append(1)
        time.sleep(0.1 * len(inside))
        return dumps(value)

    monkeypatch.setattr(cloudpickle, "dumps", slow)
    with ThreadPoolExecutor(3) as pool:
        parcels = [*pool.map(processes._packed, [scenario] * 3)]
    # By value, as one alone does it: by name the class would be found by importing.
    assert all(b"Least time between two changes" in parcel for parcel in parcels)


def test_what_the_user_sends_by_value_stays_so(overloaded):
    cloudpickle.register_pickle_by_value(own)
    try:
        processes._packed(overloaded(own.Blue()))
        assert own.__name__ in cloudpickle.list_registry_pickle_by_value()
    finally:
        cloudpickle.unregister_pickle_by_value(own)


def test_a_pool_whose_workers_may_start_none(overloaded):
    scenarios = [overloaded(own.Blue(), seed=seed, duration="2 s", replicas=2) for seed in (1, 2)]
    alone = [goodput(scenario) for scenario in scenarios]
    with get_context("spawn").Pool(2) as pool:
        found = pool.map(partial(sj.run, jobs=2), scenarios)
    assert [results.flows["goodput_bps"].to_list() for results in found] == alone


IN_A_FORK = {
    "run": lambda results, _: sj.run(results.scenario, jobs=1),
    "summary": lambda results, _: results.summary(),
    "series": lambda results, _: results.series("queue_packets"),
    "plot": lambda results, _: results.plot("delay-goodput"),
    "report": lambda results, folder: results.report(folder / "report.html"),
    "write": lambda results, folder: results.write(folder / "out"),
    "to_pandas": lambda results, _: results.to_pandas(),
    "card": lambda results, _: results._repr_html_(),
    "alike": lambda results, _: results.alike,
    "ranking": lambda results, _: ranking(results, "total.goodput_bps", "higher"),
    "replay": lambda _, folder: replay(folder / "arrivals.csv", "codel", "1 Mbit/s"),
}


@pytest.mark.skipif("fork" not in get_all_start_methods(), reason="no fork on this system")
@pytest.mark.parametrize("what", IN_A_FORK)
def test_a_fork_is_refused_where_it_would_wait_for_ever(overloaded, tmp_path, what):
    results = sj.run(overloaded(sj.queue.CoDel(), duration="2 s", series="100 ms"))
    (tmp_path / "arrivals.csv").write_text("time_s,size_B\n0.1,100\n0.2,200\n")
    context = get_context("fork")
    told = context.SimpleQueue()

    def tell():
        try:
            IN_A_FORK[what](results, tmp_path)
        except RuntimeError as error:
            told.put(str(error))

    fork = context.Process(target=tell)
    fork.start()
    fork.join(10)
    fork.kill()
    assert not told.empty()
    assert 'get_context("spawn")' in told.get()


@pytest.mark.parametrize("queue", [sj.queue.CoDel(), own.Blue(limit="20 packets")], ids=repr)
def test_results_do_not_depend_on_the_number_of_workers(overloaded, queue):
    vary = {"link.x.queue": [queue, sj.queue.DropTail()]}
    scenario = overloaded(queue, replicas=3, duration="2 s", vary=vary)
    one, two = (sj.run(scenario, jobs=jobs) for jobs in (1, 2))
    for name, frame in one.frames().items():
        assert frame.equals(two.frames()[name]), name


def test_classes_of_no_module_go_to_workers(overloaded, page_codel):
    results = sj.run(overloaded(page_codel(), replicas=2, duration="2 s"), jobs=2)
    assert results.runs.height == 2


def test_the_source_of_a_class_is_part_of_what_a_run_is(overloaded, page_codel):
    assert "code" not in overloaded(sj.queue.CoDel()).identity(0)
    ours, other = overloaded(own.Blue()).identity(0), overloaded(page_codel()).identity(0)
    assert list(ours["code"]) == ["own:Blue"]
    assert set(ours["code"].values()).isdisjoint(other["code"].values())


def test_notebooks_show_tables(overloaded):
    scenario = overloaded(
        sj.queue.CoDel(), title="a < b", vary={"link.x.rate": ["3 Mbit/s", "4 Mbit/s"]}
    )
    card = scenario._repr_html_()
    assert "a &lt; b" in card
    assert "[[link]]" in card
    results = sj.run(scenario, replicas=2)
    shown = results._repr_html_()
    assert shown.count("<tr>") == 2 + 2 + 4 + 0
    assert "±" in shown
    assert "3 Mbit/s" in shown
    assert repr(results) == "<Results of 'network': 4 runs>"


def test_of_one_flow_alone_a_notebook_tells_no_fairness():
    flows = 2 * sj.tcp("cubic") + sj.tcp("reno")
    results = sj.run(sj.dumbbell(rate="10 Mbit/s", rtt="20 ms", flows=flows, duration="2 s"))
    shown = results._repr_html_()
    columns = re.findall(r'<th scope="col">(.*?)</th>', shown[shown.rindex("<table>") :])
    rows = re.findall(r"<tr>(<td>.*?)</tr>", shown[shown.rindex("<table>") :])
    cells = [dict(zip(columns, re.findall(r"<td>(.*?)</td>", row), strict=True)) for row in rows]
    fairness = {row["flows"]: row["fairness"] for row in cells}
    assert fairness.keys() == {"cubic", "reno"}
    assert 0.5 <= float(fairness["cubic"]) <= 1
    assert fairness["reno"] == "-"


class Cell:
    """Stands for a notebook's cell: what it shows, one text after the other."""

    def __init__(self):
        self.texts = []

    def install(self, monkeypatch):
        display = ModuleType("IPython.display")
        display.HTML = str
        display.display = lambda text, display_id: self
        for name, module in (("ipykernel", ModuleType("ipykernel")), ("IPython.display", display)):
            monkeypatch.setitem(sys.modules, name, module)

    def update(self, text):
        self.texts.append(text)


def test_notebooks_show_a_bar_while_runs_go_on(overloaded, monkeypatch, tmp_path):
    scenario = overloaded(sj.queue.CoDel(), replicas=3, duration="1 s")
    cell = Cell()
    cell.install(monkeypatch)
    sj.run(scenario)
    assert "<progress>" in cell.texts[0]
    assert "3 of 3 runs" in cell.texts[-2]
    assert cell.texts[-1] == ""
    seen = len(cell.texts)
    sj.run(scenario, progress="none")
    assert len(cell.texts) == seen
    sj.sweep(scenario, tmp_path)
    assert "3 of 3 runs" in cell.texts[-2]


def test_a_bar_is_shown_on_a_terminal_where_it_is_asked_for(overloaded, capsys):
    scenario = overloaded(sj.queue.CoDel(), replicas=2, duration="1 s")
    counts = []
    sj.run(scenario, progress=lambda done, total: counts.append((done, total)))
    assert counts[-1] == (2, 2)
    sj.run(scenario, progress="bar")
    assert capsys.readouterr().out == ""


def test_frames_become_pandas(overloaded):
    results = sj.run(overloaded(sj.queue.CoDel(), replicas=2, duration="1 s"))
    tables = results.to_pandas()
    assert set(tables) == set(results.frames())
    for name, frame in results.frames().items():
        assert list(tables[name].columns) == frame.columns
        assert len(tables[name]) == len(frame)
