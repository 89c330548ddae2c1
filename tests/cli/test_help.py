"""Help, lists and the version."""

import json
import re
import subprocess
import sys

import pytest

import sojourn as package
from sojourn.cli import manual
from sojourn.cli.commands import function

OPTIONS = {
    "run": ("--set", "--seed", "--replicas", "--jobs", "--out", "--json", "--trace"),
    "sweep": ("--out", "--jobs", "--shard", "--cluster", "--precision", "--interval", "--set"),
    "merge": ("--out",),
    "plot": ("--out", "--of", "--link", "--flow", "--case", "--replica", "--set"),
    "report": ("--out", "--no-figures"),
    "diff": ("--level", "--all", "--json"),
    "sensitivity": ("--out", "--of", "--method", "--samples", "--cluster"),
    "tune": ("--out", "--minimise", "--maximise", "--trials", "--held-out", "--cluster"),
    "replay": ("--rate", "--queue", "--delay", "--limit", "--seed", "--partial", "--out", "--json"),
    "events": ("--out", "--point", "--replica", "--show", "--set", "--seed"),
    "tc": ("--link", "--point", "--set"),
    "check": ("--set",),
    "list": ("--json",),
    "drive": (),
    "reproduce": ("--quick", "--replicas", "--jobs", "--seed", "--out", "--json", "--set"),
}


@pytest.mark.parametrize("command", OPTIONS)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_mentions_every_option(sojourn, command, option):
    done = sojourn(command, option)
    assert done.status == 0
    for name in OPTIONS[command]:
        assert name in done.out


def test_help_mentions_every_command(sojourn):
    done = sojourn("--help")
    assert done.status == 0
    for command in OPTIONS:
        assert re.search(rf"\b{command}\b", done.out)


@pytest.mark.parametrize("command", OPTIONS)
def test_help_is_plain_text_with_whole_examples(sojourn, command):
    text = sojourn(command, "--help").out
    for mark in ("[bold]", "[dim]", "<str>", "list[", "**"):
        assert mark not in text
    examples = text.partition("Examples:")[2]
    assert re.search(rf"^    # .+\n    .*sojourn {command}\b.*$", examples, re.MULTILINE)


def test_a_misspelt_command_is_told_the_right_one(sojourn):
    done = sojourn("compar")
    assert done.status == 2
    assert "compare" in done.errors


def test_the_list_of_commands_imports_none_of_them():
    code = (
        "import sys; sys.argv[1:] = ['--help']\n"
        "from sojourn.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'polars', 'numpy', 'scipy', 'rich', 'sojourn.cli.run'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_the_version(sojourn):
    assert sojourn("--version").out == f"sojourn {package.__version__}\n"


@pytest.mark.parametrize(
    ("kind", "some"),
    [
        ("disciplines", {"droptail", "red", "rem", "sfq", "eqm"}),
        ("sources", {"cbr", "poisson", "onoff", "pareto_onoff", "trace"}),
        ("studies", {"eqm", "four-aqms", "red-fairness"}),
        ("metrics", {"queue_mean_packets", "delay_p95_s", "jain_index"}),
        ("congestion-controls", {"tahoe", "newreno", "cubic", "bbr"}),
    ],
)
def test_lists(sojourn, kind, some):
    done = sojourn("list", kind, "--json")
    assert done.status == 0
    entries = json.loads(done.out)
    names = [entry["name"] for entry in entries]
    assert some <= set(names)
    assert all(entry["title"] for entry in entries)
    shown = sojourn("list", kind)
    assert shown.status == 0
    for name in some:
        assert name in shown.out


def test_every_metric_of_a_run_is_listed(sojourn, small):
    listed = json.loads(sojourn("list", "metrics", "--json").out)
    known = {(entry["of"], entry["name"]) for entry in listed}
    (point, _) = json.loads(sojourn("run", small, "--json").out)["points"]
    names = {name for _, name in known}
    for entity in (*point["links"].values(), *point["flows"].values(), point["total"]):
        assert set(entity) <= names


@pytest.mark.parametrize("name", ["droptail", "red", "rem", "sfq", "eqm"])
def test_the_manual_page_of_a_discipline(sojourn, name):
    done = sojourn("list", "disciplines", name)
    assert done.status == 0
    (entry,) = json.loads(sojourn("list", "disciplines", name, "--json").out)
    assert entry["manual"]
    for parameter in entry["params"]:
        assert parameter["name"] in done.out
        assert parameter["doc"]
        assert parameter["allowed"]


def test_a_metric_of_links_and_flows_alike_is_shown_of_both(sojourn):
    done = sojourn("list", "metrics", "loss_ratio")
    assert done.out.startswith("link: drops divided by arrivals")
    assert done.out.endswith("\nflow: lost share of the resolved packets\n")
    for metric in json.loads(sojourn("list", "metrics", "--json").out):
        assert "the same" not in metric["title"], "it is shown alone too"


def test_metrics_that_are_offered_are_named_once(sojourn):
    done = sojourn("list", "metrics", "nope")
    assert done.status == 2
    told = "".join(done.errors.replace("│", "").split())
    names = told.partition("allowed:")[2].split(",")
    assert "throughput_bps" in names
    assert len(names) == len(set(names))


def test_a_name_that_is_not_there_shows_those_that_are(sojourn):
    done = sojourn("list", "disciplines", "redd")
    assert done.status == 2
    assert "droptail" in done.errors


@pytest.mark.parametrize(
    ("command", "word"), [("compare", "DISCIPLINE"), ("merge", "DIR"), ("emulate", "COMMAND")]
)
def test_an_argument_that_may_come_several_times_says_so(sojourn, command, word):
    text = sojourn(command, "--help").out
    assert f"{{{word}...}}" in text
    page = manual.page(command, function(command))
    assert f"[OPTIONS] {word}...\n" in page
