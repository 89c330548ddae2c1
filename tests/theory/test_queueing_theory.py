"""What queueing theory knows in closed form, through scenario texts as users write them.

Each value is a mean over replicas with fixed seeds. Every one must lie within four standard errors
of theory, and four in five inside their 95 % interval, as they would if nothing but chance were
between the two. Percentiles have half a percent more room: so exact are they promised to be.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pytest
from scipy import optimize, stats

import sojourn as sj

REPLICAS = 20
QUANTILE_ERROR = 0.005
"""Relative error that percentiles may have."""

MU = 1000.0
"""Packets of 500 B that 4 Mbit/s serve in a second."""

PROPAGATION_S = 0.005


# --- scenarios -----------------------------------------------------------------------------------


def one_server(
    load: float, payload: str = "500 B", limit: str = "none", duration_s: float = 60
) -> str:
    """Poisson arrivals at one link of 4 Mbit/s."""
    return head(duration_s) + link("server", "a", "b", limit=limit) + poisson("in", load, payload)


def head(duration_s: float) -> str:
    return f'name = "theory"\nduration = "{duration_s + 5} s"\nwarmup = "5 s"\nseed = 7\n'


def link(
    name: str,
    start: str,
    end: str,
    *,
    mbps: float = 4,
    limit: str = "none",
    overhead: int = 0,
    discipline: str = "droptail",
) -> str:
    return f"""
[[link]]
name = "{name}"
from = "{start}"
to = "{end}"
rate = "{mbps} Mbit/s"
delay = "{PROPAGATION_S} s"
overhead = "{overhead} B"
queue = {{ discipline = "{discipline}", limit = "{limit}" }}
"""


def flow(name: str, payload: str, traffic: str, end: str = "b", dscp: int = 0) -> str:
    return f"""
[[flow]]
name = "{name}"
from = "a"
to = "{end}"
transport = {{ protocol = "udp", payload = "{payload}", header = "0 B", dscp = {dscp} }}
traffic = {{ {traffic} }}
"""


def poisson(name: str, load: float, payload: str, end: str = "b") -> str:
    return flow(name, payload, f'source = "poisson", rate = "{4000 * load} kbit/s"', end)


# --- theory --------------------------------------------------------------------------------------


def mm1(rho: float) -> dict[str, float]:
    """All that is asked of M/M/1 with `MU`."""
    spare = MU * (1 - rho)
    wait_quantile = lambda p: math.log(rho / (1 - p)) / spare  # noqa: E731
    return {
        "link.utilization": rho,
        "link.queue_mean_packets": rho**2 / (1 - rho),
        "link.queueing_delay_mean_s": rho / spare,
        "link.queueing_delay_p95_s": wait_quantile(0.95),
        "link.queueing_delay_p99_s": wait_quantile(0.99),
        "flow.in.delay_mean_s": 1 / spare + PROPAGATION_S,
        "flow.in.delay_p50_s": math.log(2) / spare + PROPAGATION_S,
    }


def mg1_wait(arrivals_per_s: float, service_s: float, service_s2: float) -> float:
    """Pollaczek and Khinchine: mean wait from the first two moments of the service time."""
    return arrivals_per_s * service_s2 / (2 * (1 - arrivals_per_s * service_s))


def md1_wait_quantile(rho: float, p: float) -> float:
    """Erlang's distribution of the wait in M/D/1, inverted."""

    def cdf(t: float) -> float:
        services = t * MU
        terms = (
            (rho * (k - services)) ** k / math.factorial(k) * math.exp(-rho * (k - services))
            for k in range(int(services) + 1)
        )
        return (1 - rho) * sum(terms)

    return optimize.brentq(lambda t: cdf(t) - p, 0, 20 / MU)


def md1k(rho: float, waiting: int) -> dict[str, float]:
    """M/D/1 with room for so many waiting packets, by the chain embedded at departures."""
    room = waiting + 1
    arrivals = stats.poisson(rho)
    step = np.zeros((room, room))
    for left in range(room):
        after = max(left, 1) - 1
        for new in range(room - 1 - after):
            step[left, after + new] = arrivals.pmf(new)
        step[left, -1] += 1 - step[left].sum()
    equations = np.vstack([step.T - np.eye(room), np.ones(room)])
    left_behind = np.linalg.lstsq(equations, np.append(np.zeros(room), 1), rcond=None)[0]
    scale = left_behind[0] + rho
    present = np.append(left_behind / scale, 1 - 1 / scale)
    queue = sum((n - 1) * p for n, p in enumerate(present) if n > 1)
    return limited(rho, present[-1], queue, present[0])


