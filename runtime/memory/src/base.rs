//! What all memories of an app share.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use helve_core::support::lock::Mutex;

use crate::error::MemoryError;
use crate::meaning::MemoryVectors;
use crate::path::MemoryScope;
use crate::store::MemoryStore;

/// The store, the project, and what was recalled.
#[derive(Debug, Clone)]
pub(crate) struct MemoryBase {
    pub(crate) store: Arc<dyn MemoryStore>,
    /// The name of the memory of the project, or why there is none.
    pub(crate) project: Result<String, &'static str>,
    /// The vectors of entries, if there is an embedding model.
    pub(crate) vectors: Option<MemoryVectors>,
    /// What each session has recalled already.
    recalled: Arc<Mutex<HashMap<String, HashSet<String>>>>,
}

impl MemoryBase {
    pub(crate) fn new(store: Arc<dyn MemoryStore>) -> Self {
        Self {
            store,
            project: Err("the agent works in no project"),
            vectors: None,
            recalled: Arc::default(),
        }
    }

    /// Returns why there is no memory of a scope.
    pub(crate) fn missing(&self, scope: MemoryScope) -> MemoryError {
        let why = match (scope, &self.project) {
            (MemoryScope::Project, Err(why)) => why,
            (MemoryScope::Team, _) => "the user is in no team",
            (MemoryScope::Agent, _) => "no agent calls",
            _ => "there is no session",
        };
        MemoryError::NoScope {
            scope,
            why: why.to_owned(),
        }
    }

    /// Keeps those of some entries that a session has not recalled yet, and notes that it has.
    pub(crate) fn note_recalled(&self, session: &str, entries: &mut Vec<String>) {
        let mut recalled = self.recalled.lock();
        let known = recalled.entry(session.to_owned()).or_default();
        entries.retain(|entry| known.insert(entry.clone()));
    }
}
