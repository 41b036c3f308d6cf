//! The results that are kept, within their bounds.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::Entry;
use super::key::Key;
use crate::tool::reads::Read;

/// Results by their keys, and in the order in which they were used last.
pub(super) struct Kept {
    results: HashMap<Key, Slot>,
    order: BTreeMap<u64, Key>,
    /// The number of the next use.
    next: u64,
    weight: usize,
    most: usize,
    most_weight: usize,
}

struct Slot {
    entry: Arc<Entry>,
    weight: usize,
    used: u64,
}

impl Kept {
    pub(super) fn new(most: usize, most_weight: usize) -> Self {
        Self {
            results: HashMap::new(),
            order: BTreeMap::new(),
            next: 0,
            weight: 0,
            most,
            most_weight,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.results.len()
    }

    /// Finds a result, which counts as using it.
    pub(super) fn get(&mut self, key: &Key) -> Option<Arc<Entry>> {
        let slot = self.results.get_mut(key)?;
        let key = self.order.remove(&slot.used)?;
        slot.used = self.next;
        self.order.insert(self.next, key);
        self.next += 1;
        Some(Arc::clone(&slot.entry))
    }

    pub(super) fn remove(&mut self, key: &Key) {
        if let Some(slot) = self.results.remove(key) {
            self.order.remove(&slot.used);
            self.weight -= slot.weight;
        }
    }

    /// Keeps a result, and forgets those that were used longest ago until all is within the bounds.
    pub(super) fn insert(&mut self, key: Key, entry: Entry) {
        self.remove(&key);
        let reads: usize = entry.reads.iter().map(Read::weight).sum();
        let weight = 2 * key.weight() + entry.output.weight() + reads;
        if weight > self.most_weight || self.most == 0 {
            return;
        }
        let used = self.next;
        self.next += 1;
        self.weight += weight;
        self.order.insert(used, key.clone());
        let slot = Slot {
            entry: Arc::new(entry),
            weight,
            used,
        };
        self.results.insert(key, slot);
        while self.results.len() > self.most || self.weight > self.most_weight {
            let Some((_, oldest)) = self.order.first_key_value() else {
                return;
            };
            let oldest = oldest.clone();
            self.remove(&oldest);
        }
    }
}
