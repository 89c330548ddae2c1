"""The report of an experiment says what its tables say, and no more than its intervals carry."""

import json
import re
from pathlib import Path

import polars as pl
import pytest

import sojourn as sj
from sojourn.comparing import ranking
from sojourn.experiments.folder import read
from sojourn.plots.ranks import usual
from sojourn.report.cautions import cautions
from sojourn.report.charts import charts
from sojourn.report.experiment import render
from sojourn.report.metric_tables import tables
from sojourn.report.words import answer, question, with_half

SCENARIO = Path(__file__).parent / "experiment.toml"


def warnings(results):
    return [one.text for one in cautions(results, None) if one.kind == "warning"]


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    folder = tmp_path_factory.mktemp("experiment")
    sj.run(SCENARIO).write(folder)
    return read(folder)


@pytest.fixture(scope="module")
def page(experiment):
    return render(experiment.results, experiment.manifest)


def test_the_question_names_disciplines_and_cases(experiment):
    asked, how = question(experiment.results)
    assert asked == (
        "How do Drop-tail, RED, CoDel and CoDel (target=20 ms) do at the link uplink? "
        "It was asked for call rate 0.5 Mbit/s and 900 kbit/s."
    )
    assert how.startswith("8 points, 3 replicas of each, 24 runs of 6 s simulated time")


def test_yes_and_no_are_written_as_in_a_scenario_file(experiment):
    """Also where queues have settings, and where the case is told."""
    text = experiment.results.scenario.text.partition("[vary]")[0]
    text = text.replace('rate = "0.5 Mbit/s"', 'rate = "1 Mbit/s"')
    text += """
[vary]
"link.uplink.duplex" = [true, false]
"link.uplink.queue" = [{ discipline = "red", ecn = true }, { discipline = "red" }]
"link.uplink.queue.gentle" = [true, false]
"""
    results = sj.run(sj.Scenario.from_toml(text), replicas=2)
    page = render(results, None).partition('<script type="application/json"')[0]
    assert "RED, ecn=true, gentle=false" in page
    assert "uplink duplex true and false" in page
    assert not re.search(r"\b(True|False)\b", page)
    for kind in ("load", "drops", "ranking"):
        assert not re.search(r"\b(True|False)\b", results.plot(kind).data.write_csv())


def test_times_that_vary_are_told_from_the_shortest_to_the_longest(experiment):
    text = experiment.results.scenario.text.partition("[vary]")[0]
    text += '[vary]\nduration = ["2 s", "4 s"]\nwarmup = ["0 s", "1.5 s"]\n'
    results = sj.run(sj.Scenario.from_toml(text), replicas=1)
    told = "4 runs of 2 to 4 s simulated time, measured from 0 to 1.5 s on."
    assert told in question(results)[1]
    assert "<td>2 to 4 s</td>" in results.scenario._repr_html_()


def test_beyond_doubt_is_said_only_where_one_beats_all_others(experiment):
    results = experiment.results
    delay = ranking(results, "links.uplink.queueing_delay_mean_s", "lower")
    sole = 0
    for points in (range(4), range(4, 8)):
        first = delay.filter(pl.col("point").is_in(list(points)) & (pl.col("rank") == 1))
        sole += len(first) == 1 and not first["ties"][0].len()
    text = answer(results)[0]
    assert ("Nobody" in text) == (sole == 0)
    counted = [
        int(n) for n in re.findall(r"in (\d) of 2 cases|; .*? in (\d),", text) for n in n if n
    ]
    assert sum(counted) == sole


def test_a_small_lead_is_no_first_place(experiment):
    """CoDel's two targets differ beyond doubt in delay, by less than half."""
    results = experiment.results
    certain, far = (
        {
            row[1][-1].text
            for one in tables(results, least)
            if one.id.startswith("differences-queueing")
            for row in one.rows
        }
        for least in (0, 0.99)
    )
    assert "yes" in certain
    assert "hardly" not in certain
    assert "yes" not in far
    assert "hardly" in far
    assert "has the lowest" in answer(results, 0)[0] or "ahead of the next" in answer(results, 0)[0]
    assert answer(results, 0.99)[0].startswith("Nobody has the lowest")
    assert answer(results, 0.05)[-1].endswith("ahead by 5 % or less.")


def test_a_point_that_is_alone_in_its_case_is_no_case():
    """Lists that turn together may ask a question of one discipline only."""
    text = SCENARIO.read_text(encoding="utf-8").partition("[vary]")[0]
    text += """
[design]
kind = "listed"

[vary]
"link.uplink.queue" = [
    { discipline = "droptail" },
    { discipline = "codel" },
    { discipline = "red" },
]
"flow.call.traffic.rate" = ["900 kbit/s", "900 kbit/s", "0.5 Mbit/s"]
"""
    results = sj.run(sj.Scenario.from_toml(text), replicas=5)
    said = answer(results, 0)
    assert any("in the only case where several are compared, " in one for one in said)
    assert not any("2 cases" in one for one in said)


