//! Parameters that are one of a few words, declared once.

/// Declares an enumeration and the words that stand for it in a scenario file.
///
/// ```
/// use sojourn_base::{choices, Quantity, Scalar};
/// choices! {
///     /// When to do it.
///     pub enum When {
///         /// At once.
///         Now = "now",
///         /// Some other time.
///         Later = "later",
///     }
/// }
/// assert_eq!(When::read(Scalar::Text("later")), Ok(When::Later));
/// assert_eq!(When::Now.name(), "now");
/// assert_eq!(When::ALLOWED, "one of \"now\", \"later\"");
/// ```
#[macro_export]
macro_rules! choices {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $(#[$first_meta:meta])*
            $first:ident = $first_word:literal
            $(, $(#[$variant_meta:meta])* $variant:ident = $word:literal )* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $(#[$first_meta])*
            $first,
            $( $(#[$variant_meta])* $variant, )*
        }

        impl $name {
            /// All of them, in the order of declaration.
            pub const ALL: &'static [Self] = &[Self::$first $(, Self::$variant)*];

            /// As scenario files write it.
            pub const fn name(self) -> &'static str {
                match self {
                    Self::$first => $first_word,
                    $( Self::$variant => $word, )*
                }
            }
        }

        impl $crate::Quantity for $name {
            const ALLOWED: &'static str =
                concat!("one of \"", $first_word, "\"" $(, ", \"", $word, "\"")*);
            const SCHEMA: &'static str =
                concat!("{\"enum\": [\"", $first_word, "\"" $(, ", \"", $word, "\"")*, "]}");

            fn read(scalar: $crate::Scalar<'_>) -> Result<Self, $crate::Fault> {
                let named = |one: &&Self| scalar == $crate::Scalar::Text(one.name());
                let found = Self::ALL.iter().find(named);
                found
                    .copied()
                    .ok_or_else(|| <Self as $crate::Quantity>::fault(scalar))
            }
        }
    };
}
