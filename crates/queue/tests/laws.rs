//! The laws that every discipline of the registry keeps, whatever is done to it.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use crate::bench::{self, Bench, TestPacket, make, us};
use crate::cases::{Case, cases};
use proptest::prelude::*;
use sojourn_base::{Bytes, Ecn, Preset, Span, Stream, Time};
use sojourn_queue::{AckView, AnyDiscipline, Backlog, DISCIPLINES, Discipline, Reason, Sack};

#[derive(Debug, Clone)]
pub(crate) enum Op {
    Enqueue { flow: u32, size: u64, ecn: Ecn },
    Dequeue,
}

/// Operations and the time since the one before, in microseconds.
pub(crate) fn operations() -> impl Strategy<Value = Vec<(u64, Op)>> {
    let gap = prop_oneof![3 => Just(0_u64), 6 => 1..400_u64, 1 => 400..9_000_u64];
    let ecn = prop_oneof![
        Just(Ecn::NotEct),
        Just(Ecn::Ect0),
        Just(Ecn::Ect1),
        Just(Ecn::Ce)
    ];
    let size = prop_oneof![Just(500_u64), Just(1500), 40..1500_u64];
    let enqueue =
        (0..6_u32, size, ecn).prop_map(|(flow, size, ecn)| Op::Enqueue { flow, size, ecn });
    let op = prop_oneof![3 => enqueue, 2 => Just(Op::Dequeue)];
    prop::collection::vec((gap, op), 1..300)
}

/// Small packets of the last flows are pure acknowledgements, each of more than the one before.
fn acknowledgement(flow: u32, number: u64, size: u64) -> AckView {
    AckView {
        connection: u64::from(flow),
        number,
        pure: size < 1_000,
        ece: number.is_multiple_of(5),
        cwr: false,
        sack: Sack::None,
        stamps: None,
    }
}

/// Does the operations while checking what must hold after each.
struct Trial {
    case: Case,
    bench: Bench,
    sent: BTreeMap<u64, TestPacket>,
    out: BTreeSet<u64>,
    marked: BTreeSet<u64>,
    /// What went in and has not come out.
    inside: (usize, u64),
    last_of_flow: BTreeMap<(u32, bool), u64>,
    seen_drops: usize,
    seen_marks: usize,
    /// What waited before the operation.
    before: Backlog,
    departures: Vec<TestPacket>,
}

impl Trial {
    fn new(case: Case) -> Self {
        Self {
            case,
            bench: Bench::under(case.preset, case.name, case.params),
            sent: BTreeMap::new(),
            out: BTreeSet::new(),
            marked: BTreeSet::new(),
            inside: (0, 0),
            last_of_flow: BTreeMap::new(),
            seen_drops: 0,
            seen_marks: 0,
            before: Backlog::default(),
            departures: Vec::new(),
        }
    }

    fn of(discipline: AnyDiscipline<TestPacket>, case: Case) -> Self {
        let mut trial = Self::new(case);
        trial.bench.discipline = discipline;
        trial
    }

    fn run(&mut self, ops: &[(u64, Op)]) {
        let mut now = Time::ZERO;
        for (gap, op) in ops {
            now += Span::from_us(*gap);
            self.bench.timers_before(now);
            self.check_balance();
            self.before = self.bench.backlog();
            match *op {
                Op::Enqueue { flow, size, ecn } => {
                    let id = self.sent.len() as u64;
                    self.bench.dscp = [0, 8, 46, 34, 1, 16][flow as usize];
                    self.bench.ack = (flow >= 4).then(|| acknowledgement(flow, id, size));
                    let packet = self.bench.packet(now, flow, size, ecn);
                    self.sent.insert(id, packet);
                    self.inside = (self.inside.0 + 1, self.inside.1 + size);
                    self.bench.enqueue(now, flow, size, ecn);
                }
                Op::Dequeue => {
                    let dropped = self.bench.record.dropped.len();
                    let packet = self.bench.dequeue(now);
                    let dropped = self.bench.record.dropped.len() - dropped;
                    let shaped = self.bench.wait.is_some_and(|until| until > now);
                    assert_eq!(
                        packet.is_some(),
                        self.before.packets > dropped && !shaped,
                        "{:?}: what waits is sent",
                        self.case
                    );
                    self.departed(packet);
                }
            }
            self.check_balance();
        }
        loop {
            self.before = self.bench.backlog();
            let packet = self.bench.dequeue(now);
            match (packet, self.bench.wait) {
                (Some(packet), _) => self.departed(Some(packet)),
                (None, Some(until)) => now = until,
                (None, None) => {
                    self.check_balance();
                    break;
                }
            }
            self.check_balance();
        }
        assert_eq!(self.bench.backlog(), Backlog::default());
        assert_eq!(
            self.out.len(),
            self.sent.len(),
            "{:?}: all come out",
            self.case
        );
    }

