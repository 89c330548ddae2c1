//! The part of the run loop that serves TCP: applications, the two ends of connections, timers.

use sojourn_base::Time;
use sojourn_base::prefetch::prefetch;
use sojourn_traffic::{Application, Direction, Draw, Event};
use sojourn_transport::{Arrival, Burst, Segment};

use super::Simulation;
use crate::connection::{Connection, DELAYED, FlowHost, Half, Phase, Replies};
use crate::flow::Agent;
use crate::ledger::Lane;
use crate::packet::lane_of;
use crate::{Cargo, FlowId, Observer, SimPacket, Transfer};

/// How many timers come before those for which memory is prefetched: for the connection, for what
/// it leads to, for the link and the pace behind that, and for the stamps behind these.
const AHEAD_AT_TIMERS: [usize; 4] = [12, 6, 3, 1];

impl<O: Observer> Simulation<O> {
    /// The instant for which the application of a flow has asked has come, or the flow's start or
    /// stop.
    pub(super) fn wake(&mut self, id: FlowId, now: Time) {
        self.sources.replace_first(Time::NEVER);
        let flow = &mut self.flows[id as usize];
        let (start, stop) = (flow.start, flow.stop);
        let Agent::Streams { connections, .. } = &mut flow.agent else {
            return;
        };
        if now == stop {
            connections.wake = Time::NEVER;
            let open: Vec<u32> = connections.open_slots().collect();
            for slot in open {
                let sender = &mut self.tcp.connections[slot as usize].forward.sender;
                sender.stop();
                if sender.config().fin {
                    self.pump_direction(slot, Direction::Forward, now);
                }
            }
        } else if now == start && !connections.started {
            connections.started = true;
            self.tell(id, now, Event::Start);
        } else if now == connections.wake {
            connections.wake = Time::NEVER;
            self.tell(id, now, Event::Wake);
        }
    }

    /// Tells an application of an event and carries out its orders.
    fn tell(&mut self, id: FlowId, now: Time, event: Event) {
        let flow = &mut self.flows[id as usize];
        let Agent::Streams {
            application,
            connections,
        } = &mut flow.agent
        else {
            return;
        };
        let wake_before = connections.wake;
        let mut host = FlowHost {
            now,
            flow: id,
            connections,
            tcp: &mut self.tcp,
        };
        let mut draw = Draw {
            gaps: &mut flow.gaps,
            sizes: &mut flow.sizes,
        };
        application.on(now, event, &mut draw, &mut host);
        let wake = connections.wake;
        if wake != wake_before && wake < Time::NEVER {
            self.sources.push(wake, id);
        }
        let left_alone_until = connections.left_alone_until();
        self.set_apart(id, left_alone_until);
        while let Some(completed) = self.tcp.completed.pop() {
            let [forward, reverse] =
                [0, 1].map(|direction| self.shared.lanes[2 * id as usize + direction].path);
            let paths = [forward, reverse].map(|path| self.shared.paths.links(path));
            let least = self.flows[id as usize].least_time(&completed, paths, &self.links);
            let transfer = Transfer {
                began: completed.began,
                bytes: completed.bytes,
                least,
            };
            self.observer.completed(now, id, &transfer);
        }
        while let Some((slot, directions)) = self.tcp.touched.pop() {
            for direction in [Direction::Forward, Direction::Reverse] {
                if directions[direction as usize] {
                    self.pump_direction(slot, direction, now);
                }
            }
        }
    }

    /// Notes that until that instant whatever comes to the ends of a flow affects nothing but these
    /// ends.
    pub(super) fn set_apart(&mut self, id: FlowId, until: Time) {
        for direction in [Direction::Forward, Direction::Reverse] {
            let path = self.shared.lanes[lane_of(id, direction)].path;
            let last = self.shared.paths.links(path).last();
            if let Some(track) = last.and_then(|&last| self.tracks.get_mut(last as usize))
                && track.is_own
                && let Some(train) = track.train()
            {
                self.trains[train].set_apart(track, until);
            }
        }
    }

    /// Sends all that may be sent now in a direction. Never in the other direction too: the sender
    /// there does not know yet what has happened here.
    pub(super) fn pump(&mut self, slot: u32, direction: Direction, now: Time) {
        match direction {
            Direction::Forward => self.pump_half(slot, Direction::Forward, now),
            Direction::Reverse => self.pump_reverse(slot, now),
        }
    }

