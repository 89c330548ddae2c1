//! A bare congestion controller, or a TCP sender without a network, under an explicit clock.
//!
//! | request | reply |
//! | --- | --- |
//! | `{"cmd":"new","congestion_control":"cubic","params":{"mss":1000,"cwnd_segments":10,...}}` | `{"state":{...}}` |
//! | `{"cmd":"ack","t_ns":T,"segments":1,"rtt_s":0.1,"in_flight_segments":9,"ece":false}` | `{"state":{...}}` |
//! | `{"cmd":"loss","t_ns":T,"kind":"fast_retransmit"}` (or `timeout`, `ecn`) | `{"state":{...}}` |
//! | `{"cmd":"new","tcp_sender":{"congestion_control":"newreno","mss":1000,...}}` | `{"sent":[],"state":{...}}` |
//! | `{"cmd":"app_write","t_ns":T,"bytes":10000}` | `{"sent":[[t_ns,from,to]],"state":{...}}` |
//! | `{"cmd":"ack_in","t_ns":T,"ack":1001,"sack":[[3001,4001]],"window":65535,"ece":false}` | the same |
//! | `{"cmd":"advance","t_ns":T}` | the same |
//!
//! **Parameters** are those of a scenario file, the transport's and the controller's alike, in base
//! units or as texts; also `mss` for `segment`, `cwnd_segments` for `initial_window` and
//! `ssthresh_segments` for `initial_ssthresh`. Windows given as numbers are segments.
//!
//! A sender's connection is established from the start, unless `handshake` is given. A bare
//! controller takes the window to be what limits the sender. Timers of a sender due before
//! `t_ns` run first, those due at `t_ns` after the operation. A threshold that is not set is null.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use sojourn_base::{ParamSet, ParamSource, Preset, Quantity, Scalar, Span, Stream, Time};
use sojourn_transport::{
    Ack, AckSample, AnyController, BuildError, Config, CongestionControl, EcnMode, LossEvent,
    LossKind, SackBlocks, Sender, State, TcpParams, build, find,
};

use super::Refusal;
use super::request::{Request, needed, shown};
use crate::error::unknown;

/// Other names of parameters.
const ALIASES: &[(&str, &str)] = &[
    ("mss", "segment"),
    ("cwnd_segments", "initial_window"),
    ("ssthresh_segments", "initial_ssthresh"),
];

/// The commands that this part answers once it has begun.
pub(super) const COMMANDS: &[&str] = &["ack", "loss", "app_write", "ack_in", "advance"];

/// A controller or a sender being driven.
pub(super) enum TcpSession {
    Controller(Box<Bare>),
    Sender(Box<Alone>),
}

/// A controller without a sender.
pub(super) struct Bare {
    cc: AnyController,
    config: Config,
    now: Time,
    una: u64,
    srtt: Option<Span>,
}

/// A sender without a network.
pub(super) struct Alone {
    sender: Sender,
    now: Time,
}

/// Parameters as a request gives them.
struct Given<'a>(Vec<&'a Map<String, Value>>);

impl Given<'_> {
    /// Refuses what is no value, and a parameter that is given twice, once under another name.
    fn check(&self) -> Result<(), String> {
        let given = self.0.iter().flat_map(|table| table.iter());
        let mut known: BTreeMap<&str, &str> = BTreeMap::new();
        for (key, value) in given.filter(|(key, value)| *key != "params" && !value.is_null()) {
            if value.is_object() || value.is_array() {
                let found = shown(value);
                return Err(format!(
                    "{key}: found {found}; allowed: a number, a text, true or false"
                ));
            }
            let alias = ALIASES.iter().find(|(alias, _)| alias == key);
            let own = alias.map_or(key.as_str(), |(_, own)| own);
            if let Some(other) = known.insert(own, key) {
                let once = if other == own { key } else { other };
                return Err(format!("{own}: given twice, once as {once}"));
            }
        }
        Ok(())
    }

    fn value(&self, key: &str) -> Option<&Value> {
        self.0
            .iter()
            .find_map(|table| table.get(key))
            .filter(|value| !value.is_null())
    }
}

