//! Several connections over one link.

use std::collections::BTreeMap;

use sojourn_base::{Preset, Span, Time};
use sojourn_transport::{Ack, Arrival, Receiver, Sender};

use crate::bench::{Link, config, sender};

enum Event {
    Segment(usize, Arrival),
    Ack(usize, Ack),
}

pub(crate) struct Flow {
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
}

/// Endless flows, one for each controller named; acknowledgements come back without a queue.
pub(crate) struct Shared {
    pub(crate) flows: Vec<Flow>,
    link: Link,
    back: Span,
    now: Time,
    events: BTreeMap<(Time, u64), Event>,
    number: u64,
}

impl Shared {
    pub(crate) fn new(
        controllers: &[&str],
        link: Link,
        back: Span,
        keys: &[(&'static str, &'static str)],
    ) -> Self {
        let flow = |name: &&str| {
            let config = config(Preset::Reference, name, keys);
            let mut sender = sender(&config, name, Preset::Reference);
            sender.write_endless();
            Flow {
                sender,
                receiver: Receiver::new(config),
            }
        };
        Self {
            flows: controllers.iter().map(flow).collect(),
            link,
            back,
            now: Time::ZERO,
            events: BTreeMap::new(),
            number: 0,
        }
    }

    fn schedule(&mut self, at: Time, event: Event) {
        self.number += 1;
        self.events.insert((at, self.number), event);
    }

    fn pump(&mut self) {
        for n in 0..self.flows.len() {
            while let Some(segment) = self.flows[n].sender.poll_send(self.now) {
                let bytes = u64::from(segment.len);
                if let Some((at, _)) = self.link.cross(self.now, bytes) {
                    self.schedule(at, Event::Segment(n, Arrival::from(segment)));
                }
            }
        }
    }

    pub(crate) fn run_until(&mut self, until: Time) {
        self.pump();
        loop {
            let event = self.events.first_key_value().map(|(&(at, _), _)| at);
            let timers = self
                .flows
                .iter()
                .flat_map(|flow| [flow.sender.next_timer(), flow.receiver.next_timer()]);
            let timer = timers.flatten().min();
            let Some(at) = event
                .into_iter()
                .chain(timer)
                .min()
                .filter(|&at| at <= until)
            else {
                break;
            };
            self.now = self.now.max(at);
            if event == Some(at) {
                match self.events.pop_first().map(|(_, event)| event) {
                    Some(Event::Segment(n, arrival)) => {
                        let received = self.flows[n].receiver.on_segment(self.now, &arrival);
                        for ack in received.acks.into_iter().flatten() {
                            self.schedule(self.now + self.back, Event::Ack(n, ack));
                        }
                    }
                    Some(Event::Ack(n, ack)) => self.flows[n].sender.on_ack(self.now, &ack),
                    None => {}
                }
            } else {
                for n in 0..self.flows.len() {
                    if self.flows[n]
                        .sender
                        .next_timer()
                        .is_some_and(|at| at <= self.now)
                    {
                        self.flows[n].sender.on_timer(self.now);
                    }
                    if let Some(ack) = self.flows[n].receiver.on_timer(self.now) {
                        self.schedule(self.now + self.back, Event::Ack(n, ack));
                    }
                }
            }
            self.pump();
        }
        self.now = self.now.max(until);
    }

    /// Bytes that each flow has delivered.
    pub(crate) fn delivered(&self) -> Vec<u64> {
        let delivered = |flow: &Flow| flow.receiver.delivered();
        self.flows.iter().map(delivered).collect()
    }
}
