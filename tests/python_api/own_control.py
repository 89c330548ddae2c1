"""Congestion controls in Python."""

import sojourn as sj


class NewReno(sj.transport.CongestionControl):
    """RFC 5681's growth and halving."""

    factor = sj.params.probability(0.5, "What is left of the window after a loss.")

    def on_ack(self, ack):
        if ack.may_grow:
            left = self.slow_start(ack.acked)
            self.cwnd += left / self.cwnd

    def on_loss(self, loss):
        self.reduce(loss, self.factor * loss.in_flight)


class Fails(NewReno):
    """Raises at the first loss."""

    def on_loss(self, loss):
        raise RuntimeError("no loss, please")


class Vanishes(NewReno):
    """Sets a window of nothing."""

    def on_loss(self, loss):
        self.cwnd = 0.0


class FailsWhenNew(NewReno):
    """Raises before the first acknowledgement, where it is told to."""

    fails = False

    def reset(self):
        if self.fails:
            raise ZeroDivisionError("when new")
