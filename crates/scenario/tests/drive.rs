//! The driver's protocol as a user sees it.

use serde_json::{Value, json};
use sojourn_scenario::drive::Driver;

/// A conversation: requests, and the last reply.
struct Talk(Driver);

impl Talk {
    fn with(discipline: &str, params: &Value) -> Self {
        let mut talk = Self(Driver::new());
        let request = json!({"cmd": "new", "discipline": discipline, "params": params});
        assert_eq!(talk.ask(&request), json!({}), "{request}");
        talk
    }

    fn ask(&mut self, request: &Value) -> Value {
        let reply = self.0.answer(&request.to_string());
        assert!(!reply.contains('\n'));
        serde_json::from_str(&reply).expect("replies are JSON")
    }

    fn enqueue(&mut self, t_ns: u64, id: u64, bytes: u64) -> Value {
        self.ask(&json!({"cmd": "enqueue", "t_ns": t_ns, "id": id, "bytes": bytes}))
    }

    fn dequeue(&mut self, t_ns: u64) -> Value {
        self.ask(&json!({"cmd": "dequeue", "t_ns": t_ns}))
    }

    fn error(&mut self, request: &Value) -> String {
        let reply = self.ask(request);
        let text = reply["error"].as_str();
        text.unwrap_or_else(|| panic!("{request} gave {reply}"))
            .to_owned()
    }
}

fn refused(discipline: &str, params: &Value) -> Value {
    let mut talk = Talk(Driver::new());
    talk.ask(&json!({"cmd": "new", "discipline": discipline, "params": params}))
}

#[test]
fn a_conversation() {
    let mut talk = Talk::with("droptail", &json!({"limit_packets": 2}));
    assert_eq!(
        talk.enqueue(0, 10, 1500),
        json!({"id": 10, "ok": true, "drops": [], "marks": [], "state": {"packets": 1, "bytes": 1500}})
    );
    talk.enqueue(5, 11, 500);
    let full = json!({"cmd": "enqueue", "t_ns": 6, "id": 12, "bytes": 40, "flow": 3});
    assert_eq!(
        talk.ask(&full),
        json!({"id": 12, "ok": false, "drops": [[12, "overlimit", 3]], "marks": [],
               "state": {"packets": 2, "bytes": 2000}})
    );
    assert_eq!(
        talk.dequeue(6),
        json!({"id": 10, "drops": [], "marks": [], "state": {"packets": 1, "bytes": 500}})
    );
    assert_eq!(talk.dequeue(7)["id"], 11);
    assert_eq!(talk.dequeue(7)["id"], Value::Null);
}