    fn departed(&mut self, packet: Option<TestPacket>) {
        let Some(packet) = packet else { return };
        self.hear_marks();
        let case = self.case;
        let sent = &self.sent[&packet.id];
        let marked = self.marked.contains(&packet.id);
        let expected = if marked { Ecn::Ce } else { sent.ecn };
        assert_eq!(packet.ecn, expected, "{case:?}: a mark is told and kept");
        assert_eq!((packet.size, packet.flow), (sent.size, sent.flow));
        // DualPI2 keeps order within each of its two queues.
        let is_low = case.name == "dualpi2" && matches!(sent.ecn, Ecn::Ect1 | Ecn::Ce);
        let last = self.last_of_flow.insert((packet.flow, is_low), packet.id);
        assert!(last < Some(packet.id), "{case:?}: a flow is reordered");
        self.came_out(&packet);
        self.departures.push(packet);
    }

    fn came_out(&mut self, packet: &TestPacket) {
        let first = self.out.insert(packet.id);
        assert!(first, "{:?}: {} twice", self.case, packet.id);
        self.inside = (self.inside.0 - 1, self.inside.1 - packet.size);
    }

    /// The ledger, the limit, and the reasons of what was dropped or marked just now.
    fn check_balance(&mut self) {
        let case = self.case;
        let drops = self.bench.record.dropped[self.seen_drops..].to_vec();
        self.seen_drops += drops.len();
        for (packet, reason) in drops {
            self.came_out(&packet);
            self.check_reason(&packet, reason);
        }
        self.hear_marks();
        let backlog = self.bench.backlog();
        let held = (backlog.packets, backlog.bytes.get());
        assert_eq!(held, self.inside, "{case:?}");
        let capacity = self.bench.discipline.capacity();
        assert!(
            capacity.holds(backlog.packets, backlog.bytes),
            "{case:?}: {backlog:?}"
        );
    }

    fn hear_marks(&mut self) {
        let case = self.case;
        let marks = self.bench.record.marked[self.seen_marks..].to_vec();
        self.seen_marks += marks.len();
        for (packet, reason) in marks {
            assert_ne!(reason, Reason::Overlimit);
            self.marked.insert(packet.id);
            assert_eq!(packet.ecn, Ecn::Ce);
            assert!(self.sent[&packet.id].ecn.is_capable(), "{case:?}");
            let entry = sojourn_queue::find(case.name).expect("it was built");
            let by_default = |param: &&sojourn_base::Param| {
                param.name == "ecn" && param.default_under(case.preset) == "true"
            };
            assert!(
                case.name == "dualpi2"
                    || case.params.contains(&("ecn", "true"))
                    || entry.params.iter().any(|p| by_default(&p)),
                "{case:?}: marks unasked"
            );
        }
    }

    fn check_reason(&self, packet: &TestPacket, reason: Reason) {
        let case = self.case;
        let bench = &self.bench;
        let above = match (case.name, reason) {
            // What a discipline inside drops is its own affair.
            _ if case.params.iter().any(|(key, _)| *key == "inner") => self.before.packets > 0,
            (_, Reason::Overlimit) => {
                // Where limits are per flow or band, or the fattest flow pays.
                let own = ["sfq", "pfifo_fast", "prio", "sfb", "dualpi2"];
                let has_memory = case.params.iter().any(|(key, _)| *key == "memory_limit");
                own.contains(&case.name) || has_memory || self.was_full()
            }
            // The least room that any of the cases has.
            ("avq", Reason::Unforced) => bench.probe("virtual_bytes") + packet.size as f64 > 3000.0,
            ("headdrop" | "sfq", Reason::Head) | ("fq_pie", Reason::Unforced) => {
                self.before.packets > 0
            }
            ("red" | "ared", Reason::Unforced) => bench.probe("avg") > 0.0 && self.red_above(2.0),
            ("sfb", Reason::Blue | Reason::Penalty) => bench.probe("prob_max") > 0.0,
            ("choke", Reason::Match) => bench.probe("avg") > 0.0 && self.before.packets > 0,
            ("choke", Reason::Unforced | Reason::Forced) => bench.probe("avg") > 0.0,
            ("red" | "ared", Reason::Forced) => self.red_above(6.0),
            (
                "pie" | "pi" | "pi2" | "dualpi2" | "green" | "feng_green" | "rem",
                Reason::Unforced,
            )
            | ("blue", Reason::Blue) => bench.probe("prob") > 0.0,
            ("eqm", Reason::Unforced) => bench.probe("prob") > 0.0 && self.before.packets > 0,
            ("cobalt" | "fq_cobalt", Reason::Target | Reason::Blue) => {
                self.before.packets > usize::from(case.preset != Preset::Ns3)
            }
            ("codel" | "fq_codel", Reason::Target) | ("cake", Reason::Target | Reason::Blue) => {
                self.before.packets > 1
            }
            ("cake", Reason::AckFilter) => self.before.packets > 0 && packet.ack.is_some(),
            _ => false,
        };
        assert!(
            above,
            "{case:?}: {reason} of {packet:?} at {:?}: `check_reason` does not allow it",
            self.before
        );
    }

