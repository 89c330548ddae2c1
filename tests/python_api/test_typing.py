"""The stubs say what the compiled module has, and users' code passes the type checker."""

import subprocess
import sys

USER = """
import sojourn as sj

codel: sj.queue.CoDel = sj.queue.CoDel(target="5 ms", ecn=True)
flows = 4 * sj.tcp("cubic") + sj.udp(rate="2 Mbit/s")
scenario: sj.Scenario = sj.dumbbell(rate="10 Mbit/s", rtt="40 ms", queue=codel, flows=flows)


class Mine(sj.queue.Discipline):
    target = sj.params.time("5 ms")

    def dequeue(self, now: float, size: int, flow: int, ecn: int, sojourn: float) -> int:
        return sj.queue.DROP if sojourn > self.target else sj.queue.SEND


sj.testing.check_laws(Mine)
"""

WRONG = (
    USER
    + """
sj.queue.CoDel(target=5)
sj.queue.CoDel(tarjet="5 ms")
sj.dumbbell(rate="1 Mbit/s", rtt="9 ms", flows=flows, durration="1 s")
"""
)


def pyright(path, text: str) -> subprocess.CompletedProcess[str]:
    path.write_text(text)
    call = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, path]
    return subprocess.run(call, capture_output=True, text=True, timeout=300, check=False)


def test_users_code_passes_pyright(tmp_path):
    done = pyright(tmp_path / "user.py", USER)
    assert done.returncode == 0, done.stdout


def test_mistakes_do_not(tmp_path):
    done = pyright(tmp_path / "wrong.py", WRONG)
    assert "3 errors" in done.stdout, done.stdout


def test_stubs_are_those_of_the_module(tmp_path):
    config = tmp_path / "mypy.ini"
    # The stubs name nothing of the package: the rest of it need not be read.
    config.write_text("[mypy]\nfollow_imports = skip\n")
    call = [sys.executable, "-m", "mypy.stubtest", "sojourn._core", "--concise"]
    call += ["--mypy-config-file", str(config)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout
