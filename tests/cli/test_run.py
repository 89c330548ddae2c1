"""`sojourn run` and `sojourn check`."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import sojourn as sj
from sojourn.cli.run_tables import print_tables
from sojourn.lookup import prepared
from sojourn.runner import outcomes_of

LINK_METRICS = {
    *("utilization", "throughput_bps", "arrivals_packets", "drops_packets", "drops_by_reason"),
    *("marks_packets", "loss_ratio", "queue_mean_packets", "queue_mean_bytes"),
    *("queue_max_packets", "queueing_delay_mean_s", "queueing_delay_p50_s"),
    *("queueing_delay_p95_s", "queueing_delay_p99_s"),
}
FLOW_METRICS = {
    *("sent_packets", "received_packets", "throughput_bps", "goodput_bps", "loss_ratio"),
    "resolved_packets",
    *("delivery_ratio", "delay_mean_s", "delay_p50_s", "delay_p95_s", "delay_p99_s", "jitter_s"),
}


def is_metric(value: object) -> bool:
    """`{mean, ci95, n}`, and nothing else."""
    if not isinstance(value, dict) or set(value) != {"mean", "ci95", "n"}:
        return False
    interval = value["ci95"]
    if interval is not None and not (
        len(interval) == 2 and interval[0] <= value["mean"] <= interval[1]
    ):
        return False
    return isinstance(value["n"], int) and (value["mean"] is None) == (value["n"] == 0)


def test_json_is_one_document_of_the_promised_shape(process, small):
    done = process("run", small, "--json")
    assert done.status == 0
    document = json.loads(done.out)
    assert {key: document[key] for key in ("sojourn", "scenario", "seed", "replicas")} == {
        "sojourn": sj.__version__,
        "scenario": "small",
        "seed": 1,
        "replicas": 2,
    }
    assert [point["vary"] for point in document["points"]] == [
        {"link.bottleneck.queue": {"discipline": "droptail"}},
        {"link.bottleneck.queue": {"discipline": "red", "max_p": 0.1}},
    ]
    for point in document["points"]:
        assert set(point) == {"vary", "links", "flows", "groups", "total"}
        assert list(point["links"]) == ["bottleneck", "idle"]
        assert list(point["flows"]) == ["load.0", "load.1"]
        assert list(point["groups"]) == ["load"]
        for link in map(dict, point["links"].values()):
            assert set(link) >= LINK_METRICS
            reasons = [link.pop(key) for key in ("drops_by_reason", "marks_by_reason")]
            assert all(map(is_metric, link.values()))
            assert all(is_metric(metric) for reason in reasons for metric in reason.values())
        for flow in point["flows"].values():
            assert set(flow) >= FLOW_METRICS
            assert all(map(is_metric, flow.values()))
        for entity in (point["groups"]["load"], point["total"]):
            assert set(entity) >= FLOW_METRICS | {"jain_index"}
            assert all(map(is_metric, entity.values()))
    droptail = document["points"][0]["links"]["bottleneck"]
    assert list(droptail["drops_by_reason"]) == ["overlimit"]
    assert droptail["drops_by_reason"]["overlimit"]["mean"] > 0
    assert droptail["utilization"]["n"] == 2


def test_json_is_what_python_gives(sojourn, small):
    document = json.loads(sojourn("run", small, "--json").out)
    assert document == json.loads(json.dumps(sj.run(small).summary()))


def test_the_table_for_people_names_what_matters(sojourn, small, monkeypatch):
    monkeypatch.setenv("COLUMNS", "240")
    done = sojourn("run", small)
    assert done.status == 0
    assert "A small one" in done.out
    for word in ("bottleneck", "droptail", "red", "±", "95 %"):
        assert word in done.out
    # A link that nothing crosses is left out.
    assert "idle" not in done.out


def test_the_share_of_marks_is_shown_where_there_are_any(sojourn, small, monkeypatch):
    monkeypatch.setenv("COLUMNS", "240")
    assert "marked %" not in sojourn("run", small).out
    text = small.read_text().replace("max_p = 0.1", "ecn = true")
    small.write_text(text.replace('"472 B"', '"472 B", ecn = true'))
    assert "marked %" in sojourn("run", small).out


@pytest.mark.parametrize(
    ("finished", "caption"),
    [
        (1, ""),
        (2, "mean over 2 replicas ±"),
        (4, "mean over 1 to 3 replicas ±"),
        (6, "mean over 3"),
    ],
)
def test_the_caption_is_that_of_the_runs_that_finished(small, capsys, finished, caption):
    """Two points of three replicas each, of which an interruption left the first few."""
    outcomes = outcomes_of(prepared(small, replicas=3), 1, None, None)
    left = replace(outcomes, each=outcomes.each[:finished], complete=finished == 6)
    print_tables(left)
    out = " ".join(capsys.readouterr().out.split())
    assert caption in out
    assert ("mean over" in out) == bool(caption)


def test_of_a_bootstrap_interval_both_ends_are_printed(sojourn, small, monkeypatch):
    monkeypatch.setenv("COLUMNS", "240")
    options = ("--interval", "bootstrap", "--replicas", "5")
    out = sojourn("run", small, *options).out
    assert "mean over 5 replicas, with both ends of the bootstrap's 95 % interval" in out
    assert "±" not in out
    document = json.loads(sojourn("run", small, *options, "--json").out)
    wait = document["points"][0]["links"]["bottleneck"]["queueing_delay_mean_s"]
    mean, low, high = (f"{1e3 * value:.2f}" for value in (wait["mean"], *wait["ci95"]))
    assert f" {mean} ({low} to {high}) " in out


def test_a_link_with_a_standing_queue_has_a_row_whatever_waits_elsewhere(
    sojourn, tmp_path, monkeypatch
):
    """Two links of 1 Mbit/s: one is flooded, the other is kept busy by a window of 20 packets."""
    monkeypatch.setenv("COLUMNS", "240")
    path = tmp_path / "two.toml"
    path.write_text(
        """
