//! Static routes: the fewest links, over any directed graph.

use std::collections::VecDeque;

use crate::{LinkId, NodeId};

/// A directed graph of nodes and links.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// For each node the links that enter it, as (link, node it comes from), in the order of
    /// declaration.
    entering: Vec<Vec<(LinkId, NodeId)>>,
    links: LinkId,
}

impl Graph {
    /// A graph of `nodes` nodes without links.
    pub fn new(nodes: usize) -> Self {
        Self {
            entering: vec![Vec::new(); nodes],
            links: 0,
        }
    }

    /// Adds the next link.
    pub fn add_link(&mut self, from: NodeId, to: NodeId) {
        self.entering[to as usize].push((self.links, from));
        self.links += 1;
    }

    /// For each node the first link of its shortest path to `destination` and the node behind it;
    /// none where there is no way. Among paths of one length the one whose first link was
    /// declared first is taken.
    pub fn next_hops(&self, destination: NodeId) -> Vec<Option<(LinkId, NodeId)>> {
        let mut hops: Vec<Option<(LinkId, NodeId)>> = vec![None; self.entering.len()];
        let mut distance = vec![u32::MAX; self.entering.len()];
        distance[destination as usize] = 0;
        let mut reached = VecDeque::from([destination]);
        while let Some(node) = reached.pop_front() {
            let next = distance[node as usize] + 1;
            for &(link, from) in &self.entering[node as usize] {
                let known = distance[from as usize];
                if known == u32::MAX {
                    distance[from as usize] = next;
                    reached.push_back(from);
                }
                let first = hops[from as usize].is_none_or(|(other, _)| link < other);
                if known == u32::MAX || (known == next && first) {
                    hops[from as usize] = Some((link, node));
                }
            }
        }
        hops
    }
}

/// Follows `hops` from `from` to `to`: the links of the path; none where there is no way.
pub fn path(hops: &[Option<(LinkId, NodeId)>], from: NodeId, to: NodeId) -> Option<Vec<LinkId>> {
    let mut links = Vec::new();
    let mut node = from;
    while node != to {
        let (link, next) = hops[node as usize]?;
        links.push(link);
        node = next;
    }
    Some(links)
}

/// The paths of all flows, one behind the other.
#[derive(Debug, Clone, Default)]
pub struct Paths {
    links: Vec<LinkId>,
}

/// Stands behind the last link of a path.
const END: LinkId = LinkId::MAX;

impl Paths {
    /// Adds a path and tells where it begins.
    pub fn add(&mut self, links: &[LinkId]) -> u32 {
        let start = self.links.len() as u32;
        self.links.extend_from_slice(links);
        self.links.push(END);
        start
    }

    /// The link number `hop` of the path that begins at `start`; none behind its last.
    #[inline]
    pub fn hop(&self, start: u32, hop: u16) -> Option<LinkId> {
        let link = self.links[start as usize + usize::from(hop)];
        (link != END).then_some(link)
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

    #[test]
    fn the_shortest_path_wins() {
        let graph = graph(4, &[(0, 1), (1, 2), (2, 3), (0, 3)]);
        assert_eq!(path(&graph.next_hops(3), 0, 3), Some(vec![3]));
        assert_eq!(path(&graph.next_hops(3), 1, 3), Some(vec![1, 2]));
    }

    #[test]
    fn among_equals_the_first_declared_wins() {
        let diamond = graph(4, &[(0, 2), (0, 1), (1, 3), (2, 3)]);
        assert_eq!(path(&diamond.next_hops(3), 0, 3), Some(vec![0, 3]));
        let parallel = graph(2, &[(0, 1), (0, 1)]);
        assert_eq!(path(&parallel.next_hops(1), 0, 1), Some(vec![0]));
    }

    #[test]
    fn direction_counts() {
        let graph = graph(3, &[(0, 1), (1, 2)]);
        assert_eq!(path(&graph.next_hops(0), 2, 0), None);
        assert_eq!(path(&graph.next_hops(2), 0, 2), Some(vec![0, 1]));
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
            [0, 1, 2].map(|hop| paths.hop(starts[0], hop)),
            [Some(4), Some(2), None]
        );
        assert_eq!(paths.hop(starts[1], 0), None);
    }

    #[test]
    fn loops_do_not_trap_the_search() {
        let graph = graph(4, &[(0, 1), (1, 0), (1, 2), (2, 1), (2, 3)]);
        assert_eq!(path(&graph.next_hops(3), 0, 3), Some(vec![0, 2, 4]));
    }
}
