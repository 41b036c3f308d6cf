//! The files of one skill, in memory.

mod folder;
mod path;

use std::collections::BTreeMap;

use helve_skill::{DigestInput, SkillDigest};
use sha2::{Digest as _, Sha256};

use crate::error::InstallError;
use crate::limits::{MAX_FILES, MAX_SKILL_BYTES, MAX_TEXT_BYTES};

pub(crate) use path::check_path;

/// The name of the file that makes a folder a skill.
pub(crate) const SKILL_MD: &str = "SKILL.md";

/// The names that are left out of folders of this machine.
pub(crate) const LEFT_OUT: [&str; 4] = [".DS_Store", ".git", "__pycache__", "node_modules"];

/// The names that no skill may have: they configure other programs, or hold secrets.
const FORBIDDEN: [&str; 5] = [".env", ".git", ".gitmodules", ".netrc", ".npmrc"];

/// The first bytes of files that an operating system runs.
const PROGRAMS: [&[u8]; 8] = [
    b"\x7fELF",
    b"MZ",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"\0asm",
];

/// The files of a skill: their paths, contents and executable bits, within the limits of a skill.
///
/// ```
/// use helve::skill_install::SkillTree;
///
/// let mut tree = SkillTree::default();
/// tree.insert("SKILL.md", b"---\nname: pdf\n---\n".to_vec(), false)?;
/// assert!(tree.insert("../SKILL.md", Vec::new(), false).is_err());
/// assert_eq!(tree.len(), 1);
/// # Ok::<_, helve::skill_install::InstallError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillTree {
    files: BTreeMap<String, TreeFile>,
    /// The paths of the files and their folders without the case of letters, each with its spelling.
    spellings: BTreeMap<String, String>,
    bytes: u64,
}

/// A file of a [`SkillTree`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeFile {
    /// The contents.
    pub bytes: Vec<u8>,
    /// The SHA-256 of the contents.
    pub sha256: [u8; 32],
    /// Whether the file is executable: by its mode, or by a leading `#!`.
    pub executable: bool,
}

impl SkillTree {
    /// Adds a file.
    ///
    /// # Errors
    /// When the path leads out of the skill, is not portable or is forbidden, differs from another one by case alone, or
    /// the skill exceeds a limit.
    pub fn insert(
        &mut self,
        path: &str,
        bytes: Vec<u8>,
        executable: bool,
    ) -> Result<(), InstallError> {
        let refused = |reason: String| {
            InstallError::refused(format!("the file `{}`", crate::error::shown(path)), reason)
        };
        check_path(path).map_err(|reason| refused(reason.to_owned()))?;
        if let Some(name) = path.split('/').find(|name| is_forbidden(name)) {
            return Err(refused(format!("`{name}` is never installed")));
        }
        if self.files.len() >= MAX_FILES {
            return Err(refused(format!("there are at most {MAX_FILES} files")));
        }
        let size = bytes.len() as u64;
        self.bytes += size;
        if self.bytes > MAX_SKILL_BYTES {
            return Err(refused(format!(
                "the files have at most {} MiB together",
                MAX_SKILL_BYTES >> 20
            )));
        }
        if size > MAX_TEXT_BYTES && str::from_utf8(&bytes).is_ok() {
            return Err(refused(format!(
                "a text file has at most {} MiB",
                MAX_TEXT_BYTES >> 20
            )));
        }
        if PROGRAMS.iter().any(|magic| bytes.starts_with(magic)) {
            return Err(refused("it is a compiled program".to_owned()));
        }
        self.add_spellings(path).map_err(refused)?;
        let file = TreeFile {
            sha256: Sha256::digest(&bytes).into(),
            executable: executable || bytes.starts_with(b"#!"),
            bytes,
        };
        match self.files.insert(path.to_owned(), file) {
            None => Ok(()),
            Some(_) => Err(refused("the path is there twice".to_owned())),
        }
    }

    /// Adds the path and its folders, of which each has one spelling, and is a file or a folder.
    fn add_spellings(&mut self, path: &str) -> Result<(), String> {
        let ends = path.match_indices('/').map(|(at, _)| at);
        for end in ends.chain([path.len()]) {
            let (spelling, is_file) = (&path[..end], end == path.len());
            let folded = spelling.to_lowercase();
            if let Some(known) = self.spellings.get(&folded)
                && known != spelling
            {
                return Err(format!("`{known}` differs from it by case alone"));
            }
            let is_known = self.spellings.contains_key(&folded);
            let is_known_file = self.files.contains_key(spelling);
            if is_known && is_file != is_known_file || is_file && is_known_file {
                return Err(format!("`{spelling}` is there twice"));
            }
            self.spellings.insert(folded, spelling.to_owned());
        }
        Ok(())
    }

    /// Returns a file.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&TreeFile> {
        self.files.get(path)
    }

    /// Returns the files with their paths, sorted by path.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&str, &TreeFile)> {
        self.files.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// Returns the number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns whether there are no files.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the total size of the files, in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.bytes
    }

    /// Computes the digest of a skill of this name with these files, as [`Skill::digest`](helve_skill::Skill::digest) does.
    #[must_use]
    pub fn digest(&self, name: &str) -> SkillDigest {
        let files = self.files().map(|(path, file)| DigestInput {
            path,
            executable: file.executable,
            sha256: &file.sha256,
        });
        SkillDigest::compute(name, files)
    }

    /// Describes how the files differ from those of another tree, in at most five paths.
    #[must_use]
    pub fn describe_changes(&self, before: &Self) -> Option<String> {
        let paths = self.files.keys().chain(before.files.keys());
        let mut paths: Vec<&String> = paths.collect();
        paths.sort();
        paths.dedup();
        let changed = paths.into_iter().filter_map(|path| {
            match (before.files.get(path), self.files.get(path)) {
                (None, Some(_)) => Some(format!("+{path}")),
                (Some(_), None) => Some(format!("-{path}")),
                (before, now) if before != now => Some(format!("~{path}")),
                _ => None,
            }
        });
        let changed: Vec<String> = changed.collect();
        let more = changed.len().saturating_sub(5);
        let mut text = changed[..changed.len().min(5)].join(", ");
        if more > 0 {
            text.push_str(&format!(" and {more} more"));
        }
        (!text.is_empty()).then_some(text)
    }
}

fn is_forbidden(name: &str) -> bool {
    FORBIDDEN.iter().any(|one| name.eq_ignore_ascii_case(one))
        || name.to_ascii_lowercase().starts_with(".env.")
}

#[cfg(test)]
mod tests;
