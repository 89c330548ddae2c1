"""What a program of the benchmarks says of options that make no sense."""

import runpy
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "own_disciplines.py"


@pytest.mark.parametrize("duration", ["abc", "-1 s", "0 s"])
def test_a_time_that_is_none_is_told_in_one_line(duration, monkeypatch, capsys):
    monkeypatch.syspath_prepend(PROGRAM.parent)
    monkeypatch.setattr("sys.argv", [PROGRAM.name, f"--duration={duration}"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(PROGRAM), run_name="__main__")
    assert ended.value.code == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.startswith("own_disciplines.py: error: argument --duration: found ")
    assert "allowed: " in told