name = "two"
duration = "20 s"

[[link]]
name = "flooded"
from = "a"
to = "b"
rate = "1 Mbit/s"
queue = { limit = "1000 packets" }

[[link]]
name = "busy"
from = "c"
to = "d"
rate = "1 Mbit/s"
duplex = true

[[flow]]
name = "flood"
from = "a"
to = "b"
transport = { protocol = "udp" }
traffic = { source = "cbr", rate = "2 Mbit/s" }

[[flow]]
name = "work"
from = "c"
to = "d"
transport = { protocol = "tcp", window = "20 packets" }
traffic = { source = "bulk" }
"""
    )
    document = json.loads(sojourn("run", path, "--json").out)
    waits = {
        name: link["queueing_delay_mean_s"]["mean"] or 0.0
        for name, link in document["points"][0]["links"].items()
    }
    assert waits["busy"] < 0.1 * waits["flooded"]
    out = sojourn("run", path).out
    assert "busy " in out
    assert "busy.reverse" not in out


def test_links_where_nothing_waits_are_shown_when_asked_for(sojourn, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "240")
    path = tmp_path / "home.toml"
    path.write_text(
        """
name = "home"
duration = "3 s"
replicas = 2

[dumbbell]
bottleneck = { rate = "4 Mbit/s", delay = "10 ms", queue = { discipline = "codel" } }

[[flow]]
name = "bulk"
count = 2
transport = { protocol = "tcp", congestion_control = "newreno" }
traffic = { source = "bulk" }

