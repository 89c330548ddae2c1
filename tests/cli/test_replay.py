"""`sojourn replay`: a capture through bare queues."""

import contextlib
import json
import os
import signal
import subprocess
import sys

import polars as pl
import pytest
from arrivals import HEADER, THREE, pcap, poisson, stored, table, udp

import sojourn as sj
from sojourn.replay import Replayed, replay
from sojourn.store.lock import Busy, held


def test_three_packets_by_hand(sojourn, tmp_path):
    """At 8 Mbit/s 1000 bytes take 1 ms: one is sent, one waits for that long, one has no room."""
    path = table(tmp_path, THREE)
    out = tmp_path / "out"
    arguments = ("--rate", "8 Mbit/s", "--queue", "discipline=droptail,limit=1 packets")
    done = sojourn("replay", path, *arguments, "--delay", "3 ms", "--json", "--out", out)
    assert done.status == 0, done.errors
    document = json.loads(done.out)
    assert (document["packets"], document["bytes"]) == (3, 3000)
    [(label, link)] = document["queues"].items()
    assert label == "droptail, limit=1 packets"
    assert link["arrivals_packets"] == 3
    assert link["departures_packets"] == 2
    assert link["drops_by_reason"] == {"overlimit": 1}
    assert link["queueing_delay_mean_s"] == 0.0005
    assert link["end_s"] == 0.005
    assert link["utilization"] == pytest.approx(0.4)
    flows = document["flows"][label]
    assert flows["a"]["delay_mean_s"] == 0.004
    assert flows["b"]["delay_mean_s"] == 0.005
    assert flows["b"]["loss_ratio"] == 0.5
    assert flows["b"]["drops_by_reason"] == {"overlimit": 1}
    for name in ("queues", "flows", "drops", "series"):
        assert len(pl.read_parquet(out / f"{name}.parquet")) > 0
    assert (out / "queue-delay.png").exists()
    assert (out / "drops.svg").exists()


def test_a_queue_inside_another_may_have_settings(sojourn, tmp_path):
    given = ("replay", table(tmp_path, THREE), "--rate", "8 Mbit/s", "--out", tmp_path / "out")
    inner = "drr,inner=codel(target=2 ms, ecn=true),quantum=1000 B"
    done = sojourn(*given, "--queue", inner, "--json")
    assert done.status == 0, done.errors
    [label] = json.loads(done.out)["queues"]
    assert label == "drr, inner=codel(target=2 ms, ecn=true), quantum=1000 B"
    done = sojourn(*given, "--queue", "drr,inner=codel(target=2 ms")
    assert done.status == 2
    assert "found a parenthesis alone" in done.errors


def test_all_queues_see_the_same_arrivals_and_every_packet_has_its_fate(tmp_path):
    path = poisson(tmp_path, 20_000, 12e6)
    queues = ["codel", "red,ecn=true", "fq_codel", "droptail"]
    done = replay(path, queues, "10 Mbit/s", limit="100 packets")
    assert list(done.queues["queue"]) == ["codel", "red, ecn=true", "fq_codel", "droptail"]
    assert set(done.queues["arrivals_packets"]) == {20_000}
    flows = done.flows
    assert (flows["sent_packets"] > 6_000).all()
    lost = done.drops.filter(kind="drop").group_by("queue", "flow").agg(pl.sum("packets"))
    fates = flows.join(lost, on=["queue", "flow"], how="left").fill_null(0)
    assert (fates["sent_packets"] == fates["received_packets"] + fates["packets"]).all()
    per_queue = lost.group_by("queue").agg(pl.sum("packets"))
    totals = done.queues.join(per_queue, on="queue")
    assert len(totals) == 4
    assert (totals["drops_packets"] == totals["packets"]).all()
    drops = done.series.filter(metric="drops_packets").group_by("queue").agg(pl.sum("value"))
    summed = totals.join(drops, on="queue")
    assert len(summed) == 4
    assert (summed["value"] == summed["packets"]).all()


def test_a_replay_repeats_to_the_bit_and_the_seed_matters(tmp_path):
    path = poisson(tmp_path, 5_000, 12e6)
    first, second, other = (
        replay(path, ["red"], "10 Mbit/s", seed=seed).summary() for seed in (1, 1, 2)
    )
    assert first == second
    assert first != other


def test_one_queue_alone_needs_no_list(tmp_path):
    path = table(tmp_path, THREE)
    one = replay(path, "codel,target=5 ms", "8 Mbit/s")
    assert one.queues.equals(replay(path, ["codel,target=5 ms"], "8 Mbit/s").queues)
    written = one.write(str(tmp_path / "out"))
    assert all(file.is_file() for file in written)


