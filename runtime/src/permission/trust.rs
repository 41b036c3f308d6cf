//! Which files of projects the user has accepted.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::file::{LONGEST, pretty};
use super::{Rule, RuleFile, RuleFileError};
use crate::support::atomic_file::{Access, AtomicFile};
use crate::support::bounded_read::read_if_exists;
use crate::support::file_lock::FileLock;

/// The name of the file that says so.
const NAME: &str = "trusted_projects.json";

/// The most rules that a notice names.
const NAMED: usize = 5;

/// The files of projects that the user has accepted, each with the digest of what it said then.
#[derive(Debug)]
pub(crate) struct Trust {
    path: PathBuf,
}

/// Whether the user has accepted what a file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Acceptance {
    /// They have.
    Given,
    /// They have accepted something else that it said.
    Outdated,
    /// They have accepted nothing.
    Missing,
}

/// The digests by file.
type Accepted = BTreeMap<String, String>;

impl Trust {
    /// Names the file of the user; `None` where there is no home folder.
    #[cfg(feature = "app")]
    pub(crate) fn of_user() -> Option<Self> {
        RuleFile::of_user().as_ref().map(Self::beside)
    }

    /// Names the file beside the user's rules.
    pub(super) fn beside(rules: &RuleFile) -> Self {
        Self {
            path: rules.path().with_file_name(NAME),
        }
    }

    /// Looks up whether the user has accepted what a file says.
    pub(crate) fn acceptance(
        &self,
        file: &Path,
        content: &[u8],
    ) -> Result<Acceptance, RuleFileError> {
        let Ok(key) = key(file) else {
            return Ok(Acceptance::Missing);
        };
        Ok(match self.read()?.get(&key) {
            Some(accepted) if *accepted == digest(content) => Acceptance::Given,
            Some(_) => Acceptance::Outdated,
            None => Acceptance::Missing,
        })
    }

    /// Notes that the user has accepted what a file says.
    pub(crate) fn accept(&self, file: &Path, content: &[u8]) -> Result<(), RuleFileError> {
        let key = key(file)?;
        let digest = digest(content);
        self.change(|accepted| accepted.insert(key, digest))?;
        Ok(())
    }

    /// Notes that they accept nothing that it says, and reports whether they had.
    pub(crate) fn forget(&self, file: &Path) -> Result<bool, RuleFileError> {
        let key = key(file)?;
        if self.read()?.contains_key(&key) {
            let digest = self.change(|accepted| accepted.remove(&key))?;
            return Ok(digest.is_some());
        }
        Ok(false)
    }

    fn read(&self) -> Result<Accepted, RuleFileError> {
        let content =
            read_if_exists(&self.path, LONGEST).map_err(|source| RuleFileError::Read {
                path: self.path.clone(),
                source,
            })?;
        let Some(content) = content else {
            return Ok(Accepted::new());
        };
        serde_json::from_slice(&content).map_err(|source| RuleFileError::InvalidTrust {
            path: self.path.clone(),
            source,
        })
    }

    fn change<T>(&self, change: impl FnOnce(&mut Accepted) -> T) -> Result<T, RuleFileError> {
        let cannot_write = |source| RuleFileError::Write {
            path: self.path.clone(),
            source,
        };
        let _lock = FileLock::on_folder_of(&self.path).map_err(cannot_write)?;
        let mut accepted = self.read()?;
        let changed = change(&mut accepted);
        let file = AtomicFile::new(&self.path, Access::KeptOrUmask);
        pretty(&accepted)
            .and_then(|text| file.replace(&[text.as_bytes()]))
            .map_err(cannot_write)?;
        Ok(changed)
    }
}

/// Returns what a file is called here: by the real place of its project.
///
/// A link inside the project is not followed: it could lead to the file of another project, which was accepted for what
/// is over there.
fn key(file: &Path) -> Result<String, RuleFileError> {
    let key = std::path::absolute(file).ok().and_then(|path| {
        let folder = path.parent()?;
        let project = folder.parent()?.canonicalize().ok()?;
        let place = project.join(folder.file_name()?).join(path.file_name()?);
        place.to_str().map(str::to_owned)
    });
    key.ok_or_else(|| RuleFileError::NoTrust {
        path: file.to_owned(),
        why: "the project has no place that can be noted",
    })
}

fn digest(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Says that the allow rules of a project's file are not in force, since the user has not accepted what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotInForce {
    /// The file.
    pub path: PathBuf,
    /// Its allow rules.
    pub allow: Vec<Rule>,
    /// Whether the user had accepted what it said before.
    pub has_changed: bool,
}

impl NotInForce {
    pub(super) fn new(path: &Path, allow: Vec<Rule>, acceptance: Acceptance) -> Self {
        Self {
            path: path.to_owned(),
            allow,
            has_changed: acceptance == Acceptance::Outdated,
        }
    }
}

impl fmt::Display for NotInForce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = if self.has_changed {
            "it has changed since you accepted it"
        } else {
            "you have not accepted it"
        };
        let path = self.path.display();
        write!(f, "what `{path}` allows is not in force, since {why}:")?;
        for (index, rule) in self.allow.iter().take(NAMED).enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma} `{rule}`")?;
        }
        match self.allow.len().saturating_sub(NAMED) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
