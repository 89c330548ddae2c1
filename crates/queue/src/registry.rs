//! All disciplines, one line each.
//!
//! A line gives a discipline its name in scenario files, its validated parameters, its help text
//! and reference page (the header of its file), and its place in the tests of the laws that all
//! must keep.

use sojourn_base::length::Capacity;
use sojourn_base::{
    BuildError, Bytes, Entry, LinkInfo, ParamSet, ParamSource, Preset, Stream, Time,
};

use crate::contract::{
    Admission, AdmissionContext, Backlog, Context, Dequeued, Discipline, HeadQueue, Packet,
    ProbeValue, Status, Warning,
};
use crate::parts::mistakes;

/// The type of one discipline of the registry, or [`AnyDiscipline`].
pub trait Registered<P: Packet>: Discipline<P> {
    /// The discipline inside `any`, which must be of this type.
    fn of(any: &mut AnyDiscipline<P>) -> &mut Self;
}

impl<P: Packet> Registered<P> for AnyDiscipline<P> {
    #[inline]
    fn of(any: &mut Self) -> &mut Self {
        any
    }
}

/// Work that calls one discipline so often that it is compiled for each type of discipline.
pub trait Visitor<P: Packet> {
    /// What the work returns.
    type Output;

    /// The discipline that it calls.
    fn discipline(&self) -> &AnyDiscipline<P>;

    /// Does the work; the discipline is a `D`.
    fn visit<D: Registered<P>>(self) -> Self::Output;
}

macro_rules! registry {
    ($( $module:ident :: $type:ident, $title:literal; )*) => {
        /// Any discipline of the registry, dispatched without a virtual call, or one from outside.
        /// Each in a box of its own, so that a network of many idle queues stays small.
        pub enum AnyDiscipline<P: Packet> {
            $(
                #[doc = $title]
                $type(Box<crate::$module::$type<P>>),
            )*
            /// A discipline that is not in the registry.
            Custom(Box<dyn Discipline<P> + Send>),
        }

        /// The registry, in the order of tables.
        pub const DISCIPLINES: &[Entry] = &[ $(
            Entry {
                name: stringify!($module),
                class: stringify!($type),
                title: $title,
                source: include_str!(concat!(stringify!($module), ".rs")),
                params: <crate::$module::Params as ParamSet>::PARAMS,
            },
        )* ];

        /// Makes the discipline called `name` for `link`.
        ///
        /// # Errors
        /// An unknown name, or the first parameter that cannot be taken. Whether `source` holds
        /// parameters that the discipline does not have is for its owner to find.
        pub fn build<P: Packet>(
            name: &str,
            source: &dyn ParamSource,
            preset: Preset,
            link: &LinkInfo,
        ) -> Result<AnyDiscipline<P>, BuildError> {
            match name {
                $(
                    stringify!($module) => {
                        let params = crate::$module::Params::read(source, preset)?;
                        let made = crate::$module::$type::new(&params, preset, link)?;
                        Ok(AnyDiscipline::$type(Box::new(made)))
                    }
                )*
                _ => Err(BuildError::Unknown),
            }
        }

        $(
            impl<P: Packet> Registered<P> for crate::$module::$type<P> {
                #[inline]
                fn of(any: &mut AnyDiscipline<P>) -> &mut Self {
                    match any {
                        AnyDiscipline::$type(one) => one,
                        _ => unreachable!("a visitor asks for the discipline that it visits"),
                    }
                }
            }
        )*

        /// Lets `visitor` work with the type of its discipline: found out once for all calls.
        #[inline]
        pub fn dispatch<P: Packet, V: Visitor<P>>(visitor: V) -> V::Output {
            match visitor.discipline() {
                $( AnyDiscipline::$type(_) => visitor.visit::<crate::$module::$type<P>>(), )*
                AnyDiscipline::Custom(_) => visitor.visit::<AnyDiscipline<P>>(),
            }
        }

        macro_rules! each {
            ($any:expr, $one:ident => $body:expr) => {
                match $any {
                    $( AnyDiscipline::$type($one) => $body, )*
                    AnyDiscipline::Custom($one) => $body,
                }
            };
        }
    };
}

registry! {
    droptail::DropTail, "Drop-tail";
    headdrop::HeadDrop, "Head-drop";
    pfifo::Pfifo, "PFIFO";
    pfifo_fast::PfifoFast, "PFIFO-fast";
    red::Red, "RED";
    ared::Ared, "ARED";
    choke::Choke, "CHOKe";
    rem::Rem, "REM";
    sfq::Sfq, "SFQ";
    eqm::Eqm, "EQM (reconstruction)";
    codel::CoDel, "CoDel";
    blue::Blue, "BLUE";
    sfb::Sfb, "SFB";
    pie::Pie, "PIE";
    pi::Pi, "PI";
    avq::Avq, "AVQ";
    green::Green, "GREEN";
    feng_green::FengGreen, "GREEN (Feng)";
    pi2::Pi2, "PI2";
    dualpi2::DualPi2, "DualPI2";
    cobalt::Cobalt, "COBALT";
    prio::Prio, "Priority";
    tbf::Tbf, "Token bucket";
    drr::Drr, "DRR";
    fq::Fq, "FQ";
    fq_codel::FqCodel, "FQ-CoDel";
    fq_pie::FqPie, "FQ-PIE";
    fq_cobalt::FqCobalt, "FQ-COBALT";
    cake::Cake, "CAKE";
}

