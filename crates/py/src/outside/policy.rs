//! A discipline whose decisions a Python object takes.
//!
//! Plain numbers go over, a small number comes back; the packets stay in Rust. Only the hooks that
//! the class has are called.

use pyo3::call::PyCallArgs;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use sojourn_base::length::Capacity;
use sojourn_base::{LinkInfo, Stream, Time};
use sojourn_queue::policy::{self, Hooks, PacketInfo, Verdict};
use sojourn_queue::{Backlog, Policy};
use sojourn_scenario::outside::Wanted;

use super::discipline_base::DisciplineBase;
use super::{limit_of, probe_attributes, raised};

/// A hook of the class: its name and, where the class has it, its bound method.
struct Hook {
    name: &'static str,
    method: Option<Py<PyAny>>,
}

impl Hook {
    fn new(object: &Bound<'_, PyAny>, name: &'static str) -> PyResult<Self> {
        let has: bool = object.call_method1("_has", (name,))?.extract()?;
        let method = has.then(|| object.getattr(name)).transpose()?;
        Ok(Self {
            name,
            method: method.map(Bound::unbind),
        })
    }
}

/// What a Python object decides.
pub(super) struct PythonPolicy {
    /// The class and where it is at work, for messages.
    title: String,
    base: Py<DisciplineBase>,
    enqueue: Hook,
    dequeue: Hook,
    on_empty: Hook,
    choose: Hook,
    on_timer: Hook,
    on_link: Hook,
    probes: Vec<String>,
    capacity: Capacity,
    queues: u16,
    next_timer: Option<Time>,
}

impl PythonPolicy {
    pub(super) fn new(
        object: &Bound<'_, PyAny>,
        wanted: &Wanted<'_>,
        link: &LinkInfo,
    ) -> PyResult<Self> {
        let base = object.cast::<DisciplineBase>()?;
        let limit = limit_of(object)?;
        let hook = |name| Hook::new(object, name);
        let policy = Self {
            title: format!("{} on {}", wanted.name, wanted.place),
            base: base.clone().unbind(),
            enqueue: hook("enqueue")?,
            dequeue: hook("dequeue")?,
            on_empty: hook("on_empty")?,
            choose: hook("choose")?,
            on_timer: hook("on_timer")?,
            on_link: hook("on_link")?,
            probes: object.getattr("probes")?.extract()?,
            capacity: limit.on(link),
            queues: object.getattr("queues")?.extract()?,
            next_timer: None,
        };
        policy.base.borrow_mut(object.py()).capacity = policy.capacity;
        policy.take_link(object.py(), link);
        Ok(policy)
    }

    /// The room stays what it is: a buffer does not shrink with the rate.
    fn take_link(&self, py: Python<'_>, link: &LinkInfo) {
        self.base.borrow_mut(py).link = *link;
    }

    fn try_reset(&mut self, py: Python<'_>, random: &mut Stream) -> PyResult<()> {
        self.base.borrow_mut(py).reset(random);
        let answer = self.base.bind(py).call_method0("reset");
        let mut base = self.base.borrow_mut(py);
        base.return_stream(random);
        self.next_timer = base.next_timer;
        answer.map(drop)
    }

    /// Calls a hook; gives what it answered and until when it asked to wait, if it did.
    #[inline]
    fn ask<'py>(
        &mut self,
        py: Python<'py>,
        which: fn(&Self) -> &Hook,
        packet: Option<&PacketInfo>,
        view: &mut policy::View<'_>,
        args: impl PyCallArgs<'py>,
    ) -> (Bound<'py, PyAny>, Option<Time>) {
        let object = self.base.bind(py);
        object.borrow_mut().load(view, packet);
        let hook = which(self);
        let answer = match &hook.method {
            Some(method) => method.bind(py).call1(args),
            None => Ok(py.None().into_bound(py)),
        };
        let wait = {
            let mut object = object.borrow_mut();
            object.return_stream(view.random);
            self.next_timer = object.next_timer;
            object.wait
        };
        match answer {
            Ok(answer) => (answer, wait),
            Err(error) => self.fail(py, which, packet, view.now, &error),
        }
    }

    #[cold]
    fn fail(
        &self,
        py: Python<'_>,
        which: fn(&Self) -> &Hook,
        packet: Option<&PacketInfo>,
        now: Time,
        error: &PyErr,
    ) -> ! {
        let place = raised::place(&self.title, which(self).name, now, packet);
        raised::unwind(py, error, &place)
    }

    /// Reads the answer of a hook that judges a packet.
    #[inline]
    fn verdict(
        &self,
        answer: &Bound<'_, PyAny>,
        wait: Option<Time>,
        waits: bool,
    ) -> Result<Verdict, PyErr> {
        let code = answer.extract::<u32>().ok();
        let verdict = code.and_then(|code| Verdict::of_code(code, wait.unwrap_or_default()));
        match verdict {
            Some(Verdict::Pass(queue) | Verdict::Mark(queue, _)) if queue >= self.queues => {
                let count = self.queues;
                let message = format!("it answered queue {queue}: there are {count}");
                Err(PyIndexError::new_err(message))
            }
            Some(Verdict::Wait(_)) if !waits => {
                Err(PyValueError::new_err("an arrival cannot wait: dequeue may"))
            }
            Some(Verdict::Wait(_)) if wait.is_none() => Err(PyValueError::new_err(
                "it answered WAIT, and not until when; allowed: to answer self.wait_until(...)",
            )),
            Some(verdict) => Ok(verdict),
            None => Err(PyTypeError::new_err(format!(
                "it answered {answer:?}; allowed: ACCEPT, DROP, MARK, drop(...), mark(...) or the \
                 number of a queue; in dequeue also self.wait_until(...)"
            ))),
        }
    }
}

