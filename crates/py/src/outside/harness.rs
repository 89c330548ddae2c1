//! One discipline in Python under a clock of the caller's own: what the tests of laws work on.

use std::mem;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sojourn_base::{Bytes, Ecn, LinkInfo, Rate, Span, Stream, Time};
use sojourn_queue::{Context, Dequeued, Discipline, Packet, PolicyQueue, ProbeValue, Reason, Sink};
use sojourn_scenario::outside::{Makers, Wanted};

use super::{PythonMakers, raised};

/// A packet that is nothing but what a discipline may look into.
struct Bare {
    id: u64,
    size: u64,
    flow: u64,
    ecn: Ecn,
    enqueued: Time,
}

impl Packet for Bare {
    fn size(&self) -> Bytes {
        Bytes::new(self.size)
    }
    fn flow(&self) -> u64 {
        self.flow
    }
    fn source(&self) -> u32 {
        self.flow as u32
    }
    fn destination(&self) -> u32 {
        0
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
    fn enqueued(&self) -> Time {
        self.enqueued
    }
}

/// What became of packets: `drop` or `mark`, the packet, the reason.
#[derive(Default)]
struct Verdicts(Vec<(&'static str, u64, &'static str)>);

impl Sink<Bare> for Verdicts {
    fn dropped(&mut self, packet: Bare, reason: Reason) {
        self.0.push(("drop", packet.id, reason.name()));
    }
    fn marked(&mut self, packet: &Bare, reason: Reason) {
        self.0.push(("mark", packet.id, reason.name()));
    }
}

/// A discipline in Python on a link of its own.
#[pyclass(unsendable, module = "sojourn._core")]
pub(crate) struct DisciplineHarness {
    discipline: PolicyQueue<Bare>,
    random: Stream,
    verdicts: Verdicts,
    now: Time,
}

impl DisciplineHarness {
    fn call<R>(
        &mut self,
        now: Time,
        act: impl FnOnce(&mut PolicyQueue<Bare>, &mut Context<'_, Bare>) -> R,
    ) -> PyResult<R> {
        if now < self.now {
            return Err(PyValueError::new_err("the clock runs backwards"));
        }
        self.now = now;
        raised::catch(|| {
            let mut ctx = Context {
                now,
                random: &mut self.random,
                sink: &mut self.verdicts,
            };
            act(&mut self.discipline, &mut ctx)
        })
    }
}

/// An instant in whole microseconds.
fn us(time: u64) -> Time {
    Time::ZERO + Span::from_us(time)
}

#[pymethods]
impl DisciplineHarness {
    /// The discipline called `name` with parameters (a JSON object), behind a link of 8 Mbit/s and
    /// 10 ms.
    #[new]
    fn new(name: &str, params: &str, seed: u64) -> PyResult<Self> {
        let link = LinkInfo {
            rate: Rate::from_bps(8_000_000).unwrap_or(Rate::MAX),
            delay: Span::from_ms(10),
            mtu: Bytes::new(1500),
            framing: Bytes::ZERO,
            base_rtt: Span::from_ms(40),
        };
        let params = serde_json::from_str(params)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        let wanted = Wanted {
            name,
            params: &params,
            place: "a bench",
        };
        let makers = PythonMakers { folder: ".".into() };
        let policy = raised::catch(|| makers.policy(&wanted, &link))?
            .map_err(|refusal| PyValueError::new_err(refusal.message))?;
        let mut random = Stream::new(seed);
        Ok(Self {
            discipline: raised::catch(|| PolicyQueue::new(policy, &mut random))?,
            random,
            verdicts: Verdicts::default(),
            now: Time::ZERO,
        })
    }

    /// A packet arrives.
    fn enqueue(&mut self, time_us: u64, id: u64, size: u64, flow: u64, ecn: u8) -> PyResult<()> {
        let ecn = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce][usize::from(ecn & 3)];
        let enqueued = us(time_us);
        let packet = Bare {
            id,
            size,
            flow,
            ecn,
            enqueued,
        };
        self.call(enqueued, |discipline, ctx| discipline.enqueue(packet, ctx))
    }

    /// The link asks for a packet: its number, or none and, if it is to wait, until when.
    fn dequeue(&mut self, time_us: u64) -> PyResult<(Option<u64>, Option<f64>)> {
        let taken = self.call(us(time_us), Discipline::dequeue)?;
        Ok(match taken {
            Dequeued::Packet(packet) => (Some(packet.id), None),
            Dequeued::Empty => (None, None),
            Dequeued::Wait(until) => (None, Some(until.as_s())),
        })
    }

    /// Runs the timers that are due before an instant; says how many.
    fn run_timers(&mut self, time_us: u64) -> PyResult<u32> {
        let mut count = 0;
        while let Some(due) = self
            .discipline
            .next_timer()
            .filter(|due| *due < us(time_us))
        {
            self.call(due, Discipline::on_timer)?;
            count += 1;
        }
        Ok(count)
    }

    /// Back to the state of a new queue, random stream and clock too.
    fn reset(&mut self, seed: u64) -> PyResult<()> {
        self.random = Stream::new(seed);
        self.verdicts = Verdicts::default();
        self.now = Time::ZERO;
        raised::catch(|| self.discipline.reset_with(&mut self.random))
    }

    /// What waits: packets and bytes.
    #[getter]
    fn backlog(&self) -> (usize, u64) {
        let backlog = self.discipline.backlog();
        (backlog.packets, backlog.bytes.get())
    }

    /// Whether what waits is within the limit.
    #[getter]
    fn is_within_limit(&self) -> bool {
        let backlog = self.discipline.backlog();
        let capacity = self.discipline.capacity();
        capacity.holds(backlog.packets, backlog.bytes)
    }

    /// Drops and marks since it was asked last: what, which packet, why.
    fn verdicts(&mut self) -> Vec<(&'static str, u64, &'static str)> {
        mem::take(&mut self.verdicts.0)
    }

    /// The inner variables that it shows.
    fn probe(&self) -> PyResult<Vec<(String, f64)>> {
        raised::catch(|| {
            let mut shown = Vec::new();
            self.discipline.probe_all(&mut |name, value| {
                if let ProbeValue::Number(value) = value {
                    shown.push((name.to_owned(), value));
                }
            });
            shown
        })
    }
}