/// The line of the discipline called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    DISCIPLINES.iter().find(|entry| entry.name == name)
}

impl<P: Packet> AnyDiscipline<P> {
    /// Warnings for a link whose largest packet has `mtu` bytes: the discipline's own
    /// [`warnings`](Discipline::warnings), and those that apply to all.
    pub fn mistakes(&self, mtu: Bytes) -> Vec<Warning> {
        let mut found = self.warnings();
        if !matches!(self, Self::Custom(_)) {
            found.extend(mistakes::no_room(self.capacity(), mtu));
        }
        found
    }
}

impl<P: Packet> Discipline<P> for AnyDiscipline<P> {
    #[inline]
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        each!(self, discipline => discipline.enqueue(packet, ctx));
    }

    #[inline]
    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        each!(self, discipline => discipline.dequeue(ctx))
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        each!(self, discipline => discipline.backlog())
    }

    #[inline]
    fn capacity(&self) -> Capacity {
        each!(self, discipline => discipline.capacity())
    }

    /// One dispatch for all three.
    #[inline]
    fn status(&self) -> Status {
        each!(self, discipline => discipline.status())
    }

    fn reset(&mut self) {
        each!(self, discipline => discipline.reset());
    }

    fn reset_with(&mut self, random: &mut Stream) {
        each!(self, discipline => discipline.reset_with(random));
    }

    #[inline]
    fn next_timer(&self) -> Option<Time> {
        each!(self, discipline => discipline.next_timer())
    }

    fn can_bypass(&self) -> bool {
        each!(self, discipline => discipline.can_bypass())
    }

    fn plain_capacity(&self) -> Option<Capacity> {
        each!(self, discipline => discipline.plain_capacity())
    }

    fn decides_at_enqueue(&self) -> bool {
        each!(self, discipline => discipline.decides_at_enqueue())
    }

    #[inline]
    fn admit(&mut self, packet: &P, ctx: &mut AdmissionContext<'_>) -> Admission {
        each!(self, discipline => discipline.admit(packet, ctx))
    }

    fn decides_at_dequeue(&self) -> bool {
        each!(self, discipline => discipline.decides_at_dequeue())
    }

    #[inline]
    fn departs_unchanged(&mut self, head: &P, behind: Bytes, departure: Time) -> bool {
        each!(self, discipline => discipline.departs_unchanged(head, behind, departure))
    }

    fn drop_at_head(&mut self, queue: &mut dyn HeadQueue<P>, ctx: &mut Context<'_, P>) {
        each!(self, discipline => discipline.drop_at_head(queue, ctx));
    }

    fn tick(&mut self, ctx: &mut AdmissionContext<'_>) {
        each!(self, discipline => discipline.tick(ctx));
    }

    fn on_timer(&mut self, ctx: &mut Context<'_, P>) {
        each!(self, discipline => discipline.on_timer(ctx));
    }

    fn on_link(&mut self, link: &LinkInfo) {
        each!(self, discipline => discipline.on_link(link));
    }

    fn on_link_at(&mut self, link: &LinkInfo, now: Time, random: &mut Stream) {
        each!(self, discipline => discipline.on_link_at(link, now, random));
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        each!(self, discipline => discipline.probe(show));
    }

    fn flow_queues(&self) -> usize {
        each!(self, discipline => discipline.flow_queues())
    }

    fn flow_queue_of(&self, packet: &P, came_to: Option<usize>) -> Option<usize> {
        each!(self, discipline => discipline.flow_queue_of(packet, came_to))
    }

    fn waiting_in(&self, k: usize) -> usize {
        each!(self, discipline => discipline.waiting_in(k))
    }

    fn probe_flow(&self, k: usize, show: &mut dyn FnMut(&str, ProbeValue)) {
        each!(self, discipline => discipline.probe_flow(k, show));
    }

    fn flow_place(&self, k: usize) -> String {
        each!(self, discipline => discipline.flow_place(k))
    }

    fn warnings(&self) -> Vec<Warning> {
        each!(self, discipline => discipline.warnings())
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        each!(self, discipline => discipline.poke(name, value))
    }

    fn never_releases(&self, end: Time) {
        each!(self, discipline => discipline.never_releases(end));
    }
}
