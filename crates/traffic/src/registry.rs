//! All sources, one line each.

use sojourn_base::{BuildError, Bytes, Distribution, Entry, ParamSet, ParamSource, Preset, Span};

use crate::contract::{Draw, Emission, Packets, Source};

macro_rules! registry {
    ($( $module:ident :: $type:ident, $title:literal, $trace_name:literal; )*) => {
        /// Any source of the registry, dispatched without a virtual call.
        #[derive(Debug)]
        pub enum AnySource {
            $(
                #[doc = $title]
                $type(crate::$module::$type),
            )*
        }

        /// The registry, in the order of tables.
        pub const SOURCES: &[Entry] = &[ $(
            Entry {
                name: stringify!($module),
                title: $title,
                source: include_str!(concat!(stringify!($module), ".rs")),
                params: <crate::$module::Params as ParamSet>::PARAMS,
            },
        )* ];

        /// The packet type of a source in an ns-2 trace.
        pub fn trace_name(source: &str) -> &'static str {
            match source {
                $( stringify!($module) => $trace_name, )*
                _ => "udp",
            }
        }

        /// Makes the source called `name`, of packets with the given payload and header.
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
                        let packets = Packets { payload, header, rate_of: params.rate_of };
                        Ok(AnySource::$type(crate::$module::$type::new(&params, preset, packets)?))
                    }
                )*
                _ => Err(BuildError::Unknown),
            }
        }

        impl Source for AnySource {
            #[inline]
            fn next(&mut self, draw: &mut Draw<'_>) -> Emission {
                match self {
                    $( Self::$type(source) => source.next(draw), )*
                }
            }

            fn laws(&mut self, show: &mut dyn FnMut(&mut Distribution<Span>)) {
                match self {
                    $( Self::$type(source) => source.laws(show), )*
                }
            }
        }
    };
}

registry! {
    cbr::Cbr, "Constant bit rate", "cbr";
    poisson::Poisson, "Poisson", "udp";
    onoff::OnOff, "On/off", "exp";
    pareto_onoff::ParetoOnOff, "Pareto on/off", "pareto";
}

/// The line of the source called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    SOURCES.iter().find(|entry| entry.name == name)
}
