"""What varies is shown in words, not as Python writes it; and so are counts and lists."""

from sojourn.wording import counted, enumerated, in_full, in_words, labels


def test_lists_and_tables_in_words():
    assert in_full(["3 ms", "5 ms"]) == "3 ms, 5 ms"
    assert in_full([]) == "none"
    changes = [{"at": "2 s", "rate": "1 Mbit/s"}, {"at": "4 s", "rate": "9 Mbit/s"}]
    assert in_full(changes) == "at = 2 s, rate = 1 Mbit/s; at = 4 s, rate = 9 Mbit/s"
    steps = {"rates": ["4 Mbit/s", "1 Mbit/s"], "step": "1 s"}
    assert in_full(steps) == "rates = 4 Mbit/s, 1 Mbit/s, step = 1 s"


def test_yes_and_no_are_written_as_in_a_scenario_file():
    assert in_full([True, False]) == "true, false"
    assert in_full({"ecn": True}) == "ecn = true"
    assert labels([{"ecn": True}, {"ecn": False}]) == ["true", "false"]


def test_points_are_called_by_them():
    points = [{"l.changes": []}, {"l.changes": [{"at": "2 s", "rate": "1 Mbit/s"}]}]
    assert labels(points) == ["none", "at = 2 s, rate = 1 Mbit/s"]
    tables = [{"rates": ["1 Mbit/s", "2 Mbit/s"], "step": s} for s in ("1 s", "2 s")]
    assert (
        in_words([*tables, {**tables[0], "rates": ["3 Mbit/s"]}])[2] == "rates=3 Mbit/s, step=1 s"
    )


def test_counts_in_words():
    said = [counted(count, "run") for count in (0, 1, 2, 999, 1000, 1234567)]
    assert said == ["0 runs", "1 run", "2 runs", "999 runs", "1,000 runs", "1,234,567 runs"]


def test_lists_in_a_sentence():
    assert enumerated([]) == ""
    assert enumerated(["RED"]) == "RED"
    assert enumerated(["RED", 2]) == "RED and 2"
    assert enumerated(["RED", "REM", "SFQ"]) == "RED, REM and SFQ"
