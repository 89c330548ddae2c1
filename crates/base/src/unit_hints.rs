//! What was meant by a unit that is written in another way: `"2 Mbps"` is `"2 Mbit/s"`.

use crate::decimal::split_unit;

/// Words for a unit, in small letters, and the unit that scenario files write.
const WORDS: &[(&[&str], &str)] = &[
    (&["s", "sec", "secs", "second", "seconds"], "s"),
    (
        &["ms", "msec", "msecs", "millisecond", "milliseconds"],
        "ms",
    ),
    (
        &[
            "us",
            "usec",
            "usecs",
            "microsecond",
            "microseconds",
            "\u{b5}s",
            "\u{3bc}s",
        ],
        "us",
    ),
    (&["ns", "nsec", "nanosecond", "nanoseconds"], "ns"),
    (&["minute", "minutes", "mins"], "min"),
    (&["b", "byte", "bytes"], "B"),
    (&["kb", "kbyte", "kbytes"], "kB"),
    (&["mb", "mbyte", "mbytes"], "MB"),
    (&["gb", "gbyte", "gbytes"], "GB"),
    (
        &["p", "pkt", "pkts", "pckt", "pckts", "packet", "packets"],
        "packets",
    ),
    (&["bdp", "bdps"], "bdp"),
];

/// What follows the prefix of a rate, in small letters.
const RATES: &[&str] = &[
    "bit", "bits", "bps", "bitps", "b/s", "bit/s", "bits/s", "bit/sec", "bits/sec",
];

/// `text` with the units that may be meant by its own, for whoever reads it to try.
pub(crate) fn candidates(text: &str) -> Vec<String> {
    let Some((_, unit)) = split_unit(text) else {
        return Vec::new();
    };
    let number = text.trim().strip_suffix(unit).unwrap_or_default().trim();
    let small = unit.to_lowercase();
    let word = WORDS.iter().find(|(words, _)| words.contains(&&*small));
    let mut units: Vec<String> = word
        .map(|(_, unit)| (*unit).to_owned())
        .into_iter()
        .collect();
    // A capital B may stand for bytes: 2 MB/s is no rate that we could guess.
    if !unit.contains('B') {
        let prefixes = [("", ""), ("k", "k"), ("m", "M"), ("g", "G")];
        let rate = prefixes.iter().find_map(|(prefix, written)| {
            let rest = small.strip_prefix(prefix)?;
            RATES.contains(&rest).then(|| format!("{written}bit/s"))
        });
        units.extend(rate);
    }
    let others = units.into_iter().filter(|meant| meant != unit);
    others.map(|meant| format!("{number} {meant}")).collect()
}
