//! AVQ: drops by the overflow of a virtual queue whose capacity adapts to the load.
//!
//! S. Kunniyur, R. Srikant, "Analysis and Design of an Adaptive Virtual Queue (AVQ) Algorithm for
//! Active Queue Management", ACM SIGCOMM 2001. Every arrival is put, in bytes, into a virtual queue that
//! drains at the virtual capacity. If it does not fit in there it is dropped, or with `ecn` marked,
//! and leaves the virtual queue alone, as does one for which the real queue has no room. The virtual capacity grows by `alpha` `gamma` C over time,
//! shrinks by `alpha` times the bytes that arrive, and stays between zero and the link's C: where
//! it settles, the accepted load is `gamma` C. Dropped packets are not counted in this, so that adaptation
//! sees accepted traffic only; marked ones are.
//!
//! **Reference**: gamma 0.98, alpha 0.15 as in the paper's experiments (a function of the number
//! of flows and their delays bounds it), first capacity 0.8 C; the virtual room is the real one,
//! 1000 packets; packets of a limit count 1000 bytes there. With `adapts` off it is the fixed
//! virtual queue of R. Gibbens and F. Kelly, 1999, say with `initial` 0.95.
//!
//! **ns-2** (`Vq`, ns-2.35): room for 50 packets of 1000 bytes each, real and virtual. Its
//! packet mode, whose gain is another, and marking at the front are left out. Linux and ns-3 have
//! none: their presets are the reference.

use sojourn_base::length::Capacity;
use sojourn_base::{
    Auto, Bytes, Fraction, Limit, LinkInfo, ParamFault, Preset, Threshold, Time, params,
};

use crate::parts::gate::{Gate, Gated, Signal};
use crate::{Meeting, Packet, ProbeValue, Warning};

params! {
    /// Parameters of AVQ.
    pub struct Params {
        /// Most that may wait, in packets or bytes; the packet being sent is not counted.
        limit: Limit = "1000 packets", Ns2 = "50 packets";
        /// Room in the virtual queue; automatic: the limit.
        virtual_limit: Auto<Threshold> = "auto";
        /// Share of the link that is to be used.
        gamma: Fraction = "0.98";
        /// Gain of the adaptation.
        alpha: f64 = "0.15";
        /// Virtual capacity at first, as a share of the link.
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
    last: Time,
    /// The last arrival that adaptation saw.
    last_seen: Time,
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
        if mean == Bytes::ZERO {
            return Err(ParamFault::new("mean_packet", mean, "a size above zero"));
        }
        if params.alpha < 0.0 {
            let allowed = "a number of zero or more";
            return Err(ParamFault::new("alpha", params.alpha, allowed));
        }
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
        let gate = AvqGate {
            room,
            link_rate,
            virtual_rate: params.initial.0 * link_rate,
            params: params.clone(),
            virtual_bytes: 0.0,
            last: Time::ZERO,
            last_seen: Time::ZERO,
        };
        Ok(Self::behind(gate, capacity))
    }
}

impl<P: Packet> Gate<P> for AvqGate {
    fn judge(&mut self, packet: &P, meeting: &mut Meeting<'_>, fits: bool) -> Signal {
        let size = packet.size();
        let gone = meeting.now.since(self.last).as_s();
        self.last = meeting.now;
        self.virtual_bytes = (self.virtual_bytes - self.virtual_rate * gone).max(0.0);
        let overflows = self.virtual_bytes + size.as_f64() > self.room;
        if fits && !overflows {
            self.virtual_bytes += size.as_f64();
        }
        let marks = self.params.ecn && packet.ecn().is_capable();
        if self.params.adapts && fits && (!overflows || marks) {
            let gone = meeting.now.since(self.last_seen).as_s();
            self.last_seen = meeting.now;
            let balance = self.params.gamma.0 * self.link_rate * gone - size.as_f64();
            let moved = self.virtual_rate + self.params.alpha * balance;
            self.virtual_rate = moved.clamp(0.0, self.link_rate);
        }
        Signal::of(overflows, marks)
    }

    fn reset(&mut self) {
        self.virtual_rate = self.params.initial.0 * self.link_rate;
        self.virtual_bytes = 0.0;
        self.last = Time::ZERO;
        self.last_seen = Time::ZERO;
    }

    fn on_link(&mut self, link: &LinkInfo) {
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