[[flow]]
name = "call"
transport = { protocol = "udp", payload = "160 B" }
traffic = { source = "cbr", rate = "80 kbit/s" }
"""
    )
    out = sojourn("run", path).out
    assert "call.up" not in out
    assert "more links (--all-links): nothing lost there" in out
    # Flows are shown by name, all of a name in a row.
    for word in ("goodput Mbit/s", "fairness", "retransmits", "bulk ", "call "):
        assert word in out
    assert "call.up" in sojourn("run", path, "--all-links").out


def test_seed_and_replicas_go_before_the_files(sojourn, small):
    done = sojourn("run", small, "--json", "--seed", 7, "--replicas", 3, "--jobs", 1)
    document = json.loads(done.out)
    assert (document["seed"], document["replicas"]) == (7, 3)
    assert document["points"][0]["total"]["sent_packets"]["n"] == 3
    assert document == json.loads(json.dumps(sj.run(small, seed=7, replicas=3).summary()))


def test_settings_may_be_repeated_and_need_no_quotes(sojourn, small):
    done = sojourn(
        *("run", small, "--json", "--set", "link.bottleneck.rate=1 Mbit/s"),
        *("--set", 'link.bottleneck.delay="5 ms"', "--set", "replicas=1"),
        *("--set", 'flow.load.traffic={ source = "cbr", rate = "1 Mbit/s" }'),
    )
    document = json.loads(done.out)
    assert document["replicas"] == 1
    link = document["points"][0]["links"]["bottleneck"]
    assert link["loss_ratio"]["mean"] == pytest.approx(0.5, abs=0.05)
    assert link["throughput_bps"]["mean"] == pytest.approx(1e6, rel=0.01)
    flow = document["points"][0]["flows"]["load.0"]
    assert flow["delay_mean_s"]["mean"] > 0.005 + 0.004


@pytest.mark.parametrize("command", ["run", "check"])
def test_settings_may_complete_a_file(sojourn, small, command):
    lines = small.read_text().splitlines()
    small.write_text("\n".join(line for line in lines if not line.startswith("duration")))
    assert "duration" in sojourn(command, small).errors
    assert sojourn(command, small, "--set", "duration=1 s").status == 0


def test_out_gets_tables_scenario_and_summary(sojourn, small, tmp_path):
    folder = tmp_path / "a" / "b"
    done = sojourn("run", small, "--json", "--out", folder, "--set", "series=500 ms")
    names = {path.name for path in folder.iterdir()} - {".lock"}
    tables = ("points", "runs", "links", "flows", "groups", "total", "drops", "delays")
    tables += ("series", "transfers")
    others = {"scenario.toml", "summary.json", "experiment.json"}
    assert names == {f"{name}.parquet" for name in tables} | others
    assert json.loads((folder / "summary.json").read_text()) == json.loads(done.out)
    assert len(pl.read_parquet(folder / "links.parquet")) == 2 * 2 * 2
    for name in names:
        assert str(folder / name) in done.errors


def test_nothing_is_written_unless_asked_for(process, small, tmp_path):
    assert process("run", small).status == 0
    assert process("check", small).status == 0
    assert {path.name for path in tmp_path.iterdir()} == {"small.toml"}


def test_a_trace_goes_to_out(sojourn, small, tmp_path):
    done = sojourn("run", small, "--json", "--trace", "ns2", "--out", tmp_path / "out")
    assert done.status == 0
    traces = sorted((tmp_path / "out").glob("*.tr"))
    assert len(traces) == 4
    assert all(len(path.read_text().splitlines()[0].split(" ")) == 12 for path in traces)
    without = sojourn("run", small, "--json")
    assert done.out == without.out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
@pytest.mark.parametrize(
    ("command", "name"),
    [
        (("run", "--jobs", "1", "--trace", "ns2"), "trace-point0-replica0.tr"),
        (("run", "--jobs", "1", "--trace", "pcapng"), "trace-point0-replica0-bottleneck.pcapng"),
        (("events", "--point", "0"), "events.parquet"),
    ],
)
def test_a_trace_for_which_the_disk_has_no_room_is_named(sojourn, small, tmp_path, command, name):
    out = tmp_path / "out"
    out.mkdir()
    (out / f"{name}.part").symlink_to("/dev/full")
    done = sojourn(*command, small, "--out", out)
    assert done.status == 1
    assert done.errors.endswith(
        f"error: sojourn: the trace cannot be written: {out / name}: no space left on device\n"
    )
    assert not (out / name).exists()


def test_a_mean_of_fewer_replicas_says_of_how_many(sojourn, small, tmp_path):
    text = small.read_text().partition("[vary]")[0].replace("replicas = 2", "replicas = 6")
    rare = """
    [[flow]]
    name = "rare"
    from = "a"
    to = "b"
    transport = { protocol = "tcp" }
    traffic = { source = "arrivals", rate = "3 kbit/s", size = "1 kB" }
    """
    small.write_text(text.replace('"2.5 Mbit/s"', '"0.1 Mbit/s"') + rare)
    results = sj.run(small)
    defined = results.groups.filter(group="rare")["delay_mean_s"].drop_nulls()
    assert 0 < len(defined) < 6
    out = sojourn("run", small).out
    (row,) = (line for line in out.splitlines() if "│ rare" in line)
    assert f"(n = {len(defined)})" in row
    (row,) = (line for line in out.splitlines() if "│ load" in line)
    assert "(n = " not in row
    assert "mean over 6 replicas ± half of the 95 % interval; n: of so many, where the" in out
    assert f"(n = {len(defined)})" in results._repr_html_()


def test_a_study_by_its_name(sojourn):
    done = sojourn("check", "nothing-of-this-name")
    assert done.status == 2
    assert done.errors == (
        "error: nothing-of-this-name: there is no such file and no such study: "
        'found "nothing-of-this-name"; allowed: eqm, ece6110, four-aqms, large-network, '
        "red-fairness, rfc7928\n"
    )
    names = [study["name"] for study in json.loads(sojourn("list", "studies", "--json").out)]
    assert "eqm" in names
    assert sojourn("check", "rfc7928/congestion").status == 0
    done = sojourn("check", "rfc7928/congestoin")
    assert done.status == 2
    assert done.errors == (
        'error: rfc7928/congestoin: study "rfc7928" has no part "congestoin"; did you mean '
        '"congestion"?\n'
    )


def test_check_says_what_would_run(sojourn, small):
    done = sojourn("check", small)
    assert done == (0, f"{small}: ok: small, 2 points, 4 runs\n", "")
    done = sojourn("check", small, "--set", "replicas=5")
    assert done.out.endswith("2 points, 10 runs\n")


@pytest.mark.parametrize("precision", ["5%", "none"])
def test_check_says_what_a_precision_cannot_be_asked_of(sojourn, small, precision):
    asked = f'precision = "{precision}"\nprecision_of = "total.goodput"\n'
    small.write_text(small.read_text().replace("replicas", f"{asked}replicas", 1))
    done = sojourn("check", small)
    assert done.status == 2
    assert done.errors.startswith(f"error: {small}: precision_of: found the metric 'goodput'; ")


@pytest.mark.parametrize("command", [("check",), ("run", "--json")], ids=" ".join)
def test_a_known_mistake_is_warned_of_and_done(sojourn, small, command):
    """A limit below RED's thresholds: it runs, but not as RED."""
    setting = ("--set", "link.bottleneck.queue.limit=10 packets")
    done = sojourn(*command, small, *setting)
    assert done.status == 0
    assert done.errors.startswith(f"warning: {small}:")
    assert "link.bottleneck.queue.max_th: " in done.errors
    assert done.errors.count("\n") == 1
    assert "warning" not in done.out


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_setting_that_is_wrong_is_named(sojourn, small, command):
    done = sojourn(command, small, "--set", "link.bottleneck.rate=-1 Mbit/s")
    assert done.status == 2
    assert done.out == ""
    assert done.errors.startswith(f"error: {small}: --set: link.bottleneck.rate: found")
    done = sojourn(command, small, "--set", "nothing")
    assert done.status == 2
    assert "KEY=VALUE" in done.errors


