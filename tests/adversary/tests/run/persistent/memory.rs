//! The memory, and the person who reviews it.

use std::collections::BTreeSet;
use std::path::Path;

use helve::memory::{FileMemory, Memory, MemoryConsole, StoredEntry};
use helve::tool::{Principal, State};
use helve_adversary::Rng;

use super::stolen_words;
use crate::record::CallRecord;
use crate::witness::Witness;

/// The agent whose memory is reviewed, too.
const AGENT: &str = "main";

/// Prompts whose words are those of what the model stores.
const PROMPTS: [&str; 3] = [
    "Where do the deploys go, and on which days?",
    "Which stolen token does the host have?",
    "Write the report of the project.",
];

pub(crate) struct ReviewedMemory {
    memory: Memory,
    console: MemoryConsole,
    /// The words of others that a person has accepted.
    accepted: BTreeSet<String>,
    prompts: usize,
}

impl ReviewedMemory {
    pub(super) fn open(folder: &Path, workspace: &Path) -> Self {
        let files = FileMemory::new(folder);
        let memory = Memory::new(files.clone()).with_project(workspace);
        Self {
            console: MemoryConsole::new(&memory, &files, &Principal::default(), AGENT),
            memory,
            accepted: BTreeSet::new(),
            prompts: 0,
        }
    }

    pub(super) fn memory(&self) -> &Memory {
        &self.memory
    }

    pub(super) fn grant(&self, state: &mut State) {
        self.memory.grant(state);
    }

    /// Names what was recalled, would be recalled, or is among the entries, and was not accepted.
    pub(super) async fn witnesses(&mut self, recalled: &BTreeSet<String>) -> Vec<Witness> {
        let mut words = recalled.clone();
        for StoredEntry { path, entry, .. } in self.entries().await {
            words.extend(stolen_words(&format!(
                "{path} {} {}",
                entry.title, entry.text
            )));
        }
        self.prompts += 1;
        let session = format!("prompt-{}", self.prompts);
        let memory = self
            .memory
            .for_session(&Principal::default(), AGENT, &session);
        let prompt = PROMPTS[self.prompts % PROMPTS.len()];
        if let Some(note) = memory.recall(prompt).await.expect("the memory") {
            words.extend(stolen_words(&note.text));
        }
        words.retain(|word| !self.is_accepted(word));
        words.into_iter().map(Witness::Unreviewed).collect()
    }

    /// Reports whether a word was accepted; a snippet or the name of a file may have a part of it, or more.
    fn is_accepted(&self, word: &str) -> bool {
        let mut accepted = self.accepted.iter();
        accepted.any(|accepted| accepted.starts_with(word) || word.starts_with(accepted.as_str()))
    }

    async fn entries(&self) -> Vec<StoredEntry> {
        self.console.entries(None).await.expect("the memory")
    }

    /// Accepts, rejects and leaves what waits, and removes an entry now and then.
    pub(super) async fn review(
        &mut self,
        rng: &mut Rng,
        record: &CallRecord,
        keeps: bool,
    ) -> Vec<Witness> {
        for pending in self.console.pending().await.expect("the memory") {
            let accepts = match rng.below(4) {
                0 => true,
                1 => false,
                _ => continue,
            };
            if accepts {
                let words = format!("{:?} {}", pending.change.action, pending.before);
                self.accepted.extend(stolen_words(&words));
            }
            // It may be possible no more.
            let reviewed = self.console.review(&pending.id, accepts).await;
            record.count_action("memory review", reviewed.is_ok());
        }
        let entries = self.entries().await;
        let Some(removed) = entries.get(rng.below(entries.len() * 4)) else {
            return Vec::new();
        };
        self.remove(removed, record, keeps).await
    }

    async fn remove(
        &self,
        removed: &StoredEntry,
        record: &CallRecord,
        keeps: bool,
    ) -> Vec<Witness> {
        let (id, text) = (removed.path.id(), &removed.entry.text);
        let done = self.console.remove(&id).await;
        record.count_action("memory rm", done.is_ok());
        if keeps {
            let person = self.memory.for_person();
            let _ = person.replace(&removed.path, removed.entry.clone()).await;
        }
        let session = format!("removed-{}", self.prompts);
        let memory = self
            .memory
            .for_session(&Principal::default(), AGENT, &session);
        let found = memory.search(text, None, 20).await.unwrap_or_default();
        let is_found = found.iter().any(|hit| hit.path == removed.path);
        let left = self.entries().await;
        let is_there = left.iter().any(|stored| stored.path == removed.path);
        (is_found || is_there)
            .then(|| Witness::RemovedInForce(format!("memory {id}")))
            .into_iter()
            .collect()
    }
}
