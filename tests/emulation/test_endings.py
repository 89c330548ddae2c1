"""However an emulation ends, nothing of it is left, and what was measured is not lost."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from processes import children, front, is_alive, left_of, noted_in, wait_for_child

from sojourn.emulation import emulate
from sojourn.signals import AT_ONCE_S

pytestmark = pytest.mark.usefixtures("hosts")

STAYS = "echo $$ > noted.part; mv noted.part noted; while :; do sleep 0.1; done"
"""For a shell: note which process it is, and stay."""


def daemon(deaf_to: str) -> str:
    """For a shell: leave a process behind that is in a session of its own and nobody's child."""
    stays = f"(setsid sh -c 'trap \"\" {deaf_to}; {STAYS}' &)"
    return f"{stays}; until [ -e noted ]; do sleep 0.01; done"


def server(deaf_to: str) -> str:
    """A server that notes itself and a child of its own in a file, and stays."""
    program = Path(__file__).with_name("programs.py")
    return shlex.join([sys.executable, str(program), "stay", *deaf_to.split()])


def wait_until_it_tidies(program: subprocess.Popen[str]) -> None:
    """Wait until the command, a shell, has ended, and what it has left has been asked to end."""
    deadline = time.monotonic() + 20
    while "sh" in children(program).values() and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.1)


def test_ctrl_c_is_the_commands_and_what_was_measured_is_shown(tmp_path):
    with front(tmp_path, "--", "sleep", "60") as program:
        wait_for_child(program, "sleep")
        os.killpg(program.pid, signal.SIGINT)
        out, errors = program.communicate(timeout=30)
    assert (program.returncode, errors) == (130, "sleep ended with Interrupt\n")
    assert "up: droptail" in out


def test_ctrl_c_before_the_command_runs_is_told_in_a_word(tmp_path):
    with front(tmp_path, "--server", "sleep 60", "--", "true") as program:
        wait_for_child(program, "sleep")
        os.killpg(program.pid, signal.SIGINT)
        _, errors = program.communicate(timeout=30)
    assert (program.returncode, errors) == (130, "interrupted\n")


def test_the_command_goes_with_a_front_that_is_told_to_end(tmp_path):
    with front(tmp_path, "--", "sleep", "60") as program:
        wait_for_child(program, "sleep")
        program.terminate()
        out, errors = program.communicate(timeout=30)
    assert (program.returncode, errors) == (130, "sleep ended with Terminated\n")
    assert "up: droptail" in out
    with pytest.raises(ProcessLookupError):
        os.killpg(program.pid, 0)


def test_nothing_is_left_when_the_front_is_killed(tmp_path):
    with front(tmp_path, "--", "sleep", "60") as program:
        processes = wait_for_child(program, "sleep")
        program.kill()
        program.wait(timeout=30)
        assert not left_of(processes, after_s=10)


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_hosts_are_tidied_up_loses_nothing(tmp_path, by):
    command = f"{daemon('TERM INT HUP')}; exit 3"
    with front(tmp_path, "--", "sh", "-c", command) as program:
        processes = noted_in(tmp_path / "noted")
        wait_until_it_tidies(program)
        program.send_signal(by)
        program.wait(timeout=30)
        assert not left_of(processes, after_s=0)
        out, errors = program.communicate(timeout=30)
    assert "up: droptail" in out
    assert errors == "sh ended with status 3\n"
    assert program.returncode == 130


def test_a_signal_while_a_server_is_waited_for_loses_nothing(tmp_path):
    words = ["--server", server("TERM"), "--", "sh", "-c", "until [ -s server ]; do :; done"]
    with front(tmp_path, *words) as program:
        processes = noted_in(tmp_path / "server")
        wait_until_it_tidies(program)
        program.send_signal(signal.SIGINT)
        program.wait(timeout=30)
        assert not left_of(processes, after_s=0)
        out, _ = program.communicate(timeout=30)
    assert "up: droptail" in out
    # The command was done when Ctrl-C came.
    assert program.returncode == 0