    #[inline(never)]
    fn pump_reverse(&mut self, slot: u32, now: Time) {
        self.pump_half(slot, Direction::Reverse, now);
    }

    /// The same after an application has just written.
    #[inline(never)]
    fn pump_direction(&mut self, slot: u32, direction: Direction, now: Time) {
        self.pump(slot, direction, now);
        self.tcp.arm(slot);
    }

    /// Sends all that may be sent now in a direction.
    #[inline(always)]
    #[allow(clippy::inline_always)] // for the direction to be known
    fn pump_half(&mut self, slot: u32, direction: Direction, now: Time) {
        let connection = &mut self.tcp.connections[slot as usize];
        let (flow, number) = (connection.flow, connection.number);
        let Some(half) = connection.half(direction) else {
            return;
        };
        let burst = half.sender.poll_burst(now);
        if !burst.more {
            half.note_window(now);
        }
        if burst.segments > 0 {
            self.send_burst(now, flow, number, direction, &burst);
        }
        if burst.more {
            self.pump_unlike(slot, direction, now);
        }
    }

    /// The same where full segments are not all alike.
    #[inline(never)]
    fn pump_unlike(&mut self, slot: u32, direction: Direction, now: Time) {
        let connection = &mut self.tcp.connections[slot as usize];
        let (flow, number) = (connection.flow, connection.number);
        loop {
            let Some(half) = self.tcp.connections[slot as usize].half(direction) else {
                return;
            };
            let burst = half.sender.poll_unlike(now);
            if !burst.more {
                half.note_window(now);
            }
            if burst.segments > 0 {
                self.send_burst(now, flow, number, direction, &burst);
            }
            match (burst.segments, burst.more) {
                (_, false) => return,
                (0, true) => return self.pump_one_by_one(slot, direction, now),
                (_, true) => {}
            }
        }
    }

    /// The same where more has to be checked than whether full segments may go.
    #[inline(never)]
    fn pump_one_by_one(&mut self, slot: u32, direction: Direction, now: Time) {
        let connection = &mut self.tcp.connections[slot as usize];
        let (flow, number) = (connection.flow, connection.number);
        loop {
            let Some(half) = self.tcp.connections[slot as usize].half(direction) else {
                return;
            };
            let Some(segment) = half.sender.poll_send(now) else {
                half.note_window(now);
                return;
            };
            self.send_segment(now, flow, number, direction, &segment);
        }
    }

    /// Sends segments that differ only in their numbers, except that the last may carry PSH.
    #[inline(always)]
    #[allow(clippy::inline_always)] // from one place in each direction
    fn send_burst(
        &mut self,
        now: Time,
        id: FlowId,
        number: u32,
        direction: Direction,
        burst: &Burst,
    ) {
        let lane = &self.shared.lanes[lane_of(id, direction)];
        let packet = SimPacket::on_lane(lane, id, direction, now);
        let mut packet = packet.of_segment(number, &burst.segment(0, now), lane.header);
        for index in 0..burst.segments {
            let segment = burst.segment(index, now);
            packet.number = segment.seq;
            if segment.push {
                packet.push();
            }
            let cargo = Cargo::Segment(&segment);
            if index == 0 {
                self.send(now, &packet, cargo);
            } else {
                self.send_behind(now, &packet, cargo);
            }
        }
    }

    #[inline]
    fn send_segment(
        &mut self,
        now: Time,
        id: FlowId,
        number: u32,
        direction: Direction,
        segment: &Segment,
    ) {
        let lane = &self.shared.lanes[lane_of(id, direction)];
        let packet = SimPacket::on_lane(lane, id, direction, now);
        let packet = packet.of_segment(number, segment, lane.header);
        self.send(now, &packet, Cargo::Segment(segment));
    }

    /// Sends the acknowledgement that is at `place` in the arena.
    fn send_ack(&mut self, now: Time, id: FlowId, number: u32, direction: Direction, place: u64) {
        let lane = &self.shared.lanes[lane_of(id, direction)];
        let packet = SimPacket {
            connection: number,
            size: lane.header as u16,
            ..SimPacket::on_lane(lane, id, direction, now)
        };
        let ack = self.shared.acks.get(place);
        let packet = packet.of_ack(place, ack);
        self.observer.emitted(now, &packet, Cargo::Ack(ack));
        self.launch(now, &packet);
    }

