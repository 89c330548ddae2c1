//! The driver for congestion controllers and TCP senders, as a program sees it.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use sojourn_scenario::drive::Driver;

struct Talk(Driver);

impl Talk {
    fn new(request: &Value) -> (Self, Value) {
        let mut talk = Self(Driver::new());
        let reply = talk.ask(request);
        (talk, reply)
    }

    fn ask(&mut self, request: &Value) -> Value {
        serde_json::from_str(&self.0.answer(&request.to_string())).unwrap()
    }
}

#[test]
fn slow_start_opens_the_window_by_one_segment_an_acknowledgement() {
    let params = json!({"mss": 1000, "cwnd_segments": 2, "ssthresh_segments": 20});
    let new = json!({"cmd": "new", "congestion_control": "newreno", "params": params});
    let (mut talk, reply) = Talk::new(&new);
    assert_eq!(reply["state"]["cwnd_segments"], 2.0);
    for n in 1..=6 {
        let ack = json!({
            "cmd": "ack", "t_ns": n * 1_000_000, "segments": 1, "rtt_s": 0.1,
            "in_flight_segments": n + 1, "ece": false,
        });
        assert_eq!(talk.ask(&ack)["state"]["cwnd_segments"], f64::from(n + 2));
    }
}

#[test]
fn a_loss_halves_the_window() {
    let params = json!({"mss": 1000, "cwnd_segments": 20, "ssthresh_segments": 20});
    let new = json!({"cmd": "new", "congestion_control": "newreno", "params": params});
    let (mut talk, _) = Talk::new(&new);
    let loss = json!({"cmd": "loss", "t_ns": 1_000_000, "kind": "fast_retransmit"});
    assert_eq!(talk.ask(&loss)["state"]["ssthresh_segments"], 10.0);
}

#[test]
fn a_sender_sends_its_initial_window_and_then_by_acknowledgements() {
    let tcp = json!({"congestion_control": "newreno", "mss": 1000, "initial_window": 2});
    let (mut talk, _) = Talk::new(&json!({"cmd": "new", "tcp_sender": tcp}));
    let written = talk.ask(&json!({"cmd": "app_write", "t_ns": 0, "bytes": 10_000}));
    assert_eq!(written["sent"], json!([[0, 1, 1001], [0, 1001, 2001]]));
    let at = 100_000_000;
    let acked = talk.ask(&json!({"cmd": "ack_in", "t_ns": at, "ack": 1001, "window": 65535}));
    assert_eq!(acked["sent"], json!([[at, 2001, 3001], [at, 3001, 4001]]));
    assert_eq!(acked["state"]["cwnd_segments"], 3.0);
}

#[test]
fn what_cannot_be_taken_is_said_and_the_talk_goes_on() {
    let new = json!({"cmd": "new", "congestion_control": "newrenno", "params": {}});
    let (mut talk, reply) = Talk::new(&new);
    assert_eq!(reply, json!({"unsupported": true}));
    let reply = talk.ask(&json!({"cmd": "ack", "t_ns": 0}));
    assert!(reply["error"].is_string(), "{reply}");
}

#[test]
fn parameters_that_are_no_values_or_given_twice_are_refused() {
    let values = "allowed: a number, a text, true or false";
    for (params, error) in [
        (
            json!({"mss": [1, 2]}),
            format!("mss: found [1,2]; {values}"),
        ),
        (
            json!({"window": {"packets": 5}}),
            format!("window: found {{\"packets\":5}}; {values}"),
        ),
        (
            json!({"mss": 1000, "segment": 1460}),
            "segment: given twice, once as mss".to_owned(),
        ),
        (
            json!({"initial_window": 4, "cwnd_segments": 10}),
            "initial_window: given twice, once as cwnd_segments".to_owned(),
        ),
    ] {
        for new in [
            json!({"cmd": "new", "congestion_control": "newreno", "params": params}),
            json!({"cmd": "new", "tcp_sender": params}),
            json!({"cmd": "new", "tcp_sender": {"congestion_control": "cubic", "params": params}}),
        ] {
            assert_eq!(Talk::new(&new).1["error"], error, "{new}");
        }
    }
    let apart = json!({"mss": 1000, "params": {"segment": 1460}});
    let (_, reply) = Talk::new(&json!({"cmd": "new", "tcp_sender": apart}));
    assert_eq!(reply["error"], "segment: given twice, once as mss");
    let (_, reply) =
        Talk::new(&json!({"cmd": "new", "tcp_sender": {"mss": 1000, "segment": null}}));
    assert!(reply["state"].is_object(), "{reply}");
}

#[test]
fn null_beside_a_value_leaves_that_value() {
    let tables = json!({"mss": null, "preset": null, "params": {"mss": 500, "preset": "ns3"}});
    let (mut talk, _) = Talk::new(&json!({"cmd": "new", "tcp_sender": tables}));
    let reply = talk.ask(&json!({"cmd": "app_write", "t_ns": 0, "bytes": 1000}));
    assert_eq!(reply["sent"], json!([[0, 1, 501], [0, 501, 1001]]));
}

#[test]
fn a_round_trip_takes_no_less_than_no_time() {
    let (mut talk, _) = Talk::new(&json!({"cmd": "new", "congestion_control": "newreno"}));
    let reply = talk.ask(&json!({"cmd": "ack", "t_ns": 0, "rtt_s": -0.1}));
    let error = "rtt_s: found -0.1; allowed: seconds from 0 to 18446744";
    assert_eq!(reply["error"], error);
    let reply = talk.ask(&json!({"cmd": "ack", "t_ns": 0, "rtt_s": 0.1}));
    assert!(reply["state"].is_object(), "{reply}");
}

#[test]
fn windows_given_as_numbers_are_segments() {
    for (key, value, error) in [
        (
            "window",
            json!(0),
            "window: found 0.0; allowed: a window above zero",
        ),
        (
            "window",
            json!("1 bdp"),
            "window: found \"1 bdp\"; allowed: a window above zero",
        ),
    ] {
        let tcp = json!({"mss": 1000, key: value});
        let (_, reply) = Talk::new(&json!({"cmd": "new", "tcp_sender": tcp}));
        let found = reply["error"].as_str().unwrap();
        assert!(found.starts_with(error), "{found}");
    }
    let tcp = json!({"mss": 1000, "window": 2});
    let (mut talk, _) = Talk::new(&json!({"cmd": "new", "tcp_sender": tcp}));
    let written = talk.ask(&json!({"cmd": "app_write", "t_ns": 0, "bytes": 10_000}));
    assert_eq!(written["sent"], json!([[0, 1, 1001], [0, 1001, 2001]]));
}
