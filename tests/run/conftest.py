"""Scenarios of one bottleneck with mixed traffic, and those that a module states itself."""

import pytest

import sojourn as sj

HEAD = """
name = "mixed"
duration = "6 s"
warmup = "{warmup}"
seed = 5
replicas = 3
{top}
"""

REST = """
[[link]]
name = "access"
from = "s*"
to = "r"
rate = "20 Mbit/s"
delay = {{ first = "1 ms", step = "1 ms" }}

[[link]]
name = "bottleneck"
from = "r"
to = "d"
rate = "4 Mbit/s"
delay = "{delay}"
queue = {{ discipline = "{discipline}", limit = "30 packets" }}

[[flow]]
name = "bursts"
count = 3
from = "s*"
to = "d"
stop = "{stop}"
start = "uniform(0 s, 0.1 s)"
transport = {{ protocol = "udp", payload = "472 B" }}
traffic.source = "onoff"
traffic.rate = "2 Mbit/s"
traffic.on = "exponential(100 ms)"
traffic.off = "exponential(100 ms)"

[[flow]]
name = "poisson"
from = "s3"
to = "d"
stop = "{stop}"
transport = {{ protocol = "udp", payload = "{payload}" }}
traffic = {{ source = "poisson", rate = "1.5 Mbit/s" }}
"""


@pytest.fixture
def mixed():
    """Make the text; each keyword changes one thing."""

    def make(
        discipline: str = "droptail",
        *,
        payload: str = "exponential(400 B)",
        warmup: str = "1 s",
        delay: str = "10 ms",
        stop: str = "6 s",
        top: str = "",
    ) -> str:
        rest = REST.format(discipline=discipline, payload=payload, delay=delay, stop=stop)
        return HEAD.format(warmup=warmup, top=top) + rest

    return make


@pytest.fixture(scope="module")
def scenario(request) -> sj.Scenario:
    """That of the module's ``SCENARIO``."""
    return sj.Scenario.from_toml(request.module.SCENARIO)


@pytest.fixture(scope="module")
def measured(scenario) -> sj.Results:
    """What its runs found."""
    return sj.run(scenario)
