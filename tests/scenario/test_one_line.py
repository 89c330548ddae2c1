"""An error is one line, and what all points share cannot vary."""

from pathlib import Path

import pytest

import sojourn as sj


@pytest.mark.parametrize("control", [r"\n", r"\u001b", r"\t"])
def test_a_key_with_a_control_character_stays_on_its_line(good, control):
    text = good.but("duration =", f'"a{control}b" = 1\nduration =').text
    with pytest.raises(sj.ScenarioError) as error:
        sj.Scenario.from_toml(text)
    assert all(character.isprintable() for character in str(error.value))


@pytest.mark.parametrize("key", ["replicas", "name", "title", "series"])
def test_what_all_points_share_cannot_vary(good, key):
    text = good.text + f"\n[vary]\n{key} = [1, 3]\n"
    with pytest.raises(sj.ScenarioError, match=rf"vary\.{key}: {key} is common to all points"):
        sj.Scenario.from_toml(text)


def test_periods_can_come_from_a_file(good, tmp_path: Path):
    (tmp_path / "off.csv").write_text("# seconds\n0.01\n0.03\n", encoding="utf-8")
    traffic = 'source = "onoff", on = "constant(10 ms)", off = "empirical(off.csv)"'
    path = tmp_path / "periods.toml"
    path.write_text(good.but('source = "poisson"', traffic).text, encoding="utf-8")
    results = sj.run(path, overrides={"duration": "100 s"})
    # 10 ms on and 20 ms off in the mean: a third of the peak.
    assert results.flows["throughput_bps"].item() == pytest.approx(1e6 / 3, rel=0.03)
