//! All congestion controllers, one line each.
//!
//! A line gives a controller its name in scenario files, its validated parameters, its help text
//! and reference page (the header of its file), and its place in the tests that all controllers
//! must pass.

use sojourn_base::prefetch::prefetch_all;
use sojourn_base::{BuildError, Entry, ParamSet, ParamSource, Preset, Span, Time};

use crate::cc::contract::{AckSample, CongestionControl, LossEvent, Needs, Start};
use crate::rate::Loss;

macro_rules! registry {
    ($( $module:ident :: $type:ident, $title:literal; )*) => {
        /// Any controller of the registry, dispatched without a virtual call, or one from outside.
        /// Each in a box of its own, so that a sender takes no more room than its own controller
        /// needs.
        pub enum AnyController {
            $(
                #[doc = $title]
                $type(Box<crate::cc::$module::$type>),
            )*
            /// A controller that is not in the registry.
            Custom(Box<dyn CongestionControl + Send>),
        }

        /// The registry, in the order of tables.
        pub const CONTROLLERS: &[Entry] = &[ $(
            Entry {
                name: stringify!($module),
                class: stringify!($type),
                title: $title,
                source: include_str!(concat!(stringify!($module), ".rs")),
                params: <crate::cc::$module::Params as ParamSet>::PARAMS,
            },
        )* ];

        /// Makes the controller called `name`.
        ///
        /// # Errors
        /// An unknown name, or the first parameter that is not accepted. Whether `source` holds
        /// parameters that the controller does not have is checked by the caller.
        pub fn build(
            name: &str,
            source: &dyn ParamSource,
            preset: Preset,
            start: &Start,
        ) -> Result<AnyController, BuildError> {
            match name {
                $(
                    stringify!($module) => {
                        let params = crate::cc::$module::Params::read(source, preset)?;
                        let made = crate::cc::$module::$type::new(&params, preset, start)?;
                        Ok(AnyController::$type(Box::new(made)))
                    }
                )*
                _ => Err(BuildError::Unknown),
            }
        }

        macro_rules! each {
            ($any:expr, $one:ident => $body:expr) => {
                match $any {
                    $( AnyController::$type($one) => $body, )*
                    AnyController::Custom($one) => $body,
                }
            };
        }
    };
}

registry! {
    tahoe::Tahoe, "Tahoe";
    reno::Reno, "Reno";
    newreno::NewReno, "NewReno";
    cubic::Cubic, "CUBIC";
    dctcp::Dctcp, "DCTCP";
    vegas::Vegas, "Vegas";
    westwood::Westwood, "Westwood+";
    highspeed::HighSpeed, "HighSpeed";
    scalable::Scalable, "Scalable";
    bic::Bic, "BIC";
    htcp::Htcp, "H-TCP";
    hybla::Hybla, "Hybla";
    illinois::Illinois, "Illinois";
    yeah::Yeah, "YeAH";
    veno::Veno, "Veno";
    ledbat::Ledbat, "LEDBAT";
    bbr::Bbr, "BBR";
    bbr3::Bbr3, "BBRv3";
    prague::Prague, "Prague";
}

/// The line of the controller called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    CONTROLLERS.iter().find(|entry| entry.name == name)
}

impl core::fmt::Debug for AnyController {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("AnyController")
            .field("cwnd", &self.cwnd())
            .field("ssthresh", &self.ssthresh())
            .finish_non_exhaustive()
    }
}

impl AnyController {
    /// Prefetches the controller's own state, which lies in a box.
    #[inline]
    pub(crate) fn prefetch(&self) {
        each!(self, controller => prefetch_all(&**controller));
    }
}

impl CongestionControl for AnyController {
    #[inline]
    fn on_ack(&mut self, ack: &AckSample) {
        each!(self, controller => controller.on_ack(ack));
    }

    fn on_ack_to_windows(&mut self, ack: &AckSample) -> (u64, u64) {
        each!(self, controller => controller.on_ack_to_windows(ack))
    }

    #[inline]
    fn on_acked(&mut self, acked: u64, may_grow: bool) -> Option<u64> {
        each!(self, controller => controller.on_acked(acked, may_grow))
    }

    fn on_handshake(&mut self, now: Time, rtt: Span) {
        each!(self, controller => controller.on_handshake(now, rtt));
    }

    fn on_lost(&mut self, now: Time, loss: &Loss) {
        each!(self, controller => controller.on_lost(now, loss));
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        each!(self, controller => controller.on_loss_event(event));
    }

    fn on_recovery_exit(&mut self, now: Time) {
        each!(self, controller => controller.on_recovery_exit(now));
    }

    fn on_restart(&mut self, now: Time) {
        each!(self, controller => controller.on_restart(now));
    }

    fn on_tx_start(&mut self, now: Time, idle: Span, app_limited: bool) {
        each!(self, controller => controller.on_tx_start(now, idle, app_limited));
    }

    fn on_undo(&mut self, now: Time) {
        each!(self, controller => controller.on_undo(now));
    }

    #[inline]
    fn cwnd(&self) -> u64 {
        each!(self, controller => controller.cwnd())
    }

    #[inline]
    fn ssthresh(&self) -> u64 {
        each!(self, controller => controller.ssthresh())
    }

    fn windows(&self) -> (u64, u64) {
        each!(self, controller => controller.windows())
    }

    fn pacing_rate(&self) -> Option<f64> {
        each!(self, controller => controller.pacing_rate())
    }

    fn least_burst(&self) -> u8 {
        each!(self, controller => controller.least_burst())
    }

    fn is_self_limited(&self) -> bool {
        each!(self, controller => controller.is_self_limited())
    }

    fn needs(&self) -> Needs {
        each!(self, controller => controller.needs())
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        each!(self, controller => controller.probe(show));
    }

    fn set_window(&mut self, cwnd: f64, ssthresh: f64) {
        each!(self, controller => controller.set_window(cwnd, ssthresh));
    }
}
