//! A bare queue discipline in conversation.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use sojourn_base::{Bytes, LinkInfo, Stream, Time};
use sojourn_queue::{
    AnyDiscipline, BuildError, Context, Dequeued, Discipline, PolicyQueue, ProbeValue,
};

use super::Refusal;
use super::packet::{Driven, Verdicts};
use super::params::{Params, by_variant, link};
use super::request::{Request, needed};
use crate::error::unknown;
use crate::inner::{self, LARGEST};
use crate::outside::{Makers, Wanted, is_outside};

/// Timers that one request may run: those of hours of an idle queue, not of a lost clock.
const MOST_TIMERS: u32 = 10_000_000;

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
    random: &mut Stream,
) -> Result<AnyDiscipline<Driven>, Refusal> {
    let wanted = Wanted {
        name,
        params: &Value::Object(given.clone()),
        place: "the driver",
    };
    match makers.policy(&wanted, link) {
        Ok(policy) => Ok(AnyDiscipline::Custom(Box::new(PolicyQueue::new(
            policy, random,
        )))),
        Err(refusal) => {
            let place = refusal.param.as_deref().unwrap_or("discipline");
            Err(Refusal::Error(format!("{place}: {}", refusal.message)))
        }
    }
}

/// A discipline in conversation.
pub(super) struct Session {
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
    pub(super) fn new(request: &Request<'_>, makers: &dyn Makers) -> Result<Self, Refusal> {
        request.only(&["cmd", "discipline", "params", "seed", "link"])?;
        let name = request.text("discipline", "a name such as \"red\"")?;
        let empty = Map::new();
        let given = request.object("params")?.unwrap_or(&empty);
        let link = link(request.object("link")?.unwrap_or(&empty), given)?;
        let mut random = Stream::new(request.seed()?);
        let discipline = if is_outside(name) {
            from_outside(name, given, &link, makers, &mut random)?
        } else {
            registered(name, given, &link)?
        };
        Ok(Self {
            name: name.rsplit([':', '.']).next().unwrap_or(name).to_owned(),
            discipline,
            random,
            now: Time::ZERO,
            arrivals: 0,
            held: None,
            flows: Vec::new(),
            stored: BTreeMap::new(),
        })
    }

    pub(super) fn enqueue(&mut self, request: &Request<'_>) -> Result<Value, String> {
        request.only(&[
            "cmd", "t_ns", "id", "bytes", "flow", "ecn", "prio", "src", "dst", "dscp", "band",
            "ack", "rtt_s",
        ])?;
        let bytes = needed("bytes", request.whole("bytes", LARGEST)?)?;
        if bytes == 0 {
            let allowed = format!("a whole number from 1 to {LARGEST}");
            return Err(format!("bytes: found 0; allowed: {allowed}"));
        }
        let flow = request.whole("flow", u64::MAX)?.unwrap_or(0);
        let address = |name| request.whole(name, u64::from(u32::MAX));
        let small = |name| request.whole(name, 255);
        let packet = Driven {
            id: request
                .get("id")
                .cloned()
                .unwrap_or_else(|| self.arrivals.into()),
            serial: self.arrivals,
            size: Bytes::new(bytes),
            flow,
            source: address("src")?.unwrap_or(flow) as u32,
            destination: address("dst")?.unwrap_or(0) as u32,
            dscp: small("dscp")?.unwrap_or(0) as u8,
            priority: small("prio")?.unwrap_or(0) as u8,
            class: small("band")?.map(|band| band as u8),
            ecn: request.ecn()?,
            ack: request.ack()?,
            rtt: request.seconds("rtt_s")?,
            enqueued: Time::ZERO,
        };
        let now = request.instant(self.now)?;
        let (id, serial) = (packet.id.clone(), packet.serial);
        let mut verdicts = Verdicts::default();
        self.timers(&mut verdicts, |due| due < now)?;
        self.now = now;
        self.arrivals += 1;
        self.stored(flow, 1);
        let packet = Driven {
            enqueued: now,
            ..packet
        };
        self.call(&mut verdicts, |discipline, ctx| {
            discipline.enqueue(packet, ctx);
        });
        self.timers(&mut verdicts, |due| due <= now)?;
        let ok = verdicts.gone.iter().all(|&(gone, _)| gone != serial);
        Ok(json!({
            "id": id, "ok": ok, "drops": verdicts.drops, "marks": verdicts.marks, "state": self.state()
        }))
    }

