"""What the recipes of documents work out is what the metrics say."""

import polars as pl
import pytest
from document_blocks import ROOT, Reader, blocks

import sojourn as sj


def test_completion_times_from_the_log_are_those_of_the_metrics(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    reader = Reader(capsys)
    for block in blocks(ROOT / "docs/how-to/events.md"):
        reader.read(block)
    scenario = sj.Scenario.load("scenarios/access-line.toml", {"duration": "19 s"})
    (flow,) = sj.run(scenario, point=3, replicas=1).flows.filter(flow="web").rows(named=True)
    measured = reader.names["transfers"].filter(pl.col("done_s") >= 10).collect()
    assert len(measured) == flow["transfers"] > 50
    assert measured["fct_s"].mean() == pytest.approx(flow["fct_s"], rel=1e-3)
    by_size = reader.names["by_size"].sort("up_to_kB").collect()
    assert by_size["up_to_kB"].to_list()[:2] == [10, 100]
    assert by_size["fct_s"].is_sorted()
