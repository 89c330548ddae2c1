"""How much longer a transfer takes than alone on the empty path: there, exactly as long."""

import pytest

import sojourn as sj


@pytest.mark.parametrize("size", [1, 1460, 1461, 2920, 2921, 14600])
@pytest.mark.parametrize("access", ["10 Mbit/s", "15 Mbit/s", "100 Mbit/s"])
def test_alone_it_is_one(access: str, size: int) -> None:
    """The initial window holds all segments, so that they go one right behind the other."""
    scenario = sj.Scenario.from_toml(
        f"""
        name = "alone"
        duration = "1 s"

        [dumbbell]
        rtt = "4 ms"
        bottleneck = {{ rate = "10 Mbit/s", queue = {{ discipline = "droptail" }} }}
        access = {{ rate = "{access}" }}

        [[flow]]
        name = "transfer"
        transport = {{ protocol = "tcp" }}
        traffic = {{ source = "bulk", bytes = "{size} B" }}
        """
    )
    [slowdown] = sj.run(scenario).flows["slowdown_mean"]
    assert slowdown == pytest.approx(1, rel=1e-9)