#[test]
fn a_packet_peeked_at_stays_until_it_is_dequeued() {
    let mut talk = Talk::with("droptail", &json!({}));
    talk.enqueue(0, 1, 1500);
    talk.enqueue(0, 2, 500);
    let peek = json!({"cmd": "peek", "t_ns": 1});
    let first = talk.ask(&peek);
    assert_eq!(
        (&first["id"], &first["state"]["packets"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(talk.ask(&peek)["id"], 1);
    assert_eq!(talk.ask(&peek)["state"]["bytes"], 2000);
    assert_eq!(talk.dequeue(1)["id"], 1);
    assert_eq!(talk.dequeue(1)["id"], 2);
    assert_eq!(talk.ask(&peek)["id"], Value::Null);
}

#[test]
fn inner_variables_carry_the_name_of_their_discipline() {
    let mut talk = Talk::with("red", &json!({"w_q": 0.5}));
    assert_eq!(
        talk.ask(&json!({"cmd": "poke", "var": "red.avg", "value": 4})),
        json!({})
    );
    let state = &talk.enqueue(0, 0, 500)["state"];
    assert_eq!(state["red.avg"], 4.0, "idle for no time");
    assert_eq!(state["red.max_p"], 0.02);
    let text = talk.error(&json!({"cmd": "poke", "var": "red.avf", "value": 4}));
    assert!(text.contains("did you mean \"red.avg\"?"), "{text}");
    let text = talk.error(&json!({"cmd": "poke", "var": "red.avg"}));
    assert!(text.starts_with("value:"), "{text}");
}

/// A timer due at the time of an operation runs after it, one due before runs first.
#[test]
fn timers_run_after_operations_of_their_instant() {
    let mut talk = Talk::with("rem", &json!({"mean_pkt": 500, "interval": 0.002}));
    talk.enqueue(1_999_999, 0, 500);
    assert_eq!(talk.enqueue(2_000_000, 1, 500)["state"]["rem.rate"], 2.0);
    let mut talk = Talk::with("rem", &json!({"mean_pkt": 500, "interval": "2 ms"}));
    talk.enqueue(1_999_999, 0, 500);
    assert_eq!(talk.enqueue(2_000_001, 1, 500)["state"]["rem.rate"], 1.0);
}

#[test]
fn flows_of_a_flow_queue_are_counted_in_the_order_seen() {
    let mut talk = Talk::with("sfq", &json!({"limit": 3}));
    for (id, flow) in [(0, 7), (1, 7), (2, 9), (3, 9)] {
        talk.ask(&json!({"cmd": "enqueue", "t_ns": 0, "id": id, "bytes": 100, "flow": flow}));
    }
    let state = &talk.dequeue(0)["state"];
    assert_eq!(state["flow[0].packets"], 1);
    assert_eq!(state["flow[1].packets"], 1);
    assert_eq!(state["flows_active"], 2.0);
}

#[test]
fn thresholds_without_a_unit_take_that_of_the_limit() {
    let bytes = json!({"limit_bytes": 15000, "min_th": 5000, "max_th": 7500});
    let packets = json!({"limit_packets": 30, "min_th": 10, "max_th": 15});
    for (params, avg) in [(bytes, 7600), (packets, 16)] {
        let mut talk = Talk::with("red", &params);
        talk.ask(&json!({"cmd": "poke", "var": "red.avg", "value": avg}));
        assert_eq!(talk.enqueue(0, 0, 500)["drops"], json!([[0, "forced", 0]]));
    }
}

#[test]
fn the_names_and_units_of_others_are_taken() {
    let params = json!({
        "min_th": "5 packets", "max_th": 15, "limit": "64 kB", "mean_pkt": 500, "use_hard_drop": true,
        "link_bw_bps": 1.5e6, "link_delay": 0.02, "adaptive": false, "feng_adaptive": false,
        "nonlinear": false, "rtt": 0.1, "w_q": 0.002, "target_delay": 0.005, "preset": "ns3",
        "max_p": null,
    });
    let mut params = params.as_object().cloned().expect("an object");
    params["max_th"] = json!(15_000);
    Talk::with("red", &Value::Object(params.clone()));
    params["adaptive"] = json!(true);
    Talk::with("red", &Value::Object(params));
    assert_eq!(
        refused("ared", &json!({"nonlinear": true})),
        json!({"unsupported": true})
    );
    assert_eq!(
        refused("red", &json!({"rtt": 0.1})),
        json!({"unsupported": true})
    );
}

/// Ten packet times of 500 bytes: 4 ms at the 10 Mbit/s that nobody gave, 40 ms at 1 Mbit/s.
#[test]
fn the_link_sets_the_pace() {
    let links = [
        (json!(null), 4_000_000),
        (json!({"rate_bps": 1e6, "mtu": 1500}), 40_000_000),
    ];
    for (link, idle) in links {
        let mut talk = Talk(Driver::new());
        let params = json!({"w_q": 0.5});
        let new = json!({"cmd": "new", "discipline": "red", "params": params, "link": link});
        assert_eq!(talk.ask(&new), json!({}));
        talk.ask(&json!({"cmd": "poke", "var": "avg", "value": 4}));
        let avg = talk.enqueue(idle, 0, 500)["state"]["red.avg"].as_f64();
        assert_eq!(avg, Some(4.0 / 1024.0));
    }
}

#[test]
fn marks_name_packet_reason_and_flow() {
    let params = json!({"w_q": 1e-9, "ecn": true, "max_p": 1});
    let mut talk = Talk::with("red", &params);
    talk.ask(&json!({"cmd": "poke", "var": "red.avg", "value": 14.999_999}));
    let request =
        json!({"cmd": "enqueue", "t_ns": 0, "id": "a", "bytes": 500, "flow": 2, "ecn": "ect0"});
    let reply = talk.ask(&request);
    assert_eq!((&reply["id"], &reply["ok"]), (&json!("a"), &json!(true)));
    assert_eq!(reply["marks"], json!([["a", "unforced", 2]]));
}

#[test]
fn the_same_seed_gives_the_same_replies() {
    let play = |seed: u64| {
        let mut talk = Talk(Driver::new());
        let params = json!({"w_q": 1e-9});
        talk.ask(&json!({"cmd": "new", "discipline": "red", "params": params, "seed": seed}));
        talk.ask(&json!({"cmd": "poke", "var": "avg", "value": 14}));
        (0..200)
            .map(|id| talk.enqueue(0, id, 500).to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(play(1), play(1));
    assert_ne!(play(1), play(2));
}

#[test]
fn what_cannot_be_taken_is_an_error_and_the_conversation_goes_on() {
    let mut talk = Talk(Driver::new());
    assert!(
        talk.error(&json!({"cmd": "dequeue", "t_ns": 0}))
            .contains("\"new\"")
    );
    for line in [
        "",
        "{",
        "[]",
        "7",
        "null",
        "{}",
        "{\"cmd\":7}",
        "\u{0}",
        "{\"cmd\":\"new\"}",
    ] {
        let reply = talk.0.answer(line);
        assert!(reply.starts_with("{\"error\":"), "{line} gave {reply}");
    }
    let mut talk = Talk::with("droptail", &json!({}));
    talk.enqueue(1_000, 0, 500);
    for (request, part) in [
        (
            json!({"cmd": "enqeue", "t_ns": 0}),
            "did you mean \"enqueue\"?",
        ),
        (
            json!({"cmd": "dequeue", "t_ns": 999}),
            "backwards: it stands at 1000",
        ),
        (json!({"cmd": "dequeue"}), "t_ns: found nothing"),
        (json!({"cmd": "dequeue", "t_ns": -1}), "t_ns: found -1"),
        (json!({"cmd": "dequeue", "t_ns": 1.5}), "t_ns: found 1.5"),
        (
            json!({"cmd": "dequeue", "t_ns": u64::MAX}),
            "t_ns: found 18446744073709551615",
        ),
        (
            json!({"cmd": "enqueue", "t_ns": 2_000}),
            "bytes: found nothing",
        ),
        (
            json!({"cmd": "enqueue", "t_ns": 2_000, "bytes": "many"}),
            "bytes: found \"many\"",
        ),
        (
            json!({"cmd": "enqueue", "t_ns": 2_000, "bytes": 1, "ecn": "yes"}),
            "ecn: found \"yes\"",
        ),
        (
            json!({"cmd": "enqueue", "t_ns": 2_000, "bytes": 1, "prio": 256}),
            "prio: found 256",
        ),
        (
            json!({"cmd": "enqueue", "t_ns": 2_000, "bytes": 1, "src": -4}),
            "src: found -4",
        ),
    ] {
        let text = talk.error(&request);
        assert!(text.contains(part), "{request}: {text}");
    }
    assert_eq!(talk.dequeue(1_000)["id"], 0, "none of it was done");
}

#[test]
fn a_clock_that_jumps_too_far_is_refused() {
    let mut talk = Talk::with("rem", &json!({"interval": "1 us"}));
    let text = talk.error(&json!({"cmd": "dequeue", "t_ns": 100_000_000_000_u64}));
    assert!(text.contains("timers are due"), "{text}");
}

#[test]
fn refused_parameters_are_named() {
    for (discipline, params, part) in [
        (
            "red",
            json!({"min_thr": 5}),
            "found \"min_thr\"; allowed: limit, min_th",
        ),
        ("red", json!({"min_thr": 5}), "did you mean \"min_th\"?"),
        ("red", json!({"min_th": 20}), "min_th: found 20 packets"),
        ("red", json!({"w_q": 2}), "w_q: found 2.0"),
        ("red", json!({"w_q": {}}), "w_q: found {}"),
        ("red", json!({"preset": "ns4"}), "preset: found \"ns4\""),
        ("droptail", json!({"limit": 0}), "limit: found 0.0"),
        (
            "droptail",
            json!({"limit": 5, "limit_bytes": 5}),
            "limit: given twice",
        ),
        (
            "droptail",
            json!({"limit": "5 furlongs"}),
            "limit: found \"5 furlongs\"",
        ),
        ("droptail", json!(7), "params: found 7"),
    ] {
        let reply = refused(discipline, &params);
        let text = reply["error"].as_str().unwrap_or_default();
        assert!(text.contains(part), "{params}: {reply}");
    }
    let mut talk = Talk(Driver::new());
    let link = json!({"rate_bps": 0});
    let new = json!({"cmd": "new", "discipline": "red", "link": link});
    assert!(talk.error(&new).starts_with("rate_bps:"));
    let new = json!({"cmd": "new", "discipline": "red", "link": {"rate": 1}});
    assert!(talk.error(&new).contains("allowed: rate_bps"));
}

/// The vocabulary of the simulators' own tests, and lists of numbers as texts.
#[test]
fn the_names_of_the_delay_based_are_taken() {
    let pie = json!({
        "alpha": 0.125, "beta": 1.25, "t_update": 0.015, "target": 0.015, "max_burst": 0.15,
        "mean_pkt": 1000, "dequeue_threshold": 16384, "dequeue_rate_estimator": false,
        "cap_drop": true, "use_ecn": false, "mark_ecn_threshold": 0.1, "derandomize": false,
        "active_threshold": null, "use_l4s": false,
    });
    Talk::with("pie", &pie);
    Talk::with(
        "ared",
        &json!({"adaptive": true, "feng_adaptive": false, "rtt": 0.1}),
    );
    Talk::with(
        "fq_codel",
        &json!({"min_bytes": 1500, "drop_batch": 64, "flows": 1024}),
    );
    let bands = json!({"priomap": [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2]});
    let mut talk = Talk::with("prio", &bands);
    let request = json!({"cmd": "enqueue", "t_ns": 0, "bytes": 100, "prio": 15});
    assert_eq!(talk.ask(&request)["state"]["band[2]"], 1.0);
}

#[test]
fn inner_variables_of_flows_are_shown_and_set() {
    let mut talk = Talk::with("fq_codel", &json!({"quantum": 1500}));
    for (id, flow) in [(0, 7), (1, 7), (2, 9)] {
        talk.ask(&json!({"cmd": "enqueue", "t_ns": 0, "id": id, "bytes": 100, "flow": flow}));
    }
    let poke = json!({"cmd": "poke", "var": "flow[1].deficit", "value": 7});
    assert_eq!(talk.ask(&poke), json!({}));
    let state = &talk.dequeue(0)["state"];
    assert_eq!(state["flows_active"], 2.0);
    assert_eq!(state["flow[0].packets"], 1.0);
    assert_eq!(state["flow[0].deficit"], 1400.0);
    assert_eq!(state["flow[0].state"], "new");
    assert_eq!(state["flow[1].deficit"], 7.0);
}

/// With a deficit of -1e300 a round robin would take turns for ever, with 1e18 signals CoDel's law
/// would take steps of less than a nanosecond.
#[test]
fn inner_variables_are_set_to_what_they_can_come_to() {
    let flows = "flow[0]";
    for (discipline, variable, values, allowed) in [
        (
            "fq_codel",
            "deficit",
            [-1e300, 1e10],
            "-1000000000 to 1000000000",
        ),
        (
            "fq_cobalt",
            "deficit",
            [-1e300, 1e10],
            "-1000000000 to 1000000000",
        ),
        (
            "fq_pie",
            "deficit",
            [-1e300, 1e10],
            "-1000000000 to 1000000000",
        ),
        (
            "cake",
            "deficit",
            [-1e300, 1e10],
            "-1000000000 to 1000000000",
        ),
        ("fq_codel", "count", [1e18, -2.0], "-1 to 4294967295"),
        ("fq_codel", "lastcount", [1e18, -2.0], "-1 to 4294967295"),
        ("fq_cobalt", "count", [1e18, -2.0], "-1 to 4294967295"),
        ("cake", "count", [1e18, -2.0], "-1 to 4294967295"),
        ("fq_codel", "drop_next", [1e18, -1.0], "0 to 18446744"),
        ("fq_pie", "qdelay", [1e18, -1.0], "0 to 18446744"),
    ] {
        let mut talk = Talk::with(discipline, &json!({}));
        talk.enqueue(0, 0, 100);
        let variable = format!("{flows}.{variable}");
        for value in values {
            let poke = json!({"cmd": "poke", "var": variable, "value": value});
            let expected = format!("value: found {value:?} for {variable}; allowed: {allowed}");
            assert_eq!(talk.error(&poke), expected, "{discipline}");
        }
        let poke = json!({"cmd": "poke", "var": variable, "value": 1});
        assert_eq!(talk.ask(&poke), json!({}), "{discipline}");
        assert_eq!(talk.dequeue(1)["id"], 0);
    }
    for discipline in ["codel", "cobalt", "red", "choke"] {
        let mut talk = Talk::with(discipline, &json!({}));
        let variable = format!("{discipline}.count");
        let poke = json!({"cmd": "poke", "var": variable, "value": 1e18});
        let text = talk.error(&poke);
        assert!(text.ends_with("allowed: -1 to 4294967295"), "{text}");
    }
}

#[test]
fn a_packet_that_cannot_be_is_refused() {
    let mut talk = Talk::with("droptail", &json!({"limit_packets": 2}));
    talk.enqueue(0, 7, 1500);
    let packet = |id, bytes, rtt| json!({"cmd": "enqueue", "t_ns": 1, "id": id, "bytes": bytes, "rtt_s": rtt});
    for (request, error) in [
        (
            packet(8, 0, 0.1),
            "bytes: found 0; allowed: a whole number from 1 to 1000000000",
        ),
        (
            packet(8, 40, -0.1),
            "rtt_s: found -0.1; allowed: seconds from 0 to 18446744",
        ),
        (packet(8, 40, 1e300), "allowed: seconds from 0 to 18446744"),
    ] {
        let found = talk.error(&request);
        assert!(found.ends_with(error), "{found}");
    }
    assert_eq!(talk.enqueue(1, 8, 1500)["state"]["packets"], 2);
}

#[test]
fn bare_numbers_of_a_link_are_not_asked_for_a_unit() {
    let error = |link: Value, params: Value| {
        let mut talk = Talk(Driver::new());
        talk.error(&json!({"cmd": "new", "discipline": "red", "link": link, "params": params}))
    };
    let rates = "allowed: bits per second, from 1 to 1e13";
    let found = error(json!({"rate_bps": 0}), json!({}));
    assert_eq!(found, format!("rate_bps: found 0; {rates}"));
    let found = error(json!({}), json!({"link_bw_bps": 1e14}));
    assert_eq!(
        found,
        format!("link_bw_bps: found 100000000000000; {rates}")
    );
    let found = error(json!({"delay_s": -1}), json!({}));
    assert_eq!(found, "delay_s: found -1; allowed: seconds, zero or more");
    for mtu in [-1, 0] {
        let found = error(json!({"mtu": mtu}), json!({}));
        assert_eq!(
            found,
            format!("mtu: found {mtu}; allowed: bytes, one or more")
        );
    }
}

#[test]
fn what_is_no_text_is_shown() {
    let mut talk = Talk(Driver::new());
    for (request, error) in [
        (
            json!({}),
            "cmd: found nothing; allowed: a command such as \"new\"",
        ),
        (
            json!({"cmd": 3}),
            "cmd: found 3; allowed: a command such as \"new\"",
        ),
        (
            json!({"cmd": "new", "discipline": 5}),
            "discipline: found 5; allowed: a name such as \"red\"",
        ),
    ] {
        assert_eq!(talk.error(&request), error);
    }
}

#[test]
fn what_there_is_not_is_unsupported() {
    assert_eq!(
        refused("no such thing", &json!({})),
        json!({"unsupported": true})
    );
}

#[test]
fn cake_hears_of_codepoints_and_acknowledgements() {
    let params = json!({"bandwidth": 8e6, "ack_filter": "yes", "memlimit": 1e6});
    let mut talk = Talk::with("cake", &params);
    for number in 1..4 {
        let reply = talk.ask(&json!({
            "cmd": "enqueue", "t_ns": 0, "id": number, "bytes": 40, "dscp": 46,
            "ack": {"number": number, "sack": [[9, 10 + number]]},
        }));
        let dropped = if number == 3 {
            json!([[1, "ack_filter", 0]])
        } else {
            json!([])
        };
        assert_eq!(reply["drops"], dropped, "{reply}");
    }
    let reply = talk.dequeue(0);
    assert_eq!(
        (&reply["id"], &reply["state"]["tin[2].packets"]),
        (&json!(2), &json!(1.0))
    );
    assert_eq!(talk.dequeue(39_999)["id"], Value::Null, "the shaper waits");
    assert_eq!(talk.dequeue(40_000)["id"], json!(3));
    for (ack, place) in [
        (json!({"nummer": 1}), "ack: unknown key: found \"nummer\""),
        (json!({}), "number:"),
        (json!({"number": 1, "pure": 1}), "pure:"),
        (json!({"number": 1, "sack": [[1]]}), "sack:"),
        (json!({"number": 1, "stamps": 1}), "stamps:"),
    ] {
        let request = json!({"cmd": "enqueue", "t_ns": 50_000, "bytes": 40, "ack": ack});
        let message = talk.error(&request);
        assert!(message.contains(place), "{message}");
    }
}

/// ns-3 writes "automatic" as numbers that no queue can have: weights of 1 - e^(-1/C), with C
/// packets a second, of 1 - e^(-1/(10 R C)) with the larger R of 0.1 s and three times the way
/// there, and of 1 - e^(-10/C); here C = 3.75. Its thresholds are 5 and 15 at least.
#[test]
fn what_ns3_red_calls_automatic() {
    let slow = json!({"link_bw_bps": 15_000, "link_delay": 0.02, "mean_pkt": 500});
    let c: f64 = 3.75;
    let rtt = 3.0 * (0.02 + 1.0 / c);
    for (weight, packets) in [(0, c), (-1, 10.0 * rtt * c), (-2, c / 10.0)] {
        let mut params = slow.clone();
        params["w_q"] = weight.into();
        params["min_th"] = 70.into();
        params["max_th"] = 150.into();
        let mut talk = Talk::with("red", &params);
        talk.enqueue(0, 0, 500);
        let state = talk.enqueue(0, 1, 500)["state"].clone();
        let expected = 1.0 - libm::exp(-1.0 / packets);
        let avg = state["red.avg"].as_f64().expect("a number");
        assert!((avg - expected).abs() < 1e-12, "{weight}: {avg} {expected}");
    }
    let params = json!({"adaptive": true, "min_th": 0, "max_th": 0, "w_q": 1});
    let mut talk = Talk::with("red", &params);
    for id in 0..7 {
        talk.enqueue(0, id, 500);
    }
    let state = talk.enqueue(0, 8, 500)["state"].clone();
    assert_eq!(state["red.avg"], 7.0);
    // At 10 Mbit/s 5 ms are 12.5 packets, so that the band begins at 6.25: 0.1 0.75 / 12.5.
    let prob = state["red.prob"].as_f64().expect("a number");
    assert!((prob - 0.006).abs() < 1e-12, "{prob}");
}
