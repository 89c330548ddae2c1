//! Drop-tail against arithmetic and against ns-2.

use crate::bench::{Bench, burst, us};
use sojourn_queue::Reason;

/// Measured on ns-2.35: a limit of 50 lets 49 wait.
#[test]
fn ns2_keeps_one_less_than_its_limit() {
    for size in [500, 1500] {
        let mut bench = Bench::ns2("droptail", &[]);
        assert_eq!(burst(&mut bench, 1, 100, size), [50]);
        assert_eq!(bench.drops(Reason::Overlimit), 50);
    }
    let mut bench = Bench::ns2("droptail", &[("limit", "3000 B")]);
    assert!(bench.arrive(us(0), 1500));
    assert!(!bench.arrive(us(0), 1500), "3000 is not below 3000");
    assert!(bench.arrive(us(0), 1499));
}

#[test]
fn a_burst_of_n_loses_n_less_limit_less_one() {
    for (n, limit, accepted) in [
        (100, "50 packets", 51),
        (51, "50 packets", 51),
        (3, "1 packets", 2),
    ] {
        let mut bench = Bench::new("droptail", &[("limit", limit)]);
        assert_eq!(burst(&mut bench, 1, n, 500), [accepted]);
    }
}

#[test]
fn a_byte_limit_lets_small_packets_in_where_large_ones_no_longer_fit() {
    let mut bench = Bench::new("droptail", &[("limit", "3100 B")]);
    assert!(bench.arrive(us(0), 1500));
    assert!(bench.arrive(us(0), 1500));
    assert!(!bench.arrive(us(0), 101));
    assert!(bench.arrive(us(0), 100));
    assert!(!bench.arrive(us(0), 1));
    assert_eq!(bench.backlog().bytes.get(), 3100);
}

/// At 9/8 of the rate the long-run loss is 1 - 8/9, with the queue at its limit.
#[test]
fn persistent_overload_loses_the_excess() {
    let mut bench = Bench::new("droptail", &[("limit", "20 packets")]);
    let mut lost = 0;
    for k in 0..9_000_u64 {
        // 500 bytes each 4/9 ms into 8 Mbit/s.
        let taken = bench.send(us(k * 4_000 / 9), 0, 500, sojourn_base::Ecn::NotEct);
        if k >= 900 {
            lost += u64::from(!taken);
            assert!(bench.packets() >= 19);
        }
    }
    assert!(lost.abs_diff(900) <= 1, "{lost}");
}
