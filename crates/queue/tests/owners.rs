//! What every discipline owes to whoever owns its queue: however it is asked, the same is done.

use crate::bench::{Bench, link};
use crate::cases::{Case, cases};
use sojourn_base::{Bytes, Ecn, LinkInfo, Preset, Span, Stream, Time};
use sojourn_queue::{Backlog, Discipline, ProbeValue};

/// All that can be seen of a queue.
type Seen = (Vec<(String, ProbeValue)>, Option<Time>, Backlog, Stream);

fn seen(bench: &Bench) -> Seen {
    let discipline = &bench.discipline;
    let random = bench.random.clone();
    (
        bench.inside(),
        discipline.next_timer(),
        discipline.backlog(),
        random,
    )
}

fn built(case: Case, link: LinkInfo) -> Bench {
    Bench::behind(link, case.preset, case.name, case.params)
}

/// A load that fills and empties the queue, with `before` done ahead of each operation.
fn busy(bench: &mut Bench, mut before: impl FnMut(&mut Bench, Time)) {
    let mut ops = Stream::new(7);
    let mut now = Time::ZERO;
    for round in 0..600_u64 {
        now += Span::from_us(ops.bits() % 900);
        before(bench, now);
        let arrives = if round % 200 < 120 { 3 } else { 1 };
        if ops.bits() % 4 < arrives {
            let ecn = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce][(ops.bits() % 4) as usize];
            bench.enqueue(now, (ops.bits() % 5) as u32, 40 + ops.bits() % 1400, ecn);
        } else {
            bench.dequeue(now);
        }
    }
}

/// An owner may look in too early: nothing is due, so nothing is done.
#[test]
fn a_timer_called_before_its_time_does_nothing() {
    for case in cases() {
        let mut plain = built(case, link(8));
        busy(&mut plain, |_, _| {});
        let mut asked = built(case, link(8));
        busy(&mut asked, |bench, now| {
            bench.timers_before(now);
            if bench.discipline.next_timer().is_none_or(|due| due > now) {
                bench.timer(now);
            }
        });
        assert_eq!(seen(&asked), seen(&plain), "{case:?}");
        assert_eq!(asked.record, plain.record, "{case:?}");
    }
}

/// Told of its link, a queue does what one made for it does. Not so: AVQ, whose virtual capacity is
/// where it began, DualPI2, whose limit is that of the link it was made for, and what Linux, ns-2
/// and ns-3's RED work out once, when a queue is made.
#[test]
fn a_queue_follows_its_link_as_if_made_for_it() {
    let slow = LinkInfo {
        mtu: Bytes::new(900),
        ..link(2)
    };
    let follows = |case: &Case| {
        matches!(case.preset, Preset::Reference | Preset::Ns3)
            && !["avq", "dualpi2"].contains(&case.name)
            && !(case.preset == Preset::Ns3 && ["red", "ared"].contains(&case.name))
    };
    for case in cases().into_iter().filter(follows) {
        let mut made = built(case, slow);
        busy(&mut made, |_, _| {});
        let mut told = built(case, link(8));
        told.discipline.on_link(&slow);
        busy(&mut told, |_, _| {});
        assert_eq!(seen(&told), seen(&made), "{case:?}");
        assert_eq!(told.record, made.record, "{case:?}");
    }
}
