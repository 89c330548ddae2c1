//! A discipline whose decisions are machine code, compiled by Numba and called by its address.

// The one place where Sojourn calls code that the compiler cannot see.
#![allow(unsafe_code)]

use core::ptr;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sojourn_base::length::Capacity;
use sojourn_base::{LinkInfo, Stream, Time};
use sojourn_queue::policy::{Hooks, PacketInfo, Verdict, View};
use sojourn_queue::{Backlog, Policy};
use sojourn_scenario::outside::Wanted;

use super::discipline_base::after;
use super::{limit_of, raised};

/// What a hook is told: `PACKET` of `sojourn/own/native.py`, field by field.
#[repr(C)]
struct Record {
    now: f64,
    sojourn: f64,
    link_rate: f64,
    link_delay: f64,
    base_rtt: f64,
    wait_until: f64,
    flow: u64,
    stream: u64,
    size: i64,
    ecn: i64,
    packets: i64,
    bytes: i64,
    source: i64,
    destination: i64,
    dscp: i64,
    mtu: i64,
}

/// What a compiled hook answers when it raised an exception: `FAILED` of `sojourn/own/native.py`.
const FAILED: i64 = i64::MIN;

/// A compiled hook.
type Code = unsafe extern "C" fn(state: *mut f64, packet: *mut Record) -> i64;

/// A uniform number from the stream at an address: what `sj.uniform` calls.
///
/// # Safety
/// The address must be that of a stream which nobody else uses: a hook has it from its record.
unsafe extern "C" fn uniform(stream: u64) -> f64 {
    let stream = ptr::with_exposed_provenance_mut::<Stream>(stream as usize);
    // SAFETY: a hook has the address from its record, which lends the stream for the call.
    unsafe { (*stream).uniform() }
}

/// Where [`uniform`] begins.
pub(crate) fn uniform_address() -> usize {
    uniform as unsafe extern "C" fn(u64) -> f64 as usize
}

/// What machine code decides.
pub(super) struct NativePolicy {
    title: String,
    /// The object of the class: it tells of an exception by running the hook once more.
    object: Py<PyAny>,
    enqueue: Option<Code>,
    dequeue: Option<Code>,
    on_empty: Option<Code>,
    on_timer: Option<Code>,
    /// Where in the state the next timer stands, in seconds; infinite for none.
    timer: Option<usize>,
    /// When that is; where it is infinite, never or nothing.
    due: Option<Time>,
    state: Vec<f64>,
    /// The same before the hook that was called last.
    before: Vec<f64>,
    /// The state of a new queue.
    start: Vec<f64>,
    /// Inner variables and their places in the state.
    probes: Vec<(String, usize)>,
    capacity: Capacity,
    queues: u16,
    link: LinkInfo,
}

