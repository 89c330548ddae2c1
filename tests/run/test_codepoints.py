"""The ECN codepoints that flows send with, read off the log of every packet."""

import polars as pl
import pytest

import sojourn as sj
from sojourn.events import log_events

SCENARIO = """
name = "codepoints"
duration = "2 s"

[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "10 Mbit/s", queue = { discipline = "dualpi2" } }
"""

FLOW = """
[[flow]]
name = "{name}"
transport = {{ {transport} }}
traffic = {{ source = {source} }}
"""

TCP = 'protocol = "tcp", congestion_control = "{}"'

BULK, CBR = '"bulk"', '"cbr", rate = "500 kbit/s"'

FLOWS = {
    "none": ('protocol = "udp"', CBR, "not"),
    "classic": ('protocol = "udp", ecn = true', CBR, "ect0"),
    "scalable": ('protocol = "udp", ecn = "ect1"', CBR, "ect1"),
    "dctcp": (TCP.format("dctcp"), BULK, "ect0"),
    "l4s": (TCP.format("dctcp") + ", use_ect0 = false", BULK, "ect1"),
    "halved": (TCP.format("dctcp") + ', use_ect0 = false, ecn = "classic"', BULK, "ect0"),
    "prague": (TCP.format("prague"), BULK, "ect1"),
    "cubic": (TCP.format("cubic") + ', ecn = "classic"', BULK, "ect0"),
    "deaf": (TCP.format("cubic"), BULK, "not"),
}
"""Name: its transport, what it sends, the codepoint of its data."""


@pytest.fixture
def sent(tmp_path) -> dict[str, list[str]]:
    """The codepoints of the data of each flow, as it was sent."""
    flows = (
        FLOW.format(name=name, transport=transport, source=source)
        for name, (transport, source, _) in FLOWS.items()
    )
    scenario = sj.Scenario.from_toml(SCENARIO + "".join(flows))
    log = pl.read_parquet(log_events(scenario, tmp_path))
    data = log.filter(pl.col("kind") != "ack", event="enqueue", way="there")
    first = data.group_by("packet").first()
    return dict(first.group_by("flow").agg(pl.col("ecn").unique()).iter_rows())


def test_flows_send_with_the_codepoint_that_they_name(sent):
    assert sent == {name: [codepoint] for name, (_, _, codepoint) in FLOWS.items()}
