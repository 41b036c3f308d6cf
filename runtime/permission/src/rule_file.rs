//! Rules that outlive a session: a rule file of the project, and one of the user.

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

/// The name of both rule files.
const FILE_NAME: &str = "permissions.json";

/// The maximum size of a rule file, in bytes. A rule file written by hand has a few hundred lines.
const MAX_BYTES: u64 = 16 << 20;

/// A rule file: JSON with the lists `allow`, `ask` and `deny`.
///
/// ```json
/// {
///   "allow": ["bash(git commit:*)", "write_file(src/**)"],
///   "deny": ["bash(git push:*)", "mcp__github__*"]
/// }
/// ```
///
/// [`RuleFiles`](super::RuleFiles) decide which rules of a project apply, since a project may come from an untrusted
/// source.
///
/// The file is read again each time, and replaced as a whole: a reader sees the rules before or after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFile {
    path: PathBuf,
    scope: RuleScope,
}

impl RuleFile {
    /// Creates a rule file with a path and a scope.
    pub fn new(path: impl Into<PathBuf>, scope: RuleScope) -> Self {
        Self {
            path: path.into(),
            scope,
        }
    }

    /// Returns the rule file of a project, which applies to all users of the project: `.helve/permissions.json`.
    #[must_use]
    pub fn for_project(folder: &Path) -> Self {
        Self::new(folder.join(".helve").join(FILE_NAME), RuleScope::Project)
    }

    /// Returns the rule file of the user: `helve/permissions.json` in `$XDG_CONFIG_HOME` or `~/.config`. Returns `None`
    /// if there is no home folder.
    #[must_use]
    pub fn for_user() -> Option<Self> {
        let folder = user_folders::config()?.join("helve");
        Some(Self::new(folder.join(FILE_NAME), RuleScope::User))
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the scope of the rules.
    #[must_use]
    pub const fn scope(&self) -> RuleScope {
        self.scope
    }

    /// Reads the rules of the file, whether they are in force or not; returns no rules if the file does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or is not a valid rule file. Invalid rules are not skipped, since a
    /// skipped rule could be a deny rule.
    pub fn read_rules(&self) -> Result<Rules, RuleFileError> {
        Ok(self.read()?.rules)
    }

    /// Reads the file once, and returns its rules with the exact bytes of the file.
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
        // `serde` would accept a list as the fields in their order.
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

    /// Locks the file against changes by other processes. Waits a few seconds at most.
    ///
    /// The project's rule folder must not be a link: a write would change a file elsewhere, for example the user's own
    /// rules.
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

    /// Replaces the rules of the file, and returns its new content. The caller holds the lock.
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

/// The rules of a file, and the bytes of the file.
#[derive(Debug, Default)]
pub(super) struct RuleFileContents {
    pub(super) rules: Rules,
    pub(super) content: Vec<u8>,
}
