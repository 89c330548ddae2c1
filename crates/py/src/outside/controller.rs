//! A congestion control whose decisions a Python object takes.
//!
//! Python sets `cwnd` and `ssthresh`, in segments, on its object; they are read after each hook.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sojourn_base::{Stream, Time};
use sojourn_scenario::outside::Wanted;
use sojourn_transport::cc::Needs;
use sojourn_transport::{AckSample, CongestionControl, LossEvent, LossKind, Start, State};

use super::{probe_attributes, raised};

/// What rounding may take from a window, bytes.
const ROUNDING: f64 = 1e-6;

/// The random stream of one connection.
#[pyclass(module = "sojourn._core")]
pub(crate) struct Random(Stream);

#[pymethods]
impl Random {
    /// A random number in [0, 1).
    fn uniform(&mut self) -> f64 {
        self.0.uniform()
    }
}

/// An acknowledgement that delivered something. Amounts are in segments, times in seconds.
#[pyclass(frozen, get_all, module = "sojourn._core")]
pub(crate) struct Ack {
    now: f64,
    /// Newly delivered.
    acked: f64,
    /// Of these, known to have been marked.
    marked: f64,
    /// Newly held to be lost.
    lost: f64,
    /// The echo of marks was set.
    ece: bool,
    /// Round-trip time of it, if it gave one.
    rtt: Option<f64>,
    /// Smoothed round-trip time; zero before the first sample.
    srtt: f64,
    /// One-way delay by the stamps of both ends.
    one_way: Option<f64>,
    /// In flight before it.
    prior_in_flight: f64,
    /// In flight after it.
    in_flight: f64,
    /// Whether the window may grow.
    may_grow: bool,
    /// Whether the sender is in fast recovery.
    in_recovery: bool,
    /// Delivered since the start.
    delivered: f64,
}

/// A congestion event. Amounts are in segments, times in seconds.
#[pyclass(frozen, get_all, module = "sojourn._core")]
pub(crate) struct Loss {
    now: f64,
    /// `fast_retransmit`, `timeout` or `ecn`.
    kind: &'static str,
    /// FlightSize of RFC 5681.
    in_flight: f64,
    /// The timer expired again for the same segment.
    again: bool,
}

/// What a Python object decides.
pub(super) struct PythonController {
    title: String,
    object: Py<PyAny>,
    on_ack: Py<PyAny>,
    on_loss: Py<PyAny>,
    needs: Needs,
    mss: f64,
    cwnd: f64,
    ssthresh: f64,
    pacing_rate: Option<f64>,
    probes: Vec<String>,
}

impl PythonController {
    pub(super) fn new(
        object: &Bound<'_, PyAny>,
        wanted: &Wanted<'_>,
        start: &Start,
    ) -> PyResult<Self> {
        let mss = f64::from(start.mss);
        let initial = start.initial_window as f64 / mss;
        let ssthresh = match start.initial_ssthresh {
            u64::MAX => f64::INFINITY,
            bytes => bytes as f64 / mss,
        };
        let random = Bound::new(object.py(), Random(start.random.clone()))?;
        let begun = object.call_method1(
            "_begin",
            (start.mss, initial, ssthresh, start.byte_counting, random),
        );
        let flag = |name: &str| object.getattr(name).and_then(|flag| flag.extract::<bool>());
        let mut controller = Self {
            title: wanted.name.to_owned(),
            on_ack: object.getattr("on_ack")?.unbind(),
            on_loss: object.getattr("on_loss")?.unbind(),
            needs: Needs {
                own_recovery: flag("own_recovery")?,
                pacing: flag("pacing")?,
                ..Needs::USUAL
            },
            mss,
            cwnd: initial,
            ssthresh,
            pacing_rate: None,
            probes: object.getattr("probes")?.extract()?,
            object: object.clone().unbind(),
        };
        if let Err(error) = begun.and_then(|_| controller.read(object.py())) {
            let place = format!("{}: reset raised an exception", wanted.name);
            raised::unwind(object.py(), &error, &place);
        }
        Ok(controller)
    }