    /// Whether the average has reached so many packets, where the case says `min_th` 2 and
    /// `max_th` 6 packets.
    fn red_above(&self, packets: f64) -> bool {
        let plain = self.case.preset == Preset::Reference
            && self.case.params.contains(&("min_th", "2 packets"))
            && !self.case.params.contains(&("bytes", "true"));
        !plain || self.bench.probe("avg") >= packets
    }

    /// Whether there was no room for the last that came.
    fn was_full(&self) -> bool {
        let capacity = self.bench.discipline.capacity();
        let (packets, bytes) = (self.before.packets, self.before.bytes);
        // ns-2's RED and PI in bytes let one packet cross their limit.
        let crossing =
            ["red", "ared", "pi"].contains(&self.case.name) && self.case.preset == Preset::Ns2;
        let last = self.sent.values().next_back();
        let size = if crossing {
            1500
        } else {
            last.map_or(0, |packet| packet.size)
        };
        !capacity.admits(packets, bytes, Bytes::new(size))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_discipline_keeps_the_laws(ops in operations(), other in operations()) {
        let cases = cases();
        let (some, others) = cases.split_at(cases.len() / 2);
        thread::scope(|scope| {
            scope.spawn(|| keep_the_laws(some, &ops, &other));
            scope.spawn(|| keep_the_laws(others, &ops, &other));
        });
    }
}

fn keep_the_laws(cases: &[Case], ops: &[(u64, Op)], other: &[(u64, Op)]) {
    for &case in cases {
        let mut first = Trial::new(case);
        first.run(ops);

        let mut again = Trial::new(case);
        again.run(ops);
        assert_eq!(
            first.bench.record, again.bench.record,
            "{case:?}: twice the same"
        );
        assert_eq!(first.departures, again.departures, "{case:?}");

        let mut used = Trial::new(case);
        used.run(other);
        let mut discipline = used.bench.discipline;
        discipline.reset();
        let mut anew = Trial::of(discipline, case);
        anew.run(ops);
        assert_eq!(
            first.bench.record, anew.bench.record,
            "{case:?}: reset is new"
        );
        assert_eq!(first.departures, anew.departures, "{case:?}");
    }
}

/// What waits when a queue is reset is forgotten, not dropped.
#[test]
fn a_reset_queue_is_empty_and_due_as_a_new_one() {
    for case in cases() {
        let mut trial = Trial::new(case);
        for k in 0..5 {
            trial.bench.enqueue(us(k * 3_000_000), 0, 500, Ecn::NotEct);
        }
        let told = trial.bench.record.clone();
        trial.bench.discipline.reset();
        assert_eq!(trial.bench.backlog(), Backlog::default());
        assert_eq!(trial.bench.record, told);
        let due = Trial::new(case).bench.discipline.next_timer();
        assert_eq!(trial.bench.discipline.next_timer(), due, "{case:?}");
    }
}

/// Each shows what it says it shows, takes only those names, and starts from its seed alone.
#[test]
fn inner_variables_have_one_name_each() {
    for case in cases() {
        let mut trial = Trial::new(case);
        let mut names = BTreeSet::new();
        trial
            .bench
            .discipline
            .probe_all(&mut |name, _| assert!(names.insert(name.to_owned())));
        assert!(!trial.bench.discipline.poke("no such thing", 1.0));
        assert!(trial.bench.random == Stream::new(1));
    }
}

/// Of a packet that has just come the discipline knows the queue, and all that waits is in one of
/// these; what is shown of all are its own variables and those of each queue.
#[test]
fn packets_are_in_the_queues_of_their_flows() {
    for case in cases() {
        let mut bench = Trial::new(case).bench;
        let mut expected = BTreeMap::new();
        let mut of_flow = Vec::new();
        for flow in 0..12 {
            let packet = bench.packet(us(0), flow, 100, Ecn::NotEct);
            bench.enqueue(us(0), flow, 100, Ecn::NotEct);
            let queue = bench.discipline.flow_queue_of(&packet, None);
            *expected.entry(queue).or_insert(0) += 1;
            of_flow.push((packet, queue));
        }
        let discipline = &bench.discipline;
        let queues = discipline.flow_queues();
        if queues == 0 {
            assert_eq!(expected, [(None, 12)].into(), "{case:?}");
        } else if bench.packets() == 12 {
            let waiting = (0..queues).map(|k| (Some(k), discipline.waiting_in(k)));
            let waiting: BTreeMap<_, _> = waiting.filter(|&(_, waiting)| waiting > 0).collect();
            assert_eq!(waiting, expected, "{case:?}");
            for (packet, queue) in of_flow {
                assert_eq!(discipline.flow_queue_of(&packet, queue), queue, "{case:?}");
            }
        }
        let mut names = Vec::new();
        discipline.probe(&mut |name, _| names.push(name.to_owned()));
        assert!(!names.iter().any(|name| name.contains("flow[")), "{case:?}");
        for k in 0..queues {
            let place = discipline.flow_place(k);
            discipline.probe_flow(k, &mut |name, _| names.push(format!("{place}{name}")));
        }
        let mut all = Vec::new();
        discipline.probe_all(&mut |name, _| all.push(name.to_owned()));
        assert_eq!(names, all, "{case:?}");
    }
}

/// What is nested keeps the places of its queues. Packets of flow k have priority k, of which 4 and
/// 5 are of band 1; flow 6 is of band 0.
#[test]
fn queues_of_flows_are_found_within_other_disciplines() {
    let shown = |name, params: &[(&str, &str)]| {
        let mut bench = Bench::new(name, params);
        for flow in [4, 5, 5, 6] {
            bench.enqueue(us(0), flow, 100, Ecn::NotEct);
        }
        let packet = bench.packet(us(0), 5, 100, Ecn::NotEct);
        let k = bench.discipline.flow_queue_of(&packet, None).unwrap();
        assert_eq!(bench.discipline.waiting_in(k), 2, "{name}");
        bench.discipline.flow_place(k)
    };
    assert_eq!(shown("fq_codel", &[]), "flow[1].");
    assert_eq!(shown("sfq", &[("inner", "codel")]), "flow[1].");
    let below = [
        ("inner", "fq_codel"),
        ("rate", "1 Mbit/s"),
        ("burst", "5 kB"),
    ];
    assert_eq!(shown("tbf", &below), "inner.flow[1].");
    let bands = [
        ("inner", "fq_codel"),
        ("priomap", "1 1 1 1 1 1 0 0 1 1 1 1 1 1 1 1"),
    ];
    assert_eq!(shown("prio", &bands), "band[1].flow[1].");
}

#[test]
fn the_registry_has_manuals_titles_and_defaults() {
    let mut names = BTreeSet::new();
    for entry in DISCIPLINES {
        assert!(names.insert(entry.name), "{} twice", entry.name);
        let summary = entry.summary().replace('`', "");
        let title = entry.title.split(' ').next().unwrap_or_default();
        assert!(summary.starts_with(title), "{summary}");
        let length = entry.manual().len();
        assert!(
            length > 300,
            "{}: a manual of {length} characters",
            entry.name
        );
        for preset in Preset::ALL {
            assert!(
                make(entry.name, &[], preset, &bench::link(8)).is_ok(),
                "{} {preset}",
                entry.name
            );
        }
    }
    let eqm = sojourn_queue::find("eqm").unwrap();
    assert_eq!(eqm.title, "EQM (reconstruction)");
}

/// After a reset nothing is left of what was: every inner variable is that of a new queue.
#[test]
fn a_reset_queue_is_as_new() {
    let shown = |bench: &Bench| {
        (
            bench.inside(),
            bench.discipline.next_timer(),
            bench.discipline.backlog(),
        )
    };
    for preset in Preset::ALL {
        for entry in sojourn_queue::DISCIPLINES {
            let mut bench = Bench::under(preset, entry.name, &[]);
            let new = shown(&bench);
            for k in 0..3_000 {
                let flow = (k % 3) as u32;
                bench.send(
                    us(k * 100),
                    flow,
                    1000,
                    [Ecn::Ect0, Ecn::NotEct][k as usize % 2],
                );
            }
            bench.timers_before(us(900_000));
            assert_ne!(shown(&bench), new, "{} {preset}: it was used", entry.name);
            bench.discipline.reset();
            assert_eq!(shown(&bench), new, "{} {preset}", entry.name);
        }
    }
}
