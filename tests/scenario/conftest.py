"""A small good scenario that tests bend."""

from dataclasses import dataclass

import pytest

GOOD = """\
name = "good"
duration = "2 s"

[[link]]
name = "bottleneck"
from = "a"
to = "b"
rate = "4 Mbit/s"
delay = "1 ms"
queue = { discipline = "droptail", limit = "10 packets" }

[[flow]]
name = "load"
from = "a"
to = "b"
transport = { protocol = "udp", payload = "500 B" }
traffic = { source = "poisson", rate = "1 Mbit/s" }
"""


@dataclass(frozen=True)
class Good:
    """The text of a good scenario file."""

    text: str = GOOD

    def but(self, old: str, new: str) -> "Good":
        """Put `new` in the place of `old`, which must be there."""
        assert old in self.text
        return Good(self.text.replace(old, new))

    def line_of(self, part: str) -> int:
        """The number of the first line that has `part`."""
        lines = self.text.splitlines()
        return next(number for number, line in enumerate(lines, start=1) if part in line)


@pytest.fixture
def good() -> Good:
    return Good()