def test_the_wait_of_m_d_1(tmp_path):
    """Pollaczek and Khinchine: rho / (2 (1 - rho)) service times; here 2 of 1 ms."""
    path = poisson(tmp_path, 200_000, 0.8 * 8e6, seed=5)
    done = replay(path, ["droptail,limit=none"], "8 Mbit/s")
    row = done.queues.row(0, named=True)
    assert row["queueing_delay_mean_s"] == pytest.approx(2e-3, rel=0.06)
    # Little's law, from two measures that are taken apart.
    arrival_rate = 200_000 / row["end_s"]
    expected = arrival_rate * row["queueing_delay_mean_s"]
    assert row["queue_mean_packets"] == pytest.approx(expected, rel=1e-9)


def test_the_rest_of_the_flows_takes_a_name_that_is_free(sojourn, tmp_path):
    """Two flows are called as the rest would be, one of them even as it would be then."""
    flows = ["others", "others (2)", "a", "b", "b"]
    lines = [f"0,1000,{flow}" for flow in flows]
    path = table(tmp_path, "\n".join(["time_s,size_B,flow", *lines]) + "\n")
    options = ("--rate", "8 Mbit/s", "--queue", "droptail", "--flows", 2, "--json")
    done = sojourn("replay", path, *options)
    found = json.loads(done.out)["flows"]["droptail"]
    sent = {name: row["sent_packets"] for name, row in found.items()}
    assert sent == {"others": 1, "others (2)": 1, "others (3)": 3}
    assert 'counted together as "others (3)"' in done.errors


def test_flows_beyond_the_most_are_counted_together(tmp_path):
    lines = [f"0,1000,{k % 5}" for k in range(20)]
    path = table(tmp_path, "time_s,size_B,flow\n" + "\n".join(lines) + "\n")
    done = replay(path, ["fq_codel"], "8 Mbit/s", flows=2)
    assert dict(done.flows.select("flow", "sent_packets").iter_rows()) == {
        "0": 4,
        "1": 4,
        "others": 12,
    }
    assert "more than 2 flows" in done.warnings[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time_s,size_B\n0,1\n1,x\n", 'packet 2 (line 3, byte 18): size_B: found "x"'),
        ("time_s,size_B\n2,1\n1,1\n", 'packet 2 (line 3, byte 18): time_s: found "1"'),
        ("time_s,size_B\n0,1\n0,70000\n", "packet 2 (line 3, byte 18): found a packet of 70000 B"),
        ("", "found nothing; allowed: pcap, pcapng, or CSV"),
    ],
)
def test_errors_name_file_packet_and_byte(sojourn, tmp_path, text, message):
    path, out = table(tmp_path, text), tmp_path / "out"
    done = sojourn("replay", path, "--rate", "1 Mbit/s", "--queue", "codel", "--out", out)
    assert done.status == 2
    assert done.out == ""
    assert done.errors.startswith(f"error: {path}: {message}"), done.errors
    assert done.errors.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rate", "8", "--queue", "codel"), "--rate: found"),
        (("--rate", "8 Mbit/s", "--queue", "codle"), 'did you mean "codel"?'),
        (("--rate", "8 Mbit/s", "--queue", "codel,tagret=5 ms"), "unknown key"),
        (("--rate", "8 Mbit/s", "--queue", "codel,target=5"), "target: found"),
        (("--rate", "8 Mbit/s", "--queue", "codel,limit"), "allowed: KEY=VALUE"),
        (("--rate", "8 Mbit/s", "--queue", "codel", "--queue", "codel"), "found twice"),
        (("--rate", "8 Mbit/s", "--queue", "codel", "--series", "0 s"), "above zero"),
        (("--rate", "8 Mbit/s", "--queue", "codel", "--delay", "5"), "--delay: found"),
    ],
)
def test_what_is_asked_for_is_checked_first(sojourn, tmp_path, arguments, message):
    done = sojourn("replay", table(tmp_path, THREE), *arguments)
    assert done.status == 2
    assert done.errors.startswith("error: --")
    assert message in done.errors
    assert done.errors.count("\n") == 1


LATE = "time_s,size_B\n0,1000\n18446740,1000\n"
"""The clock ends four seconds after the last packet."""


def test_the_last_interval_may_end_with_the_clock(sojourn, tmp_path):
    given = ("--rate", "8 Mbit/s", "--queue", "droptail", "--out", tmp_path / "out", "--json")
    done = sojourn("replay", table(tmp_path, LATE), *given)
    assert done.status == 0, done.errors
    assert json.loads(done.out)["queues"]["droptail"]["departures_packets"] == 2
    ends = pl.read_parquet(tmp_path / "out" / "series.parquet")["time_s"]
    assert 18446740 < ends.max() < 18446745


