//! The parameters and the link of a `new` request: other names, base units, units of the limit.

use serde_json::{Map, Value};
use sojourn_base::{
    Bytes, Length, Limit, LinkInfo, ParamSource, Preset, Quantity, Rate, Scalar, Span, Threshold,
};
use sojourn_queue::Entry;

use super::Refusal;
use super::aliases::{Aliases, Held, Values, own_name, preset};
use super::request::Request;
use crate::error::unknown;

/// Names that other programs use for a parameter.
const ALIASES: &Aliases = &[
    ("mean_pkt", "mean_packet"),
    ("use_hard_drop", "hard_drop"),
    ("min_bytes", "max_packet"),
    ("u", "utilization"),
    ("K", "averaging"),
    ("mark_ecn_threshold", "mark_threshold"),
    ("ecn_threshold", "mark_threshold"),
    ("use_ecn", "ecn"),
    ("use_l4s", "l4s"),
    ("tupdate", "t_update"),
    ("use_derandomization", "derandomize"),
    ("use_cap_drop_adjustment", "cap_drop"),
    ("use_dequeue_rate_estimator", "dequeue_rate_estimator"),
    ("dq_rate_estimator", "dequeue_rate_estimator"),
    ("drop_batch_size", "drop_batch"),
    ("set_associative_ways", "set_ways"),
    ("memlimit", "limit"),
    ("flow_mode", "isolation"),
];

/// Variants that are disciplines of their own: false asks for nothing.
const VARIANTS: &[&str] = &["adaptive", "feng_adaptive", "nonlinear"];

/// A number in base units: whoever is told of a unit would write one.
fn base<T: Quantity>(
    name: &str,
    value: Option<f64>,
    default: T,
    allowed: &str,
) -> Result<T, String> {
    value.map_or(Ok(default), |number| {
        T::read(Scalar::Base(number))
            .map_err(|_| format!("{name}: found {number}; allowed: {allowed}"))
    })
}

/// Sizes of packets are those of frames, to a discipline that asks.
const ETHERNET: Bytes = Bytes::new(14);

/// The link that the discipline is told of.
pub(super) fn link(
    given: &Map<String, Value>,
    params: &Map<String, Value>,
) -> Result<LinkInfo, String> {
    let (link, params) = (Request(given), Request(params));
    let known = ["rate_bps", "delay_s", "mtu", "base_rtt_s"];
    link.only(&known).map_err(|what| format!("link: {what}"))?;
    let either = |own, other| -> Result<_, String> {
        let given = params.number(own)?.map(|number| (own, Some(number)));
        given.map_or_else(|| Ok((other, link.number(other)?)), Ok)
    };
    let (rate_key, rate) = either("link_bw_bps", "rate_bps")?;
    let (delay_key, delay) = either("link_delay", "delay_s")?;
    let usual = Rate::from_bps(10_000_000).unwrap_or(Rate::MAX);
    let rates = "bits per second, from 1 to 1e13";
    let (times, sizes) = ("seconds, zero or more", "bytes, one or more");
    let delay = base(delay_key, delay, Span::ZERO, times)?;
    let mtu = link.number("mtu")?;
    if mtu == Some(0.0) {
        return Err(format!("mtu: found 0; allowed: {sizes}"));
    }
    let base_rtt = link.number("base_rtt_s")?;
    Ok(LinkInfo {
        rate: base(rate_key, rate, usual, rates)?,
        delay,
        mtu: base("mtu", mtu, Bytes::new(1500), sizes)?,
        framing: ETHERNET,
        base_rtt: base("base_rtt_s", base_rtt, delay + delay, times)?,
    })
}

/// The parameters of a discipline under their own names.
pub(super) struct Params<'a> {
    pub(super) preset: Preset,
    values: Values<'a>,
}

impl ParamSource for Params<'_> {
    fn get(&self, name: &str) -> Option<Scalar<'_>> {
        self.values.get(name)
    }
}

