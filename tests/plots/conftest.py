"""One small experiment for all figures."""

from pathlib import Path

import pytest

import sojourn as sj


@pytest.fixture(scope="session")
def results():
    return sj.run(Path(__file__).parents[1] / "report" / "experiment.toml")


TCP = """
name = "tcp"
duration = "5 s"
warmup = "1 s"
replicas = 2
series = "100 ms"

[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "5 Mbit/s", queue = { discipline = "codel" } }

[[flow]]
name = "cubic"
count = 2
transport = { protocol = "tcp", congestion_control = "cubic" }
traffic = { source = "bulk" }
"""


@pytest.fixture(scope="session")
def tcp_text():
    return TCP


@pytest.fixture(scope="session")
def tcp_results(tcp_text):
    return sj.run(sj.Scenario.from_toml(tcp_text))
