//! Static routes: the fewest links, over any directed graph.
//!
//! A host is mostly attached to one link, and a network of many hosts has few nodes where a packet
//! has a choice. So the ends of a path on which there is no choice are walked, and only the part
//! between them is searched, once for all paths with the same end: a dumbbell of 100,000 flows
//! takes two searches.

use sojourn_base::prefetch::prefetch;

use crate::{LinkId, NodeId};

/// A directed graph of nodes and links.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// For each node the links that enter it, as (link, node it comes from), in the order of
    /// declaration.
    entering: Vec<Vec<(LinkId, NodeId)>>,
    /// For each node the links that leave it, as (link, node it goes to).
    leaving: Vec<Vec<(LinkId, NodeId)>>,
    links: LinkId,
}

/// The first links of all shortest paths to one destination. For the next search only the nodes
/// that the last one reached are cleared, so that a search costs what it reaches: where no link
/// leads back to the senders of a network, each of them is a destination that only itself can
/// reach.
struct Hops {
    /// For each node the first link of its path and the node behind it; none if there is no path.
    first: Vec<Option<(LinkId, NodeId)>>,
    /// How many links away each node is; `u32::MAX` if there is no path.
    distance: Vec<u32>,
    /// The nodes that have been reached, in this order.
    reached: Vec<NodeId>,
}

/// A path whose ends have been walked as far as there is no choice.
struct Trimmed {
    /// The first links.
    head: Vec<LinkId>,
    /// The ends of the part that is left to search.
    from: NodeId,
    to: NodeId,
    /// The last links, backwards.
    tail: Vec<LinkId>,
}

impl Graph {
    /// A graph of `nodes` nodes without links.
    pub fn new(nodes: usize) -> Self {
        Self {
            entering: vec![Vec::new(); nodes],
            leaving: vec![Vec::new(); nodes],
            links: 0,
        }
    }

    /// Adds the next link.
    pub fn add_link(&mut self, from: NodeId, to: NodeId) {
        self.entering[to as usize].push((self.links, from));
        self.leaving[from as usize].push((self.links, to));
        self.links += 1;
    }

    /// The links of the shortest path of each pair of nodes; none if there is no path. Among paths
    /// of one length, every node takes the one whose first link was declared first.
    pub fn paths(&self, pairs: &[(NodeId, NodeId)]) -> Vec<Option<Vec<LinkId>>> {
        let trimmed: Vec<Trimmed> = pairs
            .iter()
            .map(|&(from, to)| self.trim(from, to))
            .collect();
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_by_key(|&pair| trimmed[pair].to);
        let mut paths = vec![None; pairs.len()];
        let mut hops = Hops::new(self.entering.len());
        for same in order.chunk_by(|&a, &b| trimmed[a].to == trimmed[b].to) {
            let mut searched = false;
            for &pair in same {
                let Trimmed { from, to, .. } = trimmed[pair];
                let between = if from == to {
                    Some(Vec::new())
                } else if self.leaving[from as usize].is_empty() {
                    None
                } else {
                    if !searched {
                        self.search(to, &mut hops);
                        searched = true;
                    }
                    hops.follow(from, to)
                };
                paths[pair] = between.map(|between| trimmed[pair].around(&between));
            }
        }
        paths
    }

    /// Walks from both ends for as long as there is only one way to go.
    fn trim(&self, mut from: NodeId, mut to: NodeId) -> Trimmed {
        let (mut head, mut tail) = (Vec::new(), Vec::new());
        let most = self.entering.len();
        while from != to
            && let [(link, next)] = self.leaving[from as usize][..]
            && head.len() < most
        {
            head.push(link);
            from = next;
        }
        while from != to
            && let [(link, before)] = self.entering[to as usize][..]
            && tail.len() < most
        {
            tail.push(link);
            to = before;
        }
        Trimmed {
            head,
            from,
            to,
            tail,
        }
    }

    /// Finds the first links of all shortest paths to `destination`.
    fn search(&self, destination: NodeId, hops: &mut Hops) {
        hops.begin(destination);
        let mut next = 0;
        while let Some(&node) = hops.reached.get(next) {
            next += 1;
            let distance = hops.distance[node as usize] + 1;
            for &(link, from) in &self.entering[node as usize] {
                hops.meet(from, distance, (link, node));
            }
        }
    }
}

impl Hops {
    /// For a graph of `nodes` nodes, with nothing reached.
    fn new(nodes: usize) -> Self {
        Self {
            first: vec![None; nodes],
            distance: vec![u32::MAX; nodes],
            reached: Vec::new(),
        }
    }

    /// Forgets the last search; only `destination` is reached.
    fn begin(&mut self, destination: NodeId) {
        for node in self.reached.drain(..) {
            self.first[node as usize] = None;
            self.distance[node as usize] = u32::MAX;
        }
        self.distance[destination as usize] = 0;
        self.reached.push(destination);
    }

    /// Notes that a path of `distance` links leads from `node` over `hop`.
    fn meet(&mut self, node: NodeId, distance: u32, hop: (LinkId, NodeId)) {
        let at = node as usize;
        let known = self.distance[at];
        if known == u32::MAX {
            self.distance[at] = distance;
            self.reached.push(node);
        }
        let earlier = self.first[at].is_none_or(|(other, _)| hop.0 < other);
        if known == u32::MAX || (known == distance && earlier) {
            self.first[at] = Some(hop);
        }
    }

