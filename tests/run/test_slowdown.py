"""How much longer a transfer takes than alone on the empty path: there, exactly as long."""

import pytest

import sojourn as sj


@pytest.mark.parametrize("size", [1, 1460, 1461, 2920, 2921, 14600])
@pytest.mark.parametrize("access", ["10 Mbit/s", "15 Mbit/s", "100 Mbit/s"])
def test_alone_it_is_one(access: str, size: int) -> None:
    """The initial window holds all segments, so that they go one right behind the other."""
    traffic = f'source = "bulk", bytes = "{size} B"'
    transfers, slowdown = alone(traffic, rtt="4 ms", access=access)
    assert transfers == 1
    assert slowdown == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize("handshake", ["true", "false"])
@pytest.mark.parametrize("persistent", ["true", "false"])
def test_an_answer_to_a_request_alone_is_one(handshake: str, persistent: str) -> None:
    """Its request belongs to it, and a handshake where it is the first of its connection."""
    traffic = f'source = "request_response", think = "100 ms", persistent = {persistent}'
    transfers, slowdown = alone(traffic, handshake=handshake)
    assert transfers > 5
    assert slowdown == pytest.approx(1, rel=1e-9)


def test_a_page_has_none() -> None:
    """A page holds pauses, and as many round trips as it has rounds of objects."""
    transfers, slowdown = alone('source = "web", reading = "100 ms"')
    assert transfers > 0
    assert slowdown is None


def alone(
    traffic: str, *, rtt: str = "40 ms", access: str = "100 Mbit/s", handshake: str = "false"
) -> tuple[float, float | None]:
    """Transfers and slowdown of one flow alone, whose windows hold all."""
    scenario = sj.Scenario.from_toml(
        f"""
        name = "alone"
        duration = "2 s"

        [dumbbell]
        rtt = "{rtt}"
        bottleneck = {{ rate = "10 Mbit/s", queue = {{ discipline = "droptail" }} }}
        access = {{ rate = "{access}" }}

        [[flow]]
        name = "flow"
        transport = {{ protocol = "tcp", handshake = {handshake} }}
        traffic = {{ {traffic} }}
        """
    )
    [row] = sj.run(scenario).flows.to_dicts()
    return row["transfers"], row["slowdown_mean"]
