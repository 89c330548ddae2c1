//! All connections of a simulation, and their timers.

use sojourn_base::Time;
use sojourn_traffic::Completed;

use super::timers::Timers;
use super::{Connection, Connections};

/// Stands in the calendar of timers for all connections that delay an acknowledgement.
pub(crate) const DELAYED: u32 = u32::MAX;

/// All connections of a simulation.
#[derive(Default)]
pub(crate) struct Tcp {
    pub(crate) connections: Vec<Connection>,
    pub(super) free: Vec<u32>,
    /// Connections by their next timer.
    pub(crate) timers: Timers,
    /// Connections whose receivers have delayed an acknowledgement since their common entry was put
    /// into the calendar.
    delayed: Vec<u32>,
    /// No acknowledgement of these is due before this instant.
    pub(crate) delayed_until: Time,
    /// Connections into which an application has just written, and in which directions: there and
    /// back.
    pub(crate) touched: Vec<(u32, [bool; 2])>,
    /// Transfers that an application has just called complete.
    pub(crate) completed: Vec<Completed>,
    /// Whether any application has ever sent a message: most only write.
    pub(crate) sends_messages: bool,
}

impl Tcp {
    /// Makes sure that all timers of a connection will be run.
    pub(crate) fn arm(&mut self, slot: u32) {
        let next = self.connections[slot as usize].next_timer();
        self.arm_at(slot, next);
    }

    /// Makes sure that timers will be run which may have been set to an instant as early as `at`.
    #[inline(always)]
    #[allow(clippy::inline_always)] // twice a packet, and mostly nothing to do
    pub(crate) fn arm_at(&mut self, slot: u32, at: Time) {
        let connection = &mut self.connections[slot as usize];
        if at < connection.timer_at {
            connection.timer_later_at = connection.timer_at;
            connection.timer_at = at;
            self.timers.push(at, slot);
        }
    }

    /// Looks at the first entry of the calendar, that of a connection, at its instant. Returns
    /// whether a timer of the connection is due: if so, the entry has to be [set
    /// again](Self::set_first) after it has run.
    pub(crate) fn is_due(&mut self, slot: u32, now: Time) -> bool {
        let connection = &mut self.connections[slot as usize];
        if connection.timer_at != now {
            // An earlier one took its place.
            self.timers.replace_first(Time::NEVER);
            return false;
        }
        let next = connection.next_timer();
        if next > now {
            // It was put off meanwhile.
            self.set_first(slot, now, next);
        }
        next <= now
    }

    /// Updates the first entry of the calendar if it comes up to `until` although its timer was put
    /// off beyond that; returns whether it did. No entry comes later than its timer, so this can be
    /// done at any time.
    pub(crate) fn put_off(&mut self, until: Time) -> bool {
        let (at, slot) = (self.timers.next_time(), self.timers.next_slot());
        if at > until || slot == DELAYED {
            return false;
        }
        let connection = &self.connections[slot as usize];
        if connection.timer_at != at {
            // An earlier one took its place.
            self.timers.replace_first(Time::NEVER);
            return true;
        }
        let next = connection.next_timer();
        let is_put_off = next > until;
        if is_put_off {
            self.set_first(slot, at, next);
        }
        is_put_off
    }

    /// Moves the entry of a connection at `now`, which is the first of the calendar, to its next
    /// timer.
    pub(crate) fn set_first(&mut self, slot: u32, now: Time, next: Time) {
        let connection = &mut self.connections[slot as usize];
        let later = connection.timer_later_at;
        if (self.timers.next_time(), self.timers.next_slot()) != (now, slot) {
            // Another was set to this instant: the entry stays, and means nothing when it comes.
            connection.timer_at = Time::NEVER;
            self.arm_at(slot, next);
        } else if next < later {
            connection.timer_at = next;
            self.timers.replace_first(next);
        } else {
            (connection.timer_at, connection.timer_later_at) = (later, Time::NEVER);
            self.timers.replace_first(Time::NEVER);
        }
    }

    /// Makes sure that the timer of a receiver that delays an acknowledgement until `at` is run.
    ///
    /// Every other segment sets such a timer, and nearly always the next segment stops it. So it
    /// gets no entry in the calendar of its own: the first of many connections adds one for all,
    /// and the connections that still delay an acknowledgement when it comes get their own entries
    /// then. To be called if the connection [is to delay](Connection::is_to_delay), which it mostly
    /// is not.
    #[inline(never)]
    pub(crate) fn delay(&mut self, slot: u32, at: Time) {
        if self.delayed.is_empty() {
            self.delayed_until = at;
            self.timers.push(at.just_before(), DELAYED);
        } else if at < self.delayed_until {
            self.arm_at(slot, at);
            return;
        }
        self.connections[slot as usize].is_delayed = true;
        self.delayed.push(slot);
    }

    /// The first of the delayed acknowledgements is due next, unless a segment has stopped it.
    pub(crate) fn look_at_delayed(&mut self) {
        self.timers.replace_first(Time::NEVER);
        let mut delayed = core::mem::take(&mut self.delayed);
        for &slot in &delayed {
            self.connections[slot as usize].prefetch_receiver_timer();
        }
        for slot in delayed.drain(..) {
            let connection = &mut self.connections[slot as usize];
            // It may be over.
            if core::mem::take(&mut connection.is_delayed) {
                // Those of the sender are armed when they are set, and lie in lines that are not
                // needed now.
                debug_assert!(connection.timer_at <= connection.sender_timer());
                let at = connection.receiver_timer();
                self.arm_at(slot, at);
            }
        }
        self.delayed = delayed;
    }

    /// Removes a connection that is over.
    pub(crate) fn retire(&mut self, slot: u32, owner: &mut Connections, now: Time) {
        let connection = &mut self.connections[slot as usize];
        owner.past.add(connection, now);
        owner.forget(connection.number);
        connection.timer_at = Time::NEVER;
        connection.timer_later_at = Time::NEVER;
        connection.is_delayed = false;
        self.free.push(slot);
    }
}
