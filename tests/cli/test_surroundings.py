"""Terminals, locales and names of files that are not what one is used to."""

import os
import subprocess
import sys
from pathlib import Path


def test_a_terminal_of_no_columns_is_none(sojourn, small, monkeypatch):
    usual = sojourn("run", small).out
    monkeypatch.setenv("COLUMNS", "0")
    assert sojourn("run", small).out == usual


def test_a_locale_without_the_signs_of_a_table_loses_no_result(process, small, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = process("run", small)
    assert (done.status, done.errors) == (0, "")
    assert "95 % interval" in done.out


def test_a_file_whose_name_is_no_text_is_read(process, small):
    odd = os.fsdecode(os.fsencode(small.parent) + b"/\xff.toml")
    small.rename(odd)
    done = process("check", odd)
    assert (done.status, done.errors) == (0, "")


def test_results_lie_in_a_folder_whose_name_is_no_text(process, small):
    folder = Path(os.fsdecode(os.fsencode(small.parent) + b"/\xff"))
    out, arrivals = folder / "out", folder / "arrivals.csv"
    folder.mkdir()
    arrivals.write_text("time_s,size_B\n0,1000\n0,1000\n0,1000\n")
    for command in (
        ("run", small, "--out", out),
        ("diff", out, out),
        ("report", out),
        ("events", small, "--out", out, "--point", 1, "--show", 1),
        ("replay", arrivals, "--rate", "8 Mbit/s", "--queue", "codel", "--out", folder / "replay"),
    ):
        done = process(*command)
        assert done.status == 0, done.errors


def test_an_interrupt_is_told_where_a_command_says_nothing_itself(sojourn, tmp_path, monkeypatch):
    def interrupt(_folder):
        raise KeyboardInterrupt

    monkeypatch.setattr("sojourn.experiments.folder.read", interrupt)
    done = sojourn("report", tmp_path)
    assert (done.status, done.out, done.errors) == (130, "", "interrupted\n")


INTERRUPTED = """
import runpy
import sys


class Interrupting:
    def find_spec(self, name, *_):
        if name == "typer":
            raise KeyboardInterrupt


sys.meta_path.insert(0, Interrupting())
runpy.run_module("sojourn", run_name="__main__")
"""


def test_an_interrupt_is_told_while_the_program_is_imported():
    command = [sys.executable, "-c", INTERRUPTED]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