    /// The slot of the connection to which a packet belongs, unless the connection is over. Mostly
    /// it is that of the packet before, and its lane knows the slot.
    #[inline(never)]
    fn look_up(&mut self, packet: &SimPacket) -> Option<u32> {
        let connections = self.flows[packet.flow() as usize].connections()?;
        let slot = connections.slot(packet.connection)?;
        let lane = &mut self.shared.lanes[packet.lane()];
        (lane.connection, lane.slot) = (packet.connection, slot);
        Some(slot)
    }

    /// Removes a connection that is over.
    fn retire(&mut self, slot: u32, id: FlowId, now: Time) {
        if let Agent::Streams { connections, .. } = &mut self.flows[id as usize].agent {
            self.tcp.retire(slot, connections, now);
        }
        for direction in [Direction::Forward, Direction::Reverse] {
            let lane = &mut self.shared.lanes[lane_of(id, direction)];
            if lane.slot == slot {
                lane.slot = Lane::NO_SLOT;
            }
        }
    }

    /// A segment reached its receiver.
    pub(super) fn receive_segment(
        &mut self,
        now: Time,
        packet: &SimPacket,
        slot: Option<u32>,
        header: u32,
    ) {
        let direction = packet.direction();
        let slot = slot.or_else(|| self.look_up(packet));
        let connection = slot.and_then(|slot| self.tcp.connections.get_mut(slot as usize));
        let (Some(slot), Some(connection)) = (slot, connection) else {
            self.observer.received(now, packet, 0);
            return;
        };
        let Some(half) = connection.half(direction) else {
            self.observer.received(now, packet, 0);
            return;
        };
        let mut replies = Replies::new(&mut self.shared.acks);
        let (receiver, len) = (&mut half.receiver, packet.payload(header));
        let is_expected =
            packet.is_plain_segment() && receiver.expects(now, packet.number, len, packet.sent);
        let (delivered, ends) = if is_expected {
            let pushed = packet.is_pushed();
            let delivered = receiver.take_expected(now, len, pushed, packet.sent, &mut replies);
            (delivered, false)
        } else {
            let arrival = Arrival {
                segment: packet.segment(header),
                ecn: packet.ecn(),
            };
            let delivered = receiver.take_segment(now, &arrival, &mut replies);
            (delivered, receiver.is_finished())
        };
        let replies = replies.into_places();
        let timer = half.receiver.next_timer().unwrap_or(Time::NEVER);
        let has_messages = self.tcp.sends_messages && half.has_messages();
        let is_to_delay = connection.is_to_delay(timer, self.tcp.delayed_until);
        self.observer.received(now, packet, delivered);
        for place in replies {
            self.send_ack(
                now,
                packet.flow(),
                packet.connection,
                direction.opposite(),
                place,
            );
        }
        if is_to_delay {
            self.tcp.delay(slot, timer);
        }
        if has_messages {
            self.tell_arrived(now, packet, slot);
        }
        if ends {
            self.end_answer(slot, direction.opposite(), now);
        }
    }

    /// The other end of a connection has sent its FIN, so this end sends its own.
    #[inline(never)]
    fn end_answer(&mut self, slot: u32, direction: Direction, now: Time) {
        if let Some(half) = self.tcp.connections[slot as usize].half(direction) {
            half.sender.close();
            self.pump_direction(slot, direction, now);
        }
    }

    /// Tells the application which messages have arrived completely with a packet.
    #[inline(never)]
    fn tell_arrived(&mut self, now: Time, packet: &SimPacket, slot: u32) {
        while let Some(tag) = self.tcp.connections[slot as usize]
            .half(packet.direction())
            .and_then(Half::take_arrived)
        {
            let stream = packet.connection;
            self.tell(packet.flow(), now, Event::Arrived { stream, tag });
        }
    }

