//! What lies before a discipline in Python: the base of its class.

use core::mem;

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, LinkInfo, Rate, Span, Stream, Time};
use sojourn_queue::policy::{self, PacketInfo, Verdict};
use sojourn_queue::{Backlog, Reason};

/// What a discipline in Python sees besides the numbers it is called with.
#[pyclass(subclass, module = "sojourn._core")]
pub(crate) struct DisciplineBase {
    now: Time,
    /// Packets that wait.
    #[pyo3(get)]
    packets: usize,
    /// Bytes that wait.
    #[pyo3(get)]
    bytes: u64,
    /// Source address of the packet judged.
    #[pyo3(get)]
    source: u32,
    /// Its destination address.
    #[pyo3(get)]
    destination: u32,
    /// Its differentiated-services codepoint.
    #[pyo3(get)]
    dscp: u8,
    queues: Vec<Backlog>,
    random: Stream,
    pub(super) link: LinkInfo,
    pub(super) capacity: Capacity,
    pub(super) next_timer: Option<Time>,
    /// What was asked for in this call by `wait_until`.
    pub(super) wait: Option<Time>,
}

impl DisciplineBase {
    /// Takes in what belongs to a call, and the stream.
    #[inline]
    pub(super) fn load(&mut self, view: &mut policy::View<'_>, packet: Option<&PacketInfo>) {
        self.now = view.now;
        self.wait = None;
        self.packets = view.backlog.packets;
        self.bytes = view.backlog.bytes.get();
        if let Some(packet) = packet {
            self.source = packet.source;
            self.destination = packet.destination;
            self.dscp = packet.dscp;
        }
        if !view.queues.is_empty() {
            self.queues.clear();
            self.queues.extend_from_slice(view.queues);
        }
        mem::swap(&mut self.random, view.random);
    }

    /// Gives back the stream that was lent.
    #[inline]
    pub(super) fn return_stream(&mut self, random: &mut Stream) {
        mem::swap(&mut self.random, random);
    }

    /// An instant to come.
    fn later(&self, seconds: f64, what: &str) -> PyResult<Time> {
        if let Some(time) = after(self.now, seconds) {
            return Ok(time);
        }
        Err(PyValueError::new_err(format!(
            "{what}: found {seconds} s; allowed: a time after now, which is {}",
            self.now
        )))
    }
}

/// The instant at so many seconds, if that is after `now`. Sums of seconds are off by their last
/// bit now and then: what is after now, yet now to the picosecond, is taken for the next one.
pub(super) fn after(now: Time, seconds: f64) -> Option<Time> {
    // A first timer may stand at 0.
    let is_first = now == Time::ZERO && seconds == 0.0;
    let next = now + Span::from_ps(1);
    (seconds > now.as_s() || is_first).then(|| next.max(Time::ZERO + Span::from_s(seconds)))
}

#[pymethods]
impl DisciplineBase {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        Self {
            now: Time::ZERO,
            packets: 0,
            bytes: 0,
            source: 0,
            destination: 0,
            dscp: 0,
            queues: Vec::new(),
            // Until a call lends that of the discipline.
            random: Stream::new(1),
            link: LinkInfo {
                rate: Rate::MAX,
                delay: Span::ZERO,
                mtu: Bytes::new(1500),
                framing: Bytes::ZERO,
                base_rtt: Span::ZERO,
            },
            capacity: Capacity::Unlimited,
            next_timer: None,
            wait: None,
        }
    }

    /// A random number in [0, 1) from the discipline's own stream.
    fn random(&mut self) -> f64 {
        self.random.uniform()
    }

    /// Whether a packet of this size finds room.
    fn has_room(&self, size: u64) -> bool {
        self.capacity
            .admits(self.packets, Bytes::new(self.bytes), Bytes::new(size))
    }

    /// Packets that wait in one of several queues.
    fn packets_in(&self, queue: usize) -> PyResult<usize> {
        self.queue(queue).map(|backlog| backlog.packets)
    }

    /// Bytes that wait in one of several queues.
    fn bytes_in(&self, queue: usize) -> PyResult<u64> {
        self.queue(queue).map(|backlog| backlog.bytes.get())
    }

    /// The answer of `dequeue` that keeps the packet until `time`, in seconds.
    fn wait_until(&mut self, time: f64) -> PyResult<u32> {
        self.wait = Some(self.later(time, "wait_until")?);
        Ok(Verdict::codes(Reason::Overlimit).2)
    }

    /// When `on_timer` is called next, in seconds; None for never.
    #[getter]
    fn next_timer(&self) -> Option<f64> {
        self.next_timer.map(Time::as_s)
    }

    #[setter]
    fn set_next_timer(&mut self, time: Option<f64>) -> PyResult<()> {
        self.next_timer = time
            .map(|time| self.later(time, "next_timer"))
            .transpose()?;
        Ok(())
    }

    /// Rate of the link, bit/s.
    #[getter]
    fn link_rate(&self) -> f64 {
        self.link.rate.bps() as f64
    }

    /// Propagation delay of the link, seconds.
    #[getter]
    fn link_delay(&self) -> f64 {
        self.link.delay.as_s()
    }

    /// Largest packet, bytes.
    #[getter]
    fn mtu(&self) -> u64 {
        self.link.mtu.get()
    }

    /// Largest two-way propagation delay of the paths that cross the link, seconds.
    #[getter]
    fn base_rtt(&self) -> f64 {
        self.link.base_rtt.as_s()
    }
}

impl DisciplineBase {
    fn queue(&self, queue: usize) -> PyResult<&Backlog> {
        let count = self.queues.len();
        self.queues.get(queue).ok_or_else(|| {
            PyIndexError::new_err(format!("there is no queue {queue}: there are {count}"))
        })
    }

    /// Back to the state of a new queue; lends its stream, to be [given back](Self::return_stream).
    pub(super) fn reset(&mut self, random: &mut Stream) {
        mem::swap(&mut self.random, random);
        self.now = Time::ZERO;
        self.packets = 0;
        self.bytes = 0;
        self.queues.fill(Backlog::default());
        self.next_timer = None;
    }
}
