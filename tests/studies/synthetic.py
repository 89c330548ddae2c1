"""Frames of a run that never was, with outcomes that a test chooses.

They keep the laws of a real run: common arrivals, nobody loses less than drop-tail, Little's law,
delays above the path's own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from sojourn.studies.eqm import network, scenario
from sojourn.studies.knobs import Settings, settle

SMALL = {"loads": "12", "duration": "30 s", "replicas": "8"}

QUEUES = {"eqm": 10.0, "red": 14.0, "rem": 22.0, "sfq": 12.0, "droptail": 23.0}
"""Mean queue at the highest load, in packets."""

LOSSES = {"eqm": 1.6, "red": 1.5, "rem": 1.1, "sfq": 1.4, "droptail": 1.0}
"""Packets lost, relative to drop-tail."""


@dataclass
class SyntheticFrames:
    """The frames that a study reads."""

    points: pl.DataFrame
    links: pl.DataFrame
    totals: pl.DataFrame
    sojourn: str = "0.0.0-test"
    seed: int = 1
    replicas: int = 8
    complete: bool = True
    extra: dict[str, object] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """Leave a sign that the frames were written."""
        folder.mkdir(parents=True)
        (folder / "links.parquet").touch()


def settings(**given: str) -> Settings:
    """Settings of a small run."""
    return settle("eqm", scenario.KNOBS, SMALL | given)


def frames(
    settled: Settings | None = None,
    *,
    queues: Mapping[str, float] = QUEUES,
    losses: Mapping[str, float] = LOSSES,
    loss_below: Mapping[str, float] | None = None,
    disciplines: list[dict[str, object]] | None = None,
    seed: int = 5,
) -> SyntheticFrames:
    """Frames for these settings. Losses begin above the capacity, unless `loss_below` (packets
    per run) says otherwise."""
    settled = settled or settings()
    net = network.of(scenario.document(settled), settled)
    random = np.random.default_rng(seed)
    replicas = settled["replicas"]
    factor = scenario.peak_factor(settled)
    common = {
        (load, replica): 1 + 0.03 * random.normal()
        for load in net.loads
        for replica in range(replicas)
    }
    points, links, totals = [], [], []
    point = 0
    for queue in disciplines or scenario.queues(settled):
        name = str(queue["discipline"])
        for load, rate in zip(net.loads, scenario.stated_rates(settled), strict=True):
            points.append(
                {
                    "point": point,
                    scenario.QUEUE_KEY: json.dumps(queue),
                    scenario.RATE_KEY: float(rate * factor),
                }
            )
            over = max(0.0, load - net.capacity_mbps)
            for replica in range(replicas):
                noise = common[load, replica]
                duty = float(scenario.duty(settled))
                sent = round(noise * load * duty * 1e6 / 4000 * net.duration)
                base_loss = 0.02 * over / 1.0 * sent * abs(noise)
                lost = round(base_loss * losses[name])
                if over == 0 and loss_below:
                    lost = round(loss_below.get(name, 0.0))
                received = sent - lost
                mean_queue = 0.02 * load + queues[name] * over * noise
                served = received * 4000 / net.duration
                wait = mean_queue / (received / net.duration)
                path = net.path_propagation + net.path_serialisation
                links.append(
                    {
                        "point": point,
                        "replica": replica,
                        "link": "bottleneck",
                        "utilization": served / net.bottleneck_rate,
                        "throughput_bps": served,
                        "arrivals_packets": float(sent),
                        "drops_packets": float(lost),
                        "queue_mean_packets": mean_queue,
                        "queueing_delay_mean_s": wait,
                    }
                )
                links.append(links[-1] | {"link": "access0", "drops_packets": 0.0})
                totals.append(
                    {
                        "point": point,
                        "replica": replica,
                        "sent_packets": float(sent),
                        "received_packets": float(received),
                        "throughput_bps": served,
                        "loss_ratio": lost / sent,
                        "delivery_ratio": received / sent,
                        "delay_mean_s": path + wait,
                    }
                )
            point += 1
    return SyntheticFrames(
        pl.DataFrame(points), pl.DataFrame(links), pl.DataFrame(totals), replicas=replicas
    )