    /// An acknowledgement reached its sender.
    pub(super) fn receive_ack(&mut self, now: Time, packet: &SimPacket, slot: Option<u32>) {
        let place = packet.ack_place();
        self.observer.received(now, packet, 0);
        let slot = slot.or_else(|| self.look_up(packet));
        let direction = packet.direction().opposite();
        let half = slot.and_then(|slot| self.tcp.connections[slot as usize].half(direction));
        let (Some(slot), Some(half)) = (slot, half) else {
            self.shared.acks.forget(place);
            return;
        };
        half.sender.on_ack(now, self.shared.acks.get(place));
        self.shared.acks.forget(place);
        self.pump(slot, direction, now);
        let connection = &self.tcp.connections[slot as usize];
        self.tcp.arm_at(slot, connection.sender_timer());
        if self.tcp.connections[slot as usize].phase != Phase::Open {
            self.change_phase(slot, packet.flow(), now);
        }
    }

    /// An acknowledgement may have ended a handshake for which an application waits, or the
    /// connection.
    #[inline(never)]
    fn change_phase(&mut self, slot: u32, id: FlowId, now: Time) {
        let connection = &mut self.tcp.connections[slot as usize];
        if connection.take_connected() {
            let stream = connection.number;
            self.tell(id, now, Event::Connected { stream });
        } else if connection.is_over() {
            self.retire(slot, id, now);
        }
    }

    /// The entry of a connection in the calendar of timers is due; its timer may have been put off
    /// since.
    pub(super) fn expire(&mut self, now: Time) {
        let slot = self.tcp.timers.next_slot();
        if slot == DELAYED {
            self.tcp.look_at_delayed();
            return;
        }
        if self.looks_ahead {
            self.look_ahead_at_timers();
        }
        if !self.tcp.is_due(slot, now) {
            return;
        }
        let connection = &mut self.tcp.connections[slot as usize];
        let may_send = connection.expire_senders(now);
        if connection.receiver_timer() <= now {
            for direction in [Direction::Forward, Direction::Reverse] {
                self.expire_receiver(slot, direction, now);
            }
        }
        for (direction, may_send) in [Direction::Forward, Direction::Reverse]
            .into_iter()
            .zip(may_send)
        {
            if may_send {
                self.pump(slot, direction, now);
            }
        }
        let next = self.tcp.connections[slot as usize].next_timer();
        self.tcp.set_first(slot, now, next);
    }

    /// Updates the entries that come up to `until` although their timers were put off beyond that,
    /// as most are, until one may be due; returns when the next entry comes then.
    #[inline(never)]
    pub(super) fn put_off_timers(&mut self, until: Time) -> Time {
        while self.tcp.put_off(until) {
            if self.looks_ahead {
                self.look_ahead_at_timers();
            }
        }
        self.tcp.timers.next_time()
    }

    /// Prefetches what the timers that come next will need, starting with the furthest.
    #[inline(never)]
    fn look_ahead_at_timers(&self) {
        let [later, soon, next, first] = AHEAD_AT_TIMERS.map(|others| {
            let slot = self.tcp.timers.ahead(others)?;
            self.tcp.connections.get(slot as usize)
        });
        let lane = |connection: &Connection| &self.shared.lanes[connection.lane_of_timer()];
        if let Some(connection) = later {
            connection.prefetch_timer();
        }
        if let Some(connection) = soon {
            connection.prefetch_due();
            prefetch(lane(connection));
            self.observer.prefetch_flow(connection.flow);
        }
        if let Some(lane) = next.map(lane)
            && let Some(link) = self.links.get(lane.first as usize)
        {
            self.shared.paths.prefetch(lane.path);
            link.prefetch();
        }
        if let Some(connection) = next {
            connection.forward.sender.prefetch_pace();
        }
        if let Some(connection) = first {
            connection.forward.sender.prefetch_stamps();
        }
    }

    /// Sends the acknowledgement that a receiver has delayed, if it is due.
    pub(super) fn expire_receiver(&mut self, slot: u32, direction: Direction, now: Time) {
        let connection = &mut self.tcp.connections[slot as usize];
        let (flow, number) = (connection.flow, connection.number);
        if let Some(ack) = connection
            .half(direction)
            .and_then(|half| half.receiver.on_timer(now))
        {
            let (place, written) = self.shared.acks.take();
            *written = ack;
            self.send_ack(now, flow, number, direction.opposite(), place);
        }
    }
}
