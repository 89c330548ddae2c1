"""Every ready file runs, and says what its comments promise."""

from pathlib import Path

import pytest

import sojourn as sj

FOLDER = Path(__file__).parents[2] / "scenarios"
FILES = sorted(FOLDER.glob("*.toml"))
SHORT = {"duration": "6 s", "warmup": "2 s"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_ready_file_runs(path):
    scenario = sj.Scenario.load(path)
    assert scenario.name == path.stem
    assert scenario.title != scenario.name
    assert scenario.replicas > 1
    assert scenario.warnings == []
    results = sj.run(path, replicas=2, overrides=SHORT)
    assert results.complete
    assert len(results.links["point"].unique()) == len(scenario.vary)
    assert results.totals["received_packets"].min() > 0
    assert results.links["utilization"].max() <= 1


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_ready_file_explains_itself(path):
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert f"sojourn run scenarios/{path.name}" in text


def test_there_are_some():
    assert len(FILES) >= 6


def test_mm1_meets_theory():
    frame = sj.run(FOLDER / "mm1.toml", replicas=6, overrides={"duration": "60 s"}).links
    for point, rho in enumerate((0.5, 0.8, 0.9)):
        values = frame.filter(point=point)["queue_mean_packets"]
        error = values.std() / len(values) ** 0.5
        assert abs(values.mean() - rho**2 / (1 - rho)) <= 4 * error + 1e-3


def test_red_keeps_the_shorter_queue_and_drop_tail_loses_less():
    frame = sj.run(FOLDER / "red-against-droptail.toml", replicas=3, overrides=SHORT).links
    rates = (8, 10, 12)
    for number, rate in enumerate(rates):
        droptail, red = (frame.filter(point=2 * number + k) for k in (0, 1))
        assert droptail["arrivals_packets"].to_list() == red["arrivals_packets"].to_list()
        assert (droptail["queue_mean_packets"] >= red["queue_mean_packets"]).all()
        if rate == 12:
            assert (droptail["queue_mean_packets"] > red["queue_mean_packets"] + 10).all()


def test_sfq_keeps_the_calls_unharmed():
    path = FOLDER / "udp-dumbbell.toml"
    fair = sj.run(path, replicas=2, overrides=SHORT)
    fifo = sj.run(
        path,
        replicas=2,
        overrides={**SHORT, "dumbbell.bottleneck.queue.discipline": "droptail"},
    )
    calls = [frames.groups.filter(group="call")["loss_ratio"].mean() for frames in (fair, fifo)]
    assert calls[0] == 0
    assert calls[1] > 0.1
    assert not fair.time_series.is_empty()


PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "access-line.md"
COLUMNS = {
    ("download", "goodput_bps"): (1e-6, 1),
    ("upload", "goodput_bps"): (1e-6, 1),
    ("call-up", "delay_p95_s"): (1e3, 0),
    ("call-down", "delay_p95_s"): (1e3, 0),
    ("web", "fct_s"): (1e3, 0),
}
"""What the page's table shows: of which flow, in which unit, to how many places."""


def test_the_page_of_the_access_line_has_the_file_and_what_comes_of_it():
    path = FOLDER / "access-line.toml"
    page, text = PAGE.read_text(encoding="utf-8"), path.read_text(encoding="utf-8")
    assert text[text.index("name = ") :] in page
    results = sj.run(path)
    for point, vary in enumerate(results.scenario.vary):
        cells = [f"`{vary['link.access-*.queue']['discipline']}`"]
        for (group, metric), (factor, places) in COLUMNS.items():
            values = results.groups.filter(point=point, group=group)[metric]
            cells.append(f"{values.mean() * factor:.{places}f}")
        assert f"| {' | '.join(cells)} |\n" in page


def test_acknowledgements_of_a_download_wait_behind_an_upload():
    """With a queue for each flow they pass, and so do the packets of the call."""
    path = FOLDER / "access-line.toml"
    groups = sj.run(path, replicas=2, overrides=SHORT | {"duration": "20 s"}).groups
    droptail, fair = (
        groups.filter(point=point, group="download")["goodput_bps"].mean() for point in (0, 3)
    )
    assert fair > 1.3 * droptail
    calls = [groups.filter(point=point, group="call-up")["delay_p99_s"].max() for point in (0, 3)]
    assert calls[1] < 0.04 < 0.1 < calls[0]


def test_pings_pass_where_each_flow_has_a_queue_and_codepoints_have_shares():
    groups = sj.run(FOLDER / "rrul.toml", replicas=2, overrides=SHORT | {"duration": "20 s"}).groups

    def mean(point, group, metric):
        return groups.filter(point=point, group=group)[metric].mean()

    droptail, fq_codel, besteffort, diffserv4 = (
        mean(point, "ping-up-be", "delay_p99_s") for point in range(4)
    )
    assert max(fq_codel, besteffort, diffserv4) < 0.025 < 0.1 < droptail
    shares = [mean(3, f"down-{name}", "goodput_bps") for name in ("be", "bk", "cs5", "ef")]
    even = [mean(2, f"down-{name}", "goodput_bps") for name in ("be", "bk", "cs5", "ef")]
    assert max(even) < 1.1 * min(even)
    # Of the classes bulk has a sixteenth, and CS5 and EF share a quarter.
    rest = [share / sum(shares) for share in shares]
    assert rest == pytest.approx([1 - 1 / 16 - 1 / 4, 1 / 16, 1 / 8, 1 / 8], abs=0.03)


def test_a_longer_buffer_trades_loss_for_delay():
    overrides = {**SHORT, "duration": "12 s"}
    results = sj.run(FOLDER / "operator-uplink.toml", replicas=2, overrides=overrides)
    phone = results.groups.filter(group="phone", replica=0)
    assert phone["delay_p99_s"].is_sorted()
    uplink = results.links.filter(link="uplink", replica=0)
    assert uplink["loss_ratio"].is_sorted(descending=True)


def test_only_the_slower_of_two_links_drops():
    links = sj.run(FOLDER / "two-bottlenecks.toml", replicas=2, overrides=SHORT).links
    first, second = (links.filter(link=f"bottleneck-{number}") for number in (1, 2))
    assert first["drops_packets"].sum() == 0
    assert second["drops_packets"].sum() > 0
    delays = [second.filter(point=point)["queueing_delay_mean_s"].mean() for point in range(3)]
    assert delays[0] < delays[2] < delays[1]


def test_active_queues_take_the_wait_away_from_eight_clients():
    overrides = {**SHORT, "duration": "20 s"}
    totals = sj.run(FOLDER / "many-to-one.toml", replicas=2, overrides=overrides).totals
    delay = [totals.filter(point=point)["delay_mean_s"].mean() for point in range(5)]
    droptail, pfifo, red, ared, codel = delay
    assert pfifo == droptail > 1.5
    assert red < 0.3
    assert ared < 0.15
    assert 0.06 < codel < 0.12


def test_sfq_gives_tcp_what_the_others_give_to_the_senders_that_do_not_slow_down():
    overrides = {**SHORT, "duration": "20 s", "flow.cbr.traffic.rate": "1 Mbit/s"}
    groups = sj.run(FOLDER / "tcp-beside-cbr.toml", replicas=2, overrides=overrides).groups
    tcp = groups.filter(group="tcp")
    goodput = [tcp.filter(point=point)["goodput_bps"].mean() for point in range(4)]
    assert goodput[2] > 1e6
    assert max(goodput[0], goodput[1], goodput[3]) < 0.4e6


def test_fair_queueing_hardly_cares_for_unequal_paths():
    overrides = {**SHORT, "duration": "15 s"}
    totals = sj.run(FOLDER / "unequal-paths.toml", replicas=1, overrides=overrides).totals
    jain = [totals.filter(point=point)["jain_index"].mean() for point in range(9)]
    droptail, _, fair = jain[6:]
    assert fair > 0.9
    assert droptail < 0.85
