"""The books of a run, as far as its frames show them."""

import dataclasses
import json
import math

import polars as pl
import pytest

import sojourn as sj
from sojourn.results import collect
from sojourn.stats import never_seen_bound


def run(text: str, **options) -> sj.Results:
    return sj.run(sj.Scenario.from_toml(text), **options)


@pytest.fixture(params=["droptail", "red", "rem", "sfq", "eqm"])
def drained(request, mixed) -> sj.Results:
    """A run in which all packets have come through or gone by the end, and all were counted."""
    return run(mixed(request.param, warmup="0 s", stop="4 s"))


def of_replica(frame: pl.DataFrame, replica: int) -> pl.DataFrame:
    return frame.filter(pl.col("replica") == replica)


def test_packets_are_conserved(drained):
    for replica in range(3):
        links = of_replica(drained.links, replica)
        flows = of_replica(drained.flows, replica)
        lost = links["drops_packets"].sum()
        assert lost > 0
        assert flows["sent_packets"].sum() == flows["received_packets"].sum() + lost
        bottleneck = links.filter(link="bottleneck").row(0, named=True)
        assert bottleneck["arrivals_packets"] == flows["sent_packets"].sum()
        assert bottleneck["departures_packets"] == flows["received_packets"].sum()
        assert bottleneck["loss_ratio"] == lost / bottleneck["arrivals_packets"]
        by_reason = of_replica(drained.drops, replica).filter(kind="drop")
        assert by_reason["packets"].sum() == lost


def test_what_the_flows_receive_is_what_the_link_carries(drained):
    for replica in range(3):
        flows = of_replica(drained.flows, replica)
        row = of_replica(drained.links, replica).filter(link="bottleneck").row(0, named=True)
        assert flows["throughput_bps"].sum() == pytest.approx(row["throughput_bps"], rel=1e-12)
        assert row["throughput_bps"] / 4e6 == pytest.approx(row["utilization"], rel=1e-12)


def test_groups_and_total_are_sums(drained):
    for replica in range(3):
        flows = of_replica(drained.flows, replica)
        groups = of_replica(drained.groups, replica)
        (total,) = of_replica(drained.totals, replica).to_dicts()
        assert groups["group"].to_list() == ["bursts", "poisson"]
        for metric in ("sent_packets", "received_packets", "throughput_bps", "goodput_bps"):
            assert total[metric] == pytest.approx(flows[metric].sum(), rel=1e-12)
            assert groups[metric].sum() == pytest.approx(total[metric], rel=1e-12)
        delay = (flows["delay_mean_s"] * flows["received_packets"]).sum()
        assert total["delay_mean_s"] == pytest.approx(delay / total["received_packets"], rel=1e-12)
        lost = (flows["loss_ratio"] * flows["sent_packets"]).sum()
        assert total["loss_ratio"] == pytest.approx(lost / total["sent_packets"], rel=1e-12)
        goodputs = flows["goodput_bps"]
        jain = goodputs.sum() ** 2 / (len(goodputs) * (goodputs**2).sum())
        assert total["jain_index"] == pytest.approx(jain, rel=1e-12)


def test_little_holds_to_the_last_digit(mixed):
    """Drop-tail drops on arrival, so all who waited have left by the end."""
    frame = run(mixed(warmup="0 s", stop="4 s")).links.filter(link="bottleneck")
    for row in frame.to_dicts():
        waited = row["departures_packets"] * row["queueing_delay_mean_s"]
        assert row["queue_mean_packets"] * 6 == pytest.approx(waited, rel=1e-12)


def test_bounds(drained):
    links, flows = drained.links, drained.flows
    assert links["utilization"].is_between(0, 1).all()
    assert links["loss_ratio"].is_between(0, 1).all()
    assert (links["queue_mean_packets"] <= links["queue_max_packets"]).all()
    for low, high in (("p50", "p95"), ("p95", "p99")):
        assert (links[f"queueing_delay_{low}_s"] <= links[f"queueing_delay_{high}_s"]).all()
        assert (flows[f"delay_{low}_s"] <= flows[f"delay_{high}_s"]).all()
    assert ((flows["loss_ratio"] + flows["delivery_ratio"] - 1).abs() < 1e-12).all()
    assert (flows["goodput_bps"] < flows["throughput_bps"]).all()
    assert (flows["delay_mean_s"] > 0.011).all()
    assert (flows["jitter_s"] >= 0).all()
    assert drained.totals["jain_index"].is_between(0.25, 1).all()


def test_headers_make_the_difference_between_throughput_and_goodput(mixed):
    for row in run(mixed()).flows.to_dicts():
        headers = 28 * 8 * row["received_packets"] / 5
        assert row["throughput_bps"] - row["goodput_bps"] == pytest.approx(headers, rel=1e-12)


