"""`sojourn drive`: a conversation in JSON lines."""

import json
import subprocess
import sys

import pytest

CONVERSATION = [
    {"cmd": "new", "discipline": "droptail", "params": {"limit_packets": 2}},
    {"cmd": "enqueue", "t_ns": 0, "id": 7, "bytes": 1000},
    {"cmd": "enqueue", "t_ns": 5, "id": 8, "bytes": 500, "flow": 3},
    {"cmd": "enqueue", "t_ns": 6, "id": 9, "bytes": 500, "flow": 3},
    {"cmd": "peek", "t_ns": 7},
    {"cmd": "dequeue", "t_ns": 8},
    {"cmd": "dequeue", "t_ns": 9},
    {"cmd": "dequeue", "t_ns": 10},
]


def lines(requests: list) -> str:
    return "".join(json.dumps(request) + "\n" for request in requests)


def replies(done) -> list[dict]:
    assert done.status == 0
    return [json.loads(line) for line in done.out.splitlines()]


def check(found: list[dict]) -> None:
    assert found[0] == {}
    assert [reply["ok"] for reply in found[1:4]] == [True, True, False]
    assert found[3]["drops"] == [[9, "overlimit", 3]]
    assert found[3]["state"]["packets"] == 2
    assert found[3]["state"]["bytes"] == 1500
    assert [reply["id"] for reply in found[4:]] == [7, 7, 8, None]
    assert found[-1]["state"]["packets"] == 0


def test_requests_from_standard_input(process):
    done = process("drive", requests=lines(CONVERSATION))
    assert done.errors == ""
    check(replies(done))


def test_requests_from_a_file(sojourn, tmp_path):
    path = tmp_path / "requests.jsonl"
    path.write_text(lines(CONVERSATION) + "\n\n")
    check(replies(sojourn("drive", path)))


def test_bytes_that_are_no_text_are_answered_and_the_conversation_goes_on(tmp_path):
    requests = lines(CONVERSATION).encode()
    first, _, rest = requests.partition(b"\n")
    path = tmp_path / "requests.jsonl"
    path.write_bytes(first + b"\n\xff\n" + rest)
    program = [sys.executable, "-m", "sojourn", "drive"]
    with path.open("rb") as given:
        talk = subprocess.run(program, stdin=given, capture_output=True, timeout=60, check=False)
    file = subprocess.run([*program, path], capture_output=True, timeout=60, check=False)
    assert (talk.returncode, talk.stderr) == (0, b"")
    assert talk.stdout == file.stdout
    new, malformed, *others = map(json.loads, talk.stdout.splitlines())
    assert set(malformed) == {"error"}
    check([new, *others])


def test_without_standard_input_one_line_says_so():
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import os; os.close(0); from os import execv; import sys\n"
            "execv(sys.executable, [sys.executable, '-m', 'sojourn', 'drive'])",
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: stdin: found it closed; allowed: open, or a file of requests\n"


def test_a_malformed_request_is_answered_and_the_conversation_goes_on(sojourn, tmp_path):
    malformed = [
        "this is no JSON",
        "{",
        "[]",
        "null",
        "7",
        "{}",
        '{"cmd": 3}',
        '{"cmd": "nonsense"}',
        '{"cmd": "enqueue"}',
        '{"cmd": "enqueue", "t_ns": -1, "bytes": 1}',
        '{"cmd": "enqueue", "t_ns": 0, "bytes": "many"}',
        '{"cmd": "enqueue", "t_ns": 0, "bytes": 1e99}',
        '{"cmd": "dequeue"}',
        '{"cmd": "poke", "var": "red.avg", "value": 3}',
        "\x00\x01\x02",
    ]
    path = tmp_path / "requests.jsonl"
    new, *rest = CONVERSATION
    path.write_text(lines([new]) + "\n".join(malformed) + "\n" + lines(rest))
    found = replies(sojourn("drive", path))
    answers = found[1 : 1 + len(malformed)]
    assert all(list(answer) == ["error"] and answer["error"] for answer in answers)
    check([found[0], *found[1 + len(malformed) :]])


def test_bytes_that_are_no_text(sojourn, tmp_path):
    path = tmp_path / "requests.jsonl"
    path.write_bytes(b"\xff\xfe\xfd\n" + lines(CONVERSATION).encode())
    found = replies(sojourn("drive", path))
    assert list(found[0]) == ["error"]
    check(found[1:])