    pub(super) fn dequeue(&mut self, request: &Request<'_>) -> Result<Value, String> {
        let (mut verdicts, packet) = self.head(request)?;
        if let Some(packet) = &packet {
            self.stored(packet.flow, -1);
        }
        let id = packet.map_or(Value::Null, |packet| packet.id);
        self.answer(&mut verdicts, &id)
    }

    pub(super) fn peek(&mut self, request: &Request<'_>) -> Result<Value, String> {
        let (mut verdicts, packet) = self.head(request)?;
        let id = packet
            .as_ref()
            .map_or(Value::Null, |packet| packet.id.clone());
        self.held = packet;
        self.answer(&mut verdicts, &id)
    }

    /// The packet that goes out next: the one held back, or the discipline's.
    fn head(&mut self, request: &Request<'_>) -> Result<(Verdicts, Option<Driven>), String> {
        request.only(&["cmd", "t_ns"])?;
        let now = request.instant(self.now)?;
        let mut verdicts = Verdicts::default();
        self.timers(&mut verdicts, |due| due < now)?;
        self.now = now;
        if let Some(packet) = self.held.take() {
            return Ok((verdicts, Some(packet)));
        }
        let packet = match self.call(&mut verdicts, Discipline::dequeue) {
            Dequeued::Packet(packet) => Some(packet),
            Dequeued::Empty | Dequeued::Wait(_) => None,
        };
        Ok((verdicts, packet))
    }

    fn answer(&mut self, verdicts: &mut Verdicts, id: &Value) -> Result<Value, String> {
        let now = self.now;
        self.timers(verdicts, |due| due <= now)?;
        let (drops, marks) = (&verdicts.drops, &verdicts.marks);
        Ok(json!({"id": id, "drops": drops, "marks": marks, "state": self.state()}))
    }

    pub(super) fn poke(&mut self, request: &Request<'_>) -> Result<Value, String> {
        request.only(&["cmd", "var", "value"])?;
        let variable = request.get("var").and_then(Value::as_str);
        let variable = needed("var", variable)?;
        let value = needed("value", request.number("value")?)?;
        let allowed = inner::may_be(&self.discipline, variable, value);
        allowed.map_err(|fault| format!("value: {fault}"))?;
        let own = variable
            .strip_prefix(self.name.as_str())
            .and_then(|rest| rest.strip_prefix('.'));
        if self.discipline.poke(own.unwrap_or(variable), value) {
            return Ok(json!({}));
        }
        let mut names = Vec::new();
        self.discipline
            .probe_all(&mut |name, _| names.push(self.name_of(name)));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Err(format!("var: {}", unknown(variable, &names)))
    }

    fn timers(
        &mut self,
        verdicts: &mut Verdicts,
        is_due: impl Fn(Time) -> bool,
    ) -> Result<(), String> {
        for _ in 0..MOST_TIMERS {
            let Some(due) = self.discipline.next_timer().filter(|&due| is_due(due)) else {
                return Ok(());
            };
            self.now = due.max(self.now);
            self.call(verdicts, Discipline::on_timer);
        }
        Err(format!(
            "t_ns: more than {MOST_TIMERS} timers are due before it"
        ))
    }

    fn call<R>(
        &mut self,
        verdicts: &mut Verdicts,
        act: impl FnOnce(&mut AnyDiscipline<Driven>, &mut Context<'_, Driven>) -> R,
    ) -> R {
        let before = verdicts.gone.len();
        let mut ctx = Context {
            now: self.now,
            random: &mut self.random,
            sink: verdicts,
        };
        let result = act(&mut self.discipline, &mut ctx);
        for &(_, flow) in &verdicts.gone[before..] {
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
        self.discipline.probe_all(&mut |name, value| {
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
