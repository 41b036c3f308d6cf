//! Changes that wait for a review, each in a file of its own, outside of what is searched and shown to a model.

use std::path::{Path, PathBuf};

use helve_core::support::random;
use helve_storage::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

use super::disk;
use crate::entry::{MemoryAuthor, MemorySource};
use crate::error::MemoryError;
use crate::front_matter;
use crate::path::{MemoryPath, MemoryScope};
use crate::store::{MemoryAction, MemoryChange, MemoryKey, PendingChange, PutCondition};

/// The greatest number of changes that wait.
const MAX_CHANGES: usize = 256;

/// The size of the largest file of a change, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// A change as it is stored.
#[derive(Debug, Serialize, Deserialize)]
struct StoredChange {
    time: Timestamp,
    scope: MemoryScope,
    folder: String,
    change: String,
    path: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    to: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    session: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    call: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    origin: String,
    by: String,
    /// The whole file of an entry.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    file: String,
    /// Whether the entry is a new one.
    #[serde(default)]
    is_new: bool,
    /// The text that the entry is written in place of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<String>,
}

/// The folder of the changes that wait.
pub(super) struct PendingFolder<'a>(pub(super) &'a Path);

impl PendingFolder<'_> {
    fn path(&self, id: &str) -> Option<PathBuf> {
        let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_id.then(|| self.0.join(format!("{id}.json")))
    }

    /// Stores a change, and returns its id.
    pub(super) fn add(
        &self,
        key: &MemoryKey,
        change: &MemoryChange,
        now: Timestamp,
    ) -> Result<String, MemoryError> {
        if disk::walk(self.0)?.len() >= MAX_CHANGES {
            let count = MAX_CHANGES;
            return Err(MemoryError::TooManyPending { count });
        }
        let (name, to, file) = match &change.action {
            MemoryAction::Put { entry, .. } => ("put", None, front_matter::render(entry)),
            MemoryAction::Delete { .. } => ("delete", None, String::new()),
            MemoryAction::Rename { to, .. } => ("rename", Some(to), String::new()),
            MemoryAction::Archive { .. } => ("archive", None, String::new()),
        };
        let (is_new, before) = match &change.action {
            MemoryAction::Put { condition, .. } => match condition {
                PutCondition::New => (true, None),
                PutCondition::Unchanged(text) => (false, Some(text.clone())),
                PutCondition::Any => (false, None),
            },
            _ => (false, None),
        };
        let stored = StoredChange {
            time: now,
            scope: key.scope(),
            folder: key.folder().to_owned(),
            change: name.to_owned(),
            path: change.action.path().to_string(),
            to: to.map(MemoryPath::to_string).unwrap_or_default(),
            session: change.source.session.clone(),
            call: change.source.call.clone(),
            origin: change.source.origin.clone(),
            by: change.source.by.name().to_owned(),
            file,
            is_new,
            before,
        };
        let id = random::hex::<4>();
        let text = serde_json::to_string_pretty(&stored).unwrap_or_default();
        disk::write(&self.0.join(format!("{id}.json")), &text)?;
        Ok(id)
    }

    /// Lists the changes, the oldest first. A file that is none is left out.
    pub(super) fn list(&self) -> Result<Vec<PendingChange>, MemoryError> {
        let mut found = Vec::new();
        for file in disk::walk(self.0)? {
            let id = file.path.file_stem().and_then(|name| name.to_str());
            if let Some(id) = id
                && let Some((time, change)) = self.load(id)?
            {
                found.push((time, change));
            }
        }
        found.sort_by(|one, other| (one.0, &one.1.id).cmp(&(other.0, &other.1.id)));
        Ok(found.into_iter().map(|(_, change)| change).collect())
    }

    /// Loads a change.
    pub(super) fn find(&self, id: &str) -> Result<Option<PendingChange>, MemoryError> {
        Ok(self.load(id)?.map(|(_, change)| change))
    }

    fn load(&self, id: &str) -> Result<Option<(Timestamp, PendingChange)>, MemoryError> {
        let Some(path) = self.path(id) else {
            return Ok(None);
        };
        let text = disk::read(&path, MAX_BYTES)?;
        let stored = text.and_then(|text| serde_json::from_str::<StoredChange>(&text).ok());
        Ok(stored.and_then(|stored| Some((stored.time, stored.into_change(id)?))))
    }

    /// Removes a change.
    pub(super) fn remove(&self, id: &str) -> Result<(), MemoryError> {
        self.path(id)
            .map_or(Ok(()), |path| disk::remove_file(&path))
    }
}

impl StoredChange {
    fn into_change(self, id: &str) -> Option<PendingChange> {
        let key = MemoryKey::from_folder(self.scope, &self.folder)?;
        let path = MemoryPath::parse(&self.path, self.scope).ok()?;
        let action = match &*self.change {
            "put" => MemoryAction::Put {
                path,
                entry: Box::new(front_matter::parse(&self.file)),
                condition: match self.before {
                    Some(text) => PutCondition::Unchanged(text),
                    None if self.is_new => PutCondition::New,
                    None => PutCondition::Any,
                },
            },
            "delete" => MemoryAction::Delete { path },
            "archive" => MemoryAction::Archive { path },
            "rename" => MemoryAction::Rename {
                from: path,
                to: MemoryPath::parse(&self.to, self.scope).ok()?,
            },
            _ => return None,
        };
        let by = self.by.parse().unwrap_or(MemoryAuthor::Model);
        let source = MemorySource {
            session: self.session,
            call: self.call,
            origin: self.origin,
            ..MemorySource::new(by)
        };
        Some(PendingChange {
            id: id.to_owned(),
            key,
            change: MemoryChange {
                action,
                source,
                is_pending: true,
            },
            before: String::new(),
            replaced: None,
        })
    }
}
