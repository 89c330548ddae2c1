"""`sojourn emulate`: packets of the kernel's own TCP and UDP through the queues."""

import ast
import io
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from processes import WIDE, is_alive

import sojourn as sj
from sojourn.emulation import emulate, hosts
from sojourn.emulation import host as inside
from sojourn.emulation.emulate import made
from sojourn.errors.brief import InputError, KindError

PROGRAMS = Path(__file__).with_name("programs.py")


pytestmark = pytest.mark.usefixtures("hosts")


def program(name: str, *words: object) -> list[str]:
    """One of the programs, as a command."""
    return [sys.executable, str(PROGRAMS), name, *map(str, words)]


def emulated(command: list[str], queue: str, rate: str, output: Path, **options):
    """An emulation, and what its command printed."""
    with output.open("w") as file:
        done = emulate(command, queue, rate, output=file, **options)
    return done, output.read_text()


def sojourn(*words: object, **options) -> subprocess.CompletedProcess[str]:
    """The command, as a program of its own."""
    command = [sys.executable, "-m", "sojourn", "emulate", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=WIDE, **options)


def test_a_transfer_comes_through_whole_and_the_books_balance(tmp_path):
    done, printed = emulated(
        program("send_bytes"),
        "codel,ecn=false",
        "20 Mbit/s",
        tmp_path / "out",
        server=program("count_bytes"),
        rtt="10 ms",
    )
    assert (done.status, printed) == (0, "equal\n")
    assert list(done.queues["queue"]) == ["up: codel, ecn=false", "down: codel, ecn=false"]
    up = done.queues.row(0, named=True)
    lost = done.drops.filter(queue=up["queue"], kind="drop")["packets"].sum()
    assert up["arrivals_packets"] == up["departures_packets"] + lost
    # A megabyte at 20 Mbit/s, with headers, and a round trip before and after.
    assert done.end_s > 1_024_000 * 8 / 20e6 + 0.02
    assert 0 < up["utilization"] <= 1
    flow = done.flows.filter(queue=up["queue"]).row(0, named=True)
    assert flow["flow"].startswith("tcp 198.18.0.1:")
    assert flow["flow"].endswith(" > 198.18.0.2:5201")
    assert flow["delay_mean_s"] > 0.005


def test_no_round_trip_is_shorter_than_the_paths_over_both_families(tmp_path):
    done, printed = emulated(
        program("ping"),
        "droptail",
        "1 Mbit/s",
        tmp_path / "out",
        server=program("echo"),
        rtt="20 ms",
        down_rate="2 Mbit/s",
        down_queue="fq_codel",
    )
    assert list(done.queues["queue"]) == ["up: droptail", "down: fq_codel"]
    for family, header in (("ipv4", 28), ("ipv6", 48)):
        sending_s = (100 + header) * 8 * (1 / 1e6 + 1 / 2e6)
        assert json.loads(printed)[family] >= 0.020 + sending_s
    # Nothing is on the link but what the programs sent.
    assert done.queues["arrivals_packets"].to_list() == [10, 10]
    assert done.late_p50_s is not None


def test_a_burst_fills_the_queue_and_what_has_no_room_is_dropped(tmp_path):
    done, _ = emulated(
        program("burst"),
        "droptail,limit=10 packets",
        "100 kbit/s",
        tmp_path / "out",
        server=program("echo"),
    )
    up = done.queues.row(0, named=True)
    # 80 ms each, and a hundred come within one: the first is being sent, ten wait.
    assert up["arrivals_packets"] == 100
    assert up["queue_max_packets"] == 10
    assert 85 <= up["drops_packets"] <= 89
    assert up["departures_packets"] == 100 - up["drops_packets"]


def test_traffic_that_only_comes_down_has_rows_of_one_way(tmp_path):
    noted = tmp_path / "listens"
    done, _ = emulated(
        program("hear", noted),
        "droptail",
        "1 Mbit/s",
        tmp_path / "out",
        server=program("call", noted),
    )
    assert done.status == 0
    assert done.queues["arrivals_packets"].to_list() == [0, 1]
    assert done.flows.select("queue", "flow", "sent_packets").rows() == [
        ("down: droptail", "udp 198.18.0.2:5201 > 224.0.0.1:5201", 1)
    ]
    assert done.summary()["flows"]["up: droptail"] == {}


def test_what_a_server_sends_before_the_command_starts_does_not_count(tmp_path):
    server = program("come_early")
    done, _ = emulated(["true"], "droptail", "1 Mbit/s", tmp_path / "out", server=server)
    assert done.queues["arrivals_packets"].to_list() == [0, 0]
    assert done.warnings == ()


def test_what_was_not_taken_in_when_the_command_ends_counts(tmp_path, monkeypatch):
    sent = tmp_path / "sent"

    def come_late() -> None:
        deadline = time.monotonic() + 20
        while not sent.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        # It has ended then, or nearly so.
        time.sleep(0.2)

    monkeypatch.setattr(sys.modules["sojourn.emulation.emulate"], "come_first", come_late)
    script = f"{shlex.join(program('burst'))}; touch {sent}"
    done, _ = emulated(["sh", "-c", script], "droptail", "1 Gbit/s", tmp_path / "out")
    assert done.queues["arrivals_packets"].to_list() == [100, 0]
    assert done.queues["departures_packets"].to_list() == [100, 0]


