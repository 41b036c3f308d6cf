//! What has changed in a folder since it was embedded.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;

use helve_skill_format::{Options, Profile, Skill};
use sha2::{Digest as _, Sha256};

use super::{EmbeddedFile, SkillSet, SourceFolder};

/// A file that is no longer what was embedded. `Display` shows it as a line: `changed: pdf/SKILL.md`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Drift {
    /// The contents are others. The path is below the set's folder, as every path here.
    Changed(String),
    /// The file is not embedded.
    Added(String),
    /// The embedded file is no longer in the folder.
    Removed(String),
}

impl Drift {
    /// Returns the path of the file, below the set's folder.
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
    /// Compares the set with the folder that it was embedded from, and gives what differs, sorted by path.
    ///
    /// Empty for a package that was built without debug assertions, which does not know its folder, and where the
    /// folder is gone, as on another machine. A file is read only if it is as long as it was and was touched after this
    /// program was built. Reads the disk: blocks, for a few milliseconds in a folder of some hundred files.
    #[must_use]
    pub fn drift(&self) -> Vec<Drift> {
        match &self.source_folder {
            Some(source) => compare(self, source, program_build_time()),
            None => Vec::new(),
        }
    }
}

/// When the program that runs was written; `None` if the system does not say, and then every file is read.
fn program_build_time() -> Option<SystemTime> {
    let program = std::env::current_exe().ok()?;
    program.metadata().ok()?.modified().ok()
}

fn compare(set: &SkillSet, source: &SourceFolder, built: Option<SystemTime>) -> Vec<Drift> {
    let folder = Path::new(source.path);
    if !folder.is_dir() {
        return Vec::new();
    }
    // What breaks a rule by now is still there: so it is read under the profile that forgives most.
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
    // Each is looked for itself: a skill that is broken by now is not among those that were read.
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

/// When a file was last changed, or put where it is: a copy can keep an old time of modification.
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
