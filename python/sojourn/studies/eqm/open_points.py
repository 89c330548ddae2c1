"""What the publication leaves open, and the choice that these settings take."""

from __future__ import annotations

from sojourn.studies.base import OpenPoint
from sojourn.studies.eqm import scenario
from sojourn.studies.knobs import Settings


def open_points(settings: Settings) -> tuple[OpenPoint, ...]:
    """All open points, with the values in force."""
    text = settings.texts
    onoff = settings["traffic"] != "cbr"
    duty = float(scenario.duty(settings))
    last = "3 itself, without an access link" if settings["sources"] == "0,1,3" else "2"
    peak = float(scenario.HIGHEST_RATE * scenario.peak_factor(settings) / 10**6)
    rate_choice = f"The stated rate is the {settings['rate_is']} rate"
    if not onoff:
        rate_choice = "Sources send all the time: peak and mean are one"
    elif settings["rate_is"] == "mean":
        rate_choice += (
            f"; the peak goes up to {peak:g} Mbit/s. Where it exceeds the access link of 3 Mbit/s "
            f"losses move there (they are counted)"
        )
    else:
        rate_choice += f", so that a source sends {duty:.3g} of it on average"
    eqm = ", ".join(f"{k} = {v}" for k, v in scenario.eqm_parameters(settings).items())
    law = {
        "exponential": "Exponential on/off periods",
        "pareto": f"Pareto on/off periods of shape {text['shape']}",
        "cbr": "Constant bit rate",
    }[settings["traffic"]]
    steps = f"{settings['loads']} loads, {text['duration']}, {settings['replicas']} replicas"
    return (
        OpenPoint(
            "Lengths of the on and off periods are not given (the trace names packets `exp`).",
            f"{law}" + (f", {text['on']} on, {text['off']} off on average." if onoff else "."),
            "traffic, on, off, shape",
        ),
        OpenPoint(
            "Whether the bit rate of a source is its peak or its mean rate is not said.",
            rate_choice + ".",
            "rate_is",
        ),
        OpenPoint(
            "Duration, number of runs, seeds and warm-up are not given.",
            f"{steps}, warm-up {text['warmup']}, starts uniform in {text['start']}.",
            "duration, replicas, loads, warmup, start",
        ),
        OpenPoint(
            "The text names nodes 0, 1 and 3 as sources in one place and 0 to 2 in another, and "
            "nodes 5 and 4 as the destination; the trace has 1 to 5.",
            f"Sources 0, 1 and {last}; destination {text['destination']}.",
            "sources, destination",
        ),
        OpenPoint(
            "No parameter of RED, REM or SFQ is given.",
            "ns-2's defaults and ways: automatic RED in bytes, REM with packets of 1000 bytes "
            "and room for one packet less, SFQ with its own limit of 40 packets."
            if settings["queues"] == "ns2"
            else "The defaults of their publications, 50 packets of room for each.",
            "queues",
        ),
        OpenPoint(
            "The algorithm called EQM is not public.",
            "A reconstruction, called EQM (reconstruction) throughout, "
            + (f"with {eqm}." if eqm else "with its default parameters."),
            ", ".join(f"eqm.{name}" for name in scenario.EQM_PARAMETERS),
        ),
        OpenPoint(
            'What "average" means over the loads is not said; Fig. 3 shows loads from 8 to '
            "9 Mbit/s only, Figs. 4 and 6 loads up to 8.",
            "The mean over all loads, the loads above 8 Mbit/s beside it; a claim on a figure is "
            "judged over that figure's loads.",
            "loads",
        ),
        OpenPoint(
            '"Delay" is called end-to-end, but lies below the propagation delay.',
            "The end-to-end delay and the queueing delay at the bottleneck are both shown; "
            "claims on the order are judged by the latter.",
            "-",
        ),
    )
