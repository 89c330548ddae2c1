//! AVQ: drops by the overflow of a virtual queue whose capacity adapts to the load.
//!
//! S. Kunniyur, R. Srikant, "Analysis and Design of an Adaptive Virtual Queue (AVQ) Algorithm for
//! Active Queue Management", ACM SIGCOMM 2001.
//!
//! Every arrival is put, in bytes, into a virtual queue that drains at the virtual capacity. An
//! arrival that does not fit into the virtual queue is dropped, or with `ecn` marked, and does not
//! enter the virtual queue. Nor does an arrival for which the real queue has no room.
//!
//! The virtual capacity grows at the rate `alpha` `gamma` C, where C is the capacity of the link,
//! shrinks by `alpha` times the bytes that arrive, and stays between zero and C. In equilibrium the
//! accepted load is `gamma` C. For this adaptation marked packets count as arrivals and dropped
//! packets do not, so that it depends on accepted traffic only.
//!
//! **Reference**: `gamma` 0.98 and `alpha` 0.15 as in the experiments of the paper (`alpha` is
//! bounded by a function of the number of flows and their delays); the initial virtual capacity is
//! 0.8 C. The virtual queue has as much room as the real one, 1000 packets; in the virtual queue a
//! limit in packets stands for 1000 bytes per packet. With `adapts` off this is the fixed virtual
//! queue of R. Gibbens and F. Kelly, 1999, for example with `initial` 0.95.
//!
//! **ns-2** (`Vq`, ns-2.35):
//!
//! - The room of both queues, real and virtual, is 50 packets of 1000 bytes each.
//! - Time is counted from the first arrival.
//! - An arrival for which the real queue has no room stays in the virtual queue.
//! - With `ecn` a packet that cannot be marked is still admitted.
//! - Its packet mode, which has a different gain, and marking at the front are left out.
//!
//! **Linux** and **ns-3** have no AVQ; their presets are the reference.

use sojourn_base::checks::{above_zero, not_negative};
use sojourn_base::length::Capacity;
use sojourn_base::{
    Auto, Bytes, Fraction, Limit, LinkInfo, ParamFault, Preset, Threshold, Time, params,
};

use crate::parts::gate::{Gate, Gated, Signal};
use crate::{AdmissionContext, Packet, ProbeValue, Warning};

params! {
    /// Parameters of AVQ.
    pub struct Params {
        /// Largest queue, in packets or bytes; the packet being transmitted is not counted.
        limit: Limit = "1000 packets", Ns2 = "50 packets";
        /// Room in the virtual queue. Automatic: the limit.
        virtual_limit: Auto<Threshold> = "auto";
        /// Target utilization of the link.
        gamma: Fraction = "0.98";
        /// Gain of the adaptation.
        alpha: f64 = "0.15";
        /// Initial virtual capacity, as a share of the link's capacity.
        initial: Fraction = "0.8";
        /// Whether the virtual capacity adapts.
        adapts: bool = "true";
        /// Size of a typical packet.
        mean_packet: Bytes = "1000 B";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "false";
    }
}

/// The virtual queue.
#[derive(Debug)]
pub struct AvqGate {
    params: Params,
    /// Bytes of room in the virtual queue.
    room: f64,
    /// Bytes a second of the link.
    link_rate: f64,
    virtual_rate: f64,
    virtual_bytes: f64,
    like_ns2: bool,
    /// The last arrival; none before ns-2's first.
    last: Option<Time>,
    /// The last that adaptation saw.
    last_seen: Option<Time>,
}

/// An adaptive virtual queue.
pub type Avq<P> = Gated<P, AvqGate>;

impl<P> Avq<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// A mean packet of nothing, or a gain below zero.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let mean = params.mean_packet;
        above_zero("mean_packet", mean)?;
        not_negative("alpha", params.alpha)?;
        let capacity = match (params.limit.on(link), preset) {
            (Capacity::Packets(packets), Preset::Ns2) => Capacity::Bytes(packets * mean.get()),
            (capacity, _) => capacity,
        };
        let room = match (params.virtual_limit, capacity) {
            (Auto::Given(Threshold(length)), _) => length.in_bytes(mean, link),
            (Auto::Auto, Capacity::Packets(packets)) => (packets * mean.get()) as f64,
            (Auto::Auto, Capacity::Bytes(bytes)) => bytes as f64,
            (Auto::Auto, Capacity::Unlimited) => f64::INFINITY,
        };
        let link_rate = link.rate.as_f64() / 8.0;
        let like_ns2 = preset == Preset::Ns2;
        let gate = AvqGate {
            room,
            link_rate,
            virtual_rate: params.initial.0 * link_rate,
            params: params.clone(),
            virtual_bytes: 0.0,
            like_ns2,
            last: beginning(like_ns2),
            last_seen: beginning(like_ns2),
        };
        Ok(Self::with_gate(gate, capacity))
    }
}

/// From when on time counts: in ns-2 from the first arrival.
fn beginning(like_ns2: bool) -> Option<Time> {
    (!like_ns2).then_some(Time::ZERO)
}

impl<P: Packet> Gate<P> for AvqGate {
    fn admit(&mut self, packet: &P, ctx: &mut AdmissionContext<'_>, fits: bool) -> Signal {
        let size = packet.size();
        let now = ctx.now;
        let gone = now.since(self.last.replace(now).unwrap_or(now)).as_s();
        self.virtual_bytes = (self.virtual_bytes - self.virtual_rate * gone).max(0.0);
        let overflows = self.virtual_bytes + size.as_f64() > self.room;
        let is_seen = fits || self.like_ns2;
        if is_seen && !overflows {
            self.virtual_bytes += size.as_f64();
        }
        let marks = self.params.ecn && packet.ecn().is_capable();
        let passes = self.params.ecn && self.like_ns2;
        if self.params.adapts && is_seen && (!overflows || marks || passes) {
            let gone = now.since(self.last_seen.replace(now).unwrap_or(now)).as_s();
            let balance = self.params.gamma.0 * self.link_rate * gone - size.as_f64();
            let moved = self.virtual_rate + self.params.alpha * balance;
            self.virtual_rate = moved.clamp(0.0, self.link_rate);
        }
        Signal::of(overflows && (marks || !passes), marks)
    }

    fn reset(&mut self) {
        self.virtual_rate = self.params.initial.0 * self.link_rate;
        self.virtual_bytes = 0.0;
        self.last = beginning(self.like_ns2);
        self.last_seen = beginning(self.like_ns2);
    }

    /// ns-2 asks for the rate once.
    fn on_link(&mut self, link: &LinkInfo) {
        if self.like_ns2 {
            return;
        }
        self.link_rate = link.rate.as_f64() / 8.0;
        self.virtual_rate = self.virtual_rate.min(self.link_rate);
    }

    fn warnings(&self, _capacity: Capacity) -> Vec<Warning> {
        if self.room.is_finite() {
            return Vec::new();
        }
        let what = "without a limit the virtual queue never overflows: set virtual_limit";
        vec![Warning {
            param: "virtual_limit",
            what: what.to_owned(),
        }]
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        let mut number = |name, value| show(name, ProbeValue::Number(value));
        number("virtual_bps", self.virtual_rate * 8.0);
        number("virtual_bytes", self.virtual_bytes);
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        match name {
            "virtual_bps" => self.virtual_rate = value / 8.0,
            "virtual_bytes" => self.virtual_bytes = value,
            _ => return false,
        }
        true
    }
}
