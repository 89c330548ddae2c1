"""The networks of two studies under `preset = "ns2"` against ns-2's own numbers (their `ns2.csv`).

The whole comparison stands on the page of each study; here are its settled parts, small.
"""

import tomllib

import pytest

import sojourn as sj
from sojourn.files.toml_text import toml_text
from sojourn.studies import peers
from sojourn.studies.four_aqms import against_ns2 as of_four
from sojourn.studies.four_aqms import measures as four_measures
from sojourn.studies.four_aqms.study import FourAqmsStudy
from sojourn.studies.red_fairness.study import RedFairnessStudy

FOUR = {"droptail": "default", "red": "paper_pkt_min5", "rem": "ns_default", "sfq": "ns_default_40"}
"""Our discipline -> ns-2's variant that has the study's own choices."""


@pytest.fixture(scope="module")
def four():
    study = FourAqmsStudy()
    text = study.scenarios(study.settle({"replicas": "10"}))["four-aqms"]
    return four_measures.observations(sj.run(sj.Scenario.from_toml(text)))


@pytest.mark.parametrize("quantity", of_four.QUANTITIES, ids=lambda one: one.column)
@pytest.mark.parametrize("discipline", FOUR)
def test_six_tcp_and_two_cbr(four, discipline, quantity):
    (row,) = (
        row
        for row in peers.read(FourAqmsStudy.package)
        if row["variant"] == FOUR[discipline]
        and of_four.OURS[row["disc"], row["variant"]][0] == discipline
        and (row["tcp"], row["cbr_mbps_each"]) == ("Tahoe", "0.25")
    )
    values = four.filter(discipline=discipline)[quantity.column].to_list()
    one = peers.line(discipline, quantity, peers.measured(row, quantity), values)
    assert one.within, f"ns-2 {one.theirs}, ours {one.ours}"


@pytest.fixture(scope="module")
def window_bound():
    """Case 1 with windows of 20 packets: nothing is lost, so ns-2's numbers are exact."""
    study = RedFairnessStudy()
    document = tomllib.loads(study.scenarios(study.settle({"replicas": "3"}))["red-fairness"])
    document["vary"] = {"flow.tcp.count": [2, 8, 16]}
    return sj.run(sj.Scenario.from_toml(toml_text(document))).totals


@pytest.mark.parametrize(("point", "connections"), list(enumerate((2, 8, 16))))
def test_connections_without_loss(window_bound, point, connections):
    (row,) = (
        row
        for row in peers.read(RedFairnessStudy.package)
        if (row["disc"], row["T1"], row["tcp"], row["window"])
        == ("DropTail", "80ms", "Tahoe", "20")
        and row["N"] == str(connections)
    )
    ours = window_bound.filter(point=point)["goodput_bps"].mean() / 1e6
    assert ours == pytest.approx(float(row["goodput_total_mbps_mean"]), rel=0.002)
