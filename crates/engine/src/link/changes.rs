//! A link whose rate or delay changes while the simulation runs.
//!
//! A change comes before everything else at its instant. The packet that is being sent then is sent
//! as it began, as in ns-2 and ns-3; the next is sent at the new rate, of which the discipline is
//! told. No rate means an outage: the packet that is being sent is completed, and no other begins
//! until there is a rate again. The discipline is not told about an outage: it only is not asked
//! for packets.
//!
//! A new delay applies to the packets that begin from then on; the wire is [uneven](super::jitter)
//! then.
//!
//! It is not known in advance when a packet will leave. So such a link books and foresees nothing:
//! its discipline is asked at each instant, whichever it is.

use std::sync::Arc;

use sojourn_base::{LinkInfo, Rate, Span, Time};
use sojourn_queue::Discipline;

use super::{Link, handover};

/// The rate and the delay of a link from an instant on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// From when on.
    pub at: Time,
    /// The rate; none in an outage.
    pub rate: Option<Rate>,
    /// The propagation delay, if that changes too.
    pub delay: Option<Span>,
}

/// The changes of a link, in their order.
#[derive(Debug, Clone)]
pub struct Changes {
    /// What the discipline was told of the link when it was made.
    info: LinkInfo,
    list: Arc<[Change]>,
    /// After this time the list begins again.
    every: Option<Span>,
    /// Which comes next.
    next: usize,
    /// When the list began.
    began: Time,
    /// What the link was sending at the last change.
    sending: Option<Sending>,
}

impl Changes {
    /// The changes of `list`, in the order of their times, which must differ. They begin again
    /// after `every`, if that is given; it must be longer than the time of the last change. `info`
    /// is what the discipline of the link has been told.
    pub fn new(info: LinkInfo, list: Arc<[Change]>, every: Option<Span>) -> Self {
        Self {
            info,
            list,
            every,
            next: 0,
            began: Time::ZERO,
            sending: None,
        }
    }

    /// When the next change comes; never after the last.
    fn next_at(&self) -> Time {
        let next = self.list.get(self.next);
        next.map_or(Time::NEVER, |change| self.instant(change))
    }

    fn instant(&self, change: &Change) -> Time {
        self.began + change.at.since(Time::ZERO)
    }

    /// Takes the next change.
    fn turn(&mut self) -> Option<Change> {
        let change = *self.list.get(self.next)?;
        self.next += 1;
        if self.next == self.list.len()
            && let Some(every) = self.every
        {
            self.next = 0;
            self.began += every;
        }
        Some(change)
    }

    /// When there is a rate again; never if there will not be one.
    fn resumes_at(&self) -> Time {
        let mut later = self.clone();
        for _ in 0..self.list.len() {
            let at = later.next_at();
            if later.turn().is_some_and(|change| change.rate.is_some()) {
                return at;
            }
        }
        Time::NEVER
    }

    /// The highest rate of all, including the first.
    pub(crate) fn fastest(&self) -> Rate {
        let rates = self.list.iter().filter_map(|change| change.rate);
        rates.fold(self.info.rate, Rate::max)
    }

    /// The shortest delay of all, including the first.
    pub(crate) fn shortest(&self) -> Span {
        let delays = self.list.iter().filter_map(|change| change.delay);
        delays.fold(self.info.delay, Span::min)
    }

    /// Whether any changes the delay.
    pub(crate) fn vary_delay(&self) -> bool {
        self.list.iter().any(|change| change.delay.is_some())
    }
}

/// What a link was sending at its last change.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sending {
    pub(super) size: u16,
    pub(super) takes: Span,
    /// When it comes out of the transmitter.
    pub(super) until: Time,
    /// When the next packet may begin: the transmitter is [taken](Link::sends_until) until then.
    free_at: Time,
}

impl Link {
    /// When its rate changes next.
    pub(crate) fn next_change(&self) -> Time {
        let changes = self.spec.changes.as_deref();
        changes.map_or(Time::NEVER, Changes::next_at)
    }

    /// Makes the next change, which comes now; the link has caught up to this instant.
    pub(crate) fn change(&mut self, now: Time) {
        let Some(changes) = &mut self.spec.changes else {
            return;
        };
        let Some(Change { rate, delay, .. }) = changes.turn() else {
            return;
        };
        let info = changes.info;
        let resumes_at = rate.map_or_else(|| changes.resumes_at(), |_| Time::ZERO);
        let sending = self.sending();
        self.rest_until(resumes_at);
        if let Some(delay) = delay {
            (self.delay, self.spec.delay) = (delay, delay);
        }
        if let Some(rate) = rate {
            self.send_at(rate);
            let delay = self.delay;
            let info = LinkInfo {
                rate,
                delay,
                ..info
            };
            let (discipline, random) = (&mut self.spec.discipline, &mut self.spec.random);
            discipline.on_link_at(&info, now, random);
        }
        let free_at = self.sends_until;
        if let Some(changes) = &mut self.spec.changes {
            changes.sending = Some(Sending { free_at, ..sending });
        }
        self.settle();
        self.plan();
    }

    /// The packet that is being sent, or was sent last.
    pub(super) fn sending(&self) -> Sending {
        let changes = self.spec.changes.as_deref();
        let before = changes.and_then(|changes| changes.sending);
        let still = before.filter(|sending| sending.free_at == self.sends_until);
        still.unwrap_or(Sending {
            size: self.last_size,
            takes: self.last_takes,
            until: self.sends_until,
            free_at: self.sends_until,
        })
    }

    /// Sends whatever begins from now on at that rate.
    fn send_at(&mut self, rate: Rate) {
        self.note_busy(self.ledger.departures().packets);
        self.spec.rate = rate;
        self.may_wait = handover::longest_wait(&self.spec);
        self.last_takes = self.spec.pace().to_send(self.last_size);
    }

    /// Lets nothing begin before that instant.
    fn rest_until(&mut self, until: Time) {
        self.sends_until = self.sends_until.max(until);
        if self.asks_at != Time::NEVER {
            self.asks_at = self.asks_at.max(self.sends_until);
        }
    }
}
