//! One bare queue discipline under an explicit clock: JSON lines in, JSON lines out.
//!
//! No link, no traffic, no clock but the times given. Each request is one JSON object, each reply
//! one:
//!
//! | request | reply |
//! | --- | --- |
//! | `{"cmd":"new","discipline":"red","params":{...},"seed":1,"link":{...}}` | `{}` |
//! | `{"cmd":"enqueue","t_ns":T,"id":7,"bytes":1500,"flow":0,"ecn":"not","prio":0}` | `{"id":7,"ok":true,"drops":[],"marks":[],"state":{}}` |
//! | `{"cmd":"dequeue","t_ns":T}` | `{"id":7,"drops":[[3,"target",0]],"marks":[],"state":{}}`, `id` null where nothing comes out |
//! | `{"cmd":"peek","t_ns":T}` | as dequeue, but the packet stays |
//! | `{"cmd":"poke","var":"red.avg","value":3}` | `{}` |
//!
//! Congestion controllers and TCP senders: see [`tcp`].
//!
//! A request that cannot be taken is answered by `{"error": "..."}`, a discipline that is not in
//! the registry by `{"unsupported": true}`; the conversation goes on.
//!
//! **Parameters** are those of a scenario file, `preset` included: texts with units as there, or
//! numbers in base units (seconds, bytes, bit/s; limits in packets). A number given for a
//! threshold is in the unit of the limit, bytes if that is in bytes and else packets. `null` leaves
//! a parameter at its default. Names used elsewhere are taken too:
//!
//! | name | stands for |
//! | --- | --- |
//! | `limit_packets`, `limit_bytes` | `limit` in that unit |
//! | `mean_pkt`, `use_hard_drop`, `min_bytes` | `mean_packet`, `hard_drop`, `max_packet` |
//! | `u`, `K` | `utilization`, `averaging` |
//! | `link_bw_bps`, `link_delay` | the link's rate and delay |
//! | `adaptive`, `feng_adaptive` | nothing if false; true makes `red` `ared` |
//! | `nonlinear` | nothing if false; true is unsupported but by `red` |
//! | `w_q` of 0, -1 or -2, `min_th` and `max_th` of 0 | automatic, as ns-3's RED reads them |
//! | `rtt` | nothing where `w_q` is given; else unsupported |
//!
//! A discipline in Python is called `module:Class`; its parameters are those of the class, with units.
//!
//! **The link** is one of 10 Mbit/s, no delay, an MTU of 1500 bytes and a base round-trip time of
//! twice its delay, unless `link` has other `rate_bps`, `delay_s`, `mtu`, `base_rtt_s`.
//!
//! **Packets**: missing fields are flow 0, `ecn` `not`, priority and DSCP 0, source `flow`,
//! destination 0, no `ack`, and for `id` the number of the packet. An `ack`, such as
//! `{"number":2001,"sack":[[3001,4001]]}`, makes it an acknowledgement; it may also have `connection`,
//! `pure`, `ece`, `cwr` and `stamps`. `rtt_s` is the round-trip time that it carries, `band` the class
//! that a filter chose for it (`prio`). `t_ns` never runs backwards. Timers due
//! before `t_ns` run first, those due at `t_ns` after the operation. A packet that was peeked at
//! still counts in the state, though the discipline has let it go.

mod ack;
mod params;
mod tcp;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use sojourn_base::{Bytes, Ecn, LinkInfo, Span, Stream, Time};
use sojourn_queue::{
    AckView, AnyDiscipline, BuildError, Context, Dequeued, Discipline, Governed, Packet,
    ProbeValue, Reason, Sink,
};

use self::params::{Params, by_variant, link};
use crate::error::unknown;
use crate::outside::{Makers, Nobody, Wanted, is_outside};

/// Timers that one request may run: those of hours of an idle queue, not of a lost clock.
const MOST_TIMERS: u32 = 10_000_000;

/// Answers requests, one after the other.
pub struct Driver {
    makers: Arc<dyn Makers>,
    session: Option<Session>,
    tcp: Option<tcp::TcpSession>,
}

