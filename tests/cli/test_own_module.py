"""A module of the user in the program: it begins, and it ends."""

MODULE = '''
import sojourn as sj


class Held:
    """In a cycle, as bindings of other libraries often are: cleared at the end, or never."""

    def __init__(self):
        self.itself = self

    def __del__(self):
        print("cleared")


held = Held()


class Full(sj.queue.Discipline):
    """Takes five packets."""

    def enqueue(self, now, size, flow, ecn):
        return sj.queue.ACCEPT if self.packets < 5 else sj.queue.DROP
'''

SCENARIO = """
name = "own"
duration = "100 ms"

[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "5 Mbit/s", queue = { discipline = "held:Full" } }

[[flow]]
name = "load"
transport = { protocol = "udp" }
traffic = { source = "poisson", rate = "6 Mbit/s" }
"""


def test_it_is_cleared_at_the_end(process, tmp_path):
    (tmp_path / "held.py").write_text(MODULE)
    (tmp_path / "own.toml").write_text(SCENARIO)
    done = process("run", "own.toml")
    assert done.status == 0, done.errors
    assert done.out.endswith("cleared\n")