impl<'a> Params<'a> {
    pub(super) fn read(
        given: &'a Map<String, Value>,
        entry: &'static Entry,
        link: &LinkInfo,
    ) -> Result<Self, Refusal> {
        let mut params = Self {
            preset: Preset::Reference,
            values: Values::default(),
        };
        for (key, value) in given {
            let Some(held) = held(key, value)? else {
                continue;
            };
            let held = automatic(key, given, link).unwrap_or(held);
            match key.as_str() {
                "preset" => params.preset = preset(value)?,
                "link_bw_bps" | "link_delay" => {}
                "rtt" if given.get("w_q").is_some_and(|weight| !weight.is_null()) => {}
                "rtt" if !has(entry, "rtt") => return Err(Refusal::Unsupported),
                "adaptive" if entry.name == "ared" => {}
                // ns-3's token bucket writes "none" and "automatic" as zero.
                "peak_rate" | "mtu" if value.as_f64() == Some(0.0) => {}
                variant if VARIANTS.contains(&variant) && !has(entry, variant) => {
                    if value != &Value::Bool(false) {
                        return Err(Refusal::Unsupported);
                    }
                }
                _ => params.add(key, held, entry)?,
            }
        }
        params.count_thresholds_as_limit(entry);
        Ok(params)
    }

    /// Takes a parameter under its own name.
    fn add(&mut self, key: &'a str, held: Held, entry: &'static Entry) -> Result<(), String> {
        let (name, held) = match (key, held) {
            ("limit_bytes", Held::Base(bytes)) => ("limit", Held::Text(format!("{bytes} B"))),
            ("limit_packets" | "limit_bytes", held) => ("limit", held),
            (_, held) => (own_name(ALIASES, key), held),
        };
        let Some(param) = entry.params.iter().find(|param| param.name == name) else {
            let names: Vec<&str> = entry.params.iter().map(|param| param.name).collect();
            return Err(format!(
                "params of {}: {}",
                entry.name,
                unknown(key, &names)
            ));
        };
        self.values.add(param.name, key, held)
    }

    /// Numbers given for thresholds are bytes where the limit is.
    fn count_thresholds_as_limit(&mut self, entry: &Entry) {
        let limit = self.get("limit").map(Limit::read);
        let in_bytes = match limit {
            Some(Ok(Limit(Some(length)))) => !matches!(length, Length::Packets(_)),
            _ => false,
        };
        if !in_bytes {
            return;
        }
        for (name, held) in self.values.iter_mut() {
            let is_threshold = entry
                .params
                .iter()
                .any(|param| param.name == name && param.allowed == Threshold::ALLOWED);
            if let (true, Held::Base(bytes)) = (is_threshold, &*held) {
                *held = Held::Text(format!("{bytes} B"));
            }
        }
    }
}

/// What ns-3's RED means by numbers that are none: a weight of 0, -1 or -2, thresholds of 0.
fn automatic(key: &str, given: &Map<String, Value>, link: &LinkInfo) -> Option<Held> {
    /// ns-3's mean packet, in bytes.
    const MEAN: f64 = 500.0;
    let number = |name| given.get(name).and_then(Value::as_f64);
    let pace = link.rate.as_f64() / 8.0 / number("mean_pkt").unwrap_or(MEAN);
    let weight = |packets: f64| Held::Base(-libm::expm1(-1.0 / packets));
    let automatic = Held::Text("auto".to_owned());
    match key {
        "w_q" if number(key) == Some(0.0) => Some(automatic),
        "w_q" if number(key) == Some(-1.0) => {
            let rtt = (3.0 * (link.delay.as_s() + 1.0 / pace)).max(0.1);
            Some(weight(10.0 * rtt * pace))
        }
        "w_q" if number(key) == Some(-2.0) => Some(weight(pace / 10.0)),
        "min_th" | "max_th" if ["min_th", "max_th"].map(number) == [Some(0.0); 2] => {
            Some(automatic)
        }
        _ => None,
    }
}

/// The discipline that ns-3's RED is with these parameters: one that adapts has a name of its own.
pub(super) fn by_variant<'a>(name: &'a str, given: &Map<String, Value>) -> &'a str {
    let adapts = ["adaptive", "feng_adaptive"];
    match name {
        "red"
            if adapts
                .iter()
                .any(|key| given.get(*key) == Some(&Value::Bool(true))) =>
        {
            "ared"
        }
        _ => name,
    }
}

fn has(entry: &Entry, name: &str) -> bool {
    entry.params.iter().any(|param| param.name == name)
}

fn held(key: &str, value: &Value) -> Result<Option<Held>, String> {
    let Value::Array(items) = value else {
        return Held::of(key, value);
    };
    // As a scenario file writes a list of numbers: "1 2 2".
    let words: Vec<String> = items.iter().map(ToString::to_string).collect();
    Ok(Some(Held::Text(words.join(" "))))
}
