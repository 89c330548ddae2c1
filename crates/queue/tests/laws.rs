//! The laws that every discipline of the registry keeps, whatever is done to it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::bench::{self, Bench, TestPacket, make, us};
use crate::cases::{Case, cases};
use proptest::prelude::*;
use sojourn_base::{Bytes, Ecn, Preset, Span, Stream, Time};
use sojourn_queue::parts::Fifo;
use sojourn_queue::{
    AckView, AnyDiscipline, Backlog, Context, DISCIPLINES, Discipline, Judgement, Meeting, Packet,
    ProbeValue, Reason, Sack, Sink,
};

#[derive(Debug, Clone)]
enum Op {
    Enqueue { flow: u32, size: u64, ecn: Ecn },
    Dequeue,
}

/// Operations and the time since the one before, in microseconds.
fn operations() -> impl Strategy<Value = Vec<(u64, Op)>> {
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
                let own = [
                    "sfq",
                    "pfifo_fast",
                    "prio",
                    "drr",
                    "fq",
                    "sfb",
                    "dualpi2",
                    "cake",
                ];
                own.contains(&case.name) || case.name.starts_with("fq_") || self.is_full(packet)
            }
            ("avq", Reason::Unforced) => bench.probe("virtual_bytes") >= 0.0,
            ("headdrop", Reason::Head) | ("fq_pie", Reason::Unforced) => self.before.packets > 0,
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

    fn is_full(&self, packet: &TestPacket) -> bool {
        let capacity = self.bench.discipline.capacity();
        let (packets, bytes) = (self.before.packets, self.before.bytes);
        // ns-2's RED and PI in bytes let one packet cross their limit.
        let crossing =
            ["red", "ared", "pi"].contains(&self.case.name) && self.case.preset == Preset::Ns2;
        let size = if crossing { 1500 } else { packet.size };
        !capacity.admits(packets, bytes, Bytes::new(size))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_discipline_keeps_the_laws(ops in operations(), other in operations()) {
        for case in cases() {
            let mut first = Trial::new(case);
            first.run(&ops);

            let mut again = Trial::new(case);
            again.run(&ops);
            prop_assert_eq!(&first.bench.record, &again.bench.record, "{:?}: twice the same", case);
            prop_assert_eq!(&first.departures, &again.departures, "{:?}", case);

            let mut used = Trial::new(case);
            used.run(&other);
            let mut discipline = used.bench.discipline;
            discipline.reset();
            let mut anew = Trial::of(discipline, case);
            anew.run(&ops);
            prop_assert_eq!(&first.bench.record, &anew.bench.record, "{:?}: reset is new", case);
            prop_assert_eq!(&first.departures, &anew.departures, "{:?}", case);
        }
    }
}

/// A link whose owner keeps what waits, and asks the discipline for its judgement alone.
struct Keeper {
    bench: Bench,
    /// When the transmission begins of each that may wait still, and its bytes.
    waiting: VecDeque<(Time, u64)>,
    /// When all is sent that has got in.
    free_at: Time,
}