@pytest.mark.parametrize("by", [signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL])
def test_nothing_of_either_host_is_left_whatever_ends_the_front(tmp_path, by):
    # What it hears it passes on, and would wait for what ignores that.
    deaf_to = "HUP" if by == signal.SIGHUP else "TERM INT HUP"
    command = f"{daemon(deaf_to)}; sleep 300; true"
    with front(tmp_path, "--server", server(deaf_to), "--", "sh", "-c", command) as program:
        processes = [*noted_in(tmp_path / "noted"), *noted_in(tmp_path / "server")]
        program.send_signal(by)
        program.wait(timeout=30)
        assert not left_of(processes, after_s=0 if by == signal.SIGHUP else 2)
        _, errors = program.communicate(timeout=30)
    if by == signal.SIGHUP:
        assert (program.returncode, errors) == (130, "sh ended with Terminated\n")


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("status", [0, 3])
def test_what_a_batch_system_ends_keeps_what_was_measured(tmp_path, by, status):
    command = f"trap 'exit {status}' TERM; trap '' HUP; {STAYS}"
    with front(tmp_path, "--out", "kept", "--", "sh", "-c", command) as program:
        noted_in(tmp_path / "noted")
        # As `timeout` sends it: to the program, then to its group.
        program.send_signal(by)
        os.killpg(program.pid, by)
        out, _ = program.communicate(timeout=30)
    assert program.returncode == 130
    assert "up: droptail" in out
    assert json.loads((tmp_path / "kept/summary.json").read_text())["status"] == status


def test_a_command_that_does_not_go_when_told_is_killed_when_told_again(tmp_path):
    command = f"trap '' TERM HUP; {STAYS}"
    with front(tmp_path, "--", "sh", "-c", command) as program:
        processes = noted_in(tmp_path / "noted")
        program.send_signal(signal.SIGTERM)
        time.sleep(AT_ONCE_S + 0.2)
        assert is_alive(processes[0])
        program.send_signal(signal.SIGTERM)
        out, errors = program.communicate(timeout=30)
    assert (program.returncode, errors) == (130, "sh ended with Killed\n")
    assert "up: droptail" in out


INTERRUPTED_EARLY = """
import os, signal, sys
if any(word.startswith("198.18.0.1/") for word in sys.orig_argv):
    os.killpg(0, signal.SIGINT)
"""
"""What Python does first in each process: Ctrl-C comes when the command's host begins."""


def test_ctrl_c_while_a_host_starts_is_told_in_a_word(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTED_EARLY)
    with front(tmp_path, "--", "true", path=str(tmp_path)) as program:
        _, errors = program.communicate(timeout=30)
    assert (program.returncode, errors) == (130, "interrupted\n")


@pytest.mark.parametrize(("status", "expected"), [(3, 130), (0, 0)])
def test_after_ctrl_c_the_status_is_130_unless_the_command_was_done(tmp_path, status, expected):
    command = f"trap 'exit {status}' INT; {STAYS}"
    with front(tmp_path, "--", "sh", "-c", command) as program:
        noted_in(tmp_path / "noted")
        # As `timeout` sends it: to the program, then to its group.
        program.send_signal(signal.SIGINT)
        os.killpg(program.pid, signal.SIGINT)
        out, _ = program.communicate(timeout=30)
    assert program.returncode == expected
    assert "up: droptail" in out


def test_signals_do_to_the_command_what_they_do_to_most(tmp_path):
    with (tmp_path / "out").open("w") as file:
        emulate(["grep", "^Sig[BI]", "/proc/self/status"], "droptail", "1 Mbit/s", output=file)
    lines = (tmp_path / "out").read_text().splitlines()
    blocked, ignored = (int(line.split()[1], 16) for line in lines)
    assert blocked == 0
    assert not any(ignored >> (one - 1) & 1 for one in (signal.SIGPIPE, signal.SIGXFSZ))