def test_the_warm_up_is_left_out(mixed):
    """Flows that stop before the window opens leave nothing in it."""
    results = run(mixed(warmup="5 s", stop="4 s"))
    assert results.links["arrivals_packets"].sum() == 0
    assert results.links["utilization"].sum() == 0
    assert results.flows["sent_packets"].sum() == 0
    assert results.flows["received_packets"].sum() == 0


# --- undefined values ----------------------------------------------------------------------------

RARE = """
name = "rare"
duration = "1 s"
[[link]]
name = "l"
from = "a"
to = "b"
rate = "1 Mbit/s"
[[link]]
name = "idle"
from = "b"
to = "a"
rate = "1 Mbit/s"
[[flow]]
name = "never"
from = "a"
to = "b"
start = "2 s"
transport = { protocol = "udp" }
traffic = { source = "cbr", rate = "100 kbit/s" }
[[flow]]
name = "sometimes"
from = "a"
to = "b"
start = "uniform(0 s, 2 s)"
transport = { protocol = "udp" }
traffic = { source = "cbr", rate = "100 kbit/s" }
"""


def test_what_is_undefined_is_null_and_not_counted():
    results = run(RARE, replicas=12)
    (point,) = results.summary()["points"]
    never, sometimes = point["flows"]["never"], point["flows"]["sometimes"]
    assert never["sent_packets"] == {"mean": 0.0, "ci95": [0.0, 0.0], "n": 12}
    assert never["throughput_bps"]["mean"] == 0
    undefined = {"mean": None, "ci95": None, "n": 0}
    for metric in ("loss_ratio", "delivery_ratio", "delay_mean_s", "delay_p95_s", "jitter_s"):
        assert never[metric] == undefined
    assert point["groups"]["never"]["jain_index"] == undefined
    idle = point["links"]["idle"]
    assert idle["utilization"]["mean"] == 0
    for metric in ("loss_ratio", "queueing_delay_mean_s", "queueing_delay_p99_s"):
        assert idle[metric] == undefined
    assert idle["drops_by_reason"] == {}
    sent = results.flows.filter(flow="sometimes")["received_packets"]
    assert 0 < (sent > 0).sum() < 12
    assert sometimes["delay_mean_s"]["n"] == (sent > 0).sum()
    assert results.flows["delay_mean_s"].null_count() == 12 + (sent == 0).sum()
    assert results.flows["delay_mean_s"].is_nan().sum() == 0
    json.dumps(results.summary(), allow_nan=False)


def test_a_single_replica_is_summed_up_as_it_is(tmp_path):
    results = run(RARE, replicas=1)
    results.write(tmp_path)
    summary = json.loads((tmp_path / "summary.json").read_text(), parse_constant=pytest.fail)
    (point,) = summary["points"]
    undefined = lossless = 0
    for kind, frame in (("link", results.links), ("flow", results.flows)):
        for row in frame.iter_rows(named=True):
            found = point[f"{kind}s"][row[kind]]
            for metric in set(row) & set(found):
                known = row[metric] is not None
                undefined += not known
                expected = {"mean": row[metric], "ci95": None, "n": int(known)}
                if metric == "loss_ratio" and row[metric] == 0:
                    packets = row["arrivals_packets" if kind == "link" else "resolved_packets"]
                    expected["upper95"] = never_seen_bound(int(packets))
                    lossless += 1
                assert found[metric] == expected
    assert undefined > 10
    assert lossless > 1