    /// The links of the path from `from` to `to`, which was searched; none if there is no path.
    fn follow(&self, from: NodeId, to: NodeId) -> Option<Vec<LinkId>> {
        let mut links = Vec::new();
        let mut node = from;
        while node != to {
            let (link, next) = self.first[node as usize]?;
            links.push(link);
            node = next;
        }
        Some(links)
    }
}

impl Trimmed {
    /// The whole path; `between` is the part that was searched.
    fn around(&self, between: &[LinkId]) -> Vec<LinkId> {
        let tail = self.tail.iter().rev();
        let all = self.head.iter().chain(between).chain(tail);
        all.copied().collect()
    }
}

/// The paths of all flows, one behind the other.
#[derive(Debug, Clone, Default)]
pub struct Paths {
    links: Vec<LinkId>,
}

/// Stands behind the last link of a path.
pub const END: LinkId = LinkId::MAX;

impl Paths {
    /// Adds a path and tells where it begins.
    pub fn add(&mut self, links: &[LinkId]) -> u32 {
        let start = self.links.len() as u32;
        self.links.extend_from_slice(links);
        self.links.push(END);
        start
    }

    /// The link at a place, counted from where its path begins; [`END`] behind the last link of a
    /// path.
    #[inline]
    pub fn link(&self, at: u32) -> LinkId {
        self.links.get(at as usize).copied().unwrap_or(END)
    }

    /// Prefetches a place and its neighbours.
    #[inline]
    pub(crate) fn prefetch(&self, at: u32) {
        if let Some(link) = self.links.get(at as usize) {
            prefetch(link);
        }
    }

    /// The links of the path that begins at `start`.
    pub fn links(&self, start: u32) -> &[LinkId] {
        let rest = &self.links[start as usize..];
        rest.split(|&link| link == END).next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(nodes: usize, links: &[(u32, u32)]) -> Graph {
        let mut graph = Graph::new(nodes);
        for &(from, to) in links {
            graph.add_link(from, to);
        }
        graph
    }

    fn path(graph: &Graph, from: NodeId, to: NodeId) -> Option<Vec<LinkId>> {
        graph.paths(&[(from, to)]).remove(0)
    }

    #[test]
    fn the_shortest_path_wins() {
        let graph = graph(4, &[(0, 1), (1, 2), (2, 3), (0, 3)]);
        assert_eq!(path(&graph, 0, 3), Some(vec![3]));
        assert_eq!(path(&graph, 1, 3), Some(vec![1, 2]));
    }

    #[test]
    fn among_equals_the_first_declared_wins() {
        let diamond = graph(4, &[(0, 2), (0, 1), (1, 3), (2, 3)]);
        assert_eq!(path(&diamond, 0, 3), Some(vec![0, 3]));
        let parallel = graph(2, &[(0, 1), (0, 1)]);
        assert_eq!(path(&parallel, 0, 1), Some(vec![0]));
    }

    #[test]
    fn direction_counts() {
        let graph = graph(3, &[(0, 1), (1, 2)]);
        assert_eq!(path(&graph, 2, 0), None);
        assert_eq!(path(&graph, 0, 2), Some(vec![0, 1]));
    }

    /// Ends without a choice are walked, the rest is searched: the same as searching all of it.
    #[test]
    fn trimmed_searches_find_what_whole_ones_do() {
        let mut stream = sojourn_base::Stream::new(7);
        for _ in 0..300 {
            let nodes = 2 + stream.below(8) as u32;
            let links = stream.below(14);
            let mut node = || stream.below(u64::from(nodes)) as u32;
            let links: Vec<_> = (0..links).map(|_| (node(), node())).collect();
            let graph = graph(nodes as usize, &links);
            let pairs: Vec<_> = (0..nodes)
                .flat_map(|from| (0..nodes).map(move |to| (from, to)))
                .collect();
            for (&(from, to), path) in pairs.iter().zip(graph.paths(&pairs)) {
                let mut hops = Hops::new(nodes as usize);
                graph.search(to, &mut hops);
                let whole = hops.follow(from, to);
                assert_eq!(path, whole, "{links:?}: {from} to {to}");
            }
        }
    }

    /// Of a star whose arms lead inwards each end is reached by itself alone.
    #[test]
    fn a_search_costs_what_it_reaches() {
        let arms: Vec<_> = (1..1000).map(|end| (end, 0)).collect();
        let star = graph(1000, &arms);
        let mut hops = Hops::new(1000);
        for (destination, reached) in [(5, 1), (0, 1000), (7, 1)] {
            star.search(destination, &mut hops);
            assert_eq!(hops.reached.len(), reached);
            assert_eq!(hops.follow(5, 0).is_some(), destination == 0);
        }
    }

    #[test]
    fn paths_are_kept_apart() {
        let mut paths = Paths::default();
        let starts = [[4, 2].as_slice(), &[], &[7]].map(|links| paths.add(links));
        assert_eq!(
            starts.map(|start| paths.links(start)),
            [&[4, 2][..], &[], &[7]]
        );
        assert_eq!(
            [0, 1, 2].map(|hop| paths.link(starts[0] + hop)),
            [4, 2, END]
        );
        assert_eq!(paths.link(starts[1]), END);
    }

    #[test]
    fn loops_do_not_trap_the_search() {
        let graph = graph(4, &[(0, 1), (1, 0), (1, 2), (2, 1), (2, 3)]);
        assert_eq!(path(&graph, 0, 3), Some(vec![0, 2, 4]));
    }
}
