//! Earlier versions of files, by their content, and the log of changes. Both remain for thirty days.

use std::path::{Path, PathBuf};
use std::time::Duration;

use helve_storage::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

use super::disk;
use crate::error::MemoryError;
use crate::store::digest;

/// How long versions and lines of the log remain.
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The size of the largest log that is read, in bytes.
const MAX_LOG_BYTES: usize = 16 << 20;

/// The size of the largest version, in bytes.
const MAX_VERSION_BYTES: usize = 1 << 20;

/// A line of the log: one change of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LogLine {
    /// The time of the change.
    pub(super) time: Timestamp,
    /// What was done: `put`, `delete`, `rename`, `archive`, `accept`, `reject`.
    pub(super) change: String,
    /// The file, relative to the root.
    pub(super) file: String,
    /// The new path of a file that was renamed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) to: String,
    /// The digest of the text before the change, or of the text that was rejected.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) digest: String,
    /// Who changed it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) by: String,
    /// The session and the call of the change.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) call: String,
}

/// The versions and the log, in a folder of their own.
#[derive(Debug)]
pub(super) struct Versions<'a>(pub(super) &'a Path);

impl Versions<'_> {
    fn log_path(&self) -> PathBuf {
        self.0.join("log.jsonl")
    }

    /// Returns the path of a version.
    pub(super) fn path(&self, digest: &str) -> PathBuf {
        self.0.join(format!("{digest}.md"))
    }

    /// Stores a text as a version, and returns its digest.
    pub(super) fn save(&self, text: &str) -> Result<String, MemoryError> {
        let digest = digest(text.as_bytes());
        let path = self.path(&digest);
        if disk::inspect(&path)?.is_none() {
            disk::write(&path, text)?;
        }
        Ok(digest)
    }

    /// Reads a version.
    pub(super) fn load(&self, digest: &str) -> Result<Option<String>, MemoryError> {
        let is_digest = digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        match is_digest {
            true => disk::read(&self.path(digest), MAX_VERSION_BYTES),
            false => Ok(None),
        }
    }

    /// Adds a line to the log.
    pub(super) fn log(&self, line: &LogLine) -> Result<(), MemoryError> {
        let text = serde_json::to_string(line).unwrap_or_default();
        disk::append_line(&self.log_path(), &text)
    }

    /// Reads the log. A line that was torn by a crash is left out.
    pub(super) fn lines(&self) -> Result<Vec<LogLine>, MemoryError> {
        let text = disk::read(&self.log_path(), MAX_LOG_BYTES)?;
        let text = text.unwrap_or_default();
        let lines = text.lines();
        Ok(lines
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect())
    }

    /// Removes what is older than thirty days. What was rejected is remembered.
    pub(super) fn prune(&self, now: Timestamp) -> Result<(), MemoryError> {
        let lines = self.lines()?;
        let is_young = |line: &&LogLine| now.since(line.time) < MAX_AGE || line.change == "reject";
        let young: Vec<&LogLine> = lines.iter().filter(is_young).collect();
        if young.len() == lines.len() {
            return Ok(());
        }
        let texts: Vec<String> = young
            .iter()
            .filter_map(|line| serde_json::to_string(line).ok())
            .collect();
        disk::write(&self.log_path(), &format!("{}\n", texts.join("\n")))?;
        for line in lines.iter().filter(|line| !line.digest.is_empty()) {
            if !young.iter().any(|young| young.digest == line.digest) {
                disk::remove_file(&self.path(&line.digest))?;
            }
        }
        Ok(())
    }
}