def mm1k(rho: float, waiting: int) -> dict[str, float]:
    """M/M/1 with room for so many waiting packets."""
    present = rho ** np.arange(waiting + 2)
    present /= present.sum()
    queue = sum((n - 1) * p for n, p in enumerate(present) if n > 1)
    return limited(rho, present[-1], queue, present[0])


def limited(rho: float, loss: float, queue: float, idle: float) -> dict[str, float]:
    return {
        "link.loss_ratio": loss,
        "link.queue_mean_packets": queue,
        "link.queueing_delay_mean_s": queue / (rho * MU * (1 - loss)),
        "link.utilization": 1 - idle,
    }


# --- cases ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A scenario, and what theory says of it: `link.METRIC` is of the link `server`."""

    text: str
    expected: dict[str, float] = field(hash=False)


def cases() -> dict[str, Case]:
    found = {}
    for rho in (0.3, 0.6, 0.85):
        found[f"M/M/1 at {rho}"] = Case(one_server(rho, "exponential(500 B)"), mm1(rho))
    for rho in (0.5, 0.8):
        wait = mg1_wait(rho * MU, 1 / MU, 1 / MU**2)
        found[f"M/D/1 at {rho}"] = Case(
            one_server(rho),
            {
                "link.queue_mean_packets": rho**2 / (2 * (1 - rho)),
                "link.queueing_delay_mean_s": wait,
                "link.queueing_delay_p95_s": md1_wait_quantile(rho, 0.95),
                "flow.in.delay_mean_s": wait + 1 / MU + PROPAGATION_S,
            },
        )
    for rho, waiting in ((0.9, 4), (1.2, 10)):
        found[f"M/D/1/K at {rho}, {waiting} waiting"] = Case(
            one_server(rho, limit=f"{waiting} packets"), md1k(rho, waiting)
        )
    for rho, waiting in ((0.8, 6), (1.1, 3)):
        found[f"M/M/1/K at {rho}, {waiting} waiting"] = Case(
            one_server(rho, "exponential(500 B)", limit=f"{waiting} packets"), mm1k(rho, waiting)
        )
    found["M/M/1/K that drops its head"] = head_drop()
    found["M/M/1 with priorities"] = priorities()
    found["M/G/1, uniform sizes"] = uniform_sizes()
    found["M/G/1, framing"] = framing()
    found["two classes in one queue"] = two_classes()
    found["tandem, slower second server"] = slower_second_server()
    found["on/off, below the rate"] = on_off()
    found["on/off, bursts above the rate"] = fluid()
    return found


def head_drop() -> Case:
    """Which packet goes does not alter how many wait, only how long those do that are sent."""
    rho, waiting = 1.1, 6
    text = head(60) + link("server", "a", "b", limit=f"{waiting} packets", discipline="headdrop")
    text += poisson("in", rho, "exponential(500 B)")
    expected = mm1k(rho, waiting)
    del expected["link.queueing_delay_mean_s"]
    return Case(text, expected)


def priorities() -> Case:
    """Three classes without preemption (A. Cobham, Operations Research 2, 1954)."""
    classes = {"interactive": (0.2, 4), "usual": (0.3, 0), "bulk": (0.3, 2)}
    text = head(60) + link("server", "a", "b", limit="100000 packets", discipline="prio")
    expected, before = {}, 0.0
    in_service = sum(load for load, _ in classes.values()) / MU
    for name, (load, dscp) in classes.items():
        traffic = f'source = "poisson", rate = "{4000 * load} kbit/s"'
        text += flow(name, "exponential(500 B)", traffic, dscp=dscp)
        wait = in_service / ((1 - before) * (1 - before - load))
        expected[f"flow.{name}.delay_mean_s"] = wait + 1 / MU + PROPAGATION_S
        before += load
    return Case(text, expected)


def uniform_sizes() -> Case:
    rho, low, high = 0.7, 0.2 / MU, 1.8 / MU
    square = (low**2 + low * high + high**2) / 3
    wait = mg1_wait(rho * MU, 1 / MU, square)
    text = one_server(rho, "uniform(100 B, 900 B)")
    expected = {
        "link.queueing_delay_mean_s": wait,
        "link.queue_mean_packets": wait * rho * MU,
        "flow.in.delay_mean_s": wait + 1 / MU + PROPAGATION_S,
    }
    return Case(text, expected)


def framing() -> Case:
    """100 B of framing make each packet of 500 B take as long as 600."""
    service, arrivals_per_s = 1.2 / MU, 0.6 * MU
    wait = mg1_wait(arrivals_per_s, service, service**2)
    text = head(60) + link("server", "a", "b", overhead=100) + poisson("in", 0.6, "500 B")
    expected = {
        "link.utilization": arrivals_per_s * service,
        "link.queueing_delay_mean_s": wait,
        "flow.in.delay_mean_s": wait + service + PROPAGATION_S,
    }
    return Case(text, expected)


