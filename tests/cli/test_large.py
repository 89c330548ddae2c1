"""Networks of very many hosts are read in a time that grows with them, not with their square."""

HOSTS = """
name = "large"
duration = "1 s"

[[link]]
name = "access"
from = "s*"
to = "router"
rate = "100 Mbit/s"

[[link]]
name = "bottleneck"
from = "router"
to = "sink"
rate = "5 Mbit/s"

[[flow]]
name = "burst"
count = 400000
from = "s*"
to = "sink"
transport = { protocol = "udp" }
traffic = { source = "cbr", rate = "1 Mbit/s" }
"""


def test_hosts_to_which_nothing_leads_back(process, tmp_path):
    """Some seconds. With a search through all nodes for each of them it was four minutes."""
    path = tmp_path / "large.toml"
    path.write_text(HOSTS)
    done = process("check", path)
    assert (done.status, done.errors) == (0, ""), done.errors
    assert "ok: large" in done.out
