"""Keys of scenario files that hold a table or a list, for the reference page.

The reader takes them apart by itself, so no table declares them; the schema names them all, and a
key that stands there and not here is an error.
"""

from __future__ import annotations

from typing import Any

QUEUE = (
    "a table with `discipline` (default `droptail`) and its parameters: "
    "[queue disciplines](disciplines.md)"
)
BACK = "As `queue`, on the way back."
DROPTAIL = "`droptail`, `1000 packets`"
TIMES = (
    '{law}; or a list of these, such as ["3 ms", "5 ms"]; or a table of two times, such as '
    '{{ first = "3 ms", step = "2 ms" }}'
)
ACCESS = "a table: [below](#access-of-a-dumbbell-or-of-one-of-its-flows)"

CHANGES = (
    "none",
    "How its rate or delay changes, both ways where it has two. A list has what holds from each "
    "instant on; a table has rates or delays that follow each other from the start, each for one "
    "`step`, and begin anew when all have been. The packet that is being sent goes out as it "
    "began. `0 bit/s` is an outage: nothing is sent. Room that is counted in `bdp` or `ms` stays "
    "as `rate` says; [more](../how-to/changing-links.md).",
    'a list of [changes](#an-item-of-changes), such as [{{ at = "20 s", rate = "5 Mbit/s" }}]; or '
    'a table of [steps](#changes-as-a-table), such as {{ rates = ["5 Mbit/s", "10 Mbit/s"], step = '
    '"20 s" }}',
)

LOSS = (
    "`0`",
    "What is lost on the wire: a share of the packets, each by itself, or a table of another law. "
    "A packet that is lost has been sent and has crossed; it is a drop with the reason `link`. "
    "[More](../how-to/lossy-links.md).",
    "a number from 0 to 1; or a [table](#loss-as-a-table), such as {{ good_to_bad = 0.01, "
    "bad_to_good = 0.3 }}",
)
LOSS_BACK = "As `loss`, on the way back."

JITTER = (
    "`0 s`",
    "What a packet takes on the wire beyond the link's delay, drawn anew for each. It comes out no "
    "earlier than those that were sent before it, unless `reorders`. "
    "[More](../how-to/uneven-links.md).",
    '{law}; or a [table](#jitter-as-a-table), such as {{ extra = "20 ms", share = 0.01 }}',
)
JITTER_BACK = "As `jitter`, on the way back."


def undeclared(table: dict[str, Any]) -> list[str]:
    """The keys of a table's schema that no table declares: of those it has no description."""
    return [key for key, value in table["properties"].items() if "description" not in value]


def table_keys(name: str, schema: dict[str, Any], law: str) -> list[dict[str, Any]]:
    """The keys of the table ``name`` as `generate.param_table` wants them.

    ``law`` says what a time may be that is drawn at random. Raises KeyError where the schema has a
    key that is described nowhere.
    """
    if name == "scenario" or name not in schema["$defs"]:
        return []  # Those of the head are the sections of the page.
    table = schema["$defs"][name]
    rows = []
    for key in undeclared(table):
        default, doc, allowed = _KEYS[name][key]
        is_required = key in table["required"]
        assert is_required == (default == "required"), f"{name}: {key}"
        row = {"name": key, "doc": doc, "allowed": allowed.format(law=law), "presets": {}}
        rows.append(row | {"required": is_required, "default_in_words": default})
    return rows


_KEYS = {
    "link": {
        "delay": (
            "`0 s`",
            "Propagation delay of one way. One value holds for all links of a numbered node; a "
            "list has one for each, in the order of their numbers; `{ first, step }` gives the "
            "first link `first` and every further one `step` more. What is random is drawn once "
            "for each link and replica, the same for both directions.",
            TIMES,
        ),
        "changes": CHANGES,
        "loss": LOSS,
        "reverse_loss": ("`0`", f"{LOSS_BACK} Only where `duplex = true`.", LOSS[2]),
        "jitter": JITTER,
        "reverse_jitter": ("`0 s`", f"{JITTER_BACK} Only where `duplex = true`.", JITTER[2]),
        "queue": (
            DROPTAIL,
            "What waits before the link. The packet being sent is not in it.",
            QUEUE,
        ),
        "reverse_queue": (DROPTAIL, f"{BACK} Only where `duplex = true`.", QUEUE),
    },
    "flow": {
        "transport": (
            "required",
            "What carries it.",
            "a table with `protocol` and the keys of [UDP](#transport-of-a-flow-over-udp) or "
            "[TCP](#transport-of-a-flow-over-tcp)",
        ),
        "traffic": (
            "required",
            "What it sends, and when.",
            "a table with `source` and its parameters: [traffic sources](sources.md)",
        ),
        "access": (
            "the dumbbell's",
            "In a dumbbell, of a flow that names no ends: its own links at both sides. What it "
            "does not give is as the dumbbell's.",
            ACCESS,
        ),
        "rtt": (
            "the dumbbell's",
            "In a dumbbell, of a flow that names no ends: its two-way propagation delay. Its "
            "access links share equally what the bottleneck's delay leaves of it. With `count`, a "
            "list has one for each flow; `{ first, step }` gives the first flow `first` and every "
            "further one `step` more. What is random is drawn once for each flow and replica.",
            TIMES,
        ),
    },
    "dumbbell": {
        "bottleneck": (
            "required",
            "The link in the middle, called `bottleneck`, in both directions.",
            "a table: [below](#bottleneck-of-a-dumbbell)",
        ),
        "access": (
            "10 times the bottleneck's rate, a twentieth of the rtt",
            "The links between it and each flow's sender and receiver, the same at both sides.",
            ACCESS,
        ),
    },
    "steps": {
        "rates": (
            "those of the link",
            "The rates, in their order; or a file of them in bits per second, one a line, beside "
            "the scenario's.",
            'a list such as ["5 Mbit/s", "0 bit/s"], or the name of a file',
        ),
        "delays": (
            "those of the link",
            "The delays of one way, in their order, as many as `rates` where there are both; or a "
            "file of them in seconds, one a line. There are `rates`, `delays` or `opportunities`.",
            'a list such as ["20 ms", "60 ms"], or the name of a file',
        ),
        "opportunities": (
            "none",
            "A trace of Mahimahi, beside the scenario's file: milliseconds, in each of which 1500 "
            "bytes can be sent.",
            "the name of a file",
        ),
    },
    "loss": {
        "packets": (
            "none",
            "The packets with these numbers, counted from 1 as they come out.",
            "a list of numbers from 1 on, each above the one before, such as [3, 7]",
        ),
    },
    "bottleneck": {
        "changes": CHANGES,
        "loss": LOSS,
        "reverse_loss": ("`0`", LOSS_BACK, LOSS[2]),
        "jitter": JITTER,
        "reverse_jitter": ("`0 s`", JITTER_BACK, JITTER[2]),
        "queue": (DROPTAIL, "What waits before the bottleneck.", QUEUE),
        "reverse_queue": (DROPTAIL, BACK, QUEUE),
    },
    "access": {
        "loss": (
            "`0`",
            "As for a link: the sender's loses that, and the receiver's again.",
            LOSS[2],
        ),
        "reverse_loss": ("`0`", LOSS_BACK, LOSS[2]),
        "jitter": (
            "`0 s`",
            "As for a link: drawn by itself on the sender's and on the receiver's.",
            JITTER[2],
        ),
        "reverse_jitter": ("`0 s`", JITTER_BACK, JITTER[2]),
    },
}
"""By table and key: the default, what it is, what is allowed."""