impl ParamSource for Given<'_> {
    fn get(&self, name: &str) -> Option<Scalar<'_>> {
        let alias = ALIASES
            .iter()
            .find(|(_, own)| *own == name)
            .map(|(alias, _)| *alias);
        let value = self.value(name).or_else(|| self.value(alias?))?;
        Some(match value {
            Value::String(text) => Scalar::Text(text),
            Value::Bool(flag) => Scalar::Flag(*flag),
            other => Scalar::Base(other.as_f64().unwrap_or(f64::NAN)),
        })
    }
}

fn refused(error: &BuildError) -> Refusal {
    match error {
        BuildError::Unknown => Refusal::Unsupported,
        BuildError::Param(fault) => Refusal::Error(fault.to_string()),
    }
}

/// The controller called `name` and the settings of its connection.
fn made(
    name: &str,
    tables: Vec<&Map<String, Value>>,
    seed: u64,
) -> Result<(AnyController, Config), Refusal> {
    let Some(entry) = find(name) else {
        return Err(Refusal::Unsupported);
    };
    let own = entry
        .params
        .iter()
        .chain(TcpParams::PARAMS)
        .map(|param| param.name);
    let names: Vec<&str> = own
        .chain(ALIASES.iter().map(|(alias, _)| *alias))
        .chain(["preset", "congestion_control", "params"])
        .collect();
    for key in tables.iter().flat_map(|table| table.keys()) {
        if !names.contains(&key.as_str()) {
            return Err(format!("params of {name}: {}", unknown(key, &names)).into());
        }
    }
    let given = Given(tables);
    given.check()?;
    let preset = match given.value("preset") {
        None => Preset::Reference,
        Some(value) => {
            Preset::read(Scalar::Text(value.as_str().unwrap_or_default())).map_err(|fault| {
                format!("preset: found {}; allowed: {}", shown(value), fault.allowed)
            })?
        }
    };
    let fault = |fault| refused(&BuildError::Param(fault));
    let params = TcpParams::read(&given, preset).map_err(fault)?;
    // What a controller needs of its connection does not depend on the connection.
    let trial = sojourn_transport::Start::of(1000, 10);
    let needs = build(name, &given, preset, &trial)
        .map_err(|error| refused(&error))?
        .needs();
    let config = Config::new(&params, preset, &needs).map_err(fault)?;
    let start = config.start(Stream::new(seed));
    let cc = build(name, &given, preset, &start).map_err(|error| refused(&error))?;
    Ok((cc, config))
}

fn time(request: &Request<'_>, now: Time) -> Result<Time, String> {
    let t_ns = needed("t_ns", request.whole("t_ns", u64::MAX / 1000)?)?;
    let time = Time::from_ns(t_ns);
    if time < now {
        return Err(format!(
            "t_ns: found {t_ns}, which lies before the request before"
        ));
    }
    Ok(time)
}

fn seed(request: &Request<'_>) -> Result<u64, String> {
    Ok(request.whole("seed", u64::MAX)?.unwrap_or(1))
}

fn flag(request: &Request<'_>, name: &str) -> Result<bool, String> {
    match request.get(name) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(format!(
            "{name}: found {}; allowed: true or false",
            shown(other)
        )),
    }
}

fn segments(bytes: u64, mss: u32) -> Value {
    if bytes == u64::MAX {
        Value::Null
    } else {
        json!(bytes as f64 / f64::from(mss))
    }
}

impl TcpSession {
    /// Begins, if the request is for a controller or a sender.
    pub(super) fn begin(request: &Request<'_>) -> Option<Result<(Self, Value), Refusal>> {
        if request.get("tcp_sender").is_some() {
            return Some(Self::sender(request));
        }
        request
            .get("congestion_control")
            .is_some()
            .then(|| Self::controller(request))
    }

    fn controller(request: &Request<'_>) -> Result<(Self, Value), Refusal> {
        // A link is none of its business, but may be told to all alike.
        request.only(&["cmd", "congestion_control", "params", "seed", "link"])?;
        let name = request
            .get("congestion_control")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let tables = request.object("params")?.into_iter().collect();
        let (cc, config) = made(name, tables, seed(request)?)?;
        let bare = Bare {
            cc,
            config,
            now: Time::ZERO,
            una: 1,
            srtt: None,
        };
        let reply = bare.reply();
        Ok((Self::Controller(Box::new(bare)), reply))
    }

