"""Builds the programs of the benchmarks as a release is built, and prints the folder they are in.

``python benchmarks/build.py``. A release is trained (profile-guided optimisation): an instrumented
build runs the scenarios of ``training/`` and counts which way every branch goes; the compiler then
lays out the code by these counts. Results do not depend on it. ``--plain`` does without, as
``cargo build --release`` does.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
SCENARIOS = sorted((ROOT / "benchmarks" / "training").glob("*.toml"))
TRAINING = (
    *(("sojourn-case", str(file)) for file in SCENARIOS),
    ("sojourn-scale", "10"),
    ("sojourn-micro",),
)
"""What the instrumented programs run: the last two have code of their own."""


def build(plain: bool = False) -> Path:
    """Build the programs; the folder that they are in."""
    if plain:
        return cargo(TARGET)
    merger = profdata()
    # A folder for each way to build: else each would undo what the other has built.
    counting = cargo(TARGET / "instrumented", f"-Cprofile-generate={TARGET / 'counts'}")
    profile = TARGET / "training.profdata"
    read = [*SCENARIOS, *(counting / program for program, *_ in TRAINING)]
    if not profile.exists() or profile.stat().st_mtime < max(one.stat().st_mtime for one in read):
        train(counting, merger, profile)
    return cargo(TARGET / "trained", f"-Cprofile-use={profile}")


def train(counting: Path, merger: str, profile: Path) -> None:
    """Run the training in the instrumented programs; write what they counted into ``profile``."""
    counts = TARGET / "counts"
    # Cargo's build scripts are instrumented too, and have counted.
    shutil.rmtree(counts, ignore_errors=True)
    for program, *words in TRAINING:
        subprocess.run([counting / program, *words], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([merger, "merge", "-o", profile, counts], check=True)


def cargo(target: Path, flags: str = "") -> Path:
    """Build into a folder, with flags of the compiler; where the programs are."""
    command = ["cargo", "build", "--quiet", "--release", "-p", "sojourn-benchmarks"]
    rustflags = f"{os.environ.get('RUSTFLAGS', '')} {flags}".strip()
    environment = os.environ | {"RUSTFLAGS": rustflags}
    subprocess.run([*command, "--target-dir", target], check=True, cwd=ROOT, env=environment)
    return target / "release"


def profdata() -> str:
    """The compiler's own ``llvm-profdata``; another may not read what its programs write."""
    asked = ["rustc", "--print", "target-libdir"]
    libraries = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    tool = shutil.which("llvm-profdata", path=Path(libraries).parent / "bin")
    if tool is None:
        sys.exit("llvm-profdata is missing: rustup component add llvm-tools, or build with --plain")
    return tool


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plain", action="store_true", help="untrained")
    print(build(parser.parse_args().plain))