/// Why a request is not done.
enum Refusal {
    Unsupported,
    Error(String),
}

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Self::Error(message)
    }
}

impl Default for Driver {
    fn default() -> Self {
        Self::new()
    }
}

impl Driver {
    /// A driver without a discipline: the first request is to be `new`.
    pub fn new() -> Self {
        Self::with(Arc::new(Nobody))
    }

    /// The same, with `makers` for disciplines that are in no registry.
    pub fn with(makers: Arc<dyn Makers>) -> Self {
        Self {
            makers,
            session: None,
            tcp: None,
        }
    }

    /// The reply to one line: one line, without its end.
    pub fn answer(&mut self, request: &str) -> String {
        let reply = self.reply(request).unwrap_or_else(|refusal| match refusal {
            Refusal::Unsupported => json!({"unsupported": true}),
            Refusal::Error(message) => json!({"error": message}),
        });
        reply.to_string()
    }

    fn reply(&mut self, request: &str) -> Result<Value, Refusal> {
        let request: Value = serde_json::from_str(request).map_err(|error| format!("{error}"))?;
        let Value::Object(request) = request else {
            return Err(format!("found {}; allowed: an object", shown(&request)).into());
        };
        let request = Request(&request);
        let Some(command) = request.0.get("cmd").and_then(Value::as_str) else {
            return Err("cmd: found nothing; allowed: a command such as \"new\""
                .to_owned()
                .into());
        };
        if command == "new" {
            self.session = None;
            self.tcp = None;
            if let Some(begun) = tcp::TcpSession::begin(&request) {
                let (session, reply) = begun?;
                self.tcp = Some(session);
                return Ok(reply);
            }
            self.session = Some(Session::new(&request, &*self.makers)?);
            return Ok(json!({}));
        }
        if tcp::COMMANDS.contains(&command)
            && let Some(session) = &mut self.tcp
        {
            return session.answer(command, &request);
        }
        let known = ["new", "enqueue", "dequeue", "peek", "poke"];
        if !known.contains(&command) {
            return Err(format!("cmd: {}", unknown(command, &known)).into());
        }
        let Some(session) = &mut self.session else {
            return Err("no discipline yet: begin with \"new\"".to_owned().into());
        };
        Ok(match command {
            "enqueue" => session.enqueue(&request)?,
            "dequeue" => session.dequeue(&request)?,
            "peek" => session.peek(&request)?,
            _ => session.poke(&request)?,
        })
    }
}

/// A value as it stands in a request, cut short.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 {
        return text;
    }
    text.chars().take(60).chain("...".chars()).collect()
}

fn needed<T>(name: &str, found: Option<T>) -> Result<T, String> {
    found.ok_or_else(|| format!("{name}: found nothing; it must be given"))
}

/// The fields of a request.
struct Request<'a>(&'a Map<String, Value>);

impl Request<'_> {
    /// A field that is there and not null.
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn whole(&self, name: &str, most: u64) -> Result<Option<u64>, String> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let number = value.as_u64().or_else(|| {
            let number = value.as_f64()?;
            (number >= 0.0 && number == number.trunc() && number < 1e18).then_some(number as u64)
        });
        number
            .filter(|&number| number <= most)
            .map(Some)
            .ok_or_else(|| {
                format!(
                    "{name}: found {}; allowed: a whole number from 0 to {most}",
                    shown(value)
                )
            })
    }

    fn number(&self, name: &str) -> Result<Option<f64>, String> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let number = value.as_f64().map(Some);
        number.ok_or_else(|| format!("{name}: found {}; allowed: a number", shown(value)))
    }

    fn object(&self, name: &str) -> Result<Option<&Map<String, Value>>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Object(object)) => Ok(Some(object)),
            Some(other) => Err(format!(
                "{name}: found {}; allowed: an object",
                shown(other)
            )),
        }
    }

    fn ecn(&self) -> Result<Ecn, String> {
        match self
            .get("ecn")
            .map(|value| value.as_str().unwrap_or_default())
        {
            None | Some("not") => Ok(Ecn::NotEct),
            Some("ect0") => Ok(Ecn::Ect0),
            Some("ect1") => Ok(Ecn::Ect1),
            Some("ce") => Ok(Ecn::Ce),
            Some(_) => {
                let found = self.get("ecn").map(shown).unwrap_or_default();
                let allowed = "\"not\", \"ect0\", \"ect1\" or \"ce\"";
                Err(format!("ecn: found {found}; allowed: {allowed}"))
            }
        }
    }
}

