"""Ctrl-C ends the check of a scenario of very many points."""

import signal
import threading

import pytest

import sojourn as sj

POINTS = 300_000
"""So many take long enough on any machine to be interrupted, and the last of them is wrong."""

SCENARIO = f"""
name = "many"
duration = "1 s"

[[link]]
name = "line"
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "1 ms"
queue = {{ discipline = "red", limit = "50 packets", max_p = 0.1 }}

[[flow]]
name = "load"
from = "a"
to = "b"
transport = {{ protocol = "udp" }}
traffic = {{ source = "cbr", rate = "1 Mbit/s" }}

[vary]
"link.line.queue.max_p" = [0.1, 7]
seed = {{ from = 1, to = {POINTS}, step = 1 }}
"""


def test_ctrl_c_is_heard_before_the_first_error(tmp_path):
    path = tmp_path / "many.toml"
    path.write_text(SCENARIO)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        sj.Scenario.load(path)
    timer.join()
    assert caught.value.__context__ is None
