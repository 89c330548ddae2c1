//! Settings that are known mistakes are told, and only those.

use crate::bench::{Bench, link};
use sojourn_base::{Preset, Rate};
use sojourn_queue::{DISCIPLINES, Discipline};

/// The parameters that are warned of on a link of so many kbit/s.
fn warned(name: &str, preset: Preset, kbit: u64, params: &[(&str, &str)]) -> Vec<&'static str> {
    let mut link = link(8);
    link.rate = Rate::from_bps(kbit * 1_000).expect("a rate");
    let bench = Bench::behind(link, preset, name, params);
    let warnings = bench.discipline.mistakes(link.mtu);
    assert!(warnings.iter().all(|warning| warning.what.len() > 20));
    warnings.iter().map(|warning| warning.param).collect()
}

fn reference(name: &str, kbit: u64, params: &[(&str, &str)]) -> Vec<&'static str> {
    warned(name, Preset::Reference, kbit, params)
}

/// The defaults suit a link of 10 Mbit/s, but for what is known of others' defaults: ns-2's PI has
/// its reference at its limit, its DRR turns of half a packet; ns-3's gentle RED ends its ramp at
/// 30 packets of a queue of 25; Linux's ARED does not adapt.
#[test]
fn defaults_are_no_mistakes() {
    let mut found = Vec::new();
    for preset in Preset::ALL {
        for entry in DISCIPLINES {
            let params = warned(entry.name, preset, 10_000, &[]);
            found.extend(params.iter().map(|param| (preset, entry.name, *param)));
        }
    }
    let known = [
        (Preset::Linux, "ared", "adapts"),
        (Preset::Ns3, "red", "max_th"),
        (Preset::Ns3, "ared", "max_th"),
        (Preset::Ns2, "pi", "limit"),
        (Preset::Ns2, "drr", "quantum"),
    ];
    assert_eq!(found, known);
}

/// 1500 bytes take 12 ms at 1 Mbit/s. CoDel does not mind one packet behind the first, COBALT and
/// CAKE spare the last, PIE and PI2 an arrival that meets less than two.
#[test]
fn a_target_below_one_packet() {
    let at_once = ": as soon as a packet waits,";
    let last = ": once more than one packet waits,";
    let behind = ": once more than one packet waits behind the first,";
    let two = ": once two packets wait before an arrival,";
    for (name, target, expected) in [
        ("codel", "5 ms", behind),
        ("fq_codel", "5 ms", behind),
        ("cobalt", "5 ms", last),
        ("fq_cobalt", "5 ms", last),
        ("cake", "5 ms", last),
        ("pie", "11 ms", two),
        ("fq_pie", "11 ms", two),
        ("pi2", "11 ms", two),
        ("dualpi2", "11 ms", at_once),
    ] {
        let target = [("target", target)];
        assert_eq!(reference(name, 1_000, &target), ["target"], "{name}");
        let mut slow = link(8);
        slow.rate = Rate::from_bps(1_000_000).expect("a rate");
        let bench = Bench::behind(slow, Preset::Reference, name, &target);
        let told = &bench.discipline.mistakes(slow.mtu)[0].what;
        assert!(told.contains(expected), "{name}: {told}");
        let enough = [("target", "12 ms")];
        assert_eq!(reference(name, 1_000, &enough), [""; 0], "{name}");
    }
}

/// A discipline that hears of another link checks its target against that one.
#[test]
fn a_link_that_became_slow() {
    for name in ["codel", "fq_codel", "cobalt", "fq_cobalt"] {
        let mut slow = link(8);
        slow.rate = Rate::from_bps(1_000_000).expect("a rate");
        let mut bench = Bench::behind(link(8), Preset::Reference, name, &[]);
        assert_eq!(bench.discipline.mistakes(slow.mtu), [], "{name}");
        bench.discipline.on_link(&slow);
        let warnings = bench.discipline.mistakes(slow.mtu);
        let params: Vec<_> = warnings.iter().map(|warning| warning.param).collect();
        assert_eq!(params, ["target"], "{name}");
    }
}

/// 20 ms at 12 Mbit/s are 20 packets of 1500 bytes.
#[test]
fn a_limit_below_the_target() {
    for name in [
        "codel",
        "fq_codel",
        "cobalt",
        "fq_cobalt",
        "cake",
        "pie",
        "fq_pie",
        "pi2",
        "dualpi2",
    ] {
        for (limit, expected) in [
            ("19 packets", vec!["limit"]),
            ("20 packets", vec![]),
            ("29999 B", vec!["limit"]),
            ("30000 B", vec![]),
        ] {
            let params = [("limit", limit), ("target", "20 ms")];
            assert_eq!(reference(name, 12_000, &params), expected, "{name} {limit}");
        }
    }
    // ns-3's PIE holds 25 packets: 15 ms up to 20 Mbit/s.
    assert_eq!(warned("pie", Preset::Ns3, 20_000, &[]), [""; 0]);
    assert_eq!(warned("pie", Preset::Ns3, 20_100, &[]), ["limit"]);
}

#[test]
fn a_reference_at_the_limit() {
    for name in ["pi", "rem"] {
        let with = |limit| reference(name, 10_000, &[("limit", limit), ("target", "20 packets")]);
        assert_eq!(with("20 packets"), ["limit"], "{name}");
        assert_eq!(with("21 packets"), [""; 0], "{name}");
    }
}

#[test]
fn thresholds_beyond_the_limit() {
    let with = |name, limit, gentle| {
        let mut params = vec![
            ("limit", limit),
            ("min_th", "5 packets"),
            ("max_th", "15 packets"),
        ];
        if name != "choke" {
            params.push(("gentle", gentle));
        }
        reference(name, 10_000, &params)
    };
    for name in ["red", "ared", "choke"] {
        assert_eq!(with(name, "5 packets", "false"), ["max_th"], "{name}");
        assert_eq!(with(name, "14 packets", "false"), ["max_th"], "{name}");
        assert_eq!(with(name, "15 packets", "false"), [""; 0], "{name}");
    }
    for name in ["red", "ared"] {
        assert_eq!(with(name, "29 packets", "true"), ["max_th"], "{name}");
        assert_eq!(with(name, "30 packets", "true"), [""; 0], "{name}");
    }
    let linux = |limit| {
        let params = [("limit", limit), ("min_th", "20 kB"), ("max_th", "60 kB")];
        warned("red", Preset::Linux, 10_000, &params)
    };
    assert_eq!((linux("59 kB"), linux("60 kB")), (vec!["max_th"], vec![]));
}

/// The largest packet has 1500 bytes. Some take limits in packets only, `DualPI2` none so small.
#[test]
fn a_limit_below_one_packet() {
    let refused = ["pfifo", "choke", "dualpi2"];
    for entry in DISCIPLINES
        .iter()
        .filter(|entry| !refused.contains(&entry.name))
    {
        let with = |limit| reference(entry.name, 10_000, &[("limit", limit)]);
        let (below, at) = (with("1499 B"), with("1500 B"));
        let told = |found: &[&str]| found.iter().filter(|&&param| param == "limit").count();
        assert_eq!(told(&below), told(&at) + 1, "{}", entry.name);
    }
}