/// A packet of a request.
struct Driven {
    /// As the request names it.
    id: Value,
    /// Its number among all packets.
    serial: u64,
    size: Bytes,
    flow: u64,
    source: u32,
    destination: u32,
    dscp: u8,
    priority: u8,
    class: Option<u8>,
    ecn: Ecn,
    ack: Option<AckView>,
    rtt: Option<Span>,
    enqueued: Time,
}

impl Packet for Driven {
    fn size(&self) -> Bytes {
        self.size
    }
    fn flow(&self) -> u64 {
        self.flow
    }
    fn source(&self) -> u32 {
        self.source
    }
    fn destination(&self) -> u32 {
        self.destination
    }
    fn dscp(&self) -> u8 {
        self.dscp
    }
    fn priority(&self) -> u8 {
        self.priority
    }
    fn class(&self) -> Option<u8> {
        self.class
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
    fn ack(&self) -> Option<AckView> {
        self.ack
    }
    fn rtt(&self) -> Option<Span> {
        self.rtt
    }
    fn enqueued(&self) -> Time {
        self.enqueued
    }
}

/// What one request caused.
#[derive(Default)]
struct Told {
    drops: Vec<Value>,
    marks: Vec<Value>,
    /// Numbers and flows of the dropped packets.
    gone: Vec<(u64, u64)>,
}

impl Sink<Driven> for Told {
    fn dropped(&mut self, packet: Driven, reason: Reason) {
        self.gone.push((packet.serial, packet.flow));
        self.drops
            .push(json!([packet.id, reason.name(), packet.flow]));
    }
    fn marked(&mut self, packet: &Driven, reason: Reason) {
        self.marks
            .push(json!([packet.id, reason.name(), packet.flow]));
    }
}

/// A discipline of the registry.
fn registered(
    name: &str,
    given: &Map<String, Value>,
    link: &LinkInfo,
) -> Result<AnyDiscipline<Driven>, Refusal> {
    let name = by_variant(name, given);
    let entry = sojourn_queue::find(name).ok_or(Refusal::Unsupported)?;
    let params = Params::read(given, entry, link)?;
    sojourn_queue::build(name, &params, params.preset, link).map_err(|error| match error {
        BuildError::Unknown => Refusal::Unsupported,
        BuildError::Param(fault) => Refusal::Error(fault.to_string()),
    })
}

/// A discipline called `module:Class`; its parameters have their units.
fn from_outside(
    name: &str,
    given: &Map<String, Value>,
    link: &LinkInfo,
    makers: &dyn Makers,
) -> Result<AnyDiscipline<Driven>, Refusal> {
    let wanted = Wanted {
        name,
        params: &Value::Object(given.clone()),
        place: "the driver",
    };
    match makers.policy(&wanted, link) {
        Ok(policy) => Ok(AnyDiscipline::Custom(Box::new(Governed::new(policy)))),
        Err(refusal) => {
            let place = refusal.param.as_deref().unwrap_or("discipline");
            Err(Refusal::Error(format!("{place}: {}", refusal.message)))
        }
    }
}

/// A discipline in conversation.
struct Session {
    /// What the names of its variables begin with.
    name: String,
    discipline: AnyDiscipline<Driven>,
    random: Stream,
    now: Time,
    arrivals: u64,
    /// What was peeked at and goes out next.
    held: Option<Driven>,
    /// Flows in the order in which they were first seen.
    flows: Vec<u64>,
    /// Packets stored of each.
    stored: BTreeMap<u64, u64>,
}

impl Session {
    fn new(request: &Request<'_>, makers: &dyn Makers) -> Result<Self, Refusal> {
        if request.get("congestion_control").is_some() || request.get("tcp_sender").is_some() {
            return Err(Refusal::Unsupported);
        }
        let Some(name) = request.get("discipline").and_then(Value::as_str) else {
            let message = "discipline: found nothing; allowed: a name such as \"red\"";
            return Err(message.to_owned().into());
        };
        let empty = Map::new();
        let given = request.object("params")?.unwrap_or(&empty);
        let link = link(request.object("link")?.unwrap_or(&empty), given)?;
        let discipline = if is_outside(name) {
            from_outside(name, given, &link, makers)?
        } else {
            registered(name, given, &link)?
        };
        Ok(Self {
            name: name.rsplit([':', '.']).next().unwrap_or(name).to_owned(),
            discipline,
            random: Stream::new(request.whole("seed", u64::MAX)?.unwrap_or(1)),
            now: Time::ZERO,
            arrivals: 0,
            held: None,
            flows: Vec::new(),
            stored: BTreeMap::new(),
        })
    }