/// The hook at an address that Python gave.
fn code(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Code>> {
    let address: Option<usize> = object.call_method1("_address", (name,))?.extract()?;
    Ok(address.map(|address| {
        // SAFETY: Numba compiled it with this very signature, and `sojourn.own.native` keeps it for
        // as long as the process lives.
        unsafe { core::mem::transmute::<usize, Code>(address) }
    }))
}

impl NativePolicy {
    pub(super) fn new(
        object: &Bound<'_, PyAny>,
        wanted: &Wanted<'_>,
        link: &LinkInfo,
    ) -> PyResult<Self> {
        let limit = limit_of(object)?;
        let (names, start): (Vec<String>, Vec<f64>) = object.call_method0("_start")?.extract()?;
        let shown: Vec<String> = object.getattr("probes")?.extract()?;
        let place = |name: String| {
            let place = names.iter().position(|field| *field == name);
            place.map(|place| (name.clone(), place)).ok_or_else(|| {
                PyValueError::new_err(format!("probes: found {name}, which is not in state"))
            })
        };
        let timer = names.iter().position(|field| field == "next_timer");
        if let Some(time) = timer.map(|place| start[place])
            && after(Time::ZERO, time).is_none()
        {
            return Err(PyValueError::new_err(format!(
                "state: found next_timer = {time}; allowed: 0 or later, in s, or infinity for none"
            )));
        }
        Ok(Self {
            title: format!("{} on {}", wanted.name, wanted.place),
            enqueue: code(object, "enqueue")?,
            dequeue: code(object, "dequeue")?,
            on_empty: code(object, "on_empty")?,
            on_timer: code(object, "on_timer")?,
            timer,
            due: None,
            object: object.clone().unbind(),
            state: start.clone(),
            before: start.clone(),
            start,
            probes: shown.into_iter().map(place).collect::<PyResult<_>>()?,
            capacity: limit.on(link),
            queues: object.getattr("queues")?.extract()?,
            link: *link,
        })
    }

    /// Calls a hook; gives its answer and the instant that goes with a wait.
    #[inline]
    fn call(
        &mut self,
        code: Option<Code>,
        hook: &str,
        packet: Option<&PacketInfo>,
        view: &mut View<'_>,
    ) -> (i64, f64) {
        let Some(code) = code else {
            return (0, 0.0);
        };
        let number = |value: fn(&PacketInfo) -> u64| packet.map_or(0, value).cast_signed();
        let mut record = Record {
            now: view.now.as_s(),
            sojourn: packet.map_or(0.0, |packet| packet.sojourn.as_s()),
            link_rate: self.link.rate.bps() as f64,
            link_delay: self.link.delay.as_s(),
            base_rtt: self.link.base_rtt.as_s(),
            wait_until: 0.0,
            flow: packet.map_or(0, |packet| packet.flow),
            stream: ptr::from_mut(view.random).expose_provenance() as u64,
            size: number(|packet| packet.size.get()),
            ecn: number(|packet| packet.ecn as u64),
            packets: view.backlog.packets.cast_signed() as i64,
            bytes: view.backlog.bytes.get().cast_signed(),
            source: number(|packet| u64::from(packet.source)),
            destination: number(|packet| u64::from(packet.destination)),
            dscp: number(|packet| u64::from(packet.dscp)),
            mtu: self.link.mtu.get().cast_signed(),
        };
        self.before.copy_from_slice(&self.state);
        // SAFETY: the code has this signature; state and record live through the call and are as
        // long as the records it was compiled for.
        let answer = unsafe { code(self.state.as_mut_ptr(), &raw mut record) };
        if answer == FAILED {
            self.raised(hook, packet, view, &record)
        }
        if let Some(place) = self.timer
            && self.state[place].to_bits() != self.before[place].to_bits()
        {
            self.set_timer(hook, view.now, self.state[place]);
        }
        (answer, record.wait_until)
    }

    /// A hook has set the timer.
    fn set_timer(&mut self, hook: &str, now: Time, time: f64) {
        self.due = after(now, time);
        if self.due.is_none() {
            self.timer_is_over(hook, now, time);
        }
    }

    #[cold]
    fn timer_is_over(&self, hook: &str, now: Time, time: f64) -> ! {
        let message = format!(
            "state.next_timer: found {time}; allowed: a time after now, which is {}, in s, or \
             infinity for none",
            now.as_s()
        );
        self.refuse(hook, now, message)
    }

    /// Ends the run with the exception that a hook raised. Machine code keeps no traceback, so the
    /// interpreter runs the hook again, on the state that it was called with.
    #[cold]
    fn raised(
        &self,
        hook: &str,
        packet: Option<&PacketInfo>,
        view: &View<'_>,
        record: &Record,
    ) -> ! {
        let floats = [
            record.now,
            record.sojourn,
            record.link_rate,
            record.link_delay,
            record.base_rtt,
            0.0,
        ];
        let keys = [record.flow, record.stream];
        let whole = [
            record.size,
            record.ecn,
            record.packets,
            record.bytes,
            record.source,
            record.destination,
            record.dscp,
            record.mtu,
        ];
        let place = raised::place(&self.title, hook, view.now, packet);
        Python::attach(|py| {
            let args = (hook, self.before.clone(), floats, keys, whole);
            let again = self.object.call_method1(py, "_raise_again", args);
            let error = again.err().unwrap_or_else(|| {
                PyValueError::new_err("the interpreter raises none on the same state and packet")
            });
            raised::unwind(py, &error, &place)
        })
    }

    fn verdict(
        &mut self,
        code: Option<Code>,
        hook: &str,
        packet: &PacketInfo,
        view: &mut View<'_>,
    ) -> Verdict {
        let (answer, wait) = self.call(code, hook, Some(packet), view);
        let until = after(view.now, wait);
        let verdict = u32::try_from(answer)
            .ok()
            .and_then(|answer| Verdict::of_code(answer, until.unwrap_or_default()));
        let waits = hook == "dequeue";
        match verdict {
            Some(Verdict::Pass(queue) | Verdict::Mark(queue, _)) if queue >= self.queues => {
                self.fail(hook, view.now, answer)
            }
            Some(Verdict::Wait(_)) if !waits => self.fail(hook, view.now, answer),
            Some(Verdict::Wait(_)) if until.is_none() => self.waits_for_nothing(view.now, wait),
            Some(verdict) => verdict,
            None => self.fail(hook, view.now, answer),
        }
    }

    #[cold]
    fn waits_for_nothing(&self, now: Time, wait: f64) -> ! {
        let message =
            format!("packet.wait_until: found {wait} s; allowed: a time after now, which is {now}");
        self.refuse("dequeue", now, message)
    }

    #[cold]
    fn fail(&self, hook: &str, now: Time, answer: i64) -> ! {
        let message = format!(
            "it answered {answer}; allowed: ACCEPT, DROP, MARK, drop(...), mark(...) or the number \
             of a queue; in dequeue also WAIT, with packet.wait_until after now"
        );
        self.refuse(hook, now, message)
    }

    /// Ends the run with what a hook may not do.
    #[cold]
    fn refuse(&self, hook: &str, now: Time, message: String) -> ! {
        let place = format!("{}: {hook} at {now} of simulated time", self.title);
        Python::attach(|py| raised::unwind(py, &PyValueError::new_err(message), &place))
    }
}

impl Policy for NativePolicy {
    fn hooks(&self) -> Hooks {
        Hooks {
            enqueue: self.enqueue.is_some(),
            dequeue: self.dequeue.is_some(),
            on_empty: self.on_empty.is_some(),
            choose: false,
        }
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn queues(&self) -> u16 {
        self.queues
    }

    fn enqueue(&mut self, packet: &PacketInfo, view: &mut View<'_>) -> Verdict {
        self.verdict(self.enqueue, "enqueue", packet, view)
    }

    fn dequeue(&mut self, packet: &PacketInfo, view: &mut View<'_>) -> Verdict {
        self.verdict(self.dequeue, "dequeue", packet, view)
    }

    fn choose(&mut self, _view: &mut View<'_>) -> u16 {
        0
    }

    fn on_empty(&mut self, view: &mut View<'_>) {
        self.call(self.on_empty, "on_empty", None, view);
    }

    fn next_timer(&self) -> Option<Time> {
        self.due
            .filter(|due| *due < Time::NEVER && self.on_timer.is_some())
    }

    fn on_timer(&mut self, view: &mut View<'_>) {
        let Some(place) = self.timer else {
            return;
        };
        self.due = None;
        // The hook finds its instant there, and may add to it. If it leaves it as it is, no timer
        // is set. The last bit is off by one, to tell a hook that writes nothing from one that
        // writes the same instant again, and would do so for ever.
        let left = self.state[place].next_down();
        self.state[place] = left;
        self.call(self.on_timer, "on_timer", None, view);
        if self.state[place].to_bits() == left.to_bits() {
            self.state[place] = f64::INFINITY;
        }
    }

    fn on_link(&mut self, link: &LinkInfo, _view: &mut View<'_>) {
        self.link = *link;
    }

    fn reset(&mut self, _random: &mut Stream) {
        self.state.clone_from(&self.start);
        let place = self.timer;
        self.due = place.and_then(|place| after(Time::ZERO, self.start[place]));
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        for (name, place) in &self.probes {
            show(name, self.state[*place]);
        }
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        let known = self.probes.iter().find(|(probe, _)| probe == name);
        // Only a hook sets the timer: it knows what time it is.
        let known = known.filter(|(_, place)| Some(*place) != self.timer);
        if let Some((_, place)) = known {
            self.state[*place] = value;
        }
        known.is_some()
    }

    fn never_releases(&self, end: Time, waiting: Backlog) {
        raised::never_releases(&self.title, end, waiting)
    }
}
