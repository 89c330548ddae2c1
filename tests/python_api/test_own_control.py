"""A congestion control in Python is one like any other."""

import own_control
import pytest

import sojourn as sj
from sojourn.comparison.question import Question


def scenario(control) -> sj.Scenario:
    flows = 2 * sj.tcp(control, name="tcp") + sj.udp(sj.source.Poisson(rate="1 Mbit/s"))
    queue = sj.queue.DropTail(limit="20 packets")
    return sj.dumbbell(rate="5 Mbit/s", rtt="30 ms", queue=queue, flows=flows, duration="15 s")


def test_newreno_in_python_is_newreno_packet_for_packet(tmp_path):
    traces = []
    for name, control in (("a", "newreno"), ("b", own_control.NewReno)):
        sj.run(scenario(control), trace_folder=tmp_path / name)
        traces.append((tmp_path / name / "trace.tr").read_text())
    assert traces[0].count("\nd ") > 20
    assert traces[0] == traces[1]


def test_parameters_and_workers():
    gentle = scenario(own_control.NewReno(factor=0.9)).with_overrides({"replicas": 2})
    one, two = (sj.run(gentle, jobs=jobs) for jobs in (1, 2))
    assert one.flows.equals(two.flows)
    usual = sj.run(scenario(own_control.NewReno()).with_overrides({"replicas": 2}))
    assert (one.flows["retransmits"].sum() or 0) > (usual.flows["retransmits"].sum() or 0)
    with pytest.raises(sj.params.ParamError, match="factor: found 2"):
        own_control.NewReno(factor=2)


def test_an_exception_ends_the_run():
    with pytest.raises(
        sj.UserCodeError, match=r"own_control:Fails: on_loss raised[^$]*no loss, pl"
    ):
        sj.run(scenario(own_control.Fails))
    with pytest.raises(sj.UserCodeError, match="found cwnd = 0, ssthresh = inf; allowed"):
        sj.run(scenario(own_control.Vanishes))


def test_a_comparison_takes_it_by_its_name():
    question = Question(("codel",), flows="2 own_control:NewReno + 1 newreno")
    assert question.elastic() == ["NewReno", "newreno"]
    results = sj.run(question.scenario().with_overrides({"duration": "12 s", "replicas": 1}))
    assert results.flows["flow"].n_unique() == 3


def test_a_class_that_is_none_is_refused():
    with pytest.raises(sj.ScenarioError, match="allowed: a class that inherits from"):
        sj.dumbbell(
            rate="1 Mbit/s",
            rtt="9 ms",
            flows=sj.tcp("pathlib:Path"),
        )


class Runaway(sj.transport.CongestionControl):
    """Half as large again at every acknowledgement: what one forgets to bound."""

    def on_ack(self, ack):
        self.cwnd *= 1.5

    def on_loss(self, loss):
        self.cwnd = max(1.0, loss.in_flight / 2)


def test_a_window_that_grows_without_bound_fills_no_memory():
    flows = sj.tcp(Runaway, segment="65000 B")
    line = sj.dumbbell(rate="1 Gbit/s", rtt="10 ms", flows=flows, duration="1 s")
    series = sj.run(line, jobs=1, series_interval="10 ms").series("in_flight_packets")
    # As much as TCP's largest window has room for (RFC 7323), and no more.
    assert series["value"].max() <= (65_535 << 14) // 65_000


class Backwards(sj.transport.CongestionControl):
    """Asks to be sent at less than nothing."""

    pacing = True

    def on_ack(self, ack):
        self.pacing_rate = -1e6

    def on_loss(self, loss):
        self.reduce(loss, self.cwnd / 2)


def test_a_pace_below_nothing_is_refused():
    with pytest.raises(sj.UserCodeError, match=r"found pacing_rate = -1000000; allowed: bit/s"):
        sj.run(scenario(Backwards))
