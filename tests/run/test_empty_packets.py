"""Acknowledgements without a byte, where TCP has no headers: on a link with an overhead they take
time, the first packet of a link too."""

import pytest

import sojourn as sj

TEXT = """
name = "empty-packets"
duration = "3 s"

[[link]]
name = "line"
from = "a"
to = "b"
duplex = true
rate = "8 kbit/s"
overhead = "10 B"
{changes}

[[flow]]
name = "tcp"
from = "a"
to = "b"
transport = {{ protocol = "tcp", segment = "990 B", header = "0 B", initial_rto = "3 s" }}
traffic = {{ source = "bulk", bytes = "990 B" }}
"""

CHANGES = 'changes = [{ at = "500 ms", rate = "16 kbit/s" }]'


@pytest.mark.parametrize(("changes", "rtt_s"), [("", 1.05), (CHANGES, 1.045)])
def test_an_acknowledgement_without_a_byte_takes_the_time_of_the_overhead(changes, rtt_s):
    """A segment that takes a second at the first rate, 40 ms, and an acknowledgement of ten."""
    results = sj.run(sj.Scenario.from_toml(TEXT.format(changes=changes)))
    assert results.flows.row(0, named=True)["rtt_mean_s"] == pytest.approx(rtt_s, abs=1e-9)


DUMBBELL = """
name = "empty-packets"
duration = "2 s"

[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "2 Mbit/s" }

[[flow]]
name = "tcp"
count = 4
transport = { protocol = "tcp", segment = "990 B", header = "0 B" }
traffic = { source = "bulk" }
"""


@pytest.mark.parametrize("text", [TEXT.format(changes=""), TEXT.format(changes=CHANGES), DUMBBELL])
def test_a_trace_changes_nothing(tmp_path, text):
    scenario = sj.Scenario.from_toml(text)
    assert sj.run(scenario) == sj.run(scenario, trace_format="ns2", trace_folder=tmp_path)
