"""REM: Athuraliya, Li, Low, Yin 2001."""

from __future__ import annotations


def price(
    times: list[float],
    excess: float,
    waiting: float,
    gamma: float,
    alpha: float,
    target: float,
    tick_s: float,
) -> list[float]:
    """Price at some times: linear while rate and queue stand still.

    ``excess`` is arrivals less what the link can send, in packets a tick.
    """
    slope = gamma * (excess + alpha * (waiting - target)) / tick_s
    return [max(0.0, slope * time) for time in times]


def probability_after_idle(price: float, gamma: float, sent: float, phi: float = 1.001) -> float:
    """1 - phi^-price, the price having fallen by one tick of an idle link with alpha zero."""
    return 1 - phi ** -(price - gamma * sent)
