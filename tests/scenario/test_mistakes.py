"""Known mistakes are warned of, with the place and the reason, from a scenario file."""

import pytest

import sojourn as sj

FILE = """
name = "mistake"
duration = "1 s"

[dumbbell]
bottleneck = {{ rate = "{rate}", queue = {{ {queue} }} }}
rtt = "{rtt}"

[[flow]]
name = "tcp"
transport = {{ protocol = "tcp" }}
traffic = {{ source = "bulk" }}
"""

MISTAKES = [
    ('discipline = "codel"', "1 Mbit/s", "target", "one packet takes"),
    (
        'discipline = "red", limit = "10 packets", min_th = "5 packets", max_th = "15 packets"',
        "10 Mbit/s",
        "max_th",
        "before the average can reach max_th",
    ),
    (
        'discipline = "pi", limit = "50 packets", target = "50 packets"',
        "10 Mbit/s",
        "limit",
        "not above the target",
    ),
    ('discipline = "pie", preset = "ns3"', "100 Mbit/s", "limit", "full before its delay"),
    (
        'discipline = "red", limit = "25 packets", gentle = true',
        "10 Mbit/s",
        "max_th",
        "gentle ramp ends",
    ),
    ('discipline = "droptail", limit = "0.1 bdp"', "1 Mbit/s", "limit", "never room"),
    (
        'discipline = "droptail", limit = "1 ms"',
        "5 Mbit/s",
        "limit",
        "dropped, on an idle link too",
    ),
    ('discipline = "sfq", preset = "ns2", limit = "50 packets"', "10 Mbit/s", "limit", "maxqueue"),
    ('discipline = "ared", preset = "linux"', "10 Mbit/s", "adapts", "plain RED"),
]


def warnings(queue: str, rate: str) -> list[str]:
    text = FILE.format(queue=queue, rate=rate, rtt="20 ms")
    return sj.Scenario.from_toml(text, place="file.toml").warnings


@pytest.mark.parametrize(("queue", "rate", "key", "reason"), MISTAKES)
def test_a_known_mistake_is_told(queue, rate, key, reason):
    (told,) = warnings(queue, rate)
    assert told.startswith(f"file.toml:6: dumbbell.bottleneck.queue.{key}: ")
    assert reason in told


@pytest.mark.parametrize(
    ("queue", "rate"),
    [
        ('discipline = "codel"', "10 Mbit/s"),
        ('discipline = "red"', "10 Mbit/s"),
        ('discipline = "pi", limit = "100 packets", target = "50 packets"', "10 Mbit/s"),
        ('discipline = "pie", preset = "ns3"', "10 Mbit/s"),
        ('discipline = "red", limit = "30 packets", gentle = true', "10 Mbit/s"),
        ('discipline = "droptail", limit = "1 bdp"', "10 Mbit/s"),
    ],
)
def test_what_is_no_mistake_is_not(queue, rate):
    assert warnings(queue, rate) == []


def test_a_mistake_of_some_points_names_them_and_the_varied_line():
    text = FILE.format(queue='discipline = "droptail"', rate="10 Mbit/s", rtt="20 ms")
    text += """
[vary]
"dumbbell.bottleneck.queue" = [
    { discipline = "droptail" },
    { discipline = "codel" },
]
"dumbbell.bottleneck.rate" = ["10 Mbit/s", "2 Mbit/s", "1 Mbit/s"]
"""
    first, second = sj.Scenario.from_toml(text, place="file.toml").warnings
    assert first.startswith("file.toml:17: dumbbell.bottleneck.queue.target: ")
    assert first.endswith("(at point 4: queue = codel, rate = 2 Mbit/s)")
    assert second.endswith("(at point 5: queue = codel, rate = 1 Mbit/s)")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('"link.bottleneck.rate" = ["1 Mbit/s", "4 Mbit/s"]', '"link.*.rate" = ["2 Mbit/s"]'),
        (
            '"dumbbell.bottleneck.rate" = ["1 Mbit/s", "4 Mbit/s"]',
            '"link.bottleneck.rate" = ["2 Mbit/s"]',
        ),
        (
            '"dumbbell.bottleneck.queue.limit" = ["9 packets", "99 packets"]',
            '"dumbbell.bottleneck.queue" = [{ limit = "50 packets" }]',
        ),
        (
            '"dumbbell.bottleneck.queue.max_p" = [0.1, 0.2]',
            '"dumbbell.bottleneck.queue" = [{ discipline = "pie" }]',
        ),
    ],
)
def test_a_key_to_vary_that_a_later_one_sets_again_is_told(first, second):
    text = FILE.format(queue='discipline = "red"', rate="10 Mbit/s", rtt="20 ms")
    if "link.*" in second:
        text = text.replace("[dumbbell]\nbottleneck =", '[[link]]\nname = "bottleneck"\n#')
        text = text.replace(
            'rtt = "20 ms"', 'from = "a"\nto = "b"\nduplex = true\nrate = "1 Mbit/s"'
        )
        text = text.replace('name = "tcp"', 'name = "tcp"\nfrom = "a"\nto = "b"')
    text += f"[vary]\n{first}\n{second}\n"
    key, later = first.partition(" = ")[0], second.partition(" = ")[0].strip('"')
    line = text[: text.index(first)].count("\n") + 1
    (told,) = sj.Scenario.from_toml(text, place="file.toml").warnings
    assert told == f"file.toml:{line}: vary.{key}: {later} comes later and sets again what it sets"


