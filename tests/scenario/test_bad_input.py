"""Bad input to the real program: one clear error, exit status 2, nothing written."""

import random
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest


class Bad(NamedTuple):
    """How to spoil the good scenario; what the error must name."""

    old: str
    new: str
    key: str
    line: str
    found: str


ROUTE = 'from = "a"\nto = "b"\ntransport'
SECOND = '\n[[link]]\nname = "bottleneck"\nfrom = "b"\nto = "a"\nrate = "1 Mbit/s"\n'

TABLE = {
    "unknown key": Bad("delay =", "dealy =", "link.bottleneck.dealy", "dealy", '"delay"?'),
    "missing unit": Bad('"2 s"', '"2"', "duration", "duration", '"2"'),
    "negative rate": Bad('"4 M', '"-4 M', "link.bottleneck.rate", "-4", '"-4 Mbit/s"'),
    "self-loop": Bad('to = "b"\nrate', 'to = "a"\nrate', "link.bottleneck.to", 'to = "a"', "a"),
    "no route": Bad(
        ROUTE, 'from = "b"\nto = "a"\ntransport', "flow.load", "[[flow]]", "from b to a"
    ),
    "two links of one name": Bad(
        "\n[[flow]]", SECOND + "\n[[flow]]", "link.bottleneck", "", "second link"
    ),
    "limit of nothing": Bad(
        '"10 packets"', '"0 packets"', "link.bottleneck.queue.limit", "limit", '"0 packets"'
    ),
    "not a number": Bad('"4 Mbit/s"', "nan", "link.bottleneck.rate", "nan", "NaN"),
    "not a number, in words": Bad('"1 ms"', '"nan ms"', "link.bottleneck.delay", "nan", '"nan ms"'),
    "a protocol": Bad('"udp"', '"sctp"', "flow.load.transport.protocol", '"sctp"', '"sctp"'),
    "no name": Bad('name = "load"\n', "", "flow.name", "[[flow]]", "found nothing"),
    "from above to": Bad(
        ROUTE,
        'start = "uniform(1 s, 0 s)"\n' + ROUTE,
        "flow.load.start",
        "uniform(",
        "FROM up to TO",
    ),
    "not TOML": Bad('duration = "2 s"', "duration = = 2", "", "= =", "not TOML"),
}


def refused(folder: Path, file: str | Path) -> str:
    """Give a file to `check` and `run` in an empty folder; return the one line that both print."""
    empty = folder / "empty"
    empty.mkdir()
    programs = [
        subprocess.Popen(
            [sys.executable, "-m", "sojourn", *command],
            cwd=empty,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for command in (["check", str(file)], ["run", str(file), "--json", "--out", "results"])
    ]
    messages = []
    for program in programs:
        out, errors = program.communicate(timeout=60)
        assert program.returncode == 2, errors
        assert out == ""
        assert errors.endswith("\n")
        assert errors.count("\n") == 1
        assert errors.startswith("error: ")
        messages.append(errors)
    assert list(empty.iterdir()) == []
    assert messages[0] == messages[1]
    return messages[0]


@pytest.mark.parametrize("bad", TABLE.values(), ids=TABLE)
def test_what_is_wrong_is_named_with_file_line_and_key(bad, good, tmp_path):
    spoilt = good.but(bad.old, bad.new)
    path = tmp_path / "spoilt.toml"
    path.write_text(spoilt.text, encoding="utf-8")
    message = refused(tmp_path, path)
    if bad.line:
        line = spoilt.line_of(bad.line)
    else:
        line = spoilt.text[: spoilt.text.rindex("[[link]]")].count("\n") + 1
    key = f"{bad.key}: " if bad.key else ""
    assert message.startswith(f"error: {path}:{line}: {key}")
    assert bad.found in message


def test_a_file_of_ten_megabytes(good, tmp_path):
    path = tmp_path / "large.toml"
    path.write_text(good.text + "# filling\n" * 1_000_000, encoding="utf-8")
    assert refused(tmp_path, path).startswith(f"error: {path}: found more than 1000000 bytes")


def test_a_file_of_random_bytes(tmp_path):
    path = tmp_path / "random.toml"
    path.write_bytes(random.Random(1).randbytes(4096))
    assert refused(tmp_path, path).startswith(f"error: {path}:1: this is not TOML")


def test_an_empty_file(tmp_path):
    path = tmp_path / "empty.toml"
    path.touch()
    assert refused(tmp_path, path).startswith(f"error: {path}: name: found nothing")


def test_a_file_without_end(tmp_path):
    assert "more than 1000000 bytes" in refused(tmp_path, "/dev/zero")


def test_a_folder(tmp_path):
    (tmp_path / "folder.toml").mkdir()
    message = refused(tmp_path, tmp_path / "folder.toml")
    assert message == f"error: {tmp_path / 'folder.toml'}: cannot read it: is a directory\n"


def test_a_file_that_is_not_there(tmp_path):
    message = refused(tmp_path, tmp_path / "none.toml")
    assert (
        message == f"error: {tmp_path / 'none.toml'}: cannot read it: no such file or directory\n"
    )
