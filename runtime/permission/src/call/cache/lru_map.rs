//! The cached results, within their limits.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::CacheEntry;
use super::key::CacheKey;
use helve_core::tool::read_log::StateRead;

/// Results by their keys, with the order of their last use.
pub(super) struct LruMap {
    results: HashMap<CacheKey, Slot>,
    order: BTreeMap<u64, CacheKey>,
    /// The sequence number of the next use.
    next_use: u64,
    weight: usize,
    max_entries: usize,
    max_weight: usize,
}

struct Slot {
    entry: Arc<CacheEntry>,
    weight: usize,
    last_used: u64,
}

impl LruMap {
    pub(super) fn new(most: usize, most_weight: usize) -> Self {
        Self {
            results: HashMap::new(),
            order: BTreeMap::new(),
            next_use: 0,
            weight: 0,
            max_entries: most,
            max_weight: most_weight,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.results.len()
    }

    /// Returns a result, and marks it as used.
    pub(super) fn get(&mut self, key: &CacheKey) -> Option<Arc<CacheEntry>> {
        let slot = self.results.get_mut(key)?;
        let key = self.order.remove(&slot.last_used)?;
        slot.last_used = self.next_use;
        self.order.insert(self.next_use, key);
        self.next_use += 1;
        Some(Arc::clone(&slot.entry))
    }

    pub(super) fn remove(&mut self, key: &CacheKey) {
        if let Some(slot) = self.results.remove(key) {
            self.order.remove(&slot.last_used);
            self.weight -= slot.weight;
        }
    }

    /// Inserts a result, and evicts the least recently used ones until the limits are met.
    pub(super) fn insert(&mut self, key: CacheKey, entry: CacheEntry) {
        self.remove(&key);
        let reads: usize = entry.reads.iter().map(StateRead::estimated_bytes).sum();
        let weight = 2 * key.weight() + entry.output.estimated_bytes() + reads;
        if weight > self.max_weight || self.max_entries == 0 {
            return;
        }
        let used = self.next_use;
        self.next_use += 1;
        self.weight += weight;
        self.order.insert(used, key.clone());
        let slot = Slot {
            entry: Arc::new(entry),
            weight,
            last_used: used,
        };
        self.results.insert(key, slot);
        while self.results.len() > self.max_entries || self.weight > self.max_weight {
            let Some((_, oldest)) = self.order.first_key_value() else {
                return;
            };
            let oldest = oldest.clone();
            self.remove(&oldest);
        }
    }
}
