"""PI controllers: PI (Hollot et al. 2001), PIE (RFC 8033), PI2 and DualPI2 (RFC 9332)."""

from __future__ import annotations


def ramp(
    times: list[float], a: float, b: float, above: float, target: float, tick_s: float
) -> list[float]:
    """PI's probability with the queue held ``above`` its reference since 0, empty before."""
    updates = [int(time / tick_s + 1e-9) for time in times]
    first = a * above + b * target
    return [first + (count - 1) * (a - b) * above for count in updates]


def pie_steps(updates: int, delay_s: float, target_s: float = 0.015) -> list[float]:
    """PIE's probability after each update with the delay at ``delay_s`` (RFC 8033, section 4.2)."""
    bounds = ((1e-6, 2048), (1e-5, 512), (1e-4, 128), (1e-3, 32), (1e-2, 8), (0.1, 2))
    prob, before, found = 0.0, 0.0, []
    for _ in range(updates):
        step = 0.125 * (delay_s - target_s) + 1.25 * (delay_s - before)
        step /= next((by for bound, by in bounds if prob < bound), 1)
        prob += min(step, 0.02) if prob >= 0.1 else step
        before = delay_s
        found.append(min(1.0, prob))
    return found


def classic(prob: float) -> float:
    """Share of classic packets that are signalled: p' squared."""
    return prob**2


def scalable(prob: float, k: float = 2) -> float:
    """Share of scalable packets that are marked: k p'."""
    return min(1.0, k * prob)


def growing_delay(
    updates: int, alpha: float, beta: float, tick_s: float, target_s: float
) -> list[float]:
    """p' after each update while the head that came at 0 only grows older."""
    prob, found = 0.0, []
    for number in range(1, updates + 1):
        prob += alpha * (number * tick_s - target_s) + beta * tick_s
        found.append(min(1.0, max(0.0, prob)))
    return found
