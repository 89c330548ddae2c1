//! Keys of the tables that hold a table, a list or one of several things: their readers take them
//! apart by themselves, so `params!` cannot declare them. What they are is said here, once.

use sojourn_base::{Distribution, Quantity, Span};

/// A key that holds more than a scalar.
#[derive(Debug, Clone, Copy)]
pub struct NestedKey {
    /// Its name.
    pub name: &'static str,
    /// What may stand there.
    pub values: &'static Values,
    /// What holds where it is not given, in Markdown; empty where it must be given.
    pub default: &'static str,
    /// What it is, in sentences.
    pub doc: &'static str,
}

/// What may stand at a key.
#[derive(Debug)]
pub struct Values {
    /// In Markdown. The parts stand one after the other: some are what a quantity says of itself.
    pub allowed: &'static [&'static str],
    /// The JSON Schema.
    pub schema: &'static str,
}

impl NestedKey {
    const fn new(
        name: &'static str,
        values: &'static Values,
        default: &'static str,
        doc: &'static str,
    ) -> Self {
        Self {
            name,
            values,
            default,
            doc,
        }
    }
}

/// Of `[[link]]`.
pub const LINK_NESTED: &[NestedKey] = &[
    NestedKey::new(
        "delay",
        &TIMES,
        "`0 s`",
        "Propagation delay of one way. One value holds for all links of a numbered node; a list \
         has one for each, in the order of their numbers; `{ first, step }` gives the first link \
         `first` and every further one `step` more. What is random is drawn once for each link \
         and replica, the same for both directions.",
    ),
    CHANGES,
    LOSS,
    NestedKey {
        doc: "As `loss`, on the way back. Only where `duplex = true`.",
        ..REVERSE_LOSS
    },
    JITTER,
    NestedKey {
        doc: "As `jitter`, on the way back. Only where `duplex = true`.",
        ..REVERSE_JITTER
    },
    NestedKey {
        doc: "What waits before the link. The packet being sent is not in it.",
        ..QUEUE
    },
    NestedKey {
        doc: "As `queue`, on the way back. Only where `duplex = true`.",
        ..REVERSE_QUEUE
    },
];

/// Of `bottleneck` of a dumbbell.
pub const BOTTLENECK_NESTED: &[NestedKey] = &[
    CHANGES,
    LOSS,
    REVERSE_LOSS,
    JITTER,
    REVERSE_JITTER,
    QUEUE,
    REVERSE_QUEUE,
];

/// Of `access` of a dumbbell or of one of its flows.
pub const ACCESS_NESTED: &[NestedKey] = &[
    NestedKey {
        doc: "As for a link: the sender's loses that, and the receiver's again.",
        ..LOSS
    },
    REVERSE_LOSS,
    NestedKey {
        doc: "As for a link: drawn by itself on the sender's and on the receiver's.",
        ..JITTER
    },
    REVERSE_JITTER,
];

/// Of `[[flow]]`.
pub const FLOW_NESTED: &[NestedKey] = &[
    NestedKey::new(
        "transport",
        &Values {
            allowed: &[
                "a table with `protocol` and the keys of [UDP](#transport-of-a-flow-over-udp) or \
                 [TCP](#transport-of-a-flow-over-tcp)",
            ],
            schema: r##"{"$ref": "#/$defs/transport"}"##,
        },
        "",
        "What carries it.",
    ),
    NestedKey::new(
        "traffic",
        &Values {
            allowed: &["a table with `source` and its parameters: [traffic sources](sources.md)"],
            schema: r##"{"$ref": "#/$defs/traffic"}"##,
        },
        "",
        "What it sends, and when.",
    ),
    NestedKey::new(
        "access",
        &ACCESS,
        "the dumbbell's",
        "In a dumbbell, of a flow that names no ends: its own links at both sides. What it does \
         not give is as the dumbbell's.",
    ),
    NestedKey::new(
        "rtt",
        &TIMES,
        "the dumbbell's",
        "In a dumbbell, of a flow that names no ends: its two-way propagation delay. Its access \
         links share equally what the bottleneck's delay leaves of it. With `count`, a list has \
         one for each flow; `{ first, step }` gives the first flow `first` and every further one \
         `step` more. What is random is drawn once for each flow and replica.",
    ),
];

/// Of `[dumbbell]`.
pub const DUMBBELL_NESTED: &[NestedKey] = &[
    NestedKey::new(
        "bottleneck",
        &Values {
            allowed: &["a table: [below](#bottleneck-of-a-dumbbell)"],
            schema: r##"{"$ref": "#/$defs/bottleneck"}"##,
        },
        "",
        "The link in the middle, called `bottleneck`, in both directions.",
    ),
    NestedKey::new(
        "access",
        &ACCESS,
        "10 times the bottleneck's rate, a twentieth of the rtt",
        "The links between it and each flow's sender and receiver, the same at both sides.",
    ),
];

/// Of the table `changes`.
pub const STEPS_NESTED: &[NestedKey] = &[
    NestedKey::new(
        "rates",
        &Values {
            allowed: &["a list such as [\"5 Mbit/s\", \"0 bit/s\"], or the name of a file"],
            schema: LIST_OR_FILE,
        },
        "those of the link",
        "The rates, in their order; or a file of them in bits per second, one a line, beside the \
         scenario's.",
    ),
    NestedKey::new(
        "delays",
        &Values {
            allowed: &["a list such as [\"20 ms\", \"60 ms\"], or the name of a file"],
            schema: LIST_OR_FILE,
        },
        "those of the link",
        "The delays of one way, in their order, as many as `rates` where there are both; or a \
         file of them in seconds, one a line. There are `rates`, `delays` or `opportunities`.",
    ),
    NestedKey::new(
        "opportunities",
        &Values {
            allowed: &["the name of a file"],
            schema: r#"{"type": "string"}"#,
        },
        "none",
        "A trace of Mahimahi, beside the scenario's file: milliseconds, in each of which 1500 \
         bytes can be sent.",
    ),
];