    /// Reads what Python has set.
    fn read(&mut self, py: Python<'_>) -> PyResult<()> {
        let object = self.object.bind(py);
        let cwnd: f64 = object.getattr("cwnd")?.extract()?;
        let ssthresh: f64 = object.getattr("ssthresh")?.extract()?;
        if !(cwnd > 0.0 && cwnd.is_finite() && ssthresh > 0.0) {
            return Err(PyValueError::new_err(format!(
                "found cwnd = {cwnd}, ssthresh = {ssthresh}; allowed: segments above zero"
            )));
        }
        (self.cwnd, self.ssthresh) = (cwnd, ssthresh);
        if self.needs.pacing {
            let rate: Option<f64> = object.getattr("pacing_rate")?.extract()?;
            if let Some(bits) = rate.filter(|&bits| bits.is_nan() || bits <= 0.0) {
                return Err(PyValueError::new_err(format!(
                    "found pacing_rate = {bits}; allowed: bit/s above zero, or None"
                )));
            }
            self.pacing_rate = rate.map(|bits| bits / 8.0);
        }
        Ok(())
    }

    /// Calls a hook and reads what it has set.
    fn call_hook(
        &mut self,
        name: &str,
        now: Time,
        call: impl for<'py> FnOnce(Python<'py>, &Self) -> PyResult<Py<PyAny>>,
    ) {
        Python::attach(|py| {
            let called = call(py, self).and_then(|_| self.read(py));
            if let Err(error) = called {
                raised::unwind(py, &error, &raised::place(&self.title, name, now, None));
            }
        });
    }

    fn call_with_time(&mut self, name: &'static str, now: Time) {
        self.call_hook(name, now, |py, this| {
            this.object.call_method1(py, name, (now.as_s(),))
        });
    }
}

impl CongestionControl for PythonController {
    fn on_ack(&mut self, ack: &AckSample) {
        let mss = self.mss;
        let segments = |bytes: u64| bytes as f64 / mss;
        let sample = Ack {
            now: ack.now.as_s(),
            acked: segments(ack.acked),
            marked: segments(ack.marked),
            lost: segments(ack.lost),
            ece: ack.ece,
            rtt: ack.rtt.map(sojourn_base::Span::as_s),
            srtt: ack.srtt.as_s(),
            one_way: ack.one_way_s(),
            prior_in_flight: segments(ack.prior_in_flight),
            in_flight: segments(ack.in_flight),
            may_grow: ack.may_grow,
            in_recovery: ack.state == State::Recovery,
            delivered: segments(ack.delivered),
        };
        self.call_hook("on_ack", ack.now, |py, this| {
            this.on_ack.call1(py, (sample,))
        });
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        let loss = Loss {
            now: event.now.as_s(),
            kind: match event.kind {
                LossKind::FastRetransmit => "fast_retransmit",
                LossKind::Timeout => "timeout",
                LossKind::Ecn => "ecn",
            },
            in_flight: event.in_flight as f64 / self.mss,
            again: event.again,
        };
        self.call_hook("on_loss", event.now, |py, this| {
            this.on_loss.call1(py, (loss,))
        });
    }

    fn on_recovery_exit(&mut self, now: Time) {
        self.call_with_time("on_recovery_exit", now);
    }

    fn on_restart(&mut self, now: Time) {
        self.call_with_time("on_restart", now);
    }

    fn on_undo(&mut self, now: Time) {
        self.call_with_time("on_undo", now);
    }

    fn cwnd(&self) -> u64 {
        ((self.cwnd * self.mss + ROUNDING) as u64).max(self.mss as u64)
    }

    fn ssthresh(&self) -> u64 {
        if self.ssthresh == f64::INFINITY {
            u64::MAX
        } else {
            (self.ssthresh * self.mss + ROUNDING) as u64
        }
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.pacing_rate
    }

    fn needs(&self) -> Needs {
        self.needs
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        Python::attach(|py| {
            probe_attributes(self.object.bind(py), &self.title, &self.probes, show);
        });
    }

    fn set_window(&mut self, cwnd: f64, ssthresh: f64) {
        self.call_hook("set_window", Time::ZERO, |py, this| {
            this.object.setattr(py, "cwnd", cwnd)?;
            this.object.setattr(py, "ssthresh", ssthresh)?;
            Ok(py.None())
        });
    }
}
