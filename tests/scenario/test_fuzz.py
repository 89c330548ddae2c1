"""Whatever becomes of a good file: it is checked, or refused with one error. Nothing else."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

import sojourn as sj

GOOD = """\
name = "good"
title = "A title"
duration = "60 s"
warmup = "10 s"
seed = 1
replicas = 10

[[link]]
name = "access"
from = "s*"
to = "r1"
rate = "10 Mbit/s"
delay = { first = "3 ms", step = "2 ms" }
duplex = true

[[link]]
name = "trunk"
from = "r1"
to = "d"
rate = "1.5 Mbit/s"
delay = "uniform(1 ms, 20 ms)"
overhead = "18 B"
device_queue = "3 packets"
queue = { discipline = "red", limit = "50 packets", min_th = "5 packets", ecn = false }

[dumbbell]
rtt = "40 ms"
bottleneck = { rate = "10 Mbit/s", queue = { discipline = "sfq" } }

[[flow]]
name = "cbr"
count = 2
from = "s*"
first = 1
to = "d"
transport = { protocol = "udp", payload = "exponential(1000 B)", header = "0 B" }
traffic = { source = "onoff", rate = "0.5 Mbit/s", on = "exponential(500 ms)", off = "500 ms" }
start = "uniform(0 s, 1 s)"

[[flow]]
name = "short"
access = { rate = "20 Mbit/s", delay = "1 ms" }
transport = { protocol = "udp", preset = "ns2" }
traffic = { source = "pareto_onoff", rate = "200 kbit/s", shape = 1.5 }

[vary]
"dumbbell.bottleneck.queue" = [{ discipline = "rem" }, { discipline = "eqm" }]
"flow.cbr.traffic.rate" = { from = "0.1 Mbit/s", to = "0.3 Mbit/s", step = "0.1 Mbit/s" }
"""

TOKEN = re.compile(r'"[^"\n]*"|[A-Za-z_0-9.]+|[^\sA-Za-z_0-9]')
TOKENS = sorted(set(TOKEN.findall(GOOD)))
ODD = [
    *('"0 s"', '"-1 s"', '"1e308 s"', '"1e-308 s"', '"nan s"', '"18446744073709551616 ps"'),
    *('"0 packets"', '"1 packets"', '"0.5 bdp"', '"1e30 bdp"', '"9 EB"', '"1 GB"', '"none"'),
    *('"0 Mbit/s"', '"1 bit/s"', '"10000 Gbit/s"', '"1e99 Gbit/s"', '"1 B"', '"0 B"'),
    *('"exponential(0 s)"', '"pareto(1, 1 s)"', '"lognormal(-1, 1 s)"', '"uniform(2 s, 1 s)"'),
    *('"empirical(nowhere.csv)"', '"empirical(/)"', '"constant(1 B)"', '"s*"', '"*"', '"\\n"'),
    *("nan", "inf", "-inf", "-1", "0", "1e400", "9223372036854775807", "9223372036854775808"),
    *("true", "2020-01-01", "[]", "{}", "[[]]", "[1, [2]]", "''", '"""', "'''", "#", "\\", "\0"),
    *('"é"', '"\\u0000"', "ab" * 200, "\ufeff", "\r", "\u2028"),
]


@st.composite
def mutated(draw) -> str:
    """The good file with some of its lines and words exchanged, doubled or gone."""
    text = GOOD
    for _ in range(draw(st.integers(1, 4))):
        match draw(st.sampled_from(["line", "token", "token", "odd", "odd", "character"])):
            case "line":
                lines = text.split("\n")
                at = draw(st.integers(0, len(lines) - 1))
                other = draw(st.sampled_from(["", lines[at] + "\n" + lines[at], *lines]))
                text = "\n".join([*lines[:at], other, *lines[at + 1 :]])
            case "character":
                at = draw(st.integers(0, len(text)))
                text = text[:at] + draw(st.characters(codec="utf-8")) + text[at + 1 :]
            case kind:
                places = list(TOKEN.finditer(text))
                if places:
                    place = draw(st.sampled_from(places))
                    new = draw(st.sampled_from(TOKENS if kind == "token" else ODD))
                    text = text[: place.start()] + new + text[place.end() :]
    return text


def outcome(text: str, overrides=()) -> str | None:
    try:
        scenario = sj.Scenario.from_toml(text, place="f", overrides=overrides)
    except sj.ScenarioError as error:
        return str(error)
    assert scenario.vary
    return None


def test_the_file_itself_is_good():
    assert outcome(GOOD) is None


FUZZ = settings(max_examples=600)


@FUZZ
@given(mutated())
def test_a_spoilt_file_is_good_or_one_error(text):
    message = outcome(text)
    if message is not None:
        assert message.startswith("f:")
        assert len(message) > len("f: ")


@settings(FUZZ, max_examples=200)
@given(st.text(max_size=300))
def test_any_text_is_one_error(text):
    """No text of this length is a scenario by chance."""
    assert outcome(text) is not None


KEYS = [
    *("duration", "seed", "link.trunk.rate", "link.trunk.queue", "dumbbell.rtt"),
    *("link.trunk.queue.discipline", "flow.cbr.traffic", "flow.cbr.count", "link", "vary"),
    *('link."trunk".delay', 'link."', ".", "a..b", "", "flow.cbr.traffic.rate.x", "link.x.y"),
    *("dumbbell.bottleneck", "flow.cbr.name", "flow.short", "vary.seed", "queue"),
]


@settings(FUZZ, max_examples=300)
@given(st.sampled_from(KEYS) | st.text(max_size=20), st.sampled_from(ODD + TOKENS) | st.text())
def test_an_override_is_good_or_one_error(key, value):
    message = outcome(GOOD, [(key, value)])
    assert message is None or message.startswith("f")