def test_time_never_runs_backwards(sojourn, tmp_path):
    path = tmp_path / "requests.jsonl"
    path.write_text(
        lines([*CONVERSATION[:3], {"cmd": "dequeue", "t_ns": 4}, {"cmd": "dequeue", "t_ns": 5}])
    )
    found = replies(sojourn("drive", path))
    assert list(found[3]) == ["error"]
    assert found[4]["id"] == 7


def test_nothing_before_new_and_nothing_unknown(sojourn, tmp_path):
    path = tmp_path / "requests.jsonl"
    requests = [
        {"cmd": "dequeue", "t_ns": 0},
        {"cmd": "new", "discipline": "no-such-thing"},
        {"cmd": "new", "discipline": "red", "params": {"max_p": 2}},
        {"cmd": "new", "discipline": "red", "params": {"nonsense": 2}},
        {"cmd": "new", "discipline": "red"},
    ]
    path.write_text(lines(requests))
    found = replies(sojourn("drive", path))
    assert [list(reply) for reply in found] == [
        ["error"],
        ["unsupported"],
        ["error"],
        ["error"],
        [],
    ]


@pytest.mark.parametrize(
    ("began", "asked", "key", "allowed"),
    [
        ({}, {"cmd": "new", "discipline": "red", "parms": {}}, "parms", "params"),
        ({}, {"cmd": "new", "congestion_control": "cubic", "parms": {}}, "parms", "params"),
        ({}, {"cmd": "new", "tcp_sender": {}, "params": {}}, "params", "tcp_sender"),
        (
            {"discipline": "red"},
            {"cmd": "enqueue", "t_ns": 0, "bytes": 1, "flows": 2},
            "flows",
            "flow",
        ),
        ({"discipline": "red"}, {"cmd": "dequeue", "t_ns": 0, "id": 1}, "id", "t_ns"),
        ({"discipline": "red"}, {"cmd": "peek", "t_ns": 0, "id": 1}, "id", "t_ns"),
        (
            {"discipline": "red"},
            {"cmd": "poke", "var": "red.avg", "value": 1, "to": 2},
            "to",
            "var",
        ),
        ({"congestion_control": "cubic"}, {"cmd": "ack", "t_ns": 0, "rtt": 1}, "rtt", "rtt_s"),
        (
            {"congestion_control": "cubic"},
            {"cmd": "loss", "t_ns": 0, "kind": "ecn", "ece": True},
            "ece",
            "kind",
        ),
        ({"tcp_sender": {}}, {"cmd": "app_write", "t_ns": 0, "bytes": 1, "seq": 1}, "seq", "bytes"),
        ({"tcp_sender": {}}, {"cmd": "ack_in", "t_ns": 0, "ack": 1, "sacks": []}, "sacks", "sack"),
        ({"tcp_sender": {}}, {"cmd": "advance", "t_ns": 0, "bytes": 1}, "bytes", "t_ns"),
    ],
)
def test_a_key_that_no_request_has_is_refused(sojourn, tmp_path, began, asked, key, allowed):
    path = tmp_path / "requests.jsonl"
    known = {name: value for name, value in asked.items() if name != key}
    path.write_text(lines([{"cmd": "new"} | began, asked, known]))
    _, refused, taken = replies(sojourn("drive", path))
    assert list(refused) == ["error"]
    assert refused["error"].startswith(f'unknown key: found "{key}"; allowed: cmd, ')
    assert allowed in refused["error"].partition("allowed: ")[2].replace(";", ",").split(", ")
    assert "error" not in taken


def test_no_request_at_all(process):
    assert process("drive", requests="") == (0, "", "")


def test_a_file_that_is_not_there(sojourn, tmp_path):
    done = sojourn("drive", tmp_path / "none.jsonl")
    assert done.status == 2
    assert done.errors.startswith("error: ")
    assert done.errors.count("\n") == 1


def test_units_in_parameters_and_a_link_of_its_own(sojourn, tmp_path):
    path = tmp_path / "requests.jsonl"
    new = {
        "cmd": "new",
        "discipline": "droptail",
        "params": {"limit": "2 ms"},
        "link": {"rate_bps": 8e6, "delay_s": 0.01, "mtu": 1500},
    }
    sizes = [1000, 900, 200, 100]
    enqueues = [
        {"cmd": "enqueue", "t_ns": k, "id": k, "bytes": size} for k, size in enumerate(sizes)
    ]
    path.write_text(lines([new, *enqueues]))
    found = replies(sojourn("drive", path))
    # 2 ms at 8 Mbit/s are 2000 bytes: what still fits gets in.
    assert [reply["ok"] for reply in found[1:]] == [True, True, False, True]
