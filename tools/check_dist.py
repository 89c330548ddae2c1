"""Install what `make dist` built as a user would, outside of the repository, and use it.

Each file gets a clean environment in a temporary folder, first without any extra: what needs none
must work, and what needs one must say so in one line. ``--extras`` then installs those that the
tutorial names and writes a report.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
QUICK = ("--set", "duration=3 s", "--set", "warmup=1 s", "--set", "replicas=2")

WORKS = (
    ("--version",),
    ("--help",),
    ("list", "disciplines", "--json"),
    ("list", "disciplines", "cake"),
    ("list", "studies"),
    ("check", "scenarios/operator-uplink.toml"),
    ("run", "scenarios/mm1.toml", *QUICK),
    ("run", "eqm", *QUICK),
    ("run", "scenarios/mm1.toml", *QUICK, "--trace", "pcapng", "--out", "traced"),
    ("sweep", "scenarios/mm1.toml", *QUICK, "--out", "swept"),
    ("compare", "codel", "pie", "--duration", "3 s", "--warmup", "1 s", "--replicas", "2"),
    ("tc", "scenarios/mm1.toml"),
)
"""Commands that need no extra."""

NEEDS = (
    (("plot", "scenarios/mm1.toml", "load"), "plots"),
    (("report", "swept"), "report"),
    (("reproduce", "eqm", "--quick"), "report"),
    (("sweep", "scenarios/mm1.toml", *QUICK, "--out", "far", "--cluster", "tcp://x:1"), "cluster"),
    (("tune", "open.toml", "--out", "tuned"), "tuning"),
    (("sensitivity", "open.toml", "--out", "analysed"), "sensitivity"),
)
"""Commands, and the extra that each asks for."""

PYTHON = (
    ("import sojourn as sj; sj.rl", "rl"),
    ("import sojourn as sj; sj.to_networkx(sj.Scenario.load('scenarios/mm1.toml'))", "graphs"),
    ("import sojourn as sj; sj.run('scenarios/mm1.toml', replicas=2).to_pandas()", "pandas"),
)
"""The same in Python."""

OPEN = """
name = "open"
duration = "3 s"
[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "5 Mbit/s", queue = { discipline = "red" } }
[[flow]]
name = "bulk"
transport = { protocol = "tcp" }
traffic = { source = "bulk" }
[design]
kind = "random"
points = 2
[vary]
"dumbbell.bottleneck.queue.max_p" = { from = 0.01, to = 0.5 }
"""


class Wrong(Exception):
    """Something does not work as a user may expect."""


@dataclass(frozen=True)
class Installed:
    """An environment in a folder of its own."""

    folder: Path

    def run(self, *words: str, module: bool = False) -> subprocess.CompletedProcess[str]:
        """Run ``sojourn``, or ``python -m sojourn``, outside of the repository."""
        python = self.folder / "env" / "bin" / "python"
        call = [python, "-m", "sojourn"] if module else [python.parent / "sojourn"]
        return self._run([*call, *words])

    def python(self, code: str) -> subprocess.CompletedProcess[str]:
        """Run some Python."""
        return self._run([self.folder / "env" / "bin" / "python", "-c", code])

    def install(self, what: str) -> None:
        """Install with pip, as the repository pins."""
        pip = [self.folder / "env" / "bin" / "python", "-m", "pip", "install", "--quiet"]
        pip += ["--disable-pip-version-check", "-c", ROOT / "constraints.txt", what]
        done = self._run(pip)
        if done.returncode:
            raise Wrong(f"pip install {what}: {done.stderr}")

    def _run(self, call: list[str | Path]) -> subprocess.CompletedProcess[str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        return subprocess.run(
            call,
            cwd=self.folder,
            env=kept | {"COLUMNS": "120"},
            capture_output=True,
            text=True,
            check=False,
        )


def check_bare(installed: Installed) -> None:
    """Hold an installation without extras to what a user may expect of it."""
    (installed.folder / "open.toml").write_text(OPEN)
    place = installed.python("import sojourn; print(sojourn.__file__)").stdout.strip()
    if not place.startswith(str(installed.folder)):
        raise Wrong(f"sojourn is imported from {place}")
    for words in WORKS:
        for module in (False, True):
            done = installed.run(*words, module=module)
            if done.returncode:
                raise Wrong(f"sojourn {' '.join(words)}: {done.stderr}")
    for words, extra in NEEDS:
        done = installed.run(*words)
        _asks_for(extra, f"sojourn {' '.join(words)}", done.stderr)
        if done.returncode not in (1, 2) or done.stderr.count("\n") != 1:
            raise Wrong(f"sojourn {' '.join(words)}: exit status {done.returncode}: {done.stderr}")
    for code, extra in PYTHON:
        _asks_for(extra, code, installed.python(code).stderr)


def check_extras(installed: Installed) -> None:
    """Write a report with what the tutorial installs."""
    for words in (("plot", "swept", "load"), ("report", "swept")):
        done = installed.run(*words)
        if done.returncode:
            raise Wrong(f"sojourn {' '.join(words)}: {done.stderr}")


def _asks_for(extra: str, what: str, told: str) -> None:
    if f"pip install 'sojourn[{extra}]'" not in told:
        raise Wrong(f"{what}: the extra {extra!r} is not named: {told}")


def main() -> int:
    """Check every file named, or all of dist/."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="wheels and sdists; default: dist/*")
    parser.add_argument("--extras", action="store_true", help="also install extras: slower")
    given = parser.parse_args()
    files = [path.resolve() for path in given.files or sorted((ROOT / "dist").glob("sojourn-*"))]
    for path in files:
        with tempfile.TemporaryDirectory() as folder:
            installed = Installed(Path(folder).resolve())
            venv.create(installed.folder / "env", with_pip=True)
            try:
                installed.install(str(path))
                check_bare(installed)
                if given.extras:
                    installed.install(f"{path}[plots,report]")
                    check_extras(installed)
            except Wrong as error:
                print(f"{path.name}: {error}", file=sys.stderr)
                return 1
        print(f"{path.name}: ok")
    return 0 if files else 2


if __name__ == "__main__":
    sys.exit(main())