@pytest.mark.parametrize("replicas", [1, 2])
def test_the_bound_of_a_loss_counts_packets_whose_fate_is_known(replicas):
    """Of fifty packets a few come out; those that wait still say nothing of the loss."""
    slow = RARE.replace("1 Mbit/s", "40 kbit/s").replace("100 kbit/s", "400 kbit/s")
    results = run(slow.replace('"uniform(0 s, 2 s)"', '"uniform(0 s, 10 ms)"'), replicas=replicas)
    flow = results.flows.filter(flow="sometimes")
    assert flow["sent_packets"].min() > 30
    received = flow["received_packets"].to_list()
    assert received == flow["resolved_packets"].to_list()
    assert 0 < received[0] < 6
    (point,) = results.summary()["points"]
    bound = point["flows"]["sometimes"]["loss_ratio"]["upper95"]
    assert bound == pytest.approx(never_seen_bound(int(sum(received))))


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_what_is_infinite_is_refused_and_nothing_is_written(value, tmp_path):
    results = run(RARE, replicas=1)
    links = results.links.with_columns(queueing_delay_mean_s=pl.lit(value))
    with pytest.raises(ValueError, match="queueing_delay_mean_s is infinite"):
        dataclasses.replace(results, links=links).write(tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_summary_is_student_over_replicas(mixed):
    results = run(mixed(), replicas=5)
    values = results.links.filter(link="bottleneck")["queue_mean_packets"]
    found = results.summary()["points"][0]["links"]["bottleneck"]["queue_mean_packets"]
    half = 2.7764451 * values.std() / 5**0.5
    assert found["n"] == 5
    assert found["mean"] == pytest.approx(values.mean(), rel=1e-12)
    assert found["ci95"] == pytest.approx([values.mean() - half, values.mean() + half], rel=1e-6)


def test_one_replica_has_no_interval(mixed):
    (point,) = run(mixed(), replicas=1).summary()["points"]
    metrics = [pair for link in point["links"].values() for pair in link.items()]
    assert all(metric.get("ci95") is None for _, metric in metrics)
    # Where nothing is lost there is no gap between losses, and no event of any size.
    without = {"loss_event_mean_packets", "loss_synchronization_ratio"}
    without |= {f"loss_gap_{kind}_s" for kind in ("mean", "p50", "p95")}
    assert {metric["n"] for name, metric in metrics if "n" in metric and name not in without} == {1}
    undefined = {name for name, metric in metrics if metric.get("n") == 0}
    assert undefined == without


def test_drops_by_reason_count_replicas_without_any_as_zero(mixed):
    results = run(mixed("red"), replicas=4)
    link = results.summary()["points"][0]["links"]["bottleneck"]
    total = sum(metric["mean"] for metric in link["drops_by_reason"].values())
    assert total == pytest.approx(link["drops_packets"]["mean"], rel=1e-12)
    assert {metric["n"] for metric in link["drops_by_reason"].values()} == {4}
    assert link["marks_packets"]["mean"] == 0


# --- time series ---------------------------------------------------------------------------------


def test_a_series_that_is_none_is_refused(mixed):
    results = run(mixed("red"), replicas=1)
    assert results.series("queue_packets").is_empty()
    with pytest.raises(ValueError, match="found 'avg', but no series were recorded"):
        results.series("avg")
    results = run(mixed("red"), replicas=1, series_interval="500 ms")
    assert results.series("avg").height > 0
    with pytest.raises(ValueError, match=r'found "avgg"; allowed: .*mean "avg"'):
        results.series("avgg")


def test_series_agree_with_the_tables(mixed):
    results = run(mixed("red", warmup="0 s"), replicas=2, series_interval="500 ms")
    series = results.series("queue_mean_packets").filter(name="bottleneck", replica=1)
    assert series["time_s"].to_list() == [0.5 * k for k in range(1, 13)]
    assert series["entity"].unique().to_list() == ["link"]
    row = results.links.filter(link="bottleneck", replica=1).row(0, named=True)
    assert series["value"].mean() == pytest.approx(row["queue_mean_packets"], rel=1e-9)
    for metric, expected in (
        ("throughput_bps", row["throughput_bps"] * 12),
        ("drops_packets", row["drops_packets"]),
    ):
        values = results.series(metric).filter(name="bottleneck", replica=1)["value"]
        assert values.sum() == pytest.approx(expected, rel=1e-9)
    queue = results.series("queue_packets").filter(name="bottleneck")["value"]
    assert queue.is_between(0, 30).all()
    flows = results.series("throughput_bps").filter(entity="flow", replica=1)
    assert flows["name"].n_unique() == 4
    # RED shows its average too.
    shown = results.time_series.filter(name="bottleneck")["metric"].unique().to_list()
    assert any("avg" in metric for metric in shown)


def test_a_count_of_a_series_is_that_of_its_interval():
    short = 'rate = "10 Mbit/s", queue = { limit = "20 packets" }'
    text = UDP_THEN_TCP.replace('rate = "10 Mbit/s"', short)
    results = run(text, series_interval="500 ms")
    of_point = {"point": 1, "replica": 0}
    counts = results.series("retransmits").filter(**of_point)["value"]
    sent_again = results.totals.filter(**of_point)["retransmits"].item()
    assert sent_again > 0
    assert counts.sum() == sent_again


def test_without_a_connection_there_is_no_window_and_no_sign():
    late = UDP_THEN_TCP.replace('name = "f"', 'name = "f"\nstart = "1 s"')
    results = run(late, series_interval="500 ms")
    for metric in ("cwnd_packets", "in_flight_packets"):
        first = results.series(metric)["value"].first()
        assert math.copysign(1, first) == 1, metric
        assert first == 0, metric


def test_no_series_unless_asked_for(mixed):
    results = run(mixed())
    assert results.time_series.is_empty()
    assert results.series("queue_packets").is_empty()


def test_sampling_changes_no_table(mixed):
    one, other = run(mixed("red")), run(mixed("red"), series_interval="7 ms")
    for frame in ("links", "flows", "groups", "totals", "drops", "delays"):
        assert getattr(one, frame).equals(getattr(other, frame))


UDP_THEN_TCP = """
name = "both"
duration = "3 s"
replicas = 2

[design]
kind = "listed"

[dumbbell]
rtt = "40 ms"
bottleneck = { rate = "10 Mbit/s" }

[[flow]]
name = "f"
transport = { protocol = "tcp" }
traffic = { source = "bulk" }

[vary]
"flow.f.transport" = [{ protocol = "udp" }, { protocol = "tcp" }]
"flow.f.traffic" = [{ source = "cbr", rate = "1 Mbit/s" }, { source = "bulk" }]
"""


@pytest.mark.parametrize("batch", [1, 3, 512])
def test_metrics_that_only_some_runs_have_are_undefined_elsewhere(monkeypatch, batch):
    monkeypatch.setattr("sojourn.frames.BATCH", batch)
    for frame in (run(UDP_THEN_TCP).flows, run(UDP_THEN_TCP).groups, run(UDP_THEN_TCP).totals):
        assert frame.filter(point=0)["retransmits"].null_count() == 2
        assert frame.filter(point=1)["retransmits"].null_count() == 0
        assert frame["goodput_bps"].null_count() == 0


# --- files ---------------------------------------------------------------------------------------


def test_frames_are_written_and_read_again(mixed, tmp_path):
    text = mixed("red", top='series = "1 s"')
    text += '\n[vary]\n"flow.poisson.traffic.rate" = ["1 Mbit/s", "2 Mbit/s"]\n'
    results = run(text)
    written = results.write(tmp_path / "new" / "folder")
    names = {path.name for path in written}
    frames = {
        "points": results.points,
        "runs": results.runs,
        "links": results.links,
        "flows": results.flows,
        "groups": results.groups,
        "total": results.totals,
        "drops": results.drops,
        "delays": results.delays,
        "series": results.time_series,
        "transfers": results.transfers,
    }
    others = {"scenario.toml", "summary.json", "experiment.json"}
    assert names == {f"{name}.parquet" for name in frames} | others
    folder = tmp_path / "new" / "folder"
    assert {path.name for path in folder.iterdir()} == names
    for name, frame in frames.items():
        assert not frame.is_empty() or name == "transfers", name
        assert pl.read_parquet(folder / f"{name}.parquet").equals(frame)
    summary = json.loads((folder / "summary.json").read_text())
    assert summary == json.loads(json.dumps(results.summary()))
    again = sj.run(folder / "scenario.toml")
    assert again.links.equals(results.links)


def test_a_path_a_text_and_a_scenario_run_alike(mixed, tmp_path):
    path = tmp_path / "mixed.toml"
    path.write_text(mixed())
    of_text = run(mixed())
    for what in (path, str(path), sj.Scenario.load(path)):
        assert sj.run(what).links.equals(of_text.links)


def test_progress_is_told_of_every_run(mixed):
    told = []
    run(mixed(), jobs=2, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_series_that_is_nowhere_is_refused(mixed):
    scenario = sj.Scenario.from_toml(mixed(), overrides={"series": "1 s", "replicas": 1})
    results = sj.run(scenario)
    assert results.series("ssthresh_packets") is not None
    with pytest.raises(ValueError, match=r'found "queue_packet".*did you mean "queue_packets"'):
        results.series("queue_packet")


def test_series_show_a_discipline_and_not_each_queue_within_it(mixed):
    results = run(mixed("fq_codel"), series_interval="100 ms", replicas=1)
    metrics = set(results.time_series.filter(entity="link")["metric"])
    assert "flows_active" in metrics
    assert not [metric for metric in metrics if "flow[" in metric]


def test_without_a_run_there_are_all_columns_and_no_row(mixed):
    """As after Ctrl-C before any run was finished."""
    scenario = sj.Scenario.from_toml(mixed())
    whole, none = sj.run(scenario), collect(scenario, [], complete=False)
    for name, frame in whole.frames().items():
        empty = none.frames()[name]
        assert {*frame.columns} <= {*empty.columns}, name
        assert empty.select(frame.columns).schema == frame.schema, name
        assert len(empty) == (name == "points")
    assert none.links["utilization"].to_list() == []
    assert none.summary()["points"][0]["links"] == {}