def test_a_setting_that_is_warned_of_has_the_name_that_it_has_in_errors(sojourn, small):
    done = sojourn("check", small, "--set", "link.bottleneck.queue.limit=1 B")
    assert done.status == 0
    where = f"warning: {small}: --set: link.bottleneck.queue.limit: there is never room"
    assert done.errors.startswith(where)


@pytest.mark.parametrize(
    "arguments",
    [
        ("run",),
        ("run", "{file}", "--nonsense"),
        ("run", "{file}", "--replicas", "0"),
        ("run", "{file}", "--replicas", "many"),
        ("run", "{file}", "--jobs", "0"),
        ("run", "{file}", "--seed", "-1"),
        ("run", "{file}", "--seed", str(2**63)),
        ("run", "{file}", "--replicas", "99999999999"),
        ("run", "{file}", "--out", "{file}"),
        ("compare", "codel", "--seed", str(2**63)),
        ("compare", "codel", "--replicas", "99999999999"),
        ("run", "{file}", "--trace", "pcap"),
        ("check",),
        ("check", "{file}", "another"),
        ("list", "everything"),
        ("list", "disciplines", "nothing"),
        ("drive", "--nonsense"),
        ("nonsense",),
        ("--nonsense",),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_status_2(sojourn, small, arguments):
    done = sojourn(*(argument.format(file=small) for argument in arguments))
    assert done.status == 2
    assert done.out == ""
    assert "Traceback" not in done.errors
    assert done.errors


def test_an_unknown_option_in_a_process_of_its_own(process, small):
    done = process("run", small, "--nonsense")
    assert done.status == 2
    assert done.out == ""
    assert "--nonsense" in done.errors


def test_a_folder_that_cannot_be_made(sojourn, small):
    done = sojourn("run", small, "--out", small / "below")
    assert done.status == 1
    assert done.errors.startswith("error: ")
    assert "Traceback" not in done.errors


def test_a_closed_stdout_is_one_line(small, tmp_path):
    call = f"'{sys.executable}' -m sojourn run '{small}' --json --out '{tmp_path / 'out'}' >&-"
    done = subprocess.run(["sh", "-c", call], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: stdout: found it closed")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_what_a_closed_stderr_would_be_told_is_not_printed(tmp_path):
    call = f"'{sys.executable}' -m sojourn run '{tmp_path / 'missing.toml'}' --json 2>&-"
    done = subprocess.run(["sh", "-c", call], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


def cbr(name, rate, stop, from_="a", to="b"):
    """Datagrams of 1000 bytes with their header, as long as this."""
    source = sj.source.Cbr(rate=rate)
    return sj.udp(source, name=name, payload="972 B", stop=stop, from_=from_, to=to)


def test_of_very_many_links_the_worst_have_a_row(sojourn, tmp_path, monkeypatch):
    """Of 102 links of 1 Mbit/s each takes 10 packets at once; two of them lose 4 and 5 of these."""
    monkeypatch.setenv("COLUMNS", "240")
    room = {7: 5, 70: 6}
    links = [
        sj.link(
            f"a{number}",
            f"b{number}",
            "1 Mbit/s",
            duplex=False,
            name=f"l{number}",
            queue=sj.queue.DropTail(limit=f"{room.get(number, 50)} packets"),
        )
        for number in range(102)
    ]
    flows = [
        cbr(f"f{number}", "1 Gbit/s", "76 us", f"a{number}", f"b{number}") for number in range(102)
    ]
    path = tmp_path / "many.toml"
    path.write_text(sj.network(links, flows, duration="1 s").to_toml())
    out = sojourn("run", path).out
    rows = [line for line in out.splitlines() if line.startswith("│ l")]
    assert len(rows) == 100
    assert {"l7", "l70", "l99"} == {row.split()[1] for row in rows} & {"l7", "l70", "l99", "l100"}
    assert "2 more links (--all-links): less is lost there, or packets wait less" in out
    everything = sojourn("run", path, "--all-links").out
    assert len([line for line in everything.splitlines() if line.startswith("│ l")]) == 102


def test_flows_of_which_nothing_was_measured_are_named(sojourn, tmp_path):
    """One of two ends in the warm-up: a row of zeros alone would say that the link starved it."""
    line = sj.link("a", "b", "1 Mbit/s", duplex=False, queue=sj.queue.DropTail())
    flows = [cbr("early", "100 kbit/s", "1 s"), cbr("steady", "100 kbit/s", "4 s")]
    path = tmp_path / "two.toml"
    path.write_text(sj.network([line], flows, duration="4 s", warmup="2 s").to_toml())
    done = sojourn("run", path, "--out", tmp_path / "out")
    assert "warning: flow early sends nothing while it is measured" in done.errors
    assert "flow steady" not in done.errors
    manifest = json.loads((tmp_path / "out" / "experiment.json").read_text())
    assert any("flow early sends nothing" in warning for warning in manifest["warnings"])


def of_point(frame: pl.DataFrame, point: int) -> pl.DataFrame:
    return frame if frame.is_empty() else frame.filter(pl.col("point") == point)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        # Both points are run to decide on the warm-up, and on the number of replicas.
        {"warmup": "auto"},
        {"precision": "20%"},
        {"series": "100 ms"},
    ],
)
def test_a_point_alone_is_the_same_as_among_all(small, settings):
    whole = sj.run(small, overrides=settings)
    for point in (0, 1):
        alone = sj.run(small, overrides=settings, point=point)
        assert not alone.complete
        frames = whole.frames()
        for name, frame in alone.frames().items():
            assert frame.equals(frames[name] if name == "points" else of_point(frames[name], point))
        summary = alone.summary()["points"]
        assert summary[point] == whole.summary()["points"][point]
        assert summary[1 - point]["links"] == {}


def test_a_point_alone_is_shown_traced_and_written(sojourn, small, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    out = tmp_path / "out"
    whole = sojourn("run", small, "--json")
    done = sojourn("run", small, "--point", 1, "--trace", "ns2", "--out", out)
    assert done.status == 0
    assert "red" in done.out
    assert "droptail" not in done.out
    assert "mean over 2 replicas" in done.out
    traces = sorted(path.name for path in out.glob("*.tr"))
    assert traces == ["trace-point1-replica0.tr", "trace-point1-replica1.tr"]
    assert pl.read_parquet(out / "runs.parquet")["point"].to_list() == [1, 1]
    document = json.loads((out / "summary.json").read_text())
    assert document["points"][1] == json.loads(whole.out)["points"][1]
    assert document["complete"] is False
    assert "is not complete" in sojourn("diff", out, out).out


def test_traces_of_a_point_are_those_of_no_other(sojourn, small, tmp_path):
    """Also where the others are run to decide on its replicas."""
    out = tmp_path / "out"
    given = ("--point", 0, "--precision", "50%", "--set", "max_replicas=10")
    assert sojourn("run", small, *given, "--trace", "ns2", "--out", out).status == 0
    names = {path.name.partition("-replica")[0] for path in out.glob("*.tr")}
    assert names == {"trace-point0"}


def test_a_point_that_is_not_there_is_refused(sojourn, small, tmp_path):
    done = sojourn("run", small, "--point", 2)
    assert (done.status, done.errors) == (2, "error: --point: found 2; allowed: 0 to 1\n")
    as_for_events = sojourn("events", small, "--out", tmp_path / "out", "--point", 2)
    assert as_for_events.errors.endswith(done.errors)
    for point, said in ((2, "found 2; allowed: 0 to 1"), (-1, "found -1; allowed: 0 to 1")):
        with pytest.raises(sj.ScenarioError, match=f"^point: {said}$"):
            sj.run(small, point=point)
    for point in ("1", True, 1.0):
        with pytest.raises(TypeError, match=r"^point: found .*; allowed: the number of a point"):
            sj.run(small, point=point)


def test_the_only_point_is_the_whole(small):
    one = sj.Scenario.from_toml(small.read_text().partition("[vary]")[0])
    assert sj.run(one, point=0) == sj.run(one)
