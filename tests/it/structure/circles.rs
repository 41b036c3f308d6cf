//! Circles of a graph: its strongly connected components.

use std::collections::{BTreeMap, BTreeSet};

/// Returns the strongly connected components of two nodes and more, the largest first.
pub(super) fn circles<N: Ord + Clone>(graph: &BTreeMap<N, BTreeSet<N>>) -> Vec<Vec<N>> {
    let mut search = Search {
        graph,
        numbers: BTreeMap::new(),
        lowest: BTreeMap::new(),
        open: Vec::new(),
        closed: BTreeSet::new(),
        found: Vec::new(),
    };
    for node in graph.keys() {
        if !search.numbers.contains_key(node) {
            search.visit(node);
        }
    }
    search
        .found
        .sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    search.found
}

/// Tarjan's algorithm.
struct Search<'g, N> {
    graph: &'g BTreeMap<N, BTreeSet<N>>,
    numbers: BTreeMap<N, usize>,
    lowest: BTreeMap<N, usize>,
    open: Vec<N>,
    closed: BTreeSet<N>,
    found: Vec<Vec<N>>,
}

impl<N: Ord + Clone> Search<'_, N> {
    fn visit(&mut self, node: &N) {
        let number = self.numbers.len();
        self.numbers.insert(node.clone(), number);
        self.lowest.insert(node.clone(), number);
        self.open.push(node.clone());
        for next in self.graph.get(node).into_iter().flatten() {
            if !self.numbers.contains_key(next) {
                self.visit(next);
                let lowest = self.lowest[node].min(self.lowest[next]);
                self.lowest.insert(node.clone(), lowest);
            } else if !self.closed.contains(next) {
                let lowest = self.lowest[node].min(self.numbers[next]);
                self.lowest.insert(node.clone(), lowest);
            }
        }
        if self.lowest[node] == number {
            self.close(node);
        }
    }

    fn close(&mut self, node: &N) {
        let mut circle = Vec::new();
        while let Some(top) = self.open.pop() {
            self.closed.insert(top.clone());
            let is_last = top == *node;
            circle.push(top);
            if is_last {
                break;
            }
        }
        if circle.len() > 1 {
            circle.sort();
            self.found.push(circle);
        }
    }
}
