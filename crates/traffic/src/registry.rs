//! All sources, one line each.

use sojourn_base::{
    BuildError, Bytes, Distribution, Entry, Law, ParamFault, ParamSet, ParamSource, Preset, Time,
};

use crate::application::{Application, Begun, Event, Host};
use crate::contract::{Draw, Emission, Packets, Recording, Source};
use crate::paced::Paced;

macro_rules! registry {
    (
        packets { $( $module:ident :: $type:ident, $title:literal, $trace_name:literal; )* }
        streams { $( $app_module:ident :: $app:ident, $app_title:literal; )* }
    ) => {
        /// Any source of packets, dispatched without a virtual call.
        #[derive(Debug)]
        pub enum AnySource {
            $(
                #[doc = $title]
                $type(crate::$module::$type),
            )*
        }

        /// Any application over TCP, dispatched without a virtual call. Each has a box of its own,
        /// so that many bulk transfers do not take as much memory as the largest of all.
        #[derive(Debug)]
        pub enum AnyApplication {
            $(
                #[doc = $app_title]
                $app(Box<crate::$app_module::$app>),
            )*
            /// A source of packets that writes into a stream.
            Paced(Box<Paced>),
        }

        /// The registry, in the order of tables: what goes over any transport first, what needs
        /// TCP last.
        pub const SOURCES: &[Entry] = &[
            $( Entry {
                name: stringify!($module),
                class: stringify!($type),
                title: $title,
                source: include_str!(concat!(stringify!($module), ".rs")),
                params: <crate::$module::Params as ParamSet>::PARAMS,
            }, )*
            $( Entry {
                name: stringify!($app_module),
                class: stringify!($app),
                title: $app_title,
                source: include_str!(concat!(stringify!($app_module), ".rs")),
                params: <crate::$app_module::Params as ParamSet>::PARAMS,
            }, )*
        ];

        /// The packet type of a source over UDP in an ns-2 trace.
        pub fn trace_name(source: &str) -> &'static str {
            match source {
                $( stringify!($module) => $trace_name, )*
                _ => "udp",
            }
        }

        /// Whether the source called `name` needs streams: TCP.
        pub fn needs_streams(name: &str) -> bool {
            [$( stringify!($app_module) ),*].contains(&name)
        }

        /// Makes the source of packets called `name`, of packets with the given payload and header.
        ///
        /// # Errors
        /// An unknown name, or the first parameter that cannot be taken.
        pub fn build(
            name: &str,
            source: &dyn ParamSource,
            preset: Preset,
            payload: Distribution<Bytes>,
            header: Bytes,
        ) -> Result<AnySource, BuildError> {
            match name {
                $(
                    stringify!($module) => {
                        let params = crate::$module::Params::read(source, preset)?;
                        let packets = Packets::new(payload, header);
                        Ok(AnySource::$type(crate::$module::$type::new(&params, preset, packets)?))
                    }
                )*
                _ => Err(BuildError::Unknown),
            }
        }

        /// Makes the application called `name`. A source of packets writes `segment` bytes at a
        /// time.
        ///
        /// # Errors
        /// An unknown name, or the first parameter that cannot be taken.
        pub fn build_application(
            name: &str,
            source: &dyn ParamSource,
            preset: Preset,
            segment: Bytes,
        ) -> Result<AnyApplication, BuildError> {
            match name {
                $(
                    stringify!($app_module) => {
                        let params = crate::$app_module::Params::read(source, preset)?;
                        let made = crate::$app_module::$app::new(&params, preset)?;
                        Ok(AnyApplication::$app(Box::new(made)))
                    }
                )*
                _ => {
                    let payload = Distribution::constant(segment);
                    let made = build(name, source, preset, payload, Bytes::ZERO)?;
                    Ok(AnyApplication::Paced(Box::new(Paced::new(made, preset))))
                }
            }
        }

        impl Source for AnySource {
            #[inline]
            fn next(&mut self, draw: &mut Draw<'_>) -> Emission {
                match self {
                    $( Self::$type(source) => source.next(draw), )*
                }
            }

            fn laws(&mut self, show: &mut dyn FnMut(&mut dyn Law)) -> Result<(), ParamFault> {
                match self {
                    $( Self::$type(source) => source.laws(show), )*
                }
            }

            fn recordings(
                &mut self,
                show: &mut dyn FnMut(&mut Recording),
            ) -> Result<(), ParamFault> {
                match self {
                    $( Self::$type(source) => source.recordings(show), )*
                }
            }
        }

        impl Application for AnyApplication {
            fn on(&mut self, now: Time, event: Event, draw: &mut Draw<'_>, host: &mut dyn Host) {
                match self {
                    $( Self::$app(application) => application.on(now, event, draw, host), )*
                    Self::Paced(application) => application.on(now, event, draw, host),
                }
            }

            fn under_way(&self, show: &mut dyn FnMut(Begun)) {
                match self {
                    $( Self::$app(application) => application.under_way(show), )*
                    Self::Paced(application) => application.under_way(show),
                }
            }

            fn laws(&mut self, show: &mut dyn FnMut(&mut dyn Law)) -> Result<(), ParamFault> {
                match self {
                    $( Self::$app(application) => application.laws(show), )*
                    Self::Paced(application) => application.laws(show),
                }
            }

            fn recordings(
                &mut self,
                show: &mut dyn FnMut(&mut Recording),
            ) -> Result<(), ParamFault> {
                match self {
                    Self::Paced(application) => application.recordings(show),
                    _ => Ok(()),
                }
            }
        }
    };
}

registry! {
    packets {
        cbr::Cbr, "Constant bit rate", "cbr";
        poisson::Poisson, "Poisson", "udp";
        onoff::OnOff, "On/off", "exp";
        pareto_onoff::ParetoOnOff, "Pareto on/off", "pareto";
        trace::Trace, "Packets as recorded", "udp";
    }
    streams {
        bulk::Bulk, "Bulk transfer";
        arrivals::Arrivals, "Flow arrivals";
        request_response::RequestResponse, "Request and response";
        web::Web, "Web pages";
    }
}

/// The line of the source called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    SOURCES.iter().find(|entry| entry.name == name)
}