def two_classes() -> Case:
    """Small and large packets: first in first out makes all wait alike, on average."""
    sizes, loads = {"small": 100, "large": 1500}, {"small": 0.2, "large": 0.5}
    service = {name: size / 500 / MU for name, size in sizes.items()}
    rate = {name: loads[name] / service[name] for name in sizes}
    total = sum(rate.values())
    first = sum(rate[name] * service[name] for name in sizes) / total
    second = sum(rate[name] * service[name] ** 2 for name in sizes) / total
    wait = mg1_wait(total, first, second)
    text = head(60) + link("server", "a", "b")
    text += "".join(poisson(name, loads[name], f"{sizes[name]} B") for name in sizes)
    expected = {
        "link.queue_mean_packets": wait * total,
        "link.queueing_delay_mean_s": wait,
        "link.queue_mean_bytes": wait * sum(rate[name] * sizes[name] for name in sizes),
    }
    for name in sizes:
        expected[f"flow.{name}.delay_mean_s"] = wait + service[name] + PROPAGATION_S
    return Case(text, expected)


def slower_second_server() -> Case:
    """With constant service times the waits of a tandem add up to that at its slowest server."""
    arrivals_per_s, first, second = 0.8 * MU, 0.5 / MU, 1 / MU
    alone = mg1_wait(arrivals_per_s, second, second**2)
    before = mg1_wait(arrivals_per_s, first, first**2)
    text = head(60) + link("first", "a", "m", mbps=8) + link("server", "m", "b")
    text += poisson("in", 0.8, "500 B")
    expected = {
        "link.queueing_delay_mean_s": alone - before,
        "link.queue_mean_packets": (alone - before) * arrivals_per_s,
        "flow.in.delay_mean_s": alone + first + second + 2 * PROPAGATION_S,
    }
    return Case(text, expected)


def on_off() -> Case:
    text = head(60) + link("server", "a", "b")
    traffic = 'source = "onoff", rate = "3 Mbit/s", on = "exponential(20 ms)", off = "{}"'
    text += flow("in", "100 B", traffic.format("exponential(60 ms)"))
    share = 0.25
    expected = {
        "link.utilization": 0.75 * share,
        "flow.in.throughput_bps": 3e6 * share,
        "total.sent_packets": 3e6 * share / 800 * 60,
    }
    return Case(text, expected)


def fluid() -> Case:
    """One exponential source that sends at twice the rate of the link while on.

    As a fluid its queue exceeds x with probability rho exp(-theta x). Packets of 40 B stand for
    the fluid.
    """
    capacity, peak, on_s, off_s = 4e6 / 8, 8e6 / 8, 0.02, 0.04
    rho = peak / capacity * on_s / (on_s + off_s)
    theta = 1 / on_s / (peak - capacity) - 1 / off_s / capacity
    text = head(60) + link("server", "a", "b")
    traffic = f'source = "onoff", rate = "8 Mbit/s", on = "exponential({on_s} s)"'
    text += flow("in", "40 B", traffic + f', off = "exponential({off_s} s)"')
    expected = {"link.utilization": rho, "link.queue_mean_bytes": rho / theta}
    return Case(text, expected)


CASES = cases()
VALUES = [(name, what) for name, case in CASES.items() for what in case.expected]


# --- comparison ----------------------------------------------------------------------------------


@cache
def results(text: str) -> sj.Results:
    return sj.run(sj.Scenario.from_toml(text), replicas=REPLICAS)


def measured(text: str, what: str) -> np.ndarray:
    """One value for each replica."""
    frames = results(text)
    kind, *name, metric = what.split(".")
    if kind == "link":
        rows = frames.links.filter(link="server")
    elif kind == "flow":
        rows = frames.flows.filter(flow=name[0])
    else:
        rows = frames.totals
    assert len(rows) == REPLICAS
    return rows[metric].to_numpy()


def deviation(name: str, what: str) -> tuple[float, float]:
    """How far theory is from the mean, and the standard error of the mean."""
    case = CASES[name]
    values = measured(case.text, what)
    expected = case.expected[what]
    far = abs(values.mean() - expected)
    if "_p5" in what or "_p9" in what:
        far = max(0.0, far - QUANTILE_ERROR * expected)
    return far, values.std(ddof=1) / math.sqrt(len(values))


@pytest.mark.parametrize(("name", "what"), VALUES, ids=lambda part: str(part).replace("/", ""))
def test_theory_is_within_four_standard_errors(name, what):
    far, error = deviation(name, what)
    assert far <= 4 * error