    fn enqueue(&mut self, request: &Request<'_>) -> Result<Value, String> {
        let bytes = request.whole("bytes", 1_000_000_000)?;
        let flow = request.whole("flow", u64::MAX)?.unwrap_or(0);
        let address = |name| request.whole(name, u64::from(u32::MAX));
        let small = |name| request.whole(name, 255);
        let packet = Driven {
            id: request
                .get("id")
                .cloned()
                .unwrap_or_else(|| self.arrivals.into()),
            serial: self.arrivals,
            size: Bytes::new(needed("bytes", bytes)?),
            flow,
            source: address("src")?.unwrap_or(flow) as u32,
            destination: address("dst")?.unwrap_or(0) as u32,
            dscp: small("dscp")?.unwrap_or(0) as u8,
            priority: small("prio")?.unwrap_or(0) as u8,
            class: small("band")?.map(|band| band as u8),
            ecn: request.ecn()?,
            ack: request.ack()?,
            rtt: request.number("rtt_s")?.map(Span::from_s),
            enqueued: Time::ZERO,
        };
        let now = self.instant(request)?;
        let (id, serial) = (packet.id.clone(), packet.serial);
        let mut told = Told::default();
        self.timers(&mut told, |due| due < now)?;
        self.now = now;
        self.arrivals += 1;
        self.stored(flow, 1);
        let packet = Driven {
            enqueued: now,
            ..packet
        };
        self.call(&mut told, |discipline, ctx| discipline.enqueue(packet, ctx));
        self.timers(&mut told, |due| due <= now)?;
        let ok = told.gone.iter().all(|&(gone, _)| gone != serial);
        Ok(json!({
            "id": id, "ok": ok, "drops": told.drops, "marks": told.marks, "state": self.state()
        }))
    }

    fn dequeue(&mut self, request: &Request<'_>) -> Result<Value, String> {
        let (mut told, packet) = self.head(request)?;
        if let Some(packet) = &packet {
            self.stored(packet.flow, -1);
        }
        let id = packet.map_or(Value::Null, |packet| packet.id);
        self.answer(&mut told, &id)
    }

    fn peek(&mut self, request: &Request<'_>) -> Result<Value, String> {
        let (mut told, packet) = self.head(request)?;
        let id = packet
            .as_ref()
            .map_or(Value::Null, |packet| packet.id.clone());
        self.held = packet;
        self.answer(&mut told, &id)
    }

    /// The packet that goes out next: the one held back, or the discipline's.
    fn head(&mut self, request: &Request<'_>) -> Result<(Told, Option<Driven>), String> {
        let now = self.instant(request)?;
        let mut told = Told::default();
        self.timers(&mut told, |due| due < now)?;
        self.now = now;
        if let Some(packet) = self.held.take() {
            return Ok((told, Some(packet)));
        }
        let packet = match self.call(&mut told, Discipline::dequeue) {
            Dequeued::Packet(packet) => Some(packet),
            Dequeued::Empty | Dequeued::Wait(_) => None,
        };
        Ok((told, packet))
    }

