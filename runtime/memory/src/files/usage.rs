//! How often entries were recalled, and what follows from it: entries that were not used for long are archived.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use helve_storage::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

use super::disk;
use crate::entry::{MemoryAuthor, MemoryEntry};
use crate::error::MemoryError;

/// The time between two looks at the importance of the entries of a memory.
const DECAY_INTERVAL: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The time in which an entry that is not used loses half of its importance, in days.
const HALF_LIFE_DAYS: f64 = 30.0;

/// The importance below which an entry is archived: an entry that was never used has it after 170 days.
const LEAST_IMPORTANCE: f64 = 0.02;

/// The size of the largest file, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// The uses of all entries. Losing them loses no entry.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    /// The uses, by the path of the file relative to the root.
    uses: BTreeMap<String, Uses>,
    /// The time of the last decay, by the folder of the memory.
    decayed: BTreeMap<String, Timestamp>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Uses {
    count: u32,
    last: Timestamp,
}

impl Usage {
    pub(super) fn load(path: &Path) -> Result<Self, MemoryError> {
        let text = disk::read(path, MAX_BYTES)?.unwrap_or_default();
        Ok(serde_json::from_str(&text).unwrap_or_default())
    }

    pub(super) fn save(&self, path: &Path) -> Result<(), MemoryError> {
        disk::write(path, &serde_json::to_string(self).unwrap_or_default())
    }

    pub(super) fn note(&mut self, file: &str, now: Timestamp) {
        let uses = self.uses.entry(file.to_owned());
        let uses = uses.or_insert(Uses {
            count: 0,
            last: now,
        });
        uses.count = uses.count.saturating_add(1);
        uses.last = now;
    }

    /// Moves the uses of a file, or of all files below a folder, to another path.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        let is_moved = |file: &&String| {
            let rest = file.strip_prefix(from);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let moved: Vec<String> = self.uses.keys().filter(is_moved).cloned().collect();
        for file in moved {
            if let Some(uses) = self.uses.remove(&file) {
                self.uses
                    .insert(format!("{to}{}", &file[from.len()..]), uses);
            }
        }
    }

    pub(super) fn forget(&mut self, file: &str) {
        self.uses.remove(file);
    }

    /// Returns whether the importance of the entries of a memory has to be looked at, and notes that it was.
    pub(super) fn begin_decay(&mut self, folder: &str, now: Timestamp) -> bool {
        let last = self.decayed.get(folder).copied();
        let is_due = last.is_some_and(|last| now.since(last) >= DECAY_INTERVAL);
        if is_due || last.is_none() {
            self.decayed.insert(folder.to_owned(), now);
        }
        is_due
    }

    /// Returns whether an entry is so old, and so seldom used, that it is archived. What a person wrote or accepted stays.
    pub(super) fn is_faded(&self, file: &str, entry: &MemoryEntry, now: Timestamp) -> bool {
        if entry.source.by == MemoryAuthor::Person || entry.confirmed.is_some() {
            return false;
        }
        let uses = self.uses.get(file);
        let last = uses.map(|uses| uses.last).max(entry.changed());
        let Some(last) = last else {
            return false;
        };
        let days = now.since(last).as_secs_f64() / 86_400.0;
        let count = uses.map_or(0.0, |uses| f64::from(uses.count));
        (1.0 + count) * 0.5f64.powf(days / HALF_LIFE_DAYS) < LEAST_IMPORTANCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(number: u64) -> Timestamp {
        Timestamp::from_millis(1_795_000_000_000 + number * 86_400_000)
    }

    #[test]
    fn entries_fade_unless_they_are_used_or_a_person_wrote_them() {
        let mut entry = MemoryEntry::new("t", "x");
        entry.source.by = MemoryAuthor::Model;
        entry.updated = Some(day(0));
        let mut usage = Usage::default();
        assert!(!usage.is_faded("a", &entry, day(160)));
        assert!(usage.is_faded("a", &entry, day(180)));
        for _ in 0..9 {
            usage.note("a", day(0));
        }
        assert!(!usage.is_faded("a", &entry, day(180)));
        assert!(usage.is_faded("a", &entry, day(300)));
        usage.note("a", day(290));
        assert!(!usage.is_faded("a", &entry, day(300)));
        entry.confirmed = Some(day(0));
        assert!(!usage.is_faded("a", &entry, day(3_000)));
    }

    #[test]
    fn importance_is_looked_at_once_a_week() {
        let mut usage = Usage::default();
        assert!(!usage.begin_decay("user", day(0)));
        assert!(!usage.begin_decay("user", day(6)));
        assert!(usage.begin_decay("user", day(7)));
        assert!(!usage.begin_decay("user", day(8)));
    }
}