def test_four_in_five_values_lie_inside_their_interval():
    quantile = stats.t.ppf(0.975, REPLICAS - 1)
    inside = [far <= quantile * error for far, error in (deviation(*value) for value in VALUES)]
    assert len(inside) >= 20
    assert sum(inside) >= 0.8 * len(inside)


# --- what holds without any chance ---------------------------------------------------------------


def only(frames: sj.Results, select: Callable[[sj.Results], object]) -> dict[str, float]:
    """The one row of a frame."""
    return select(frames).row(0, named=True)


def constant_rate(mbps: float, limit: str, duration_s: float = 20) -> sj.Results:
    text = head(duration_s) + link("server", "a", "b", limit=limit)
    text += flow("in", "500 B", f'source = "cbr", rate = "{mbps} Mbit/s"')
    return sj.run(sj.Scenario.from_toml(text))


@pytest.mark.parametrize(("mbps", "waiting"), [(5, 50), (4.4, 7), (8, 1)])
def test_constant_overload_loses_the_excess_and_stands_at_the_limit(mbps, waiting):
    row = only(constant_rate(mbps, f"{waiting} packets"), lambda frames: frames.links)
    rho = mbps / 4
    assert row["loss_ratio"] == pytest.approx(1 - 1 / rho, abs=2 / row["arrivals_packets"])
    assert row["queue_max_packets"] == waiting
    assert waiting - 1 <= row["queue_mean_packets"] <= waiting
    assert row["utilization"] == pytest.approx(1, abs=1e-12)
    assert row["throughput_bps"] == pytest.approx(4e6, rel=1e-12)


def test_below_the_rate_constant_traffic_never_waits():
    frames = constant_rate(3.9, "1 packets")
    row = only(frames, lambda frames: frames.links)
    assert row["queue_mean_packets"] == 0
    assert row["queueing_delay_p99_s"] == 0
    assert row["drops_packets"] == 0
    delay = only(frames, lambda frames: frames.flows)["delay_mean_s"]
    assert delay == pytest.approx(1 / MU + PROPAGATION_S, rel=1e-12)


@pytest.mark.parametrize("second_mbps", [4, 10])
def test_equal_packets_never_wait_at_a_second_server_that_is_no_slower(second_mbps):
    text = head(20) + link("first", "a", "m") + link("second", "m", "b", mbps=second_mbps)
    frames = sj.run(sj.Scenario.from_toml(text + poisson("in", 0.9, "500 B")))
    first, second = frames.links.to_dicts()
    assert first["queue_mean_packets"] > 1
    assert second["queue_mean_packets"] == 0
    assert second["queueing_delay_p99_s"] == 0
    # Packets in flight at the ends of the window make the two means differ a little.
    fixed = 2 * PROPAGATION_S + 4000 / 4e6 + 4000 / (second_mbps * 1e6)
    delay = only(frames, lambda frames: frames.flows)["delay_mean_s"]
    assert delay == pytest.approx(first["queueing_delay_mean_s"] + fixed, rel=2e-3)


def test_a_burst_waits_one_serialisation_after_the_other():
    """Ten packets at one instant into an idle link: the k-th waits for k others."""
    text = 'name = "burst"\nduration = "1 s"\n' + link("server", "a", "b", limit="8 packets")
    for k in range(10):
        text += flow(f"one{k}", "500 B", 'source = "cbr", rate = "1 kbit/s"')
    row = only(sj.run(sj.Scenario.from_toml(text)), lambda frames: frames.links)
    # One goes at once, eight wait 1 ms to 8 ms, one finds no room.
    assert (row["arrivals_packets"], row["drops_packets"]) == (10, 1)
    assert row["queueing_delay_mean_s"] == pytest.approx(sum(range(9)) / 9 / MU, rel=1e-12)
    assert row["queue_mean_packets"] == pytest.approx(sum(range(9)) / MU, rel=1e-12)
    assert row["queue_max_packets"] == 8
    assert row["utilization"] == pytest.approx(9 / MU, rel=1e-12)


def test_on_and_off_times_that_are_constant_give_their_share_exactly():
    text = 'name = "share"\nduration = "20 s"\nwarmup = "10 s"\n' + link("server", "a", "b")
    text += flow("in", "500 B", 'source = "onoff", rate = "2 Mbit/s", on = "30 ms", off = "70 ms"')
    row = only(sj.run(sj.Scenario.from_toml(text)), lambda frames: frames.flows)
    assert row["sent_packets"] == pytest.approx(0.3 * 500 * 10, abs=1)
