"""Controllers alone, spoken to through the driver, against formulas and tables of their RFCs."""

import json
import math

import pytest

from sojourn._core import Driver


class Controller:
    """A bare controller that is told of acknowledgements of one segment each."""

    def __init__(self, name: str, cwnd: float, ssthresh: float, **params) -> None:
        self.driver = Driver()
        self.now = 0.0
        windows = {"cwnd_segments": cwnd, "ssthresh_segments": ssthresh}
        new = {
            "cmd": "new",
            "congestion_control": name,
            "params": {"mss": 60_000} | windows | params,
        }
        self.state = self._say(new)

    def _say(self, words: dict) -> dict:
        return json.loads(self.driver.answer(json.dumps(words)))["state"]

    @property
    def cwnd(self) -> float:
        return self.state["cwnd_segments"]

    def ack(self, rtt: float, **more) -> float:
        words = {"cmd": "ack", "t_ns": round(self.now * 1e9), "rtt_s": rtt, "segments": 1}
        self.state = self._say(words | more)
        return self.cwnd

    def lose(self, kind: str = "fast_retransmit") -> float:
        words = {"cmd": "loss", "t_ns": round(self.now * 1e9), "kind": kind}
        self.state = self._say(words)
        return self.cwnd

    def round_trip(self, rtt: float) -> None:
        """A window of acknowledgements, spread over a round trip."""
        number = int(self.cwnd)
        for _ in range(number):
            self.now += rtt / number
            self.ack(rtt)


@pytest.mark.parametrize(("rtt", "until"), [(0.1, 4.3), (0.3, 8.4)])
def test_cubics_window_follows_its_cube(rtt, until):
    """RFC 9438, 4.2: W(t) = C (t - K)^3 + W_max with K = cbrt((W_max - cwnd) / C), C = 0.4.

    From 100 segments, beta 0.7: cwnd 70, K = cbrt(30 / 0.4) = 4.217 s. The window at t is on its
    way to W(t + RTT), so it lies between W(t) and that. W_est, which starts at 70 and gains 0.53
    a round trip, stays below: 92.8 at 4.3 s with 0.1 s, 84.8 at 8.4 s with 0.3 s.
    """
    control = Controller("cubic", 100, 100)
    assert control.lose() == pytest.approx(70)
    k = math.cbrt(30 / 0.4)
    while control.now < until:
        control.round_trip(rtt)
        low, high = (0.4 * (at - k) ** 3 + 100 for at in (control.now - rtt, control.now + rtt))
        assert low - 0.1 <= control.cwnd <= high + 0.1, control.now


def test_cubic_with_fast_convergence_aims_lower_after_a_second_loss():
    """RFC 9438, 4.7: a loss at 70, below W_max of 100, makes W_max 70 (1 + 0.7) / 2 = 59.5.

    cwnd 49; after K = cbrt(10.5 / 0.4) = 2.972 s the window is back at 59.5. With a round trip of
    0.3 s W_est stays below 54.3.
    """
    control = Controller("cubic", 100, 100)
    control.lose()
    assert control.lose() == pytest.approx(49)
    begun = control.now
    while control.now - begun < math.cbrt(10.5 / 0.4):
        control.round_trip(0.3)
    assert control.cwnd == pytest.approx(59.5, abs=0.3)


HIGHSPEED = """38 1 0.50, 118 2 0.44, 221 3 0.41, 347 4 0.38, 495 5 0.37, 663 6 0.35, 851 7 0.34,
1058 8 0.33, 1284 9 0.32, 1529 10 0.31, 1793 11 0.30, 2076 12 0.29, 2378 13 0.28"""
"""RFC 3649, appendix B: window, a(w), b(w)."""


@pytest.mark.parametrize("row", HIGHSPEED.split(","))
def test_highspeeds_table(row):
    """The table tells the least window whose a(w) reaches a whole number.

    By section 5: b(w) = (0.1 - 0.5) (ln w - ln 38) / (ln 83000 - ln 38) + 0.5,
    p(w) = 0.078 / w^1.2 and a(w) = w^2 p(w) 2 b(w) / (2 - b(w)):
    a(118) = 13924 x 2.546e-4 x 0.5658 = 2.006.
    """
    window, a, b = (float(cell) for cell in row.split())
    control = Controller("highspeed", window, window)
    gained = (control.ack(0.1) - window) * window
    assert gained == pytest.approx(a, rel=0.01)
    control = Controller("highspeed", window, window)
    assert 1 - control.lose() / window == pytest.approx(b, abs=0.006)


def sent_by_dctcp(marked: set[int], acknowledged: int) -> dict:
    """The state of a sender of ten segments after so many acknowledgements, some marked."""
    driver = Driver()

    def say(words: dict) -> dict:
        return json.loads(driver.answer(json.dumps(words)))["state"]

    sender = {"congestion_control": "dctcp", "mss": 1000, "initial_window": 10}
    say({"cmd": "new", "tcp_sender": sender | {"initial_ssthresh": 10}})
    say({"cmd": "app_write", "t_ns": 0, "bytes": 10**6})
    for number in range(1, acknowledged + 1):
        at = {"t_ns": 100_000_000 + 10_000_000 * number, "ack": 1 + 1000 * number}
        state = say({"cmd": "ack_in"} | at | {"ece": number in marked})
    return state


def dctcp_window(clean: int) -> float:
    """Ten segments after clean acknowledgements that add 1 / cwnd each (RFC 5681, equation 3)."""
    cwnd = 10.0
    for _ in range(clean):
        cwnd += 1 / cwnd
    return cwnd


def test_dctcps_alpha_over_three_windows():
    """RFC 8257, 3.3: alpha = (1 - g) alpha + g M at the end of each window, g = 1/16, first 1.

    WindowEnd starts at SND.UNA, so that the first acknowledgement ends a window: M = 0, alpha =
    15/16. The next one ends with what was out then, the tenth segment: acknowledgement 11 lies
    beyond. It is the first marked, one of the ten since: M = 0.1, alpha = (15/16)^2 + 0.1/16 =
    0.88516. The window falls by the half of that.
    """
    alpha = (15 / 16) ** 2 + 0.1 / 16
    state = sent_by_dctcp({11}, 11)
    assert state["cwnd_segments"] == pytest.approx(dctcp_window(10) * (1 - alpha / 2), abs=2e-3)
    assert state["recovery"] == "cwr"


def test_dctcp_reduces_once_a_window():
    """RFC 8257, 3.4, by RFC 3168: the echoes up to what was out at the first take no more."""
    after_one, after_more = (sent_by_dctcp(set(range(11, 16)), count) for count in (11, 15))
    assert after_more["cwnd_segments"] == after_one["cwnd_segments"]


def test_dctcp_halves_at_a_loss():
    """RFC 8257, 3.5: a loss is answered as RFC 5681 says, whatever alpha is."""
    control = Controller("dctcp", 20, 20, initial_alpha=0.1)
    assert control.lose() == pytest.approx(10)
    control = Controller("dctcp", 20, 20, initial_alpha=0.1)
    assert control.lose("ecn") == pytest.approx(20 * 0.95)