def test_a_mark_reaches_the_other_host(tmp_path):
    _, printed = emulated(
        program("marked"),
        "codel,ce_threshold=1 us,ecn=true",
        # Slow enough that all wait for the first even on a busy machine.
        "40 kbit/s",
        tmp_path / "out",
        server=program("codepoints"),
        down_queue="droptail",
    )
    assert ast.literal_eval(printed) == [[0, 0], [1, 3], [2, 3], [3, 0]]


def test_the_hosts_have_no_other_network(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as outside:
        port = outside.getsockname()[1]
        _, printed = emulated(program("wander", port), "droptail", "1 Mbit/s", tmp_path / "out")
    assert printed == "[]\n"


def test_the_command_prints_tables_and_draws(tmp_path):
    words = ("--rate", "20 Mbit/s", "--queue", "red", "--out", "found", "--server")
    server = " ".join(program("count_bytes"))
    done = sojourn(*words, server, "--", *program("send_bytes"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("equal\n")
    for part in ("up: red", "down: red", "Flows", "tcp 198.18.0.1:"):
        assert part in done.stdout
    assert "found/queue-delay.svg" in done.stderr
    assert json.loads((tmp_path / "found/summary.json").read_text())["status"] == 0


def test_one_document_and_the_status_of_the_command(tmp_path):
    words = ("--rate", "1 Mbit/s", "--queue", "droptail", "--json", "--", "sh", "-c")
    done = sojourn(*words, "echo hello; exit 3", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "hello\nsh ended with status 3\n"
    found = json.loads(done.stdout)
    assert found["status"] == 3
    assert found["queues"]["up: droptail"]["arrivals_packets"] == 0


def test_one_document_where_stderr_is_closed(tmp_path):
    options = "--rate '1 Mbit/s' --queue droptail --json -- echo hello"
    call = f"'{sys.executable}' -m sojourn emulate {options} 2>&-"
    done = subprocess.run(["sh", "-c", call], capture_output=True, check=False, cwd=tmp_path)
    assert json.loads(done.stdout)["status"] == 0


def test_a_command_that_is_killed_before_it_runs_is_told():
    with made(["true"], hosts.NEAR, None, is_apart=False) as host:
        host.process.terminate()
        host.process.wait()
        host.go()
    assert host.process.returncode == -signal.SIGTERM


def test_a_host_whose_front_has_gone_goes_without_a_word():
    control, theirs = socket.socketpair()
    control.close()
    with theirs:
        words = [
            *hosts.unshared(),
            sys.executable,
            inside.__file__,
            str(theirs.fileno()),
            "--",
            "true",
        ]
        done = subprocess.run(
            words, pass_fds=[theirs.fileno()], capture_output=True, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (1, "")


def test_a_host_is_made_where_ipv6_is_switched_off():
    switch = Path("/proc/sys/net/ipv6/conf/default/disable_ipv6")
    if not switch.exists():
        pytest.skip("has no IPv6 to switch off")
    control, theirs = socket.socketpair()
    off = ["sh", "-c", f'echo 1 > {switch}; exec "$@"', "sh", sys.executable, inside.__file__]
    addresses = ["198.18.0.1/30", "2001:2::1/64"]
    words = [*hosts.unshared(), *off, str(theirs.fileno()), *addresses, "--", "true"]
    with control, subprocess.Popen(words, pass_fds=[theirs.fileno()]) as host:
        theirs.close()
        told, files, _, _ = socket.recv_fds(control, 4096, 1)
        for file in files:
            os.close(file)
        control.sendall(b"\0")
    assert (told, host.returncode) == (b"\0", 0)


def test_without_a_server_none_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(hosts, "LISTENS_WITHIN_S", 30)
    began = time.monotonic()
    emulated(["true"], "droptail", "1 Mbit/s", tmp_path / "out")
    assert time.monotonic() - began < 30


def test_what_the_programs_have_started_goes_with_their_hosts(tmp_path, monkeypatch):
    monkeypatch.setattr(hosts, "LISTENS_WITHIN_S", 0)
    notes = tmp_path / "started"
    start = f"sleep 61 & echo $! >> {notes}"
    until_both = f'until [ "$(wc -l < {notes})" = 2 ]; do sleep 0.1; done'
    server = ["sh", "-c", f"{start}; sleep 62; true"]
    command = ["sh", "-c", f"setsid {start}; {until_both}"]
    emulated(command, "droptail", "1 Mbit/s", tmp_path / "out", server=server)
    assert not any(is_alive(int(each)) for each in notes.read_text().split())


def test_a_server_in_a_network_of_its_own_ends_too(tmp_path, monkeypatch):
    monkeypatch.setattr(hosts, "LISTENS_WITHIN_S", 0)
    noted = tmp_path / "noted"
    stays = f"echo $$ > {noted}.part; mv {noted}.part {noted}; exec sleep infinity"
    server = ["unshare", "--net", "sh", "-c", stays]
    until = ["sh", "-c", f"until [ -e {noted} ]; do sleep 0.01; done"]
    emulated(until, "droptail", "1 Mbit/s", tmp_path / "out", server=server)
    assert not is_alive(int(noted.read_text()))


def test_what_is_typed_is_for_the_command(tmp_path):
    words = ("--rate", "1 Mbit/s", "--queue", "droptail", "--server", "cat", "--", "cat")
    done = sojourn(*words, cwd=tmp_path, input="hello\n")
    assert done.stdout.startswith("hello\n")
    assert "hello" not in done.stderr


def test_a_folder_that_takes_nothing_is_told_before_the_command_runs(tmp_path):
    words = ("--rate", "1 Mbit/s", "--queue", "droptail", "--out", "/proc/found", "--")
    done = sojourn(*words, "touch", "ran", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "error: /proc/found: No such file or directory\n")
    assert not (tmp_path / "ran").exists()


def test_what_was_found_is_shown_where_the_disk_refuses_the_figures(tmp_path):
    words = ("--rate", "100 Mbit/s", "--queue", "droptail", "--", *program("burst"))
    (tmp_path / "results").write_text("a file")
    done = sojourn(*words, cwd=tmp_path)
    assert done.returncode == 1
    assert "up: droptail" in done.stdout
    assert done.stderr.endswith("error: results/emulate: Not a directory\n")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("nonesuch",), "nonesuch: cannot be run: No such file or directory"),
        (("true", "--server", "nonesuch"), "nonesuch: cannot be run: No such file"),
        (("true", "--server", "'"), 'server: found "\'": No closing quotation'),
        (("true", "--server", ""), "server: found nothing; allowed: a command"),
        (("true", "--queue", "redd"), "--queue redd: "),
        (("true", "--down-rate", "0 bit/s"), "--down-rate: "),
    ],
)
def test_what_is_wrong_is_one_line(words, error, tmp_path):
    command, *options = words
    usual = ["--rate", "1 Mbit/s", "--queue", "droptail"]
    done = sojourn(*usual, *options, "--", command, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert error in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_server_that_fails_is_told(tmp_path):
    done, _ = emulated(
        ["sleep", "0.3"], "droptail", "1 Mbit/s", tmp_path / "out", server=["sh", "-c", "exit 3"]
    )
    assert done.warnings == ("sh, the server, ended with status 3",)


def test_a_series_that_is_too_fine_loses_nothing(tmp_path):
    command = ["sleep", "1.2"]
    done, _ = emulated(command, "droptail", "1 Mbit/s", tmp_path / "out", series="1 us")
    assert done.status == 0
    assert done.series["time_s"].max() >= 1.2
    # Twice as long, or more on a busy machine.
    told = "--series: found 1 us, of which there are more than 1000000; the intervals are of "
    assert [told] == [warning[: len(told)] for warning in done.warnings]


def test_arguments_of_another_kind_are_told():
    with pytest.raises(KindError, match=r"command: found 3; allowed: a text or a list of words"):
        emulate(3, "codel", "1 Mbit/s")  # pyright: ignore[reportArgumentType]
    with pytest.raises(KindError, match=r"rtt: found 3; allowed: a text"):
        emulate("true", "codel", "1 Mbit/s", rtt=3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(KindError, match=r"limit: found 3; allowed: a text"):
        emulate("true", "codel", "1 Mbit/s", limit=3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(KindError, match=r"rate: found 3; allowed: a text"):
        emulate("true", "codel", 3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(KindError, match=r"output: found <_io\.StringIO .*>; allowed: a file"):
        emulate("true", "codel", "1 Mbit/s", output=io.StringIO())


def test_an_empty_word_is_no_command():
    with pytest.raises(InputError, match="command: found nothing; allowed: a command"):
        emulate([""], "codel", "1 Mbit/s")


OWN = """
import sojourn as sj


class Tail(sj.queue.Discipline):
    most = sj.params.whole(1_000_000, "Arrivals that are taken.")

    def reset(self):
        self.seen = 0

    def enqueue(self, now, size, flow, ecn):
        self.seen += 1
        if self.seen > self.most:
            raise OverflowError("enough")
        return sj.queue.ACCEPT
"""


def test_a_discipline_of_ones_own(tmp_path, monkeypatch):
    (tmp_path / "own_tail.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    server, printed = program("count_bytes"), tmp_path / "out"
    done, said = emulated(
        program("send_bytes"), "own_tail:Tail", "20 Mbit/s", printed, server=server
    )
    assert (done.status, said) == (0, "equal\n")
    assert list(done.queues["queue"]) == ["up: own_tail:Tail", "down: own_tail:Tail"]
    queue = "own_tail:Tail,most=20"
    with pytest.raises(sj.UserCodeError, match="OverflowError: enough"):
        emulated(program("send_bytes"), queue, "20 Mbit/s", printed, server=server)