    fn answer(&mut self, told: &mut Told, id: &Value) -> Result<Value, String> {
        let now = self.now;
        self.timers(told, |due| due <= now)?;
        let (drops, marks) = (&told.drops, &told.marks);
        Ok(json!({"id": id, "drops": drops, "marks": marks, "state": self.state()}))
    }

    fn poke(&mut self, request: &Request<'_>) -> Result<Value, String> {
        let variable = request.get("var").and_then(Value::as_str);
        let variable = needed("var", variable)?;
        let value = needed("value", request.number("value")?)?;
        let own = variable
            .strip_prefix(self.name.as_str())
            .and_then(|rest| rest.strip_prefix('.'));
        if self.discipline.poke(own.unwrap_or(variable), value) {
            return Ok(json!({}));
        }
        let mut names = Vec::new();
        self.discipline
            .probe(&mut |name, _| names.push(self.name_of(name)));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Err(format!("var: {}", unknown(variable, &names)))
    }

    /// The time of a request: not before the one that went before.
    fn instant(&self, request: &Request<'_>) -> Result<Time, String> {
        /// As far as the clock goes.
        const LAST_NS: u64 = u64::MAX / 1_000;
        let ns = request.whole("t_ns", LAST_NS)?;
        let now = Time::from_ns(needed("t_ns", ns)?);
        if now < self.now {
            let ns = self.now.as_ps() / 1_000;
            return Err(format!("t_ns: the clock runs backwards: it stands at {ns}"));
        }
        Ok(now)
    }

    fn timers(&mut self, told: &mut Told, is_due: impl Fn(Time) -> bool) -> Result<(), String> {
        for _ in 0..MOST_TIMERS {
            let Some(due) = self.discipline.next_timer().filter(|&due| is_due(due)) else {
                return Ok(());
            };
            self.now = due.max(self.now);
            self.call(told, Discipline::on_timer);
        }
        Err(format!(
            "t_ns: more than {MOST_TIMERS} timers are due before it"
        ))
    }

    fn call<R>(
        &mut self,
        told: &mut Told,
        act: impl FnOnce(&mut AnyDiscipline<Driven>, &mut Context<'_, Driven>) -> R,
    ) -> R {
        let before = told.gone.len();
        let mut ctx = Context {
            now: self.now,
            random: &mut self.random,
            sink: told,
        };
        let result = act(&mut self.discipline, &mut ctx);
        for &(_, flow) in &told.gone[before..] {
            self.stored(flow, -1);
        }
        result
    }

    fn stored(&mut self, flow: u64, change: i64) {
        let packets = self.stored.entry(flow).or_insert_with(|| {
            self.flows.push(flow);
            0
        });
        *packets = packets.saturating_add_signed(change);
    }

    /// An inner variable as the state shows it.
    fn name_of(&self, variable: &str) -> String {
        if variable.contains('[') || variable == "flows_active" {
            variable.to_owned()
        } else {
            format!("{}.{variable}", self.name)
        }
    }

    fn state(&self) -> Value {
        let mut backlog = self.discipline.backlog();
        if let Some(packet) = &self.held {
            backlog.packets += 1;
            backlog.bytes += packet.size;
        }
        let mut state = Map::new();
        state.insert("packets".to_owned(), backlog.packets.into());
        state.insert("bytes".to_owned(), backlog.bytes.get().into());
        self.discipline.probe(&mut |name, value| {
            let value = match value {
                ProbeValue::Number(number) => number.into(),
                ProbeValue::Name(name) => name.into(),
            };
            state.insert(self.name_of(name), value);
        });
        let tells_flows = state.keys().any(|name| name.starts_with("flow["));
        if state.contains_key("flows_active") && !tells_flows {
            for (k, flow) in self.flows.iter().enumerate() {
                state.insert(format!("flow[{k}].packets"), self.stored[flow].into());
            }
        }
        Value::Object(state)
    }
}
