//! What was seen over all cases: a promise about what never happened is worth nothing.

use std::collections::BTreeMap;

use helve_runtime::agent::turn::Record;

/// How often each thing happened.
#[derive(Debug, Default)]
pub(crate) struct Counts(BTreeMap<String, usize>);

/// What has to happen at least once in a few hundred cases; every record has to as well.
const EXPECTED: &[&str] = &[
    "reload",
    "prefix",
    "stale",
    "wanted refused",
    "compacted",
    "question together with others",
    "question that is covered",
    "question of safety in spite of a cover",
    "covered question after all",
    "cover allows",
    "cover rejects",
    "note to the model",
    "external after a crash",
    "external withdrawn",
    "answer after a crash",
    "delegate",
    "delegates side by side",
    "delegate goes on after a crash",
    "rerun after a crash",
    "unknown after a crash",
    "dry run",
    "partial reply dropped",
    "partial reply kept",
    "closing word",
    "call beyond a bound",
    "side step suggest_tools",
    "side step compact",
    "side step summarise",
    "side step recall",
    "end finished",
    "end output_limit",
    "end refused",
    "end model_calls",
    "end tool_calls",
    "end same_tool",
    "end identical_calls",
    "end repeating",
    "end denials",
    "end tokens",
    "end cost",
    "end wall_time",
    "end interrupted",
    "end model_failed",
    "end fatal",
    "end blocked",
    "end reviews",
    "note held back",
    "prompt replace",
    "prompt block",
    "reply pass",
    "reply again",
    "reply replace",
    "reply block",
    "review ended",
    "review went on",
];

const RECORDS: &[&str] = &[
    "wanted",
    "model_started",
    "model_done",
    "model_failed",
    "planned",
    "asked",
    "answered",
    "started",
    "submitted",
    "finished",
    "compacted",
    "not_compacted",
    "noted",
    "reviewed",
    "elapsed",
    "interrupt",
    "resumed",
];

impl Counts {
    pub(crate) fn saw(&mut self, what: &str) {
        match self.0.get_mut(what) {
            Some(count) => *count += 1,
            None => {
                self.0.insert(what.to_owned(), 1);
            }
        }
    }

    pub(crate) fn note(&mut self, record: &Record) {
        self.saw(record.name());
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (what, count) in &other.0 {
            *self.0.entry(what.clone()).or_default() += count;
        }
    }

    /// Lists what was not seen.
    pub(crate) fn missing(&self) -> Vec<&'static str> {
        let all = EXPECTED.iter().chain(RECORDS).copied();
        all.filter(|what| !self.0.contains_key(*what)).collect()
    }
}
