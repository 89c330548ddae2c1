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
//! A request that cannot be taken, for an unknown key too, is answered by `{"error": "..."}`, a
//! discipline that is not in the registry by `{"unsupported": true}`; the conversation goes on.
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
//! A discipline in Python is called `module:Class`; its parameters are those of the class, with
//! units.
//!
//! **The link** is one of 10 Mbit/s, no delay, an MTU of 1500 bytes and a base round-trip time of
//! twice its delay, unless `link` has other `rate_bps`, `delay_s`, `mtu`, `base_rtt_s`.
//!
//! **Packets**: missing fields are flow 0, `ecn` `not`, priority and DSCP 0, source `flow`,
//! destination 0, no `ack`, and for `id` the number of the packet. An `ack`, such as
//! `{"number":2001,"sack":[[3001,4001]]}`, makes it an acknowledgement; it may also have
//! `connection`, `pure`, `ece`, `cwr` and `stamps`. `rtt_s` is the round-trip time that it carries,
//! `band` the class that a filter chose for it (`prio`). It has a byte or more. `t_ns` never runs
//! backwards. Timers due before `t_ns` run first, those due at `t_ns` after the operation. A packet
//! that was peeked at still counts in the state, though the discipline has let it go.

mod ack;
mod aliases;
mod discipline;
mod packet;
mod params;
mod request;
mod tcp;

use std::sync::Arc;

use serde_json::{Value, json};

use self::discipline::Session;
use self::request::{Request, shown};
use crate::error::unknown;
use crate::outside::{Makers, Nobody};

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
        let command = request.text("cmd", "a command such as \"new\"")?;
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
