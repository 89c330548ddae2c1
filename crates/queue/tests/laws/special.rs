//! What the laws are tried on: every discipline with its defaults, and with parameters besides.

use sojourn_base::Preset;
use sojourn_queue::DISCIPLINES;

use crate::bench::{link, make};

/// Parameters as a scenario file writes them.
pub(crate) type Params = &'static [(&'static str, &'static str)];

/// A discipline as a scenario file would ask for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) preset: Preset,
    pub(crate) params: Params,
}

/// Every discipline with its defaults and with what is special to it, under every preset that
/// takes it.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for preset in Preset::ALL {
        for entry in DISCIPLINES {
            let special = SPECIAL.iter().filter(|(name, _)| *name == entry.name);
            let all = std::iter::once(&[][..]).chain(special.map(|(_, params)| *params));
            cases.extend(all.map(|params| Case {
                name: entry.name,
                preset,
                params,
            }));
        }
    }
    // Linux's RED takes weights that are powers of two, which some of the above are not.
    cases.retain(|case| make(case.name, case.params, case.preset, &link(8)).is_ok());
    cases
}

/// Small queues, byte limits and every way of dropping: what the defaults do not reach.
pub(crate) const SPECIAL: &[(&str, Params)] = &[
    ("droptail", &[("limit", "7 packets")]),
    ("droptail", &[("limit", "6000 B")]),
    ("droptail", &[("limit", "none")]),
    (
        "red",
        &[
            ("limit", "12 packets"),
            ("min_th", "2 packets"),
            ("max_th", "6 packets"),
            ("w_q", "0.25"),
            ("max_p", "0.5"),
        ],
    ),
    (
        "red",
        &[
            ("limit", "12 packets"),
            ("min_th", "2 packets"),
            ("max_th", "6 packets"),
            ("w_q", "0.25"),
            ("ecn", "true"),
            ("hard_drop", "false"),
        ],
    ),
    (
        "red",
        &[
            ("limit", "9000 B"),
            ("min_th", "2000 B"),
            ("max_th", "5000 B"),
            ("w_q", "0.125"),
            ("gentle", "true"),
            ("ecn", "true"),
            ("mean_packet", "800 B"),
        ],
    ),
    (
        "red",
        &[
            ("limit", "20 packets"),
            ("min_th", "2 packets"),
            ("max_th", "6 packets"),
            ("w_q", "0.125"),
            ("wait", "true"),
            ("bytes", "true"),
            ("use_mark_p", "true"),
            ("ecn", "true"),
        ],
    ),
    (
        "rem",
        &[
            ("limit", "10 packets"),
            ("gamma", "5"),
            ("phi", "1.1"),
            ("target", "2 packets"),
        ],
    ),
    (
        "rem",
        &[
            ("limit", "9000 B"),
            ("gamma", "5"),
            ("phi", "1.1"),
            ("target", "3 kB"),
            ("ecn", "true"),
            ("inw", "0.5"),
        ],
    ),
    (
        "sfq",
        &[
            ("buckets", "3"),
            ("perturb", "3 ms"),
            ("limit", "9 packets"),
        ],
    ),
    (
        "sfq",
        &[
            ("buckets", "5"),
            ("perturb", "10 ms"),
            ("limit", "6000 B"),
            ("quantum", "500 B"),
        ],
    ),
    (
        "sfq",
        &[
            ("buckets", "4"),
            ("perturb", "2 ms"),
            ("depth", "2"),
            ("flows", "2"),
        ],
    ),
    (
        "eqm",
        &[
            ("limit", "12 packets"),
            ("averaging", "3 ms"),
            ("tau", "5 ms"),
        ],
    ),
    (
        "eqm",
        &[
            ("limit", "8000 B"),
            ("averaging", "3 ms"),
            ("tau", "5 ms"),
            ("ecn", "true"),
            ("bytes", "true"),
        ],
    ),
    (
        "eqm",
        &[
            ("limit", "12 packets"),
            ("averaging", "3 ms"),
            ("per_flow", "true"),
            ("randomised", "true"),
        ],
    ),
    (
        "eqm",
        &[
            ("limit", "12 packets"),
            ("averaging", "3 ms"),
            ("queue_only", "true"),
            ("tau", "1 ms"),
        ],
    ),
    (
        "ared",
        &[
            ("limit", "12 packets"),
            ("min_th", "2 packets"),
            ("max_th", "6 packets"),
            ("w_q", "0.25"),
            ("interval", "1 ms"),
        ],
    ),
    (
        "ared",
        &[
            ("limit", "9000 B"),
            ("min_th", "1000 B"),
            ("max_th", "5000 B"),
            ("w_q", "0.25"),
            ("feng_adaptive", "true"),
            ("ecn", "true"),
        ],
    ),
    (
        "red",
        &[
            ("limit", "12 packets"),
            ("min_th", "2 packets"),
            ("max_th", "6 packets"),
            ("w_q", "0.25"),
            ("max_p", "0.5"),
            ("nonlinear", "true"),
        ],
    ),
    (
        "cobalt",
        &[
            ("target", "1 ms"),
            ("interval", "4 ms"),
            ("limit", "5 packets"),
            ("increment", "0.3"),
        ],
    ),
    (
        "cobalt",
        &[
            ("target", "1 ms"),
            ("interval", "4 ms"),
            ("limit", "9000 B"),
            ("ecn", "true"),
            ("ce_threshold", "2 ms"),
            ("blue_threshold", "3 ms"),
            ("increment", "0.2"),
            ("decrement", "0.1"),
        ],
    ),
    (
        "fq_cobalt",
        &[
            ("target", "1 ms"),
            ("interval", "4 ms"),
            ("limit", "6 packets"),
            ("flows", "3"),
            ("increment", "0.2"),
            ("drop_batch", "1"),
        ],
    ),
    (
        "fq_pie",
        &[
            ("limit", "9 packets"),
            ("target", "500 us"),
            ("t_update", "1 ms"),
            ("max_burst", "0 s"),
            ("alpha", "3000"),
            ("beta", "3000"),
            ("hz", "10000"),
            ("flows", "3"),
            ("quantum", "700 B"),
        ],
    ),
    (
        "fq_pie",
        &[
            ("limit", "9000 B"),
            ("target", "500 us"),
            ("t_update", "1 ms"),
            ("max_burst", "0 s"),
            ("alpha", "3000"),
            ("beta", "3000"),
            ("ecn", "true"),
            ("mark_threshold", "0.9"),
            ("dequeue_rate_estimator", "true"),
            ("dequeue_threshold", "2000 B"),
        ],
    ),
    (
        "pi",
        &[
            ("limit", "9 packets"),
            ("target", "2 packets"),
            ("a", "0.2"),
            ("b", "0.1"),
            ("interval", "1 ms"),
        ],
    ),
    (
        "pi",
        &[
            ("limit", "9000 B"),
            ("target", "2000 B"),
            ("a", "0.2"),
            ("b", "0.1"),
            ("interval", "1 ms"),
            ("bytes", "true"),
            ("ecn", "true"),
        ],
    ),
    (
        "avq",
        &[
            ("limit", "9 packets"),
            ("virtual_limit", "3000 B"),
            ("initial", "0.5"),
        ],
    ),
    ("avq", &[("limit", "6000 B"), ("ecn", "true")]),
    (
        "green",
        &[
            ("limit", "9 packets"),
            ("interval", "200 us"),
            ("step", "0.2"),
            ("averaging", "1 ms"),
            ("ecn", "true"),
        ],
    ),
    (
        "feng_green",
        &[
            ("limit", "9 packets"),
            ("window", "2 ms"),
            ("rtt", "20 ms"),
            ("ecn", "true"),
        ],
    ),
    (
        "pi2",
        &[
            ("limit", "9 packets"),
            ("target", "500 us"),
            ("t_update", "1 ms"),
            ("alpha", "300"),
        ],
    ),
    (
        "pi2",
        &[
            ("limit", "9000 B"),
            ("target", "500 us"),
            ("t_update", "1 ms"),
            ("alpha", "300"),
            ("ecn", "false"),
        ],
    ),
    (
        "dualpi2",
        &[
            ("limit", "9 packets"),
            ("target", "500 us"),
            ("t_update", "1 ms"),
            ("alpha", "300"),
        ],
    ),
    (
        "dualpi2",
        &[
            ("limit", "9000 B"),
            ("target", "2 ms"),
            ("t_update", "1 ms"),
            ("classic_weight", "0.5"),
        ],
    ),
    ("fq", &[("limit", "7 packets")]),
    ("fq", &[("limit", "6000 B"), ("weights", "1 2 0.5")]),
    (
        "choke",
        &[
            ("limit", "12 packets"),
            ("min_th", "2 packets"),
            ("max_th", "6 packets"),
            ("w_q", "0.25"),
            ("max_p", "0.5"),
        ],
    ),
    (
        "choke",
        &[
            ("limit", "9 packets"),
            ("min_th", "1 packets"),
            ("max_th", "8 packets"),
            ("w_q", "0.25"),
            ("candidates", "3"),
            ("ecn", "true"),
            ("burst", "3"),
        ],
    ),
    (
        "sfb",
        &[
            ("limit", "12 packets"),
            ("bin_size", "1"),
            ("increment", "0.3"),
            ("rehash", "5 ms"),
            ("warmup", "2 ms"),
            ("penalty_rate", "500"),
            ("penalty_burst", "2"),
        ],
    ),
    (
        "sfb",
        &[
            ("limit", "9000 B"),
            ("bin_size", "2"),
            ("increment", "0.2"),
            ("max", "4"),
            ("ecn", "true"),
        ],
    ),
    ("prio", &[("limit", "3 packets")]),
    (
        "prio",
        &[
            ("limit", "3000 B"),
            ("bands", "5"),
            ("priomap", "4 3 2 1 0 0 0 0 0 0 0 0 0 0 0 0"),
        ],
    ),
    (
        "tbf",
        &[
            ("limit", "7 packets"),
            ("rate", "3 Mbit/s"),
            ("burst", "2000 B"),
        ],
    ),
    (
        "tbf",
        &[
            ("limit", "9000 B"),
            ("rate", "3 Mbit/s"),
            ("burst", "4000 B"),
            ("peak_rate", "5 Mbit/s"),
            ("mtu", "1500 B"),
        ],
    ),
    (
        "tbf",
        &[
            ("rate", "3 Mbit/s"),
            ("burst", "2000 B"),
            (
                "inner",
                "codel(target = 1 ms, interval = 4 ms, limit = 7 packets)",
            ),
        ],
    ),
    (
        "tbf",
        &[
            ("rate", "5 Mbit/s"),
            ("burst", "2000 B"),
            (
                "inner",
                "pie(limit = 9000 B, target = 500 us, t_update = 1 ms)",
            ),
        ],
    ),
    (
        "prio",
        &[("inner", "codel(target = 1 ms, interval = 4 ms)")],
    ),
    (
        "prio",
        &[
            ("bands", "2"),
            ("priomap", "0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1"),
            (
                "inner",
                "tbf(rate = 2 Mbit/s, burst = 2 kB, inner = headdrop(limit = 4 packets))",
            ),
        ],
    ),
    ("drr", &[("limit", "7 packets"), ("buckets", "3")]),
    ("drr", &[("limit", "6000 B"), ("quantum", "200 B")]),
    (
        "drr",
        &[
            ("limit", "9 packets"),
            ("inner", "codel(target = 1 ms, interval = 4 ms)"),
        ],
    ),
    (
        "drr",
        &[
            ("limit", "9 packets"),
            (
                "inner",
                "choke(min_th = 1 packets, max_th = 4 packets, w_q = 0.5)",
            ),
        ],
    ),
    (
        "drr",
        &[
            ("limit", "20 packets"),
            (
                "inner",
                "tbf(rate = 2 Mbit/s, burst = 2 kB, limit = 3 packets)",
            ),
        ],
    ),
    (
        "sfq",
        &[
            ("limit", "9000 B"),
            ("inner", "codel(target = 1 ms, interval = 4 ms)"),
        ],
    ),
    (
        "sfq",
        &[
            ("limit", "9000 B"),
            (
                "inner",
                "choke(min_th = 1 packets, max_th = 4 packets, w_q = 0.5)",
            ),
        ],
    ),
    (
        "sfq",
        &[
            ("limit", "20 packets"),
            (
                "inner",
                "tbf(rate = 2 Mbit/s, burst = 2 kB, limit = 3 packets)",
            ),
        ],
    ),
    (
        "fq",
        &[
            ("limit", "9 packets"),
            ("inner", "codel(target = 1 ms, interval = 4 ms)"),
        ],
    ),
    (
        "fq",
        &[
            ("limit", "9 packets"),
            (
                "inner",
                "choke(min_th = 1 packets, max_th = 4 packets, w_q = 0.5)",
            ),
        ],
    ),
    (
        "fq",
        &[
            ("limit", "20 packets"),
            (
                "inner",
                "tbf(rate = 2 Mbit/s, burst = 2 kB, limit = 3 packets)",
            ),
        ],
    ),
    ("headdrop", &[("limit", "7 packets")]),
    ("headdrop", &[("limit", "6000 B")]),
    ("pfifo", &[("limit", "7 packets")]),
    ("pfifo_fast", &[("limit", "7 packets")]),
    ("pfifo_fast", &[("limit", "6000 B")]),
    (
        "blue",
        &[
            ("limit", "5 packets"),
            ("increment", "0.2"),
            ("decrement", "0.01"),
            ("freeze_time", "1 ms"),
        ],
    ),
    (
        "blue",
        &[
            ("limit", "9000 B"),
            ("threshold", "3000 B"),
            ("increment", "0.2"),
            ("freeze_time", "100 us"),
            ("idle_decay", "every"),
            ("ecn", "true"),
        ],
    ),
    (
        "pie",
        &[
            ("limit", "15 packets"),
            ("target", "500 us"),
            ("t_update", "1 ms"),
            ("max_burst", "1 ms"),
            ("alpha", "30"),
            ("beta", "300"),
            ("hz", "10000"),
        ],
    ),
    (
        "pie",
        &[
            ("limit", "9000 B"),
            ("target", "500 us"),
            ("t_update", "1 ms"),
            ("max_burst", "0 s"),
            ("alpha", "3000"),
            ("beta", "3000"),
            ("ecn", "true"),
            ("mark_threshold", "0.5"),
            ("derandomize", "true"),
            ("dequeue_rate_estimator", "true"),
            ("dequeue_threshold", "2000 B"),
            ("bytes", "true"),
        ],
    ),
    (
        "pie",
        &[
            ("target", "500 us"),
            ("t_update", "1 ms"),
            ("max_burst", "0 s"),
            ("alpha", "3000"),
            ("active_threshold", "1 ms"),
            ("ce_threshold", "1 ms"),
            ("l4s", "true"),
            ("ecn", "true"),
        ],
    ),
    (
        "cake",
        &[
            ("limit", "9000 B"),
            ("bandwidth", "6 Mbit/s"),
            ("rtt", "4 ms"),
            ("flows", "8"),
            ("framing", "conservative"),
            ("ack_filter", "aggressive"),
            ("ingress", "true"),
        ],
    ),
    (
        "cake",
        &[
            ("limit", "6 packets"),
            ("rtt", "2 ms"),
            ("flows", "64"),
            ("diffserv", "diffserv8"),
            ("isolation", "dual-srchost"),
            ("ack_filter", "yes"),
            ("quantum", "300 B"),
        ],
    ),
    (
        "cake",
        &[
            ("limit", "20 packets"),
            ("bandwidth", "40 Mbit/s"),
            ("rtt", "lan"),
            ("flows", "64"),
            ("diffserv", "precedence"),
            ("isolation", "hosts"),
            ("ecn", "false"),
        ],
    ),
    (
        "fq_codel",
        &[
            ("limit", "9 packets"),
            ("target", "1 ms"),
            ("interval", "4 ms"),
            ("flows", "4"),
            ("drop_batch", "2"),
        ],
    ),
    (
        "fq_codel",
        &[
            ("limit", "8000 B"),
            ("target", "1 ms"),
            ("interval", "4 ms"),
            ("quantum", "300 B"),
            ("flows", "8"),
            ("set_ways", "4"),
            ("ce_threshold", "2 ms"),
            ("l4s", "true"),
        ],
    ),
    (
        "codel",
        &[
            ("target", "1 ms"),
            ("interval", "4 ms"),
            ("limit", "15 packets"),
        ],
    ),
    (
        "codel",
        &[
            ("target", "1 ms"),
            ("interval", "4 ms"),
            ("limit", "9000 B"),
            ("ecn", "true"),
        ],
    ),
    (
        "codel",
        &[
            ("target", "1 ms"),
            ("interval", "4 ms"),
            ("ecn", "true"),
            ("ce_threshold", "500 us"),
        ],
    ),
];
