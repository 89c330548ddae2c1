//! Who is let in whatever the probability.

use sojourn_base::{Bytes, Preset};
use sojourn_queue::Discipline;

use super::{standing, update};
use crate::bench::{Bench, us};

#[test]
fn what_is_exempt() {
    let plain = |packets| standing(Preset::Reference, &[], packets, 1.0);
    assert!(plain(2).arrive(us(1), 1000), "two mean packets");
    assert!(!plain(3).arrive(us(1), 1000));
    let low = |prob, old| {
        let mut bench = standing(Preset::Reference, &[], 9, prob);
        bench.poke("qdelay_old", old);
        (0..200).filter(|k| !bench.arrive(us(1 + k), 1000)).count()
    };
    assert_eq!(low(0.199, 0.0074), 0);
    assert!(low(0.199, 0.0076) > 0);
    assert!(low(0.2, 0.0074) > 0);
    let mut bench = plain(9);
    bench.poke("burst", 0.001);
    assert!(bench.arrive(us(1), 1000), "while the allowance lasts");
    update(&mut bench, 1);
    bench.poke("prob", 1.0);
    assert!(!bench.arrive(us(15_001), 1000), "it runs down at updates");
}

/// Two packets of 1514 bytes must wait in full, and it is the delay now that counts.
#[test]
fn what_linux_exempts() {
    let linux = |packets, prob| {
        let mut bench = standing(Preset::Linux, &[], 0, prob);
        for _ in 0..packets {
            bench.arrive(us(0), 1514);
        }
        bench.poke("accu", 9.0);
        bench
    };
    assert!(linux(1, 1.0).arrive(us(1), 1514));
    assert!(!linux(2, 1.0).arrive(us(1), 1514));
    let mut bench = linux(3, 0.1);
    bench.poke("qdelay", 0.007);
    assert!(bench.arrive(us(1), 1514));
}

/// Half the target itself is not below half the target.
#[test]
fn the_exemption_ends_at_half_the_target() {
    for (preset, now) in [(Preset::Reference, 0.0), (Preset::Linux, 0.0075)] {
        let mut bench = standing(preset, &[], 9, 0.19);
        bench.poke("qdelay", now);
        bench.poke("qdelay_old", 0.0075);
        let lost = (0..200).filter(|k| !bench.arrive(us(1 + k), 1000)).count();
        assert!(lost > 0, "{preset}");
    }
}

/// Under Linux two packets of the MTU and 14 must wait in full; elsewhere no more than two of 1000.
#[test]
fn the_mean_packet_is_that_of_the_preset() {
    for (preset, waiting, kept) in [
        (Preset::Linux, 2 * 1514 - 1, true),
        (Preset::Linux, 2 * 1514, false),
        (Preset::Reference, 2000, true),
        (Preset::Reference, 2001, false),
    ] {
        let mut bench = Bench::under(preset, "pie", &[]);
        bench.arrive(us(0), waiting);
        for (variable, value) in [
            ("burst", 0.0),
            ("prob", 1.0),
            ("qdelay", 0.02),
            ("qdelay_old", 0.02),
        ] {
            bench.poke(variable, value);
        }
        assert_eq!(bench.arrive(us(0), 1000), kept, "{preset} {waiting}");
    }
}

/// The mean packet of Linux follows the link's MTU.
#[test]
fn the_mean_packet_follows_the_link() {
    let mut bench = Bench::under(Preset::Linux, "pie", &[]);
    let mut link = bench.link;
    link.mtu = Bytes::new(9000);
    bench.discipline.on_link(&link);
    bench.arrive(us(0), 2 * 1514);
    for (variable, value) in [("burst", 0.0), ("prob", 1.0), ("qdelay", 0.02)] {
        bench.poke(variable, value);
    }
    assert!(bench.arrive(us(0), 1000), "less than two of 9014");
}

/// ns-3 with a limit in packets counts packets: three small ones are no longer few.
#[test]
fn ns3_counts_what_is_few_in_the_unit_of_its_limit() {
    let taken = |limit: &str, waiting: u64| {
        let mut bench = Bench::under(Preset::Ns3, "pie", &[("limit", limit)]);
        for _ in 0..waiting {
            bench.arrive(us(0), 100);
        }
        bench.poke("prob", 1.0);
        bench.poke("qdelay_old", 0.02);
        bench.poke("burst", 0.0);
        bench.arrive(us(1), 100)
    };
    assert!(taken("25 packets", 2));
    assert!(!taken("25 packets", 3));
    assert!(taken("25 kB", 3), "300 of 2000 bytes");
}