impl Policy for PythonPolicy {
    fn hooks(&self) -> Hooks {
        Hooks {
            enqueue: self.enqueue.method.is_some(),
            dequeue: self.dequeue.method.is_some(),
            on_empty: self.on_empty.method.is_some(),
            choose: self.choose.method.is_some(),
        }
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn queues(&self) -> u16 {
        self.queues
    }

    fn enqueue(&mut self, packet: &PacketInfo, view: &mut policy::View<'_>) -> Verdict {
        Python::attach(|py| {
            let (size, ecn) = (packet.size.get(), packet.ecn as u8);
            let args = (view.now.as_s(), size, packet.flow, ecn);
            let (answer, wait) = self.ask(py, |policy| &policy.enqueue, Some(packet), view, args);
            self.verdict(&answer, wait, false).unwrap_or_else(|error| {
                self.fail(py, |policy| &policy.enqueue, Some(packet), view.now, &error)
            })
        })
    }

    fn dequeue(&mut self, packet: &PacketInfo, view: &mut policy::View<'_>) -> Verdict {
        Python::attach(|py| {
            let (size, ecn) = (packet.size.get(), packet.ecn as u8);
            let sojourn = packet.sojourn.as_s();
            let args = (view.now.as_s(), size, packet.flow, ecn, sojourn);
            let (answer, wait) = self.ask(py, |policy| &policy.dequeue, Some(packet), view, args);
            self.verdict(&answer, wait, true).unwrap_or_else(|error| {
                self.fail(py, |policy| &policy.dequeue, Some(packet), view.now, &error)
            })
        })
    }

    fn choose(&mut self, view: &mut policy::View<'_>) -> u16 {
        Python::attach(|py| {
            let args = (view.now.as_s(),);
            let (answer, _) = self.ask(py, |policy| &policy.choose, None, view, args);
            let queue = answer.extract::<u16>().unwrap_or(u16::MAX);
            let holds = view.queues.get(usize::from(queue));
            if holds.is_none_or(|backlog| backlog.packets == 0) {
                let message =
                    format!("it answered {answer:?}; allowed: a queue that holds packets");
                let error = PyValueError::new_err(message);
                self.fail(py, |policy| &policy.choose, None, view.now, &error);
            }
            queue
        })
    }

    fn on_empty(&mut self, view: &mut policy::View<'_>) {
        Python::attach(|py| {
            let args = (view.now.as_s(),);
            self.ask(py, |policy| &policy.on_empty, None, view, args);
        });
    }

    fn next_timer(&self) -> Option<Time> {
        self.next_timer
    }

    fn on_timer(&mut self, view: &mut policy::View<'_>) {
        Python::attach(|py| {
            self.base.borrow_mut(py).next_timer = None;
            let args = (view.now.as_s(),);
            self.ask(py, |policy| &policy.on_timer, None, view, args);
        });
    }

    fn on_link(&mut self, link: &LinkInfo, view: &mut policy::View<'_>) {
        Python::attach(|py| {
            self.take_link(py, link);
            self.ask(py, |policy| &policy.on_link, None, view, ());
        });
    }

    fn reset(&mut self, random: &mut Stream) {
        Python::attach(|py| {
            if let Err(error) = self.try_reset(py, random) {
                let place = format!("{}: reset raised an exception", self.title);
                raised::unwind(py, &error, &place);
            }
        });
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        Python::attach(|py| {
            probe_attributes(self.base.bind(py), &self.title, &self.probes, show);
        });
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        let known = self.probes.iter().any(|probe| probe == name);
        // Only a hook sets the timer: it knows what time it is.
        known
            && name != "next_timer"
            && Python::attach(|py| self.base.bind(py).setattr(name, value).is_ok())
    }

    fn never_releases(&self, end: Time, waiting: Backlog) {
        raised::never_releases(&self.title, end, waiting)
    }
}
