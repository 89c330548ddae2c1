"""tshark, as a reader of captures that is not ours."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ERROR = "8388608"
"""How tshark writes the severity of what is an error."""

WRONG = {"16777216", "117440512", "150994944"}
"""And its groups of wrong checksums, of what is malformed, and of breaches of a protocol."""

CHECKS = [f"{protocol}.check_checksum:TRUE" for protocol in ("ip", "tcp", "udp")]


class Tshark:
    """Asks tshark about captures."""

    def __call__(self, path: Path, *arguments: str) -> str:
        options = [part for check in CHECKS for part in ("-o", check)]
        command = ["tshark", "-n", "-r", str(path), *options, *arguments]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        return run.stdout

    def fields(self, path: Path, *names: str, where: str = "") -> list[list[str]]:
        """The fields of each packet, those that occur more than once joined by ``|``."""
        arguments = ["-T", "fields", "-E", "aggregator=|"]
        arguments += [part for name in names for part in ("-e", name)]
        if where:
            arguments += ["-Y", where]
        return [line.split("\t") for line in self(path, *arguments).splitlines()]

    def count(self, path: Path, where: str) -> int:
        """How many packets match a display filter."""
        return len(self.fields(path, "frame.number", where=where))

    def sound(self, path: Path, *names: str) -> list[list[str]]:
        """The fields of each packet of a capture of which it says nothing bad."""
        said = ("_ws.malformed", "_ws.expert.severity", "_ws.expert.group", "_ws.expert.message")
        rows = self.fields(path, *names, *said)
        for *_, malformed, severities, groups, message in rows:
            assert not malformed, message
            assert ERROR not in severities.split("|"), message
            assert WRONG.isdisjoint(groups.split("|")), message
        return [row[: len(names)] for row in rows]

    def properties(self, path: Path) -> str:
        """What its companion capinfos says of a capture."""
        run = subprocess.run(["capinfos", str(path)], capture_output=True, text=True, check=True)
        return run.stdout

    def interfaces(self, path: Path) -> list[str]:
        """The names of its interfaces."""
        lines = [line.strip() for line in self.properties(path).splitlines()]
        return [line.removeprefix("Name = ") for line in lines if line.startswith("Name = ")]


@pytest.fixture(scope="session")
def tshark() -> Tshark:
    """Tshark, where it is installed: `.ci/run` sees to it where it can."""
    if shutil.which("tshark") is None or shutil.which("capinfos") is None:
        pytest.skip("there is no tshark (Debian: apt-get install tshark)")
    return Tshark()


@pytest.fixture
def drops_by_reason():
    """The drops of a link in a run's JSON document, by reason."""

    def read(document: str, link: str) -> dict[str, float]:
        (point,) = json.loads(document)["points"]
        reasons = point["links"][link]["drops_by_reason"]
        return {reason: metric["mean"] for reason, metric in reasons.items() if metric["mean"]}

    return read
