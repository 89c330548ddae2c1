"""Evidence that begins with a few replicas runs the others where a number then lies outside."""

from sojourn.validate import comparison
from sojourn.validate.evidence import load
from sojourn.validate.finding import Verdict

NETWORK = """
name = "half-and-full"
duration = "1 s"
replicas = 20

[[link]]
name = "bottleneck"
from = "a"
to = "b"
rate = "8 Mbit/s"

[[flow]]
name = "load"
from = "a"
to = "b"
transport = { protocol = "udp", payload = "1000 B", header = "0 B" }
traffic = { source = "cbr", rate = "4 Mbit/s" }

[vary]
"flow.load.traffic.rate" = ["4 Mbit/s", "8 Mbit/s"]
"""
PEER = """subject,peer,version,run,traffic.rate,metric,n,mean,sd
droptail,paper,1,none,4 Mbit/s,links.bottleneck.utilization,1,0.5,0
droptail,paper,1,none,8 Mbit/s,links.bottleneck.utilization,1,0.5,0
"""


def checks(folder, more: str) -> list[comparison.Check]:
    (folder / "network.toml").write_text(NETWORK)
    (folder / "peer.csv").write_text(PEER)
    (folder / "evidence.toml").write_text(f'title = "t"\nnetworks = ["network.toml"]\n{more}')
    told = []
    plan = comparison.plan(load(folder))
    found = comparison.compare(plan, progress=lambda done, total: told.append((done, total)))
    assert told[-1][0] == told[-1][1] == len(told)
    return found


def test_the_others_follow_only_where_a_number_lies_outside(tmp_path):
    agrees, differs = checks(tmp_path, "first_replicas = 3\n")
    assert (agrees.verdict, agrees.replicas) == (Verdict.AGREES, 3)
    assert (differs.verdict, differs.replicas) == (Verdict.DIFFERS, 20)


def test_without_it_all_are_run(tmp_path):
    assert [check.replicas for check in checks(tmp_path, "")] == [20, 20]
