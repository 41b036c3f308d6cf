//! Rules that outlive a session: a file of the project, and one of the user.

mod error;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use self::error::RuleFileError;
use super::{RuleScope, Rules};
use helve_storage::atomic_file::{AtomicFile, FilePermissions};
use helve_storage::bounded_read::read_if_exists;
use helve_storage::file_lock::FileLock;
use helve_storage::user_folders;

/// The name of both files.
const FILE_NAME: &str = "permissions.json";

/// The most bytes of a file of rules: a person writes a few hundred lines.
const MAX_BYTES: u64 = 16 << 20;

/// A file of rules: JSON with the lists `allow`, `ask` and `deny`.
///
/// ```json
/// {
///   "allow": ["bash(git commit:*)", "write_file(src/**)"],
///   "deny": ["bash(git push:*)", "mcp__github__*"]
/// }
/// ```
///
/// What it says of a project is in force as [`RuleFiles`](super::RuleFiles) have it: a project may come from anybody.
///
/// It is read again each time, and replaced as a whole: a reader sees the rules before or after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFile {
    path: PathBuf,
    scope: RuleScope,
}

impl RuleFile {
    /// Names a file.
    pub fn new(path: impl Into<PathBuf>, scope: RuleScope) -> Self {
        Self {
            path: path.into(),
            scope,
        }
    }

    /// Names the file of a project: `.helve/permissions.json`, for all users of the project.
    #[must_use]
    pub fn for_project(folder: &Path) -> Self {
        Self::new(folder.join(".helve").join(FILE_NAME), RuleScope::Project)
    }

    /// Names the file of a user: `helve/permissions.json` in the folder of configurations, which is
    /// `$XDG_CONFIG_HOME` or `~/.config`. `None` where there is no home folder.
    #[must_use]
    pub fn for_user() -> Option<Self> {
        let folder = user_folders::config()?.join("helve");
        Some(Self::new(folder.join(FILE_NAME), RuleScope::User))
    }

    /// Returns where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns how far its rules reach.
    #[must_use]
    pub const fn scope(&self) -> RuleScope {
        self.scope
    }

    /// Reads what is written there, whether it is in force or not; no rules where there is no file.
    ///
    /// # Errors
    ///
    /// Fails where the file cannot be read, or says something else than rules: a rule that is passed over could be one
    /// that denies.
    pub fn read_rules(&self) -> Result<Rules, RuleFileError> {
        Ok(self.read()?.rules)
    }

    /// Reads the file once: what it says, and the very bytes that say it.
    pub(super) fn read(&self) -> Result<RuleFileContents, RuleFileError> {
        let path = || self.path.clone();
        let content = read_if_exists(&self.path, MAX_BYTES);
        let content = content.map_err(|source| RuleFileError::Read {
            path: path(),
            source,
        })?;
        let Some(content) = content else {
            return Ok(RuleFileContents::default());
        };
        // serde would take a list for the fields in their order.
        let rules = if content.trim_ascii_start().starts_with(b"{") {
            serde_json::from_slice(&content)
        } else {
            Err(serde::de::Error::custom("it is not an object"))
        };
        let rules = rules.map_err(|source| RuleFileError::Invalid {
            path: path(),
            source,
        })?;
        Ok(RuleFileContents { rules, content })
    }

    /// Waits until no other process changes the file, for some seconds at most.
    ///
    /// A project whose folder of rules is a link would have what is written land elsewhere, with the user's own rules
    /// for instance.
    pub(super) fn lock(&self) -> Result<FileLock, RuleFileError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let is_link = fs::symlink_metadata(folder).is_ok_and(|folder| folder.is_symlink());
        let lock = if is_link && self.scope == RuleScope::Project {
            Err(io::Error::other("its folder is a link to another one"))
        } else {
            FileLock::lock_parent_of(&self.path)
        };
        lock.map_err(|source| self.write_error(source))
    }

    /// Replaces what is written there, and returns what is there then. The caller holds the lock.
    pub(super) fn replace(
        &self,
        _lock: &FileLock,
        rules: Rules,
    ) -> Result<RuleFileContents, RuleFileError> {
        let file = AtomicFile::new(&self.path, FilePermissions::PreserveOrUmask);
        let written = serde_json::to_vec_pretty(&rules).map_err(io::Error::from);
        let written = written.and_then(|mut content| {
            content.push(b'\n');
            file.replace(&[&content])?;
            Ok(content)
        });
        let content = written.map_err(|source| self.write_error(source))?;
        Ok(RuleFileContents { rules, content })
    }

    pub(super) fn write_error(&self, source: io::Error) -> RuleFileError {
        RuleFileError::Write {
            path: self.path.clone(),
            source,
        }
    }
}

/// What a file says, and the bytes that say it.
#[derive(Debug, Default)]
pub(super) struct RuleFileContents {
    pub(super) rules: Rules,
    pub(super) content: Vec<u8>,
}
