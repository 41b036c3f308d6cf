//! Compares an embedded set with the folder that it was built from.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;

use helve_skill_format::{Options, Profile, Skill};
use sha2::{Digest as _, Sha256};

use super::{EmbeddedFile, SkillSet, SourceFolder};

/// A file that differs from its embedded version. `Display` renders one line: `changed: pdf/SKILL.md`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Drift {
    /// The contents differ. The path is relative to the set's folder, as in all variants.
    Changed(String),
    /// The file is not embedded.
    Added(String),
    /// The embedded file is no longer in the folder.
    Removed(String),
}

impl Drift {
    /// Returns the path of the file, relative to the set's folder.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::Changed(path) | Self::Added(path) | Self::Removed(path) => path,
        }
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed(path) => write!(f, "changed: {path}"),
            Self::Added(path) => write!(f, "added: {path}"),
            Self::Removed(path) => write!(f, "removed: {path}"),
        }
    }
}

impl SkillSet {
    /// Compares the set with the folder that it was built from, and returns the differences, sorted by
    /// path.
    ///
    /// The list is empty if the package was built without debug assertions, because it does not record
    /// its folder, and if the folder does not exist, as on another machine. A file is read only if its
    /// size is unchanged and the file was changed after this program was built. The method reads the
    /// disk and blocks, for a few milliseconds in a folder of some hundred files.
    #[must_use]
    pub fn drift(&self) -> Vec<Drift> {
        match &self.source_folder {
            Some(source) => compare(self, source, program_build_time()),
            None => Vec::new(),
        }
    }
}

/// Returns the modification time of the running program; `None` if the system does not report the time,
/// and then every file is read.
fn program_build_time() -> Option<SystemTime> {
    let program = std::env::current_exe().ok()?;
    program.metadata().ok()?.modified().ok()
}

fn compare(set: &SkillSet, source: &SourceFolder, built: Option<SystemTime>) -> Vec<Drift> {
    let folder = Path::new(source.path);
    if !folder.is_dir() {
        return Vec::new();
    }
    // A skill that has become invalid still exists: the folder is read under the most lenient profile.
    let options = Options::new()
        .profile(Profile::Lenient)
        .exclude(source.exclude.iter().copied())
        .digests(false);
    let found = helve_skill_format::read(folder, set.folder(), &options);
    let mut embedded: BTreeMap<String, &EmbeddedFile> = BTreeMap::new();
    for skill in set.skills() {
        let files = skill.files().iter();
        embedded.extend(files.map(|file| (format!("{}/{}", skill.folder(), file.path()), file)));
    }
    let mut drift = Vec::new();
    let there = found.skills.iter().flat_map(paths_of);
    let added = there.filter(|path| !embedded.contains_key(path));
    drift.extend(added.map(Drift::Added));
    // Each path is checked by itself, because a skill that has become invalid is not among the parsed
    // ones.
    for (path, file) in embedded {
        match folder.join(&path).metadata() {
            Err(_) => drift.push(Drift::Removed(path)),
            Ok(found) if has_changed(file, &folder.join(&path), &found, built) => {
                drift.push(Drift::Changed(path));
            }
            Ok(_) => {}
        }
    }
    drift.sort_by(|left, right| left.path().cmp(right.path()));
    drift
}

fn paths_of(skill: &Skill) -> impl Iterator<Item = String> {
    let files = skill.files.iter();
    files.map(|file| format!("{}/{}", skill.folder, file.path))
}

fn has_changed(
    embedded: &EmbeddedFile,
    path: &Path,
    found: &Metadata,
    built: Option<SystemTime>,
) -> bool {
    if !found.is_file() || found.len() != embedded.size() as u64 {
        return true;
    }
    let since = last_change(found).zip(built);
    if since.is_some_and(|(touched, built)| touched < built) {
        return false;
    }
    match std::fs::read(path) {
        Ok(bytes) => Sha256::digest(bytes).as_slice() != embedded.sha256(),
        Err(_) => true,
    }
}

/// Returns when a file was last changed or moved to its path: a copy can keep an old modification time.
fn last_change(found: &Metadata) -> Option<SystemTime> {
    let modified = found.modified().ok()?;
    Some(status_change_time(found).map_or(modified, |moved| modified.max(moved)))
}

#[cfg(unix)]
fn status_change_time(found: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    use std::time::Duration;

    let (seconds, nanos) = (
        found.ctime().try_into().ok()?,
        found.ctime_nsec().try_into().ok()?,
    );
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos))
}

#[cfg(not(unix))]
fn status_change_time(_: &Metadata) -> Option<SystemTime> {
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
