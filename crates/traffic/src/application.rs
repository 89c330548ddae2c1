//! The contract between an application over TCP and the host it runs on.
//!
//! An application sees byte streams, never packets. It opens streams, sends messages over them in
//! either direction, and is told when a message has arrived completely. Each stream is a
//! connection.

use sojourn_base::{Law, ParamFault, Time};

use crate::{Draw, Recording};

/// A stream of an application, as its host numbers them.
pub type StreamId = u32;

/// The direction in which something travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Direction {
    /// From the flow's `from` to its `to`: where its data goes.
    #[default]
    Forward,
    /// From its `to` to its `from`: requests, acknowledgements.
    Reverse,
}

impl Direction {
    /// The other one.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Forward => Self::Reverse,
            Self::Reverse => Self::Forward,
        }
    }
}

/// What happened to an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The flow starts.
    Start,
    /// The instant that it asked for has come.
    Wake,
    /// The handshake that it asked for over `stream` is over: so its sender has heard.
    Connected {
        /// The stream.
        stream: StreamId,
    },
    /// The message with `tag` has wholly arrived at the other end of `stream`.
    Arrived {
        /// The stream.
        stream: StreamId,
        /// What the sender called the message.
        tag: u32,
    },
}

/// A transfer that is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completed {
    /// When it began.
    pub began: Time,
    /// Its size.
    pub bytes: u64,
    /// What it was made of.
    pub exchange: Exchange,
}

/// A transfer that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Begun {
    /// When it began.
    pub began: Time,
    /// Its size, where that is known yet.
    pub bytes: Option<u64>,
}

/// What a transfer was made of, from which follows how long it takes at the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// Its bytes alone, over a connection of its own.
    Sent,
    /// Its bytes as the answer to a request.
    Answered {
        /// Bytes of the request.
        request: u64,
        /// Whether it was the first over its connection.
        first: bool,
    },
    /// Several requests and pauses: it has no least time that would say much.
    Several,
}

/// What an application asks of its host.
pub trait Host {
    /// Opens a stream.
    fn open(&mut self) -> StreamId;

    /// Begins the handshake of a stream that was just opened, before anything is sent;
    /// [`Event::Connected`] follows. False where connections have none.
    fn connect(&mut self, stream: StreamId) -> bool;

    /// Sends a message of `bytes`; [`Event::Arrived`] follows with `tag`.
    fn send(&mut self, stream: StreamId, direction: Direction, bytes: u64, tag: u32);

    /// Writes bytes that nobody waits for; says whether there was room for them.
    fn write(&mut self, stream: StreamId, bytes: u64) -> bool;

    /// Sends without end.
    fn send_endless(&mut self, stream: StreamId);

    /// Whoever sends over `stream` in that direction sends no more. Where connections end with a
    /// FIN it follows the last byte, and who receives it ends the other direction too.
    fn close(&mut self, stream: StreamId, direction: Direction);

    /// Asks for [`Event::Wake`] at `at`, in place of what it asked for before. After the flow's
    /// `stop` none comes.
    fn wake_at(&mut self, at: Time);

    /// A transfer is complete: it counts as one flow completion time.
    fn completed(&mut self, transfer: Completed);
}

/// An application: a pure state machine.
pub trait Application {
    /// Something happened at `now`.
    fn on(&mut self, now: Time, event: Event, draw: &mut Draw<'_>, host: &mut dyn Host);

    /// Shows the transfers that are under way.
    fn under_way(&self, _show: &mut dyn FnMut(Begun)) {}

    /// Shows its laws, so that their owner can read the files that they name.
    ///
    /// # Errors
    /// A law with which it cannot go on, as far as that depends on a file.
    fn laws(&mut self, _show: &mut dyn FnMut(&mut dyn Law)) -> Result<(), ParamFault> {
        Ok(())
    }

    /// Shows the recording that it plays back, so that its owner can read it.
    ///
    /// # Errors
    /// A recording with which it cannot go on.
    fn recordings(&mut self, _show: &mut dyn FnMut(&mut Recording)) -> Result<(), ParamFault> {
        Ok(())
    }
}
