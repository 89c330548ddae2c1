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

use std::sync::Arc;

use serde_json::{Map, Value, json};
use sojourn_base::{ParamSet, Preset, Span, Stream, Time};
use sojourn_transport::{
    Ack, AckSample, AnyController, BuildError, Config, CongestionControl, EcnMode, LossEvent,
    LossKind, SackBlocks, Sender, State, TcpParams, build, find,
};

use super::Refusal;
use super::aliases::{self, Aliases, Held, Values, own_name};
use super::request::{Request, needed, shown};
use crate::error::unknown;

/// Other names of parameters.
const ALIASES: &Aliases = &[
    ("mss", "segment"),
    ("cwnd_segments", "initial_window"),
    ("ssthresh_segments", "initial_ssthresh"),
];

/// The commands that this part answers once it has begun.
pub(super) const COMMANDS: &[&str] = &["ack", "loss", "app_write", "ack_in", "advance"];

/// A controller or a sender being driven.
pub(super) enum TcpSession {
    Controller(Box<BareController>),
    Sender(Box<BareSender>),
}

/// A controller without a sender.
pub(super) struct BareController {
    cc: AnyController,
    config: Config,
    now: Time,
    una: u64,
    srtt: Option<Span>,
}

/// A sender without a network.
pub(super) struct BareSender {
    sender: Sender,
    now: Time,
}

/// The parameters in the tables of a request; refuses one that is given twice.
fn values<'a>(tables: &[&'a Map<String, Value>]) -> Result<Values<'a>, String> {
    let mut values = Values::default();
    let given = tables.iter().flat_map(|table| table.iter());
    for (key, value) in given.filter(|(key, _)| *key != "params") {
        if let Some(held) = Held::of(key, value)? {
            values.add(own_name(ALIASES, key), key, held)?;
        }
    }
    Ok(values)
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
    tables: &[&Map<String, Value>],
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
    let given = values(tables)?;
    let mut presets = tables.iter().filter_map(|table| table.get("preset"));
    let preset = presets.find(|value| !value.is_null());
    let preset = preset.map_or(Ok(Preset::Reference), aliases::preset)?;
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
        let tables: Vec<_> = request.object("params")?.into_iter().collect();
        let (cc, config) = made(name, &tables, request.seed()?)?;
        let controller = BareController {
            cc,
            config,
            now: Time::ZERO,
            una: 1,
            srtt: None,
        };
        let reply = controller.reply();
        Ok((Self::Controller(Box::new(controller)), reply))
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
        let (cc, mut config) = made(name, &tables, request.seed()?)?;
        // The connection is established, whatever the preset's hosts do first.
        config.handshake &= asked;
        let sender = Sender::new(Arc::new(config), cc);
        let sender = BareSender {
            sender,
            now: Time::ZERO,
        };
        let reply = sender.reply(&[]);
        Ok((Self::Sender(Box::new(sender)), reply))
    }

    /// The reply to one of [`COMMANDS`].
    pub(super) fn answer(
        &mut self,
        command: &str,
        request: &Request<'_>,
    ) -> Result<Value, Refusal> {
        match (self, command) {
            (Self::Controller(controller), "ack") => Ok(controller.ack(request)?),
            (Self::Controller(controller), "loss") => Ok(controller.loss(request)?),
            (Self::Sender(sender), "app_write" | "ack_in" | "advance") => {
                Ok(sender.step(command, request)?)
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

impl BareController {
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
        self.now = request.instant(self.now)?;
        let mss = u64::from(self.config.mss);
        let acked = request.whole("segments", 1_000_000)?.unwrap_or(1) * mss;
        let rtt = request.seconds("rtt_s")?;
        let window = self.cc.cwnd();
        let in_flight = match request.whole("in_flight_segments", 1_000_000_000)? {
            Some(segments) => segments * mss,
            None => window.saturating_sub(acked),
        };
        let ece = request.flag("ece", false)?;
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
        self.now = request.instant(self.now)?;
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

impl BareSender {
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
        let now = request.instant(self.now)?;
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
        ece: request.flag("ece", false)?,
        ..Ack::plain(number)
    })
}