def test_fairness_is_that_of_flows_of_one_name(experiment):
    assert "groups.call.jain_index" in usual(experiment.results)
    one_each = experiment.results.scenario.text.replace("count = 3", "")
    second = one_each[one_each.index("[[flow]]") : one_each.index("[vary]")]
    text = one_each.replace("[vary]", second.replace('"call"', '"upload"') + "[vary]")
    results = sj.run(sj.Scenario.from_toml(text), replicas=1)
    assert not [one for one in usual(results) if "jain" in one]


def test_one_replica_tells_nothing_apart():
    results = sj.run(SCENARIO, replicas=1)
    assert answer(results)[0].startswith("1 replica of each point: nothing can be told apart.")
    (differences, *_) = [one for one in tables(results) if one.id.startswith("differences")]
    assert {row[1][-1].text for row in differences.rows} == {"–"}
    assert "A point has one replica only: its values have no interval." in warnings(results)


def test_without_series_the_check_is_said_to_be_missing():
    results = sj.run(sj.Scenario.load(SCENARIO, {"series": "none"}))
    notes = [one.text for one in cautions(results, None) if one.kind == "note"]
    assert any("was not checked: no time series was recorded" in text for text in notes)
    assert {one.id for one in charts(results)} == {"load", "delay-goodput", "cdf", "drops"}


def test_completion_times_are_shown_where_transfers_were_recorded():
    overrides = {"transfers": True, "duration": "20 s"}
    results = sj.run("scenarios/access-line.toml", replicas=2, overrides=overrides)
    (chart,) = (one for one in charts(results) if one.id == "fct")
    (data,) = chart.spec["datasets"].values()
    drawn = results.plot("fct").data.drop_nulls("value")
    for one in ("value", "low", "high"):
        assert [row[one] for row in data] == pytest.approx((1e3 * drawn[one]).to_list())
    assert {row["discipline"] for row in data} == {"Drop-tail", "PIE", "CoDel", "FQ-CoDel"}
    assert {row["quantile"] for row in data} <= {"Median", "95th percentile"}


def test_tables_hold_the_means(experiment):
    points = tables(experiment.results)[0]
    assert points.header[:2] == ("Discipline", "call rate")
    assert len(points.rows) == 8
    column = points.header.index("Goodput (Mbit/s)")
    for point, (_, cells) in enumerate(points.rows):
        goodput = experiment.results.totals.filter(pl.col("point") == point)["goodput_bps"]
        assert cells[column].sort == pytest.approx(goodput.mean())


@pytest.mark.parametrize(
    ("mean", "half", "text"),
    [
        (12.345, 0.0678, "12.345 ± 0.068"),
        (1234.5, 67.8, "1,234 ± 68"),
        (9.6712345, 1e-9, "9.6712 ± 0.0000"),
        (5.0, 0.0, "5 ± 0"),
        (5.0, None, "5"),
        (-0.5, 0.1, "−0.50 ± 0.10"),
    ],
)
def test_a_mean_has_the_digits_that_its_interval_carries(mean, half, text):
    assert with_half(mean, half) == text


def test_nothing_is_loaded_from_elsewhere(page):
    style_and_body = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"(src|href|srcset)=\"(?!#|data:,)", style_and_body)
    assert not re.search(r"@import|url\((?!#)", style_and_body)
    assert "<script src" not in page


def test_texts_are_escaped_wherever_they_stand(page):
    assert "A small question &lt;/script&gt; &amp; more" in page
    assert page.count("</script>") == page.count("<script")


def test_what_repeats_it(experiment, page):
    assert "scenario as it ran" in page
    assert experiment.manifest["engine"] in page
    assert "900 kbit/s" in page


def test_specifications_hold_the_data_and_listen_to_the_page(experiment):
    for one in charts(experiment.results):
        text = json.dumps(one.spec)
        assert '"chosen"' in text
        assert "var(--look-0)" in text or one.id == "drops"
        assert one.alt
        assert any(one.spec["datasets"].values())


def test_results_write_their_own_report(experiment, tmp_path):
    path = experiment.results.report(tmp_path / "new" / "out.html")
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("limit", ["none", "5 packets"])
def test_what_never_happened_has_no_column(limit):
    """A controller that never overflows a queue sends nothing again, and nothing is marked."""
    queue = f'queue = {{ discipline = "droptail", limit = "{limit}" }}'
    text = f"""
        name = "tcp"
        duration = "3 s"
        [dumbbell]
        rtt = "20 ms"
        bottleneck = {{ rate = "5 Mbit/s", {queue} }}
        [[flow]]
        name = "bulk"
        transport = {{ protocol = "tcp" }}
        traffic = {{ source = "bulk" }}
    """
    (flows,) = (one for one in tables(sj.run(sj.Scenario.from_toml(text))) if one.id == "flows")
    sent_again = [name for name in flows.header if "etransmi" in name]
    assert len(sent_again) == (limit != "none")
    assert not [name for name in flows.header if "mark" in name]
