//! All connections of a simulation, and their timers.

use sojourn_base::Time;

use super::{Connection, Connections};
use crate::calendar::Calendar;

/// All connections of a simulation.
#[derive(Default)]
pub(crate) struct Tcp {
    pub(crate) connections: Vec<Connection>,
    pub(super) free: Vec<u32>,
    /// Connections by their next timer.
    pub(crate) timers: Calendar,
    /// Where the acknowledgements lie that answer the segment being heard.
    pub(crate) replies: Vec<u64>,
    /// Connections into which an application has just written.
    pub(crate) touched: Vec<u32>,
    /// Transfers that an application has just called complete: when they began, their bytes.
    pub(crate) completed: Vec<(Time, u64)>,
}

impl Tcp {
    /// Sees to it that all timers of a connection will be run.
    pub(crate) fn arm(&mut self, slot: u32) {
        let next = self.connections[slot as usize].next_timer();
        self.arm_at(slot, next);
    }

    /// Sees to it that timers which may have been set to an instant as early as `at` will be run.
    #[inline(always)]
    #[allow(clippy::inline_always)] // twice a packet, and mostly nothing to do
    pub(crate) fn arm_at(&mut self, slot: u32, at: Time) {
        let connection = &mut self.connections[slot as usize];
        if at < connection.timer_at {
            connection.timer_at = at;
            self.timers.push(at, slot);
        }
    }

    /// Forgets a connection that is over.
    pub(crate) fn retire(&mut self, slot: u32, owner: &mut Connections, now: Time) {
        let connection = &mut self.connections[slot as usize];
        owner.past.add(connection, now);
        owner.forget(connection.number);
        connection.timer_at = Time::NEVER;
        self.free.push(slot);
    }
}