def test_a_link_at_work_when_the_clock_ends_is_refused(sojourn, tmp_path):
    done = sojourn("replay", table(tmp_path, LATE), "--rate", "1 kbit/s", "--queue", "droptail")
    assert done.status == 2
    assert done.errors.startswith(
        "error: --rate: found 1 kbit/s, at which packets are on their way"
    )


def test_a_table_without_packets(sojourn, tmp_path):
    path = table(tmp_path, "time_s,size_B\n")
    done = sojourn("replay", path, "--rate", "8 Mbit/s", "--queue", "codel", "--json")
    assert done.status == 0
    assert json.loads(done.out)["queues"]["codel"]["arrivals_packets"] == 0


@pytest.mark.parametrize("contents", [b"time_s,size_B\n", HEADER], ids=["table", "capture"])
def test_a_file_without_packets_is_shown_and_written(sojourn, tmp_path, contents):
    path, out = tmp_path / "arrivals", tmp_path / "out"
    path.write_bytes(contents)
    done = sojourn("replay", path, "--rate", "8 Mbit/s", "--queue", "codel", "--out", out)
    assert done.status == 0
    assert "0 packets" in done.out
    assert done.errors.startswith("warning: found no packet\n")
    assert json.loads((out / "summary.json").read_text())["packets"] == 0
    assert pl.read_parquet(out / "queues.parquet")["arrivals_packets"].to_list() == [0]
    assert pl.read_parquet(out / "flows.parquet").is_empty()
    types = pl.read_parquet_schema(out / "series.parquet")
    assert types["time_s"] == types["value"] == pl.Float64


INTERRUPTED_WHILE_IT_IMPORTS = """
import os, signal, sys

class Interrupts:
    def find_spec(name, *_):
        if name == "matplotlib":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts)
"""
"""What Python does first: Ctrl-C comes when the library of the figures begins."""


@pytest.mark.skipif(sys.platform == "win32", reason="a signal ends the program there")
def test_ctrl_c_while_the_figures_begin_leaves_the_tables(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTED_WHILE_IT_IMPORTS)
    arrivals = table(tmp_path, THREE)
    words = ["replay", str(arrivals), "--rate", "1 Mbit/s", "--queue", "codel", "--out", "out"]
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "-m", "sojourn", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
    )
    assert done.returncode == 130, done.stderr
    assert done.stderr.splitlines()[-1] == "interrupted"
    assert "codel" in done.stdout
    assert json.loads((tmp_path / "out/summary.json").read_text())["packets"] == 3


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (("--queue", "droptail", "--limit", "1 bdp"), "--limit"),
        (("--queue", "droptail,limit=1 bdp"), "--queue droptail,limit=1 bdp: limit"),
        (("--queue", "red,max_th=1 bdp"), "--queue red,max_th=1 bdp: max_th"),
        (
            ("--queue", "drr,inner=codel(target=2 ms, limit=1 bdp)"),
            "--queue drr,inner=codel(target=2 ms, limit=1 bdp): inner",
        ),
    ],
)
def test_a_bandwidth_delay_product_needs_a_delay(sojourn, tmp_path, arguments, place):
    given = ("replay", table(tmp_path, THREE), "--rate", "8 Mbit/s", *arguments)
    done = sojourn(*given)
    assert done.status == 2
    assert done.errors.startswith(f'error: {place}: found "1 bdp", which is 0 B where --delay is')
    assert done.errors.count("\n") == 1
    assert sojourn(*given, "--delay", "10 ms", "--json", "--out", tmp_path / "out").status == 0


@pytest.mark.parametrize("kind", ["CSV", "pcap"])
def test_an_interface_is_chosen_in_pcapng_only(sojourn, tmp_path, kind):
    path = table(tmp_path, THREE) if kind == "CSV" else pcap(tmp_path, [(0, udp(1, 2, 72), 100)])
    given = ("--rate", "8 Mbit/s", "--queue", "codel", "--interface", "eth0")
    done = sojourn("replay", path, *given)
    assert done.status == 2
    assert done.errors.startswith(f"error: {path}: found a {kind} file, which names no interfaces")
    assert done.errors.endswith("in pcapng only\n")


def test_an_interruption_ends_it_at_once(tmp_path):
    path = poisson(tmp_path, 400_000, 12e6)

    def interrupt(done: int, size: int) -> None:
        assert 0 <= done <= size
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replay(path, ["codel", "red", "sfq", "pie", "fq_codel"], "10 Mbit/s", progress=interrupt)


