"""What becomes of packets on the access links of a dumbbell."""

import polars as pl
import pytest

import sojourn as sj

HEAD = """
name = "access"
duration = "8 s"
"""

DUMBBELL = """
[dumbbell]
rtt = "40 ms"
bottleneck = { rate = "10 Mbit/s", queue = { limit = "30 packets" } }
access = { loss = { packets = [7, 90] }, jitter = "2 ms", reverse_jitter = "300 us" }
"""

LINKS = """
[[link]]
name = "bottleneck"
from = "left"
to = "right"
rate = "10 Mbit/s"
delay = "16 ms"
duplex = true
queue = { limit = "30 packets" }
"""

OWN = 'delay = "5 ms", loss = 0, reverse_loss = { packets = [2, 9] }, reorders = true'
WIRES = {
    "plain": 'delay = "2 ms", loss = { packets = [7, 90] }',
    "own": OWN.replace("loss = 0, ", ""),
}


def flow(name: str, keys: str) -> str:
    tcp = 'transport = { protocol = "tcp" }\ntraffic = { source = "bulk" }\n'
    return f'\n[[flow]]\nname = "{name}"\n{keys}\n{tcp}'


def dumbbell() -> str:
    return HEAD + DUMBBELL + flow("plain", "") + flow("own", f"access = {{ {OWN} }}")


def written_out() -> str:
    """The same network, link by link."""
    text, flows = HEAD + LINKS, ""
    for name, wires in WIRES.items():
        for side, ends in [
            ("up", f'from = "{name}_src"\nto = "left"'),
            ("down", f'from = "right"\nto = "{name}_dst"'),
        ]:
            rest = wires.replace(", ", "\n", 1).replace(", reorders", "\nreorders")
            text += f'\n[[link]]\nname = "{name}_{side}"\n{ends}\nrate = "100 Mbit/s"\n{rest}\n'
            text += 'jitter = "2 ms"\nreverse_jitter = "300 us"\nduplex = true\n'
        flows += flow(name, f'from = "{name}_src"\nto = "{name}_dst"')
    return text + flows


def ran(text: str) -> sj.Results:
    return sj.run(sj.Scenario.from_toml(text))


def test_each_access_link_has_the_wires_of_the_table():
    results = ran(dumbbell())
    lost = dict(results.links.select("link", "drops_packets").iter_rows())
    for link in ["plain.up", "plain.down"]:
        assert (lost[link], lost[f"{link}.reverse"]) == (2, 0), link
    for link in ["own.up", "own.down"]:
        assert (lost[link], lost[f"{link}.reverse"]) == (0, 2), link


def test_a_dumbbell_is_the_network_written_out():
    one, other = ran(dumbbell()), ran(written_out())
    assert one.flows.equals(other.flows)
    named = other.links.with_columns(pl.col("link").str.replace("_", "."))
    assert one.links.sort("link").equals(named.sort("link"))


def test_from_python():
    access = {"loss": {"packets": [7, 90]}, "jitter": "2 ms", "reverse_jitter": "300 us"}
    own = {"delay": "5 ms", "loss": 0, "reverse_loss": {"packets": [2, 9]}, "reorders": True}
    scenario = sj.dumbbell(
        rate="10 Mbit/s",
        rtt="40 ms",
        queue=sj.queue.DropTail(limit="30 packets"),
        access=access,
        flows=[sj.tcp(name="plain"), sj.tcp(name="own", access=own)],
        name="access",
        duration="8 s",
    )
    assert sj.run(scenario).flows.equals(ran(dumbbell()).flows)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ('jitter = "fast"', 'dumbbell.access.jitter: found "fast"; allowed: a time'),
        ("loss = 2", "dumbbell.access.loss: found 2; allowed: a number from 0 to 1"),
        ('reorders = "no"', 'dumbbell.access.reorders: found "no"; allowed: "auto" or true'),
        ("changes = []", "dumbbell.access.changes: "),
    ],
)
def test_what_is_wrong_is_named(keys: str, said: str):
    dumbbell = DUMBBELL.replace("loss = { packets = [7, 90] }, ", "")
    text = HEAD + dumbbell.replace('jitter = "2 ms"', keys) + flow("plain", "")
    with pytest.raises(sj.ScenarioError) as caught:
        sj.Scenario.from_toml(text)
    assert said in str(caught.value)
