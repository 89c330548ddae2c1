"""The classes of `own.py` and of the how-to page, and a small overloaded link."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sojourn as sj

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "how-to" / "own-discipline.md"

sys.path.insert(0, str(HERE))


def blocks(page: Path = PAGE) -> list[str]:
    """The Python blocks of a page."""
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="session")
def page_codel() -> type:
    """CoDel as the page has it."""
    names: dict[str, Any] = {"__name__": "page"}
    exec(next(block for block in blocks() if "class CoDel" in block), names)
    return names["CoDel"]


@pytest.fixture
def overloaded() -> Callable[..., sj.Scenario]:
    """A link of 4 Mbit/s under bursts of 5 Mbit/s, behind a queue."""

    def make(queue: Any, **head: Any) -> sj.Scenario:
        given = {"duration": "5 s", "seed": 3} | head
        bursts = sj.source.OnOff(
            rate="4 Mbit/s", on="exponential(300 ms)", off="exponential(100 ms)"
        )
        load = sj.udp(sj.source.Poisson(rate="2 Mbit/s"), payload="472 B", from_="a", to="b")
        more = sj.udp(bursts, payload="exponential(700 B)", from_="a", to="b")
        bottleneck = sj.link(
            "a", "b", "4 Mbit/s", duplex=False, name="x", delay="1 ms", queue=queue
        )
        return sj.network([bottleneck], load + more, **given)

    return make
