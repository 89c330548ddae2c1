"""The code blocks of a document, and a bench that carries them out in order.

A comment ``<!-- not run: why -->`` above a block keeps it from being run. Commands of `sojourn` in
it are then still read: an option that does not exist is found.
"""

from __future__ import annotations

import io
import json
import re
import shlex
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

import sojourn as sj
from sojourn.cli import main as program

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

BLOCK = re.compile(
    r"(?P<skip><!-- not run: [^>]+ -->\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```",
    re.DOTALL | re.MULTILINE,
)
NAMED = re.compile(r"# (\S+\.(?:py|toml))\n")

SHORT = ("--set", "duration=4 s", "--set", "warmup=1 s", "--set", "replicas=2")
QUICK: dict[str, Callable[[list[str]], list[str]]] = {
    "run": lambda words: [words[0], *SHORT, *words[1:]],
    "sweep": lambda words: [words[0], *SHORT, *words[1:]],
    "plot": lambda words: [words[0], *SHORT, *words[1:]] if words[1].endswith("toml") else words,
    "tune": lambda words: [*words, *SHORT, "--trials", "8"],
    "sensitivity": lambda words: [*words, *SHORT],
    "compare": lambda words: [*words, "--duration", "4 s", "--warmup", "1 s", "--replicas", "2"],
    "report": lambda words: [*words, "--no-figures"],
}
"""The quick form of a command: the same, shorter."""

RUN_ELSEWHERE = ("emulate", "reproduce", "validate")
"""Commands whose own tests run them, which takes long or root: here they are only read."""

CAPTURES = ("up.pcap", "uplink.pcapng")
"""Captures that documents take for granted."""


@dataclass(frozen=True)
class Block:
    """A block of a document."""

    kind: str
    text: str
    is_run: bool


def blocks(path: Path) -> Iterator[Block]:
    """All blocks of a document."""
    for match in BLOCK.finditer(path.read_text(encoding="utf-8")):
        yield Block(match["kind"], match["text"], match["skip"] is None)


def commands(text: str) -> Iterator[str]:
    """The commands of a block, without comments."""
    for line in text.replace("\\\n", " ").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield line.strip()


class Reader:
    """Carries out the blocks of one document in a folder of its own, which is the current one."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("scenarios").symlink_to(ROOT / "scenarios")
        Path("examples").symlink_to(ROOT / "examples")
        self.capsys = capsys
        self.names: dict[str, Any] = {"__name__": "document"}

    def read(self, block: Block) -> None:
        handle = getattr(self, f"read_{block.kind}", None)
        if handle is not None and (block.is_run or block.kind == "sh"):
            handle(block)

    def read_toml(self, block: Block) -> None:
        named = NAMED.match(block.text)
        for name in CAPTURES:
            if f'"{name}"' in block.text:
                self.capture(name)
        scenario = sj.Scenario.from_toml(block.text)
        assert scenario.core.points >= 1
        Path(named[1] if named else f"{scenario.name}.toml").write_text(block.text)

    def read_python(self, block: Block) -> None:
        if named := NAMED.match(block.text):
            Path(named[1]).write_text(block.text)
        else:
            exec(compile(block.text, "<document>", "exec"), self.names)

    def read_sql(self, block: Block) -> None:
        import duckdb

        assert duckdb.sql(block.text).fetchall()

    def read_sh(self, block: Block) -> None:
        for command in commands(block.text):
            self.command(command, is_run=block.is_run)

    def command(self, command: str, *, is_run: bool) -> None:
        match shlex.split(command, comments=True):
            case ["pip", "install", *what]:
                assert_extras(what)
            case ["make", target]:
                assert target in TARGETS
            case ["python", path, *_]:
                assert Path(path).exists()
            case ["sojourn", *words] if is_run and words[0] not in RUN_ELSEWHERE:
                for name in {*words} & {*CAPTURES}:
                    self.capture(name)
                self.capsys.readouterr()
                *words, file = words if words[-2:-1] == [">"] else [*words, None]
                words = [word for word in words if word != ">"]
                self.call(QUICK.get(words[0], list)(words))
                if file:
                    assert json.loads(self.capsys.readouterr().out)
            case ["sojourn", *words]:
                parse(words)
            case [".", _] | ["python3", "-m", "venv", _]:
                pass
            case other:
                assert not is_run, f"who carries out {other}?"

    def call(self, words: list[str]) -> None:
        """Run `sojourn` in this process: the libraries are imported once."""
        before, sys.argv = sys.argv, ["sojourn", *words]
        status: Any = 0
        given, sys.stdin = sys.stdin, io.StringIO()
        try:
            program.main()
        except SystemExit as end:
            status = end.code
        finally:
            sys.argv, sys.stdin = before, given
        assert not status, f"{shlex.join(words)}: {self.capsys.readouterr().err[-2000:]}"

    def capture(self, name: str) -> None:
        """Make a capture."""
        line = sj.link("a", "b", "10 Mbit/s", duplex=False, name="line")
        load = sj.udp(sj.source.Poisson(rate="9 Mbit/s"), from_="a", to="b")
        scenario = sj.network([line], load, duration="2 s")
        sj.run(scenario, trace_folder="made", trace_format="pcapng")
        Path("made/trace-line.pcapng").rename(name)


def parse(words: list[str]) -> None:
    """Read a command without carrying it out: unknown commands, options and values are errors."""
    group: Any = typer.main.get_command(program.app)
    name, *rest = words
    if not name.startswith("-"):
        group.get_command(None, name).make_context(name, rest)


def assert_extras(what: list[str]) -> None:
    """Every extra that is installed must exist."""
    for word in what:
        if named := re.search(r"\[(.*)\]", word):
            assert set(named[1].split(",")) <= set(EXTRAS), word