impl Keeper {
    fn ask<A>(
        &mut self,
        now: Time,
        ask: impl FnOnce(&mut AnyDiscipline<TestPacket>, &mut Meeting<'_>) -> A,
    ) -> A {
        self.waiting.retain(|&(begins, _)| begins > now);
        let bytes = self.waiting.iter().map(|&(_, bytes)| bytes).sum();
        let mut meeting = Meeting {
            now,
            waiting: Backlog {
                packets: self.waiting.len(),
                bytes: Bytes::new(bytes),
            },
            free_since: (self.free_at <= now).then_some(self.free_at),
            random: &mut self.bench.random,
        };
        ask(&mut self.bench.discipline, &mut meeting)
    }

    fn timers_before(&mut self, now: Time) {
        while let Some(due) = self.bench.discipline.next_timer().filter(|&due| due < now) {
            self.ask(due, Discipline::tick);
        }
    }

    fn send(&mut self, now: Time, mut packet: TestPacket) {
        self.timers_before(now);
        let judgement = self.ask(now, |discipline, meeting| {
            discipline.judge(&packet, meeting)
        });
        let record = &mut self.bench.record;
        match judgement {
            Judgement::Admit => {}
            Judgement::Mark(reason) => {
                packet.set_ce();
                record.marked(&packet, reason);
            }
            Judgement::Drop(reason) => return record.dropped(packet, reason),
        }
        let begins = self.free_at.max(now);
        self.waiting.push_back((begins, packet.size));
        self.free_at = begins + self.bench.link.rate.time_to_send(packet.size());
        self.bench.delivered.push((self.free_at, packet));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Of those that judge arrivals nothing else is needed: the same packets leave at the same instants, and the
    /// same are dropped and marked, as where they keep their queue themselves.
    #[test]
    fn a_judgement_says_all(ops in operations()) {
        let made = |case: Case| Bench::under(case.preset, case.name, case.params);
        let mut judges = BTreeSet::new();
        for case in cases() {
            let mut whole = made(case);
            if !whole.discipline.judges_arrivals() {
                continue;
            }
            judges.insert(case.name);
            let mut keeper = Keeper { bench: made(case), waiting: VecDeque::new(), free_at: Time::ZERO };
            let mut now = Time::ZERO;
            for (gap, op) in &ops {
                now += Span::from_us(*gap);
                if let Op::Enqueue { flow, size, ecn } = *op {
                    keeper.send(now, whole.packet(now, flow, size, ecn));
                    whole.send(now, flow, size, ecn);
                }
            }
            let end = now + Span::from_ms(9_000);
            whole.link_until(end);
            whole.timers_before(end);
            keeper.timers_before(end);
            prop_assert_eq!(inside(&keeper.bench), inside(&whole), "{:?}", case);
            prop_assert_eq!(&keeper.bench.record, &whole.record, "{:?}", case);
            prop_assert_eq!(&keeper.bench.delivered, &whole.delivered, "{:?}", case);
        }
        let known = ["ared", "avq", "feng_green", "green", "pi", "red", "rem"];
        prop_assert!(judges.is_superset(&BTreeSet::from(known)), "{:?}", judges);
    }
}

/// A link whose owner keeps what waits, and lets a packet go as soon as it is foreseen to leave.
struct Seer {
    bench: Bench,
    /// What waits and is not foreseen to leave.
    queue: Fifo<TestPacket>,
    /// When the transmission begins of each that is and may wait still, and its bytes.
    foreseen: VecDeque<(Time, Bytes)>,
    /// When all is sent that has left.
    free_at: Time,
    /// How many left before their time.
    early: usize,
}

impl Seer {
    /// The packet at the head leaves, if there is one.
    fn leave(&mut self) {
        if let Some(packet) = self.queue.pop() {
            self.foreseen.push_back((self.free_at, packet.size()));
            self.free_at += self.bench.link.rate.time_to_send(packet.size());
            self.bench.delivered.push((self.free_at, packet));
        }
    }

    /// What is due at the head is dropped and marked.
    fn judge(&mut self) {
        let mut ctx = Context {
            now: self.free_at,
            random: &mut self.bench.random,
            sink: &mut self.bench.record,
        };
        (self.bench.discipline).judge_heads(&mut self.queue, &mut ctx);
    }

    fn leave_until(&mut self, now: Time) {
        while self.free_at <= now && !self.queue.is_empty() {
            self.judge();
            self.leave();
        }
    }

    fn send(&mut self, now: Time, packet: TestPacket) {
        self.leave_until(now);
        self.foreseen.retain(|&(begins, _)| begins > now);
        let packets = self.queue.len() + self.foreseen.len();
        let bytes = self.foreseen.iter().map(|&(_, size)| size.get()).sum();
        let bytes = self.queue.bytes() + Bytes::new(bytes);
        if !(self.bench.discipline.capacity()).admits(packets, bytes, packet.size()) {
            return self.bench.record.dropped(packet, Reason::Overlimit);
        }
        self.free_at = self.free_at.max(now);
        self.queue.push(packet);
        while let Some(head) = self.queue.head() {
            let behind = self.queue.bytes() - head.size();
            if !(self.bench.discipline).foresees(head, behind, self.free_at) {
                break;
            }
            self.early += usize::from(self.free_at > now);
            self.leave();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// What is foreseen comes true: the same packets leave at the same instants, and the same are dropped and marked at
    /// the head, as where all is judged at its time.
    #[test]
    fn what_is_foreseen_comes_true(ops in operations()) {
        let made = |case: Case| Bench::under(case.preset, case.name, case.params);
        let (mut judges, mut early) = (BTreeSet::new(), 0);
        for case in cases() {
            let mut whole = made(case);
            if !whole.discipline.judges_heads() {
                continue;
            }
            judges.insert(case.name);
            let mut seer = Seer {
                bench: made(case),
                queue: Fifo::default(),
                foreseen: VecDeque::new(),
                free_at: Time::ZERO,
                early: 0,
            };
            let (mut now, mut arrivals) = (Time::ZERO, 0);
            for (gap, op) in &ops {
                now += Span::from_us(*gap);
                if let Op::Enqueue { flow, size, ecn } = *op {
                    arrivals += 1;
                    seer.send(now, whole.packet(now, flow, size, ecn));
                    whole.send(now, flow, size, ecn);
                }
            }
            let end = now + Span::from_ms(9_000);
            whole.link_until(end);
            seer.leave_until(end);
            if arrivals > 0 {
                seer.judge();
            }
            early += seer.early;
            prop_assert_eq!(inside(&seer.bench), inside(&whole), "{:?}", case);
            prop_assert_eq!(&seer.bench.record.marked, &whole.record.marked, "{:?}", case);
            prop_assert_eq!(&seer.bench.record.dropped, &whole.record.dropped, "{:?}", case);
            prop_assert_eq!(&seer.bench.delivered, &whole.delivered, "{:?}", case);
            prop_assert!(arrivals < 50 || early > 0, "{:?}", case);
        }
        prop_assert!(judges.contains("codel"), "{:?}", judges);
    }
}

/// The inner variables.
fn inside(bench: &Bench) -> Vec<(String, ProbeValue)> {
    let mut shown = Vec::new();
    bench
        .discipline
        .probe(&mut |name, value| shown.push((name.to_owned(), value)));
    shown
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
            .probe(&mut |name, _| assert!(names.insert(name.to_owned())));
        assert!(!trial.bench.discipline.poke("no such thing", 1.0));
        assert!(trial.bench.random == Stream::new(1));
    }
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
            inside(bench),
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
