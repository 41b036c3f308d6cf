//! What workers tell: counts and lines of text, over their standard output.

use std::collections::BTreeMap;

/// Numbers by name.
#[derive(Debug, Default)]
pub(crate) struct Report {
    counts: BTreeMap<String, u64>,
}

/// Tells something at once.
pub(crate) fn say(topic: &str, text: &str) {
    println!("{topic}\t{text}");
}

impl Report {
    pub(crate) fn add(&mut self, name: &str, count: u64) {
        match self.counts.get_mut(name) {
            Some(known) => *known += count,
            None => {
                self.counts.insert(name.to_owned(), count);
            }
        }
    }

    pub(crate) fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }

    /// Tells the numbers.
    pub(crate) fn send(&self) {
        for (name, count) in &self.counts {
            say("count", &format!("{count}\t{name}"));
        }
        say("done", "");
    }

    /// Takes a number that a worker told.
    pub(crate) fn take(&mut self, text: &str) {
        if let Some((count, name)) = text.split_once('\t') {
            self.add(name, count.parse().unwrap_or(0));
        }
    }

    /// Returns the rest of the names that begin with `prefix`, with their numbers.
    pub(crate) fn below<'r>(&'r self, prefix: &'r str) -> impl Iterator<Item = (&'r str, u64)> {
        self.counts
            .iter()
            .filter_map(move |(name, count)| Some((name.strip_prefix(prefix)?, *count)))
    }
}