    fn sender(request: &Request<'_>) -> Result<(Self, Value), Refusal> {
        request.only(&["cmd", "tcp_sender", "seed", "link"])?;
        let table = needed("tcp_sender", request.object("tcp_sender")?)?;
        let name = match table.get("congestion_control") {
            None => "newreno",
            Some(value) => value.as_str().unwrap_or_default(),
        };
        let table = Request(table);
        let inner = table.object("params")?;
        let tables: Vec<_> = [Some(table.0), inner].into_iter().flatten().collect();
        let asked = tables.iter().any(|table| table.contains_key("handshake"));
        let (cc, mut config) = made(name, tables, seed(request)?)?;
        // The connection is established, whatever the preset's hosts do first.
        config.handshake &= asked;
        let sender = Sender::new(Arc::new(config), cc);
        let alone = Alone {
            sender,
            now: Time::ZERO,
        };
        let reply = alone.reply(&[]);
        Ok((Self::Sender(Box::new(alone)), reply))
    }

    /// The reply to one of [`COMMANDS`].
    pub(super) fn answer(
        &mut self,
        command: &str,
        request: &Request<'_>,
    ) -> Result<Value, Refusal> {
        match (self, command) {
            (Self::Controller(bare), "ack") => Ok(bare.ack(request)?),
            (Self::Controller(bare), "loss") => Ok(bare.loss(request)?),
            (Self::Sender(alone), "app_write" | "ack_in" | "advance") => {
                Ok(alone.step(command, request)?)
            }
            (Self::Controller(_), _) => {
                Err(format!("cmd: {}", unknown(command, &["ack", "loss"])).into())
            }
            (Self::Sender(_), _) => {
                let known = ["app_write", "ack_in", "advance"];
                Err(format!("cmd: {}", unknown(command, &known)).into())
            }
        }
    }
}

impl Bare {
    fn reply(&self) -> Value {
        let mss = self.config.mss;
        json!({"state": {
            "cwnd_segments": segments(self.cc.cwnd(), mss),
            "ssthresh_segments": segments(self.cc.ssthresh(), mss),
        }})
    }

    fn ack(&mut self, request: &Request<'_>) -> Result<Value, String> {
        request.only(&[
            "cmd",
            "t_ns",
            "segments",
            "rtt_s",
            "in_flight_segments",
            "ece",
        ])?;
        self.now = time(request, self.now)?;
        let mss = u64::from(self.config.mss);
        let acked = request.whole("segments", 1_000_000)?.unwrap_or(1) * mss;
        let rtt = request.seconds("rtt_s")?;
        let window = self.cc.cwnd();
        let in_flight = match request.whole("in_flight_segments", 1_000_000_000)? {
            Some(segments) => segments * mss,
            None => window.saturating_sub(acked),
        };
        let ece = flag(request, "ece")?;
        self.una += acked;
        if let Some(rtt) = rtt {
            let srtt = self.srtt.map_or(rtt, |srtt| {
                Span::from_ps((7 * srtt.as_ps() + rtt.as_ps()) / 8)
            });
            self.srtt = Some(srtt);
        }
        let counts = matches!(self.config.ecn, EcnMode::Dctcp | EcnMode::Accurate);
        let sample = AckSample {
            now: self.now,
            acked,
            marked: if ece && counts { acked } else { 0 },
            ece,
            rtt,
            srtt: self.srtt.unwrap_or_default(),
            stamps: rtt.map(|rtt| (Time::ZERO + rtt, Time::ZERO)),
            prior_in_flight: in_flight + acked,
            in_flight,
            window: self.cc.cwnd(),
            snd_una: self.una,
            snd_nxt: self.una + in_flight,
            state: State::Open,
            is_disordered: false,
            may_grow: !ece,
            cwnd_limited: true,
            next_send: self.config.pacing.then_some(self.now),
            rate: None,
            delivered: self.una - 1,
            lost: 0,
        };
        self.cc.on_ack(&sample);
        Ok(self.reply())
    }