/// Of the table `loss`.
pub const LOSS_NESTED: &[NestedKey] = &[NestedKey::new(
    "packets",
    &Values {
        allowed: &["a list of numbers from 1 on, each above the one before, such as [3, 7]"],
        schema: r#"{"type": "array", "items": {"type": "integer", "minimum": 1}}"#,
    },
    "none",
    "The packets with these numbers, counted from 1 as they come out.",
)];

/// The tables and lists of a file, each a section of the reference of its own, and their schemas.
pub const SECTIONS: &[(&str, &str)] = &[
    (
        "link",
        r##"{"type": "array", "items": {"$ref": "#/$defs/link"}}"##,
    ),
    (
        "flow",
        r##"{"type": "array", "items": {"$ref": "#/$defs/flow"}}"##,
    ),
    ("dumbbell", r##"{"$ref": "#/$defs/dumbbell"}"##),
    ("design", r##"{"$ref": "#/$defs/design"}"##),
    ("vary", r#"{"type": "object"}"#),
];

const CHANGES: NestedKey = NestedKey::new(
    "changes",
    &Values {
        allowed: &[
            "a list of [changes](#an-item-of-changes), such as [{ at = \"20 s\", rate = \"5 \
             Mbit/s\" }]; or a table of [steps](#changes-as-a-table), such as { rates = [\"5 \
             Mbit/s\", \"10 Mbit/s\"], step = \"20 s\" }",
        ],
        schema: r##"{"anyOf": [
            {"type": "array", "items": {"$ref": "#/$defs/change"}},
            {"$ref": "#/$defs/steps"}
        ]}"##,
    },
    "none",
    "How its rate or delay changes, both ways where it has two. A list has what holds from each \
     instant on; a table has rates or delays that follow each other from the start, each for one \
     `step`, and begin anew when all have been. The packet that is being sent goes out as it \
     began. `0 bit/s` is an outage: nothing is sent. Room that is counted in `bdp` or `ms` stays \
     as `rate` says; [more](../how-to/changing-links.md).",
);

const LOSS: NestedKey = NestedKey::new(
    "loss",
    &Values {
        allowed: &[
            "a number from 0 to 1; or a [table](#loss-as-a-table), such as { good_to_bad = 0.01, \
             bad_to_good = 0.3 }",
        ],
        schema: r##"{"anyOf": [
            {"type": "number", "minimum": 0, "maximum": 1},
            {"$ref": "#/$defs/loss"}
        ]}"##,
    },
    "`0`",
    "What is lost on the wire: a share of the packets, each by itself, or a table of another law. \
     A packet that is lost has been sent and has crossed; it is a drop with the reason `link`. \
     [More](../how-to/lossy-links.md).",
);

const REVERSE_LOSS: NestedKey = NestedKey {
    name: "reverse_loss",
    doc: "As `loss`, on the way back.",
    ..LOSS
};

const JITTER: NestedKey = NestedKey::new(
    "jitter",
    &Values {
        allowed: &[
            DRAWN_TIME,
            "; or a [table](#jitter-as-a-table), such as { extra = \"20 ms\", share = 0.01 }",
        ],
        schema: r##"{"anyOf": [{"type": "string"}, {"$ref": "#/$defs/jitter"}]}"##,
    },
    "`0 s`",
    "What a packet takes on the wire beyond the link's delay, drawn anew for each. It comes out \
     no earlier than those that were sent before it, unless `reorders`. \
     [More](../how-to/uneven-links.md).",
);

const REVERSE_JITTER: NestedKey = NestedKey {
    name: "reverse_jitter",
    doc: "As `jitter`, on the way back.",
    ..JITTER
};

const QUEUE: NestedKey = NestedKey::new(
    "queue",
    &Values {
        allowed: &[
            "a table with `discipline` (default `droptail`) and its parameters: \
             [queue disciplines](disciplines.md)",
        ],
        schema: r##"{"$ref": "#/$defs/queue"}"##,
    },
    "`droptail`, `1000 packets`",
    "What waits before the bottleneck.",
);

const REVERSE_QUEUE: NestedKey = NestedKey {
    name: "reverse_queue",
    doc: "As `queue`, on the way back.",
    ..QUEUE
};

const ACCESS: Values = Values {
    allowed: &["a table: [below](#access-of-a-dumbbell-or-of-one-of-its-flows)"],
    schema: r##"{"$ref": "#/$defs/access"}"##,
};

/// One time, or one for each.
const TIMES: Values = Values {
    allowed: &[
        DRAWN_TIME,
        "; or a list of these, such as [\"3 ms\", \"5 ms\"]; or a table of two times, such as \
         { first = \"3 ms\", step = \"2 ms\" }",
    ],
    schema: r#"{"anyOf": [
        {"type": "string"},
        {"type": "array", "items": {"type": "string"}},
        {
            "type": "object",
            "properties": {"first": {"type": "string"}, "step": {"type": "string"}},
            "required": ["first", "step"],
            "additionalProperties": false
        }
    ]}"#,
};

const DRAWN_TIME: &str = <Distribution<Span> as Quantity>::ALLOWED;

const LIST_OR_FILE: &str = r#"{"anyOf": [
    {"type": "string"},
    {"type": "array", "items": {"type": "string"}}
]}"#;
