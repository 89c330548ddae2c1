"""What applications do over their connections, and what links make of what flows ask for."""

import pytest

import sojourn as sj


def run(text: str):
    return sj.run(sj.Scenario.from_toml(text))


REQUESTS = """
name = "requests"
duration = "1 s"

[[link]]
name = "there"
from = "server"
to = "client"
rate = "100 Mbit/s"
delay = "42 ms"
duplex = true

[[flow]]
name = "asks"
from = "server"
to = "client"
transport = { protocol = "tcp", handshake = true, fin = FIN }
traffic = { source = "request_response", think = "3 ms" }
stop = "0.18 s"
"""


@pytest.mark.parametrize("fin", ["true", "false"])
def test_what_was_never_sent_is_not_complete(fin):
    """The second request comes when the flow has stopped: no answer follows, and a FIN is none."""
    flows = run(REQUESTS.replace("FIN", fin)).flows
    assert flows["transfers"].to_list() == [1]
    assert flows["slowdown_mean"].item() >= 1


ONOFF = """
name = "onoff"
duration = "1.21 s"

[[link]]
name = "there"
from = "a"
to = "b"
rate = "100 Mbit/s"
delay = "100 ms"
duplex = true

[[flow]]
name = "tcp"
from = "a"
to = "b"
transport = { protocol = "tcp", handshake = true, initial_window = "100 packets" }
traffic = { source = "onoff", preset = "PRESET", rate = "5 Mbit/s", on = "1 s", off = "1 s" }
"""


def test_a_source_of_ns3_begins_after_its_handshake():
    """A second off and a round trip of 0.2 s: nothing written waits for the answer to a SYN."""
    early, late = (
        run(ONOFF.replace("PRESET", preset)).flows["sent_packets"].item()
        for preset in ("ns2", "ns3")
    )
    assert early > 50, "it begins with an off period too, and connects with its first write"
    assert 2 <= late < 10


TWO = """
name = "two"
duration = "3 s"

[[link]]
name = "shared"
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "1 ms"
queue = QUEUE

[[flow]]
name = "one"
from = "a"
to = "b"
transport = { protocol = "udp", payload = "972 B", dscp = ONE }
traffic = { source = "poisson", rate = "0.8 Mbit/s" }

[[flow]]
name = "other"
from = "a"
to = "b"
transport = { protocol = "udp", payload = "972 B", dscp = OTHER }
traffic = { source = "poisson", rate = "0.8 Mbit/s" }
"""


def losses(queue: str, one: int, other: int) -> list[float]:
    text = TWO.replace("QUEUE", queue).replace("ONE", str(one)).replace("OTHER", str(other))
    return run(text).flows["loss_ratio"].to_list()


@pytest.mark.parametrize("queue", ["prio", "pfifo_fast"])
@pytest.mark.parametrize(("first", "behind"), [(4, 46), (4, 0), (46, 18), (0, 34)])
def test_codepoints_choose_the_band(queue, first, behind):
    """Interactive before both and best effort, these before bulk: as Linux reads the codepoint."""
    served, starved = losses(f'{{ discipline = "{queue}", limit = "40 packets" }}', first, behind)
    assert served < 0.35 < starved


def test_of_one_band_neither_comes_first():
    """Expedited Forwarding stands with best effort in the middle band, unless the map moves it."""
    alike = losses('{ discipline = "prio", limit = "40 packets" }', 46, 8)
    assert abs(alike[0] - alike[1]) < 0.1
    first = 'priomap = "1 2 2 2 0 2 0 0 1 1 1 1 1 1 1 1"'
    served, starved = losses(f'{{ discipline = "prio", limit = "40 packets", {first} }}', 46, 8)
    assert served == 0 < starved


def test_a_timeout_of_nothing_is_refused():
    """Time would never go on."""
    with pytest.raises(sj.ScenarioError, match=r"initial_rto.*at least 1 us"):
        run(REQUESTS.replace("fin = FIN", 'initial_rto = "0 s"'))


@pytest.mark.parametrize(
    ("name", "key"), [("fq_codel", "flows"), ("cake", "flows"), ("sfq", "buckets"), ("sfb", "bins")]
)
def test_a_table_that_no_memory_holds_is_refused(name, key):
    queue = f'{{ discipline = "{name}", {key} = 1000000000 }}'
    with pytest.raises(sj.ScenarioError, match=rf"{key}.*1048576"):
        losses(queue, 0, 0)