def test_keys_to_vary_that_add_to_each_other_are_no_mistake():
    text = FILE.format(queue='discipline = "droptail"', rate="10 Mbit/s", rtt="20 ms")
    text += """
[vary]
"dumbbell.bottleneck.queue" = [{ discipline = "codel" }, { discipline = "pie" }]
"dumbbell.bottleneck.queue.target" = ["15 ms", "20 ms"]
"dumbbell.bottleneck.rate" = ["5 Mbit/s", "10 Mbit/s"]
"""
    assert sj.Scenario.from_toml(text).warnings == []


def test_a_file_without_flows_is_told():
    text = FILE.format(queue='discipline = "droptail"', rate="10 Mbit/s", rtt="20 ms")
    text = text[: text.index("[[flow]]")]
    (told,) = sj.Scenario.from_toml(text, place="file.toml").warnings
    assert told == "file.toml: flow: found none; without a [[flow]] nothing is sent"


@pytest.mark.parametrize(
    ("times", "told"),
    [
        ('start = "1 s"', "it starts at 1 s or later and ends at 1 s"),
        ('start = "uniform(2 s, 3 s)"', "it starts at 2 s or later and ends at 1 s"),
        ('start = "600 ms"\nstop = "500 ms"', "it starts at 600 ms or later and ends at 500 ms"),
        ('start = "uniform(989 ms, 3 s)"', None),
        ('start = "499 ms"\nstop = "500 ms"', None),
    ],
)
def test_a_flow_that_never_sends_is_told(times, told):
    text = FILE.format(queue='discipline = "droptail"', rate="10 Mbit/s", rtt="20 ms") + times
    expected = [f"file.toml:13: flow.tcp.start: nothing is sent: {told}"] if told else []
    assert sj.Scenario.from_toml(text, place="file.toml").warnings == expected


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ("sack = false, rack = true", ["rack"]),
        ('sack = false, prr = "ns-3.37", frto = true, undo = true', ["prr", "frto", "undo"]),
        ('preset = "ns2", rack = true', ["rack"]),
        ("sack = false, prr = false, rack = false", []),
        ('sack = false, preset = "linux"', []),
        ("rack = true, frto = true", []),
    ],
)
def test_what_needs_sack_is_told_where_there_is_none(keys, told):
    text = FILE.format(queue='discipline = "droptail"', rate="10 Mbit/s", rtt="20 ms")
    text = text.replace('protocol = "tcp"', f'protocol = "tcp", {keys}')
    expected = [
        f"file.toml:11: flow.tcp.transport.{key}: without effect: it needs sack, which is false"
        for key in told
    ]
    assert sj.Scenario.from_toml(text, place="file.toml").warnings == expected


@pytest.mark.parametrize(
    ("rtt", "more", "told"),
    [
        ("30 s", "", "its path takes 15 s, and 1 s are left when it starts"),
        ("1 s", 'start = "600 ms"', "its path takes 500 ms, and 400 ms are left when it starts"),
        ("2 s", "", "its path takes 1 s, and 1 s are left when it starts"),
        ("1999 ms", "", None),
        ("2 s", 'start = "2 s"', "nothing is sent"),
        ("2 s", 'stop = "500 ms"', "its path takes 1 s, and 1 s are left when it starts"),
    ],
)
def test_a_flow_of_which_nothing_arrives_is_told(rtt, more, told):
    text = FILE.format(queue='discipline = "droptail"', rate="10 Mbit/s", rtt=rtt) + more
    scenario = sj.Scenario.from_toml(text, place="file.toml")
    if told is None:
        assert scenario.warnings == []
        return
    (warning,) = scenario.warnings
    assert told in warning
    if "path" in told:
        assert warning == f"file.toml:9: flow.tcp: nothing arrives: {told}"
    assert sj.run(scenario).flows["received_packets"].sum() == 0


def test_flows_of_one_table_of_which_nothing_arrives_are_told_once():
    text = FILE.format(queue='discipline = "droptail"', rate="10 Mbit/s", rtt="30 s")
    text = text.replace('name = "tcp"', 'name = "tcp"\ncount = 3')
    (warning,) = sj.Scenario.from_toml(text).warnings
    assert ": flow.tcp.0: nothing arrives: " in warning


def test_a_path_that_may_become_short_is_not():
    text = FILE.format(queue='discipline = "droptail"', rate="10 Mbit/s", rtt="30 s")
    changes = 'changes = [{ at = "10 ms", delay = "1 ms" }], rate ='
    text = text.replace("rtt =", 'access = { delay = "1 ms" }\nrtt =')
    text = text.replace("bottleneck = { rate =", "bottleneck = { " + changes)
    assert sj.Scenario.from_toml(text).warnings == []
