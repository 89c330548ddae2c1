//! The interface between an application and its connections.

use sojourn_base::Time;
use sojourn_traffic::{Completed, Direction, Host, StreamId};

use super::{Connection, Connections, Half, Phase, Tcp};
use crate::FlowId;

/// The host of an application: its flow's connections.
pub(crate) struct FlowHost<'a> {
    pub(crate) now: Time,
    pub(crate) flow: FlowId,
    pub(crate) connections: &'a mut Connections,
    pub(crate) tcp: &'a mut Tcp,
}

impl FlowHost<'_> {
    /// The connection of a stream, noting that something is written into it in that direction.
    fn touch(&mut self, stream: StreamId, direction: Direction) -> Option<&mut Connection> {
        let slot = self.connections.slot(stream)?;
        let connection = &mut self.tcp.connections[slot as usize];
        let touched = &mut self.tcp.touched;
        let known = touched.iter().position(|&(touched, _)| touched == slot);
        let place = known.unwrap_or_else(|| {
            // Where there is a handshake, each end begins its own as soon as the connection is
            // there.
            let begins = connection.opened == self.now;
            touched.push((slot, [begins, false]));
            touched.len() - 1
        });
        touched[place].1[direction as usize] = true;
        self.connections.is_left_alone = false;
        Some(connection)
    }

    /// Makes the half of a connection that carries data back, if it does not exist yet.
    fn open_back(&mut self, stream: StreamId) {
        let Some(slot) = self.connections.slot(stream) else {
            return;
        };
        let connection = &mut self.tcp.connections[slot as usize];
        if connection.reverse.is_none() {
            let Connections {
                config, controller, ..
            } = &mut *self.connections;
            // Its controller is told apart from that of the other half by the number.
            let half = Half::new(self.now, config, controller, stream | 1 << 31);
            connection.reverse = Some(Box::new(half));
        }
    }
}

impl Host for FlowHost<'_> {
    fn open(&mut self) -> StreamId {
        let number = self.connections.first + self.connections.slots.len() as u32;
        let Connections {
            config, controller, ..
        } = &mut *self.connections;
        let connection = Connection {
            flow: self.flow,
            number,
            forward: Half::new(self.now, config, controller, number),
            reverse: None,
            opened: self.now,
            phase: Phase::Open,
            timer_at: Time::NEVER,
            timer_later_at: Time::NEVER,
            is_delayed: false,
        };
        self.connections.is_left_alone = false;
        let slot = if let Some(slot) = self.tcp.free.pop() {
            self.tcp.connections[slot as usize] = connection;
            slot
        } else {
            self.tcp.connections.push(connection);
            self.tcp.connections.len() as u32 - 1
        };
        self.connections.slots.push_back(slot);
        number
    }

    fn connect(&mut self, stream: StreamId) -> bool {
        let has_handshake = self.connections.config.handshake;
        if has_handshake && let Some(connection) = self.touch(stream, Direction::Forward) {
            connection.phase = Phase::Connecting;
        }
        has_handshake
    }

    fn send(&mut self, stream: StreamId, direction: Direction, bytes: u64, tag: u32) {
        if direction == Direction::Reverse {
            self.open_back(stream);
        }
        let half = self
            .touch(stream, direction)
            .and_then(|connection| connection.half(direction));
        if let Some(half) = half {
            half.send(bytes, tag);
            self.tcp.sends_messages = true;
        }
    }

    fn write(&mut self, stream: StreamId, bytes: u64) -> bool {
        let Some(connection) = self.touch(stream, Direction::Forward) else {
            return false;
        };
        let sender = &mut connection.forward.sender;
        let room = sender.has_room(bytes);
        if room {
            sender.write(bytes);
        }
        room
    }

    fn send_endless(&mut self, stream: StreamId) {
        let is_only_one =
            self.connections.open_slots().count() == 1 && self.connections.wake == Time::NEVER;
        if let Some(connection) = self.touch(stream, Direction::Forward) {
            connection.forward.sender.write_endless();
            if is_only_one && !connection.speaks_back() {
                self.connections.is_left_alone = true;
            }
        }
    }

    fn close(&mut self, stream: StreamId, direction: Direction) {
        if let Some(connection) = self.touch(stream, direction) {
            connection.phase = Phase::Closed;
            if let Some(half) = connection.half(direction) {
                half.sender.close();
            }
        }
    }

    fn wake_at(&mut self, at: Time) {
        self.connections.is_left_alone = false;
        self.connections.wake = if at < self.connections.stop {
            at
        } else {
            Time::NEVER
        };
    }

    fn completed(&mut self, transfer: Completed) {
        self.tcp.completed.push(transfer);
    }
}
