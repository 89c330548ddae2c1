//! Who shares: the queue of each flow, by eight ways, and how many bulky flows each host has.

use super::isolation::Keys;

/// Neighbours among which a key looks for a place.
pub(super) const WAYS: usize = 8;

/// What a key has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The place that was its own before.
    Own(usize),
    /// One that was free.
    Free(usize),
    /// The first, which others use.
    Shared(usize),
}

/// A set-associative table: each place belongs to the key that took it last.
#[derive(Debug)]
struct Ways(Vec<Option<u64>>);

impl Ways {
    /// So many places, a multiple of [`WAYS`].
    fn new(places: usize) -> Self {
        Self(vec![None; places])
    }

    /// The place that a key hashes to, and those of its set in the order in which they are tried.
    fn set(&self, key: u64) -> (usize, impl Iterator<Item = usize> + Clone + use<>) {
        let home = (key % self.0.len() as u64) as usize;
        let (set, inner) = (home - home % WAYS, home % WAYS);
        (home, (0..WAYS).map(move |way| set + (inner + way) % WAYS))
    }

    /// The place of a key: its own, else the first free one, else the one it hashes to; its own
    /// from now on.
    fn place(&mut self, key: u64, is_free: impl Fn(usize) -> bool) -> Place {
        let (home, mut ways) = self.set(key);
        if let Some(own) = ways.clone().find(|&way| self.0[way] == Some(key)) {
            return Place::Own(own);
        }
        let free = ways.find(|&way| is_free(way));
        let place = free.map_or(Place::Shared(home), Place::Free);
        self.0[free.unwrap_or(home)] = Some(key);
        place
    }

    /// Nothing belongs to anyone.
    fn clear(&mut self) {
        self.0.fill(None);
    }
}

/// Hosts of one side and how many of their flows are bulky.
#[derive(Debug)]
struct Hosts {
    ways: Ways,
    bulk: Vec<u32>,
}

impl Hosts {
    /// Room for so many.
    fn new(places: usize) -> Self {
        Self {
            ways: Ways::new(places),
            bulk: vec![0; places],
        }
    }

    /// The number of a host.
    fn number(&mut self, key: u64) -> usize {
        let bulk = &self.bulk;
        match self.ways.place(key, |place| bulk[place] == 0) {
            Place::Own(place) | Place::Free(place) | Place::Shared(place) => place,
        }
    }

    /// Nothing is known.
    fn clear(&mut self) {
        self.ways.clear();
        self.bulk.fill(0);
    }
}

/// The queues of a tin and the hosts behind them.
#[derive(Debug)]
pub(super) struct Sharing {
    queues: Ways,
    /// Sources and destinations, where these share.
    sides: [Option<Hosts>; 2],
    /// The source and the destination of each queue.
    hosts: Vec<[usize; 2]>,
}

impl Sharing {
    /// So many queues; `by_host` says whether sources and whether destinations share.
    pub(super) fn new(queues: usize, by_host: [bool; 2]) -> Self {
        Self {
            queues: Ways::new(queues),
            sides: by_host.map(|shares| shares.then(|| Hosts::new(queues))),
            hosts: vec![[0; 2]; queues],
        }
    }

    /// The queue of a packet, whose hosts become the queue's unless it is in use by its flow.
    pub(super) fn queue(
        &mut self,
        keys: &Keys,
        is_free: impl Fn(usize) -> bool,
        is_bulk: impl Fn(usize) -> bool,
    ) -> usize {
        let queue = match self.queues.place(keys.queue, &is_free) {
            Place::Own(queue) if !is_free(queue) => return queue,
            Place::Own(queue) | Place::Free(queue) | Place::Shared(queue) => queue,
        };
        let is_bulk = is_bulk(queue);
        if is_bulk {
            self.leave(queue);
        }
        for side in 0..2 {
            if let (Some(hosts), Some(key)) = (&mut self.sides[side], keys.hosts[side]) {
                self.hosts[queue][side] = hosts.number(key);
            }
        }
        if is_bulk {
            self.join(queue);
        }
        queue
    }

    /// The queue in which packets of these keys were put last.
    pub(super) fn queue_of(&self, keys: &Keys) -> usize {
        let (home, mut ways) = self.queues.set(keys.queue);
        let own = ways.find(|&way| self.queues.0[way] == Some(keys.queue));
        own.unwrap_or(home)
    }

    /// A queue turns bulky.
    pub(super) fn join(&mut self, queue: usize) {
        for (side, host) in self.sides.iter_mut().zip(self.hosts[queue]) {
            if let Some(hosts) = side {
                hosts.bulk[host] += 1;
            }
        }
    }

    /// A bulky queue is no more.
    pub(super) fn leave(&mut self, queue: usize) {
        for (side, host) in self.sides.iter_mut().zip(self.hosts[queue]) {
            if let Some(hosts) = side {
                hosts.bulk[host] = hosts.bulk[host].saturating_sub(1);
            }
        }
    }

    /// The bulky queues of the busier host of a queue, at least one.
    pub(super) fn load(&self, queue: usize) -> u64 {
        let sides = self.sides.iter().zip(self.hosts[queue]);
        let loads = sides.filter_map(|(side, host)| Some(side.as_ref()?.bulk[host]));
        u64::from(loads.max().unwrap_or(1).max(1))
    }

    /// Nothing is known.
    pub(super) fn clear(&mut self) {
        self.queues.clear();
        self.sides.iter_mut().flatten().for_each(Hosts::clear);
        self.hosts.fill([0; 2]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::hash::salted;

    /// Eight keys of one home find eight places; the ninth shares the first of its own home.
    #[test]
    fn a_set_holds_eight_keys_without_a_collision() {
        let mut ways = Ways::new(16);
        let mut used = Vec::new();
        for k in 0..8 {
            let is_free = |place: usize| !used.contains(&place);
            let Place::Free(place) = ways.place(3 + 16 * k, is_free) else {
                panic!("no place for {k}");
            };
            used.push(place);
        }
        assert_eq!(used, [3, 4, 5, 6, 7, 0, 1, 2]);
        assert_eq!(ways.place(3 + 16 * 4, |_| false), Place::Own(7));
        assert_eq!(ways.place(5 + 16 * 9, |_| false), Place::Shared(5));
        assert_eq!(ways.place(3 + 16 * 2, |_| false), Place::Shared(3), "lost");
        assert_eq!(ways.place(8, |_| true), Place::Free(8), "another set");
    }

    /// 100 flows in 1024 queues: a plain hash gives a given flow company with probability 9 %,
    /// eight ways practically never.
    #[test]
    fn a_hundred_flows_hardly_ever_collide() {
        for salt in 0..200 {
            let mut ways = Ways::new(1024);
            let mut used = [false; 1024];
            for flow in 0..100 {
                match ways.place(salted(flow, salt), |place| !used[place]) {
                    Place::Free(place) => used[place] = true,
                    other => panic!("{salt} {flow}: {other:?}"),
                }
            }
        }
    }
}
