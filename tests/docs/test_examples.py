"""The examples run in their quick form and show what they say one should see."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py"))

Names = dict[str, Any]


def bufferbloat_at_home(names: Names, _: str) -> None:
    call = names["table"]["call, p95 ms"].to_list()
    assert call[0] > 500
    assert max(call[1:]) < 60
    assert max(call[2:]) < 25


def tune_red(names: Names, _: str) -> None:
    front = [setting.held_out for setting in names["found"].front]
    assert front
    delay = [of["total.delay_mean_s"].mean for of in front]
    goodput = [of["total.goodput_bps"].mean for of in front]
    assert delay[goodput.index(max(goodput))] > min(delay)


def rtt_fairness(names: Names, _: str) -> None:
    ratio = names["ratios"]
    assert round(ratio["newreno", "DropTail"]) == 5
    assert ratio["newreno", "DropTail"] > ratio["cubic", "DropTail"] > 2
    assert 1 <= ratio["newreno", "FqCodel"] < 2
    assert 1 <= ratio["cubic", "FqCodel"] < 2


def incast(names: Names, _: str) -> None:
    (reno, timeouts), (dctcp, none) = names["found"].values()
    assert reno > 1.5 * dctcp
    assert timeouts > none == 0
    bytes_alone_ms = names["SERVERS"] * 256_000 * 8 / 1e9 * 1e3
    assert bytes_alone_ms < dctcp < 1.1 * bytes_alone_ms


def l4s_coexistence(names: Names, _: str) -> None:
    columns = ("goodput, Mbit/s", "waits, ms", "marked, %")
    rates, waits, marked = (names["table"][name].to_list() for name in columns)
    assert marked[0] > 20 * marked[1]
    assert marked[2] < 2 * marked[3]
    assert waits[0] < 1 < 10 < waits[1]
    assert min(waits[2:]) > 10
    assert rates[0] < 3 * rates[1]
    assert rates[2] > 5 * rates[3]


def replay_capture(names: Names, _: str) -> None:
    rows = names["flows"].sort("received_packets").head(3)
    delay = dict(rows.select("queue", "delay_mean_s").iter_rows())
    assert delay["fq_codel"] < 0.002
    assert min(delay["codel"], delay["droptail, limit=200 packets"]) > 0.05


def beside_the_kernel(names: Names, _: str) -> None:
    for column in ("kernel, ms", "simulator, ms"):
        droptail, red, codel, fq_codel = names["table"][column]
        assert droptail > 1.5 * red > 1.5 * codel > fq_codel


def own_aqm(_: Names, shown: str) -> None:
    order = re.findall(r"│ (\S+) +┆ [\d.e]+ .*┆ ([A-C]) ", shown)
    assert [grade for _, grade in order[:3]] == ["A", "B", "C"]
    assert order[0][0] == "__main__:Square" or order[0][0].endswith(":Square")


def cluster_sweep(_: Names, shown: str) -> None:
    assert "12 runs were finished before, 6 are new" in shown


def reproduce_figure(names: Names, _: str) -> None:
    assert Path("reproduce_figure.png").stat().st_size > 10_000
    links = names["links"].select(names["key"], "queue_mean_packets")
    means = links.group_by(names["key"], maintain_order=True).mean()
    queues = means["queue_mean_packets"].to_list()
    assert queues[0] < 0.1 < 4 < queues[-1]


def lab_class(names: Names, shown: str) -> None:
    for load, (mean, half) in names["mm1"].items():
        assert abs(mean - load / (1 - load)) < 3 * half
    assert "loss seen: 0.0, yet up to" in shown
    waits = names["tcp"]["waits, ms"].to_list()
    assert waits == sorted(waits)
    assert waits[2] > 300


def reinforcement_learning(names: Names, _: str) -> None:
    assert names["after"] > 0.4 > 0 > names["before"]


def test_every_program_is_listed_and_checked():
    listed = re.findall(r"\]\((\w+)\.py\)", (FOLDER / "README.md").read_text())
    assert sorted(listed) == PROGRAMS
    assert len(PROGRAMS) >= 10


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_shows_what_it_says(program, monkeypatch, capsys, tmp_path, request):
    if program == "beside_the_kernel":
        request.getfixturevalue("hosts")
    check: Callable[[Names, str], None] = globals()[program]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [program, "--quick"])
    text = (FOLDER / f"{program}.py").read_text()
    assert "You should see" in text
    names = runpy.run_path(str(FOLDER / f"{program}.py"))
    check(names, capsys.readouterr().out)
