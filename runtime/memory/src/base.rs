//! What all memories of an app share.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use helve_core::support::lock::Mutex;

use crate::error::MemoryError;
use crate::meaning::MemoryVectors;
use crate::path::MemoryScope;
use crate::store::MemoryStore;

/// The reason why there is no memory of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoProject {
    /// The agent works in none.
    Nowhere,
    /// The user has not accepted the settings of the project.
    NotAccepted,
}

/// The store, the project, and what was recalled.
#[derive(Debug, Clone)]
pub(crate) struct MemoryBase {
    pub(crate) store: Arc<dyn MemoryStore>,
    /// The name of the memory of the project, or why there is none.
    pub(crate) project: Result<String, NoProject>,
    /// Whether the user has accepted the project, so that what other projects read is written there without a review.
    pub(crate) is_accepted: bool,
    /// The vectors of entries, if there is an embedding model.
    pub(crate) vectors: Option<MemoryVectors>,
    /// What each session has recalled already.
    recalled: Arc<Mutex<HashMap<String, HashSet<String>>>>,
}

impl MemoryBase {
    pub(crate) fn new(store: Arc<dyn MemoryStore>) -> Self {
        Self {
            store,
            project: Err(NoProject::Nowhere),
            is_accepted: true,
            vectors: None,
            recalled: Arc::default(),
        }
    }

    /// Returns why there is no memory of a scope.
    pub(crate) fn missing(&self, scope: MemoryScope) -> MemoryError {
        let why = match (scope, &self.project) {
            (MemoryScope::Project | MemoryScope::Agent, Err(NoProject::NotAccepted)) => {
                "the user has not accepted the settings of the project"
            }
            (MemoryScope::Project, _) => "the agent works in no project",
            (MemoryScope::Team, _) => "the user is in no team",
            (MemoryScope::Agent, _) => "no agent calls",
            _ => "there is no session",
        };
        MemoryError::NoScope {
            scope,
            why: why.to_owned(),
        }
    }

    /// Returns whether a session has recalled a version of an entry already.
    pub(crate) fn is_recalled(&self, session: &str, entry: &str) -> bool {
        let recalled = self.recalled.lock();
        recalled
            .get(session)
            .is_some_and(|known| known.contains(entry))
    }

    /// Notes that a session has recalled versions of entries.
    pub(crate) fn note_recalled(&self, session: &str, entries: &[String]) {
        let mut recalled = self.recalled.lock();
        let known = recalled.entry(session.to_owned()).or_default();
        known.extend(entries.iter().cloned());
    }
}
