//! The lock file: which skills are installed, from where, and with which content.

use std::path::{Path, PathBuf};

use helve_skill::SkillDigest;
use helve_storage::atomic_file::{AtomicFile, FilePermissions};
use helve_storage::bounded_read::read_if_exists;
use helve_storage::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::{InstallError, shown};

/// The version of the format that this program reads and writes.
const VERSION: u32 = 1;

/// The source of skills that a model wrote.
pub(crate) const CREATED: &str = "created";

/// The greatest size of the file, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// The number of earlier versions of a skill that can be restored.
const MAX_PREVIOUS: usize = 5;

/// What begins the file.
const HEADER: &str = "# Written by `skills add`, `update` and `remove`. Put it under version control with the skills.\n\n";

/// An installed skill, as the lock file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct LockedSkill {
    /// The name.
    pub name: String,
    /// The source, as it was asked for.
    pub source: String,
    /// The folder in the source; empty for the source itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// The commit that the branch or the tag named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The tag that was asked for, which must not move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// The SHA-256 of the downloaded archive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The digest of the files.
    pub digest: String,
    /// The number of files.
    pub files: usize,
    /// The total size, in bytes.
    pub size: u64,
    /// The licence that the skill names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// The number of scan findings that the user accepted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub findings: usize,
    /// The user who installed the skill.
    pub installed_by: String,
    /// The time of the installation.
    pub installed_at: Timestamp,
    /// The digests of earlier versions, the latest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub previous: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "for serde")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl LockedSkill {
    /// Returns the version of the skill, made safe to display: its tag, its commit, or its digest, of which twelve characters.
    #[must_use]
    pub fn version(&self) -> String {
        let version = self.tag.as_ref().or(self.commit.as_ref());
        let version = version.unwrap_or(&self.digest);
        let version = version.strip_prefix("sha256:").unwrap_or(version);
        shown(helve_core::support::text::first_chars(version, 12))
    }

    /// Returns the digest of the files; `None` if the file was changed by hand.
    #[must_use]
    pub fn digest(&self) -> Option<SkillDigest> {
        self.digest.parse().ok()
    }

    /// Returns whether the skill was written by a model, so that no source has newer versions of it.
    #[must_use]
    pub fn is_created(&self) -> bool {
        self.source == CREATED
    }

    /// Notes the version that this one replaces.
    pub(crate) fn replacing(mut self, before: Option<&Self>) -> Self {
        if let Some(before) = before {
            let earlier = std::iter::once(&before.digest).chain(&before.previous);
            for digest in earlier {
                if *digest != self.digest && !self.previous.contains(digest) {
                    self.previous.push(digest.clone());
                }
            }
            self.previous.truncate(MAX_PREVIOUS);
        }
        self
    }
}

/// The content of a lock file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LockDocument {
    version: u32,
    #[serde(default, rename = "skill")]
    skills: Vec<LockedSkill>,
}

/// The part of the file that is read first: a file of a later version is not changed.
#[derive(Deserialize)]
struct DocumentHeader {
    version: u32,
}

/// A lock file, sorted by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LockFile {
    path: PathBuf,
    skills: Vec<LockedSkill>,
}

impl LockFile {
    /// Reads a lock file; one that does not exist is empty. Blocks on file access.
    ///
    /// # Errors
    /// When the file cannot be read, is invalid, or has a later version.
    pub fn read(path: &Path) -> Result<Self, InstallError> {
        let invalid = |reason: String| InstallError::InvalidFile {
            path: path.to_owned(),
            reason,
        };
        let read = read_if_exists(path, MAX_BYTES).map_err(InstallError::io("read", path))?;
        let Some(bytes) = read else {
            return Ok(Self {
                path: path.to_owned(),
                skills: Vec::new(),
            });
        };
        let text = String::from_utf8(bytes).map_err(|_| invalid("it is not UTF-8".to_owned()))?;
        let header: DocumentHeader =
            toml::from_str(&text).map_err(|error| invalid(error.to_string()))?;
        if header.version != VERSION {
            let version = header.version;
            return Err(invalid(format!(
                "it has version {version}, and this program writes {VERSION}; use the newer program"
            )));
        }
        let document: LockDocument =
            toml::from_str(&text).map_err(|error| invalid(error.to_string()))?;
        let mut skills = document.skills;
        skills.sort_by(|a, b| a.name.cmp(&b.name));
        // The name is a folder, and the file may come with a project.
        let is_name =
            |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-');
        if let Some(wrong) = skills.iter().find(|skill| !is_name(&skill.name)) {
            let name = shown(&wrong.name);
            return Err(invalid(format!("`{name}` is no name of a skill")));
        }
        if let Some(pair) = skills.windows(2).find(|pair| pair[0].name == pair[1].name) {
            return Err(invalid(format!(
                "the skill `{}` is there twice",
                pair[0].name
            )));
        }
        Ok(Self {
            path: path.to_owned(),
            skills,
        })
    }

    /// Returns the skills, sorted by name.
    #[must_use]
    pub fn skills(&self) -> &[LockedSkill] {
        &self.skills
    }

    /// Returns a skill.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&LockedSkill> {
        self.skills.iter().find(|skill| skill.name == name)
    }

    /// Returns a skill, or the error that it is not installed.
    pub(crate) fn find(&self, name: &str) -> Result<&LockedSkill, InstallError> {
        self.get(name).ok_or_else(|| InstallError::Unknown {
            name: name.to_owned(),
            place: "that was installed here",
            known: self.skills.iter().map(|skill| skill.name.clone()).collect(),
        })
    }

    /// Returns the skills with these names; all of them if there are none.
    ///
    /// # Errors
    /// When a name is not installed.
    pub fn select(&self, names: &[String]) -> Result<Vec<&LockedSkill>, InstallError> {
        match names.is_empty() {
            true => Ok(self.skills.iter().collect()),
            false => names.iter().map(|name| self.find(name)).collect(),
        }
    }

    pub(crate) fn insert(&mut self, skill: LockedSkill) {
        self.remove(&skill.name);
        self.skills.push(skill);
        self.skills.sort_by(|a, b| a.name.cmp(&b.name));
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.skills.retain(|skill| skill.name != name);
    }

    /// Replaces the file.
    pub(crate) fn write(&self) -> Result<(), InstallError> {
        let document = LockDocument {
            version: VERSION,
            skills: self.skills.clone(),
        };
        let text = toml::to_string(&document).map_err(|error| InstallError::InvalidFile {
            path: self.path.clone(),
            reason: error.to_string(),
        })?;
        let file = AtomicFile::new(&self.path, FilePermissions::PreserveOrUmask);
        let written = file.replace(&[HEADER.as_bytes(), text.as_bytes()]);
        written.map_err(InstallError::io("write", &self.path))
    }
}
