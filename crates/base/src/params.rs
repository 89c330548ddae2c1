//! Parameter tables, declared once.
//!
//! [`params!`](crate::params!) turns one declaration into a struct, its description (for help
//! texts, the JSON Schema, the reference) and its reader, so that none of them can grow stale.

use core::fmt;

use crate::{Fault, Quantity, Scalar};

/// Whose defaults and behaviour to take: those of the papers and RFCs, or those of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Preset {
    /// The paper or RFC.
    #[default]
    Reference,
    /// Linux (`tc`).
    Linux,
    /// ns-3.
    Ns3,
    /// ns-2.
    Ns2,
}

impl Preset {
    /// All of them, the default first.
    pub const ALL: [Self; 4] = [Self::Reference, Self::Linux, Self::Ns3, Self::Ns2];

    /// As scenario files write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Linux => "linux",
            Self::Ns3 => "ns3",
            Self::Ns2 => "ns2",
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Quantity for Preset {
    const ALLOWED: &'static str = "\"reference\", \"linux\", \"ns3\" or \"ns2\"";
    const SCHEMA: &'static str = r#"{"enum": ["reference", "linux", "ns3", "ns2"]}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        Self::ALL
            .into_iter()
            .find(|preset| scalar == Scalar::Text(preset.name()))
            .ok_or_else(|| Self::fault(scalar))
    }
}

/// The description of one parameter.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// Its key in a scenario file.
    pub name: &'static str,
    /// What it is, in sentences.
    pub doc: &'static str,
    /// What may stand there.
    pub allowed: &'static str,
    /// The JSON Schema of its value.
    pub schema: &'static str,
    /// Its default as a scenario file would write it; empty where a value must be given.
    pub default: &'static str,
    /// Defaults that differ under a preset.
    pub presets: &'static [(Preset, &'static str)],
}

impl Param {
    /// The default under a preset.
    pub fn default_under(&self, preset: Preset) -> &'static str {
        self.presets
            .iter()
            .find(|(under, _)| *under == preset)
            .map_or(self.default, |(_, text)| text)
    }
}

/// Where the values of a parameter table come from: a table of a scenario file, a request to the
/// driver, a test.
pub trait ParamSource {
    /// The value given for `name`, if any.
    fn get(&self, name: &str) -> Option<Scalar<'_>>;
}

/// Nothing is given: the defaults.
impl ParamSource for () {
    fn get(&self, _: &str) -> Option<Scalar<'_>> {
        None
    }
}

impl<const N: usize> ParamSource for [(&str, Scalar<'_>); N] {
    fn get(&self, name: &str) -> Option<Scalar<'_>> {
        self.iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| *value)
    }
}

/// Values as a scenario file writes them, each with its name: for tests.
#[derive(Debug, Clone, Copy)]
pub struct Texts<'a>(pub &'a [(&'a str, &'a str)]);

impl ParamSource for Texts<'_> {
    fn get(&self, name: &str) -> Option<Scalar<'_>> {
        let (_, text) = self.0.iter().find(|(key, _)| *key == name)?;
        Some(Scalar::literal(text))
    }
}

/// A parameter that cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamFault {
    /// Its name.
    pub name: &'static str,
    /// What was found there and what is allowed.
    pub fault: Fault,
}

impl ParamFault {
    /// The parameter `name` has the value `found`, where only `allowed` may stand.
    pub fn new(name: &'static str, found: impl fmt::Display, allowed: impl Into<String>) -> Self {
        Self {
            name,
            fault: Fault::new(found, allowed),
        }
    }
}

impl fmt::Display for ParamFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.fault)
    }
}

/// A parameter table made by [`params!`](crate::params!).
pub trait ParamSet: Sized {
    /// The descriptions, in the order of declaration.
    const PARAMS: &'static [Param];

    /// Reads the table: what is given, else the preset's default.
    ///
    /// # Errors
    /// The first parameter that cannot be taken.
    fn read(source: &dyn ParamSource, preset: Preset) -> Result<Self, ParamFault>;

    /// The defaults of a preset.
    ///
    /// # Panics
    /// If some parameter has none: a fault of the declaration, or of who asks.
    fn defaults(preset: Preset) -> Self {
        Self::read(&(), preset).unwrap_or_else(|fault| {
            unreachable!("every parameter has a default under {preset}: {fault}")
        })
    }
}

/// Reads one parameter: for [`params!`](crate::params!).
///
/// # Errors
/// Where the value given is not allowed.
///
/// # Panics
/// If a default of the declaration is not allowed itself: a fault of the declaration.
pub fn read_param<T: Quantity>(
    param: &Param,
    source: &dyn ParamSource,
    preset: Preset,
) -> Result<T, ParamFault> {
    if let Some(scalar) = source.get(param.name) {
        return T::read(scalar).map_err(|fault| ParamFault {
            name: param.name,
            fault,
        });
    }
    let default = param.default_under(preset);
    if default.is_empty() {
        return Err(ParamFault::new(param.name, "nothing", T::ALLOWED));
    }
    Ok(T::read(Scalar::literal(default)).unwrap_or_else(|fault| {
        unreachable!("declared default of {} under {preset}: {fault}", param.name)
    }))
}

/// Declares a parameter table.
///
/// ```
/// use sojourn_base::{params, Limit, Probability, ParamSet, Preset};
/// params! {
///     /// Parameters of a queue that throws dice.
///     pub struct Params {
///         /// Most that waits.
///         limit: Limit = "100 packets", Ns2 = "50 packets";
///         /// Probability of a drop.
///         p: Probability = "0.1";
///     }
/// }
/// let params = Params::read(&(), Preset::Reference).unwrap();
/// assert_eq!(params.p, Probability(0.1));
/// assert_eq!(Params::PARAMS[0].default_under(Preset::Ns2), "50 packets");
/// ```
#[macro_export]
macro_rules! params {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident : $type:ty = $default:literal $(, $preset:ident = $under:literal)* ;
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $( $(#[doc = $doc])+ pub $field: $type, )*
        }

        impl $crate::ParamSet for $name {
            const PARAMS: &'static [$crate::Param] = &[ $(
                $crate::Param {
                    name: stringify!($field),
                    doc: concat!($($doc, "\n"),+),
                    allowed: <$type as $crate::Quantity>::ALLOWED,
                    schema: <$type as $crate::Quantity>::SCHEMA,
                    default: $default,
                    presets: &[ $( ($crate::Preset::$preset, $under) ),* ],
                },
            )* ];

            fn read(
                source: &dyn $crate::ParamSource,
                preset: $crate::Preset,
            ) -> Result<Self, $crate::ParamFault> {
                let mut params = Self::PARAMS.iter();
                // Fields are read in the order of the descriptions, one description each.
                let mut next = || params.next().expect("one description per field");
                Ok(Self {
                    $( $field: $crate::params::read_param(next(), source, preset)?, )*
                })
            }
        }
    };
}
