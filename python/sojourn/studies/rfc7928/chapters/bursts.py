"""Section 7.2: web and constant traffic, with a video or a bulk transfer, or both."""

from __future__ import annotations

from sojourn.studies.rfc7928 import readings, traffic
from sojourn.studies.rfc7928.laboratory import BACKGROUND, Laboratory, Plan


def plans(lab: Laboratory) -> list[Plan]:
    """Cases I to IV."""
    web, cbr = traffic.web(), traffic.udp("cbr", BACKGROUND * lab.rate)
    video, bulk = traffic.video(lab.rate), traffic.bulk()
    cases = {
        "I: web, CBR": [web, cbr],
        "II: web, CBR, bulk": [web, cbr, bulk],
        "III: web, CBR, video": [web, cbr, video],
        "IV: web, CBR, video, bulk": [web, cbr, video, bulk],
    }
    pages = (
        readings.completion("web", "a page"),
        readings.completion_p95("web", "a page"),
        readings.delay_p99("cbr", "CBR"),
        readings.jitter("cbr", "CBR"),
        readings.variation("cbr", "CBR"),
        readings.loss("cbr", "CBR"),
    )
    frames = (readings.delay_p99("video", "video"), readings.loss("video", "video"))
    return [
        lab.plan(
            f"bursts-{number}",
            "7.2",
            f"Bursts {title}",
            flows,
            *pages,
            *(frames if video in flows else ()),
            come_and_go=True,
        )
        for number, (title, flows) in enumerate(cases.items(), 1)
    ]
