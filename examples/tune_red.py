"""Tune RED for a link: which thresholds and which probability for this line and this traffic?

RED has four numbers to get wrong. Rather than guess, search them: minimise the mean delay,
maximise the goodput, and believe only what also holds under loads that the search has not seen.

You should see: the front of settings that no other beats in both, as ratios to RED's defaults on
the loads held out. Below 1.00 in delay is shorter, above 1.00 in goodput is more. A few settings
beat the defaults in both, none by much: mostly what is gained in delay is paid in goodput.

Needs: pip install 'sojourn[tuning]'.
"""

import sys
import tempfile
from pathlib import Path

import sojourn as sj
from sojourn.experiments.space import Space
from sojourn.experiments.trying import trying
from sojourn.experiments.tune import tune

QUICK = "--quick" in sys.argv

link = sj.dumbbell(
    rate="10 Mbit/s",
    rtt="60 ms",
    queue=sj.queue.Red(limit="200 packets"),
    flows=4 * sj.tcp("newreno", name="bulk"),
    duration="10 s" if QUICK else "60 s",
    warmup="3 s",
    replicas=2 if QUICK else 5,
    design={"kind": "random", "points": 1},
    vary={
        "flow.bulk.count": [2, 4, 8],
        "dumbbell.bottleneck.queue.min_th": {"from": "1 packets", "to": "50 packets"},
        "dumbbell.bottleneck.queue.max_th": {"from": "60 packets", "to": "150 packets"},
        "dumbbell.bottleneck.queue.max_p": {"from": 0.01, "to": 0.5, "scale": "log"},
    },
)

with tempfile.TemporaryDirectory() as folder, trying(Path(folder)) as tries:
    file = Path(folder) / "link.toml"
    file.write_text(link.to_toml())
    found = tune(Space.load(file), tries, trials=8 if QUICK else 64)

for setting in found.front:
    values = {key.rpartition(".")[2]: value for key, value in setting.values.items()}
    assert setting.held_out is not None
    ratios = {name: round(each.mean, 3) for name, each in setting.held_out.items()}
    print(values, "->", ratios)
