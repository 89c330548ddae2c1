"""Verdicts on the delay: section 3.3.3, Figs. 10 to 14, and the conclusion."""

from __future__ import annotations

from sojourn.studies.four_aqms.verdicts.common import Rule, below, contradicts, order

LOW, HIGH = ("red", "sfq"), ("blue", "rem")

RULES: dict[str, Rule] = {
    "delay-red-sfq": below("delay-red-sfq", "delay_ms", LOW, HIGH),
    "delay-red-sfq-tcp": below(
        "delay-red-sfq-tcp", "tcp_delay_ms", LOW, HIGH, more="SFQ is quick for those who wait."
    ),
    "delay-red-sfq-cbr": below(
        "delay-red-sfq-cbr",
        "cbr_delay_ms",
        LOW,
        HIGH,
        more="A CBR flow that sends more than its turn fills its own queue under SFQ.",
    ),
    "delay-blue": order("delay-blue", "delay_ms", "blue", "highest"),
    "delay-red-rem": contradicts(
        "delay-red-rem",
        "RED and REM",
        "Section 3.3.3 names RED and SFQ for the same purpose, and not REM.",
        "delay_ms",
    ),
}