    fn loss(&mut self, request: &Request<'_>) -> Result<Value, String> {
        request.only(&["cmd", "t_ns", "kind", "in_flight_segments"])?;
        self.now = time(request, self.now)?;
        let kind = request
            .get("kind")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let kind = match kind {
            "fast_retransmit" => LossKind::FastRetransmit,
            "timeout" => LossKind::Timeout,
            "ecn" => LossKind::Ecn,
            other => {
                let known = ["fast_retransmit", "timeout", "ecn"];
                return Err(format!("kind: {}", unknown(other, &known)));
            }
        };
        let in_flight = match request.whole("in_flight_segments", 1_000_000_000)? {
            Some(segments) => segments * u64::from(self.config.mss),
            None => self.cc.cwnd(),
        };
        let snd_nxt = self.una + in_flight;
        let event = LossEvent {
            now: self.now,
            kind,
            in_flight,
            snd_nxt,
            again: false,
        };
        self.cc.on_loss_event(&event);
        if kind != LossKind::Timeout {
            self.cc.on_recovery_exit(self.now);
        }
        Ok(self.reply())
    }
}

impl Alone {
    fn reply(&self, sent: &[Value]) -> Value {
        let sender = &self.sender;
        let mss = sender.config().mss;
        let srtt = sender.srtt();
        json!({"sent": sent, "state": {
            "cwnd_segments": segments(sender.window(), mss),
            "ssthresh_segments": segments(sender.ssthresh(), mss),
            "srtt_s": srtt.map(|(srtt, _)| srtt.as_s()),
            "rttvar_s": srtt.map(|(_, rttvar)| rttvar.as_s()),
            "rto_s": sender.rto().as_s(),
            "recovery": sender.state().name(),
            "in_flight_segments": segments(sender.in_flight(), mss),
        }})
    }

    fn send(&mut self, sent: &mut Vec<Value>) {
        while let Some(segment) = self.sender.poll_send(self.now) {
            sent.push(json!([self.now.as_ps() / 1000, segment.seq, segment.end()]));
        }
    }

    /// Runs the timers due up to an instant.
    fn run(&mut self, until: Time, sent: &mut Vec<Value>) {
        while let Some(at) = self.sender.next_timer().filter(|&at| at <= until) {
            self.now = self.now.max(at);
            self.sender.on_timer(self.now);
            self.send(sent);
        }
    }

    fn step(&mut self, command: &str, request: &Request<'_>) -> Result<Value, String> {
        request.only(match command {
            "app_write" => &["cmd", "t_ns", "bytes"],
            "ack_in" => &["cmd", "t_ns", "ack", "sack", "window", "ece"],
            _ => &["cmd", "t_ns"],
        })?;
        let now = time(request, self.now)?;
        let ack = if command == "ack_in" {
            Some(ack(request)?)
        } else {
            None
        };
        let bytes = match command {
            "app_write" => needed("bytes", request.whole("bytes", 1 << 50)?)?,
            _ => 0,
        };
        let mut sent = Vec::new();
        if now > Time::ZERO {
            self.run(now.just_before(), &mut sent);
        }
        self.now = self.now.max(now);
        if let Some(ack) = ack {
            self.sender.on_ack(now, &ack);
        }
        self.sender.write(bytes);
        self.send(&mut sent);
        self.run(now, &mut sent);
        Ok(self.reply(&sent))
    }
}

/// The acknowledgement of a request.
fn ack(request: &Request<'_>) -> Result<Ack, String> {
    let number = needed("ack", request.whole("ack", 1 << 60)?)?;
    let mut sack = SackBlocks::NONE;
    if let Some(blocks) = request.get("sack") {
        let wrong = || format!("sack: found {}; allowed: [[from, to], ...]", shown(blocks));
        for block in blocks.as_array().ok_or_else(wrong)? {
            let block = block.as_array().ok_or_else(wrong)?;
            match block.as_slice() {
                [from, to] => {
                    let from = from.as_u64().ok_or_else(wrong)?;
                    sack.push((from, to.as_u64().ok_or_else(wrong)?));
                }
                _ => return Err(wrong()),
            }
        }
    }
    Ok(Ack {
        window: request.whole("window", 1 << 60)?.unwrap_or(u64::MAX),
        sack,
        ece: flag(request, "ece")?,
        ..Ack::plain(number)
    })
}
