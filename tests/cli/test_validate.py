"""`sojourn validate`: a part of the evidence, run again."""

import csv
import json
import shutil
from pathlib import Path

from sojourn.validate import comparison, own

EVIDENCE = Path(__file__).parents[2] / "evidence"


def test_a_part_in_quick_form(sojourn, tmp_path):
    """Two bodies of evidence of one kind each: what `--quick` leaves is run, agrees, is written."""
    only = ("--only", "tbf", "--only", "linux-cake")
    arguments = ("--quick", *only, "--evidence", EVIDENCE, "--jobs", 2)
    done = sojourn("validate", *arguments, "--json", "--out", tmp_path)
    assert done.status == 0, done.errors
    findings = json.loads(done.out)
    assert {finding["evidence"] for finding in findings} == {"tbf", "linux-cake"}
    assert {finding["verdict"] for finding in findings} <= {"agrees", "agrees by spread"}
    with (EVIDENCE / "tbf" / "results.csv").open(newline="") as file:
        committed = list(csv.DictReader(file))
    quick = [finding for finding in findings if finding["evidence"] == "tbf"]
    assert len(quick) >= 10
    assert all(finding in committed for finding in quick)
    # The first case of the peer, of forty.
    cases = {finding["case"] for finding in findings if finding["evidence"] == "linux-cake"}
    assert cases == {"cubic, 1, 10 ms"}
    assert "linux-cake" in (tmp_path / "differences.md").read_text()
    assert (tmp_path / "tbf" / "results.csv").exists()


def test_what_differs_without_a_reason_is_shown_and_fails(sojourn, tmp_path):
    shutil.copytree(EVIDENCE / "pfifo_fast", tmp_path / "pfifo_fast")
    place = tmp_path / "pfifo_fast" / "sequences.toml"
    text = place.read_text()
    place.write_text(text.replace('"band[0]" = 2', '"band[0]" = 3', 1))
    arguments = ("--quick", "--evidence", tmp_path, "--jobs", 2, "--differences")
    done = sojourn("validate", *arguments)
    assert done.status == 1
    assert "band[0] is 2.0, not 3" in " ".join(done.out.split())
    assert "1 differs" in done.out
    assert "strict priority" not in done.out


def test_an_unknown_name_is_refused_with_those_there_are(sojourn):
    done = sojourn("validate", "--only", "nonsense", "--evidence", EVIDENCE)
    assert done.status == 2
    assert done.errors.startswith("error: --only: found 'nonsense'; allowed: ")
    assert "fq_codel" in done.errors
    assert done.errors.count("\n") == 1


def test_a_folder_that_cannot_be_is_told_before_anything_is_run(sojourn, tmp_path, monkeypatch):
    def run(*_, **__):
        raise AssertionError("it ran")

    monkeypatch.setattr(own, "perform", run)
    (tmp_path / "taken").write_text("")
    arguments = ("--quick", "--only", "tbf", "--evidence", EVIDENCE)
    done = sojourn("validate", *arguments, "--out", tmp_path / "taken")
    assert done.status == 1
    assert done.errors.startswith("error: ")
    assert "taken" in done.errors
    assert done.errors.count("\n") == 1


def test_what_is_finished_is_shown_and_kept_when_it_is_interrupted(sojourn, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(comparison, "compare", interrupted)
    only = ("--only", "tbf", "--only", "linux-cake")
    arguments = ("--quick", *only, "--evidence", EVIDENCE, "--jobs", 2)
    done = sojourn("validate", *arguments, "--out", tmp_path)
    assert done.status == 130
    assert "interrupted" in done.errors
    assert "tbf" in done.out
    assert "agree" in done.out
    assert (tmp_path / "tbf" / "results.csv").exists()
    assert not (tmp_path / "differences.md").exists()