MEASURE = """
import resource, sys
from sojourn.replay import replay
replay(sys.argv[1], ["codel", "fq_codel"], "100 Mbit/s")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_memory_does_not_grow_with_the_capture(tmp_path):
    """Two hundred megabytes of capture take hardly more than twenty."""
    peaks = []
    record = udp(5, 6, 972) + bytes(972)
    for packets in (20_000, 200_000):
        path = tmp_path / "long.pcap"
        with path.open("wb") as file:
            file.write(HEADER)
            for first in range(0, packets, 10_000):
                file.write(b"".join(stored(k * 90, record) for k in range(first, first + 10_000)))
        command = [sys.executable, "-c", MEASURE, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout))
        path.unlink()
    assert peaks[1] - peaks[0] < 10_000  # kilobytes


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes there")
def test_ctrl_c_leaves_one_line_and_no_file(tmp_path):
    """A capture that never ends, out of a pipe."""
    pipe, out = tmp_path / "endless.pcap", tmp_path / "out"
    os.mkfifo(pipe)
    arguments = ["replay", str(pipe), "--rate", "10 Mbit/s", "--queue", "codel"]
    program = subprocess.Popen(
        [sys.executable, "-m", "sojourn", *arguments, "--out", str(out)],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    record = udp(5, 6, 972) + bytes(972)
    try:
        with contextlib.suppress(BrokenPipeError), pipe.open("wb") as file:
            file.write(HEADER)
            for k in range(1_000_000):
                file.write(stored(k * 90, record))
                if k == 20_000:
                    program.send_signal(signal.SIGINT)
        errors = program.communicate(timeout=60)[1]
    finally:
        program.kill()
    assert program.returncode == 130, errors
    said = [line for line in errors.splitlines() if not line.startswith("replay endless.pcap: ")]
    assert said == ["interrupted: nothing was written"]
    assert sorted(tmp_path.iterdir()) == [pipe]


def test_a_replay_through_no_queue_is_refused(tmp_path):
    arrivals = tmp_path / "arrivals.csv"
    arrivals.write_text("time_s,size_B\n0,100\n")
    with pytest.raises(ValueError, match="queues: found none; allowed: one or several"):
        replay(arrivals, [], "1 Mbit/s")


def test_two_replays_that_end_at_once_write_one_after_the_other(sojourn, tmp_path, monkeypatch):
    out, write = tmp_path / "out", Replayed.write

    def watched(*given):
        with pytest.raises(Busy), held(out / ".writing"):
            pass
        return write(*given)

    monkeypatch.setattr(Replayed, "write", watched)
    arrivals = table(tmp_path, THREE)
    done = sojourn("replay", arrivals, "--rate", "1 Mbit/s", "--queue", "codel", "--out", out)
    assert done.status == 0
    assert (out / "summary.json").exists()


OWN = """
import sojourn as sj


class Tail(sj.queue.Discipline):
    def enqueue(self, now, size, flow, ecn):
        return sj.queue.ACCEPT


class Until(Tail):
    end = sj.params.time("1 s", "When it has had enough.")

    def enqueue(self, now, size, flow, ecn):
        if now > self.end:
            raise OverflowError("enough")
        return sj.queue.ACCEPT
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Arrivals beside a module, which has a name of its own."""
    name = f"own_{os.urandom(4).hex()}"
    (tmp_path / f"{name}.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    yield poisson(tmp_path, 3000, 5e6), name
    sys.modules.pop(name, None)


def test_a_discipline_of_ones_own_sees_the_same_arrivals(own):
    arrivals, name = own
    queues = [f"{name}:Tail", "droptail", f"{name}:Until,end=90 s,limit=5 packets"]
    found = replay(arrivals, queues, "4 Mbit/s", limit="20 packets")
    mine, built_in, short = found.queues.rows(named=True)
    assert mine["queue"] == f"{name}:Tail"
    assert short["queue"] == f"{name}:Until, end=90 s, limit=5 packets"
    assert mine["queue_max_packets"] == 20
    assert short["queue_max_packets"] == 5
    assert mine | {"queue": ""} == built_in | {"queue": ""}


def test_what_it_raises_is_told_with_its_place(sojourn, own):
    arrivals, name = own
    done = sojourn("replay", arrivals, "--rate", "9 Mbit/s", "--queue", f"{name}:Until")
    assert done.status == 1
    assert f"{name}:Until on --queue {name}:Until: enqueue raised an exc" in done.errors
    assert f'{name}.py", line 15, in enqueue' in done.errors
    assert not (arrivals.parent / "results").exists()


@pytest.mark.parametrize(
    ("queue", "said"),
    [
        ("NAME:None", "discipline: found 'NAME:None', but the module NAME has no None"),
        ("NAME:Until,end=soon", "end: "),
        ("NAME:Until,und=1 s", "und: unknown key: found 'und'; allowed: limit, end"),
    ],
)
def test_one_that_cannot_be_made_is_refused(own, queue, said):
    arrivals, name = own
    with pytest.raises(sj.ScenarioError) as refused:
        replay(arrivals, queue.replace("NAME", name), "4 Mbit/s")
    said = said.replace("NAME", name)
    assert str(refused.value).startswith(f"--queue {queue.replace('NAME', name)}: {said}")
