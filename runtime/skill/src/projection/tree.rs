//! The files and folders of a projected skill, and how they are written.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::error::ProjectionError;

/// The greatest number of files of a skill: ten times that of the largest known one.
const MAX_FILES: usize = 10_000;
/// The greatest size of a skill, in bytes.
const MAX_BYTES: usize = 256 << 20;
/// The greatest depth of nested folders.
const MAX_DEPTH: usize = 32;
/// The longest name that file systems support, in bytes.
const MAX_NAME_LEN: usize = 255;

/// A file of a skill to be projected.
#[derive(Debug, Clone)]
pub struct ProjectedFile<'a> {
    /// The path, relative to the skill's folder, with `/` as the separator.
    pub path: Cow<'a, str>,
    /// The contents.
    pub bytes: Cow<'a, [u8]>,
    /// The SHA-256 of the contents.
    pub sha256: [u8; 32],
    /// Whether the file is executable.
    pub executable: bool,
}

pub(super) fn mode(file: &ProjectedFile<'_>) -> u32 {
    if file.executable { 0o555 } else { 0o444 }
}

/// The expected contents of a folder: files and folders by their relative paths.
pub(super) struct Tree<'t> {
    pub(super) skill: &'t str,
    pub(super) files: BTreeMap<&'t str, &'t ProjectedFile<'t>>,
    /// Every folder above a file, including the skill's own as the empty path; parents come before
    /// their children.
    pub(super) folders: BTreeSet<&'t str>,
}

impl<'t> Tree<'t> {
    /// Creates the tree of a skill's files; fails if a path is not valid.
    pub(super) fn new(
        skill: &'t str,
        files: &'t [ProjectedFile<'t>],
    ) -> Result<Self, ProjectionError> {
        let invalid = |why: String| ProjectionError::Invalid {
            skill: skill.escape_debug().take(80).collect(),
            why,
        };
        if let Err(why) = check_component(skill) {
            return Err(invalid(format!("its name {why}")));
        }
        let bytes = files.iter().map(|file| file.bytes.len()).sum::<usize>();
        if files.len() > MAX_FILES || bytes > MAX_BYTES {
            return Err(invalid(format!(
                "it has {} files and {bytes} bytes; up to {MAX_FILES} and {MAX_BYTES} are taken",
                files.len()
            )));
        }
        let mut tree = Self {
            skill,
            files: BTreeMap::new(),
            folders: BTreeSet::from([""]),
        };
        for file in files {
            let path = &*file.path;
            let wrong = |why: &str| invalid(format!("the path {path:?} {why}"));
            tree.folders.extend(ancestors(path).map_err(&wrong)?);
            if tree.files.insert(path, file).is_some() {
                return Err(wrong("is there twice"));
            }
            if <[u8; 32]>::from(Sha256::digest(&file.bytes)) != file.sha256 {
                return Err(wrong("does not match its digest"));
            }
        }
        match tree.files.keys().find(|path| tree.folders.contains(*path)) {
            Some(both) => Err(invalid(format!("{both:?} is a file and a folder"))),
            None => Ok(tree),
        }
    }

    /// Returns the names in each folder, by the folder's path.
    pub(super) fn names(&self) -> BTreeMap<&'t str, BTreeSet<OsString>> {
        let mut names: BTreeMap<&str, BTreeSet<OsString>> = BTreeMap::new();
        for path in self.folders.iter().chain(self.files.keys()) {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            if !name.is_empty() {
                names.entry(folder).or_default().insert(name.into());
            }
        }
        names
    }

    /// Writes the tree to an empty folder, syncs it to the disk, and makes the folders read-only,
    /// including the root.
    pub(super) fn write(&self, staging: &Path) -> Result<(), ProjectionError> {
        let cache = staging.parent().unwrap_or(staging);
        let root = staging.join(self.skill);
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| ProjectionError::io(cache, "written", &path, error)
        };
        for folder in &self.folders {
            let path = join_folder(&root, folder);
            let made = DirBuilder::new().mode(0o700).create(&path);
            made.map_err(failed(&path))?;
        }
        for (path, file) in &self.files {
            let path = root.join(path);
            write(&path, file).map_err(failed(&path))?;
        }
        // Innermost folders first: the entries of a folder are on the disk before its own name is.
        for folder in self.folders.iter().rev() {
            let path = join_folder(&root, folder);
            make_read_only(&path).map_err(failed(&path))?;
        }
        make_read_only(staging).map_err(failed(staging))
    }
}

/// Joins a folder of the tree to the root. Joining the empty path would add a `/`, with which a
/// symbolic link is followed.
pub(super) fn join_folder(root: &Path, folder: &str) -> PathBuf {
    match folder {
        "" => root.to_owned(),
        folder => root.join(folder),
    }
}

fn write(path: &Path, file: &ProjectedFile<'_>) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut written = options.open(path)?;
    written.write_all(&file.bytes)?;
    written.set_permissions(Permissions::from_mode(mode(file)))?;
    written.sync_all()
}

fn make_read_only(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, Permissions::from_mode(0o555))?;
    File::open(folder)?.sync_all()
}

/// Returns the folders above a path; fails if the path is not valid.
fn ancestors(path: &str) -> Result<Vec<&str>, &'static str> {
    for name in path.split('/') {
        check_component(name)?;
    }
    let ends: Vec<&str> = path.match_indices('/').map(|(at, _)| &path[..at]).collect();
    if ends.len() >= MAX_DEPTH {
        return Err("lies too deep");
    }
    Ok(ends)
}

fn check_component(name: &str) -> Result<(), &'static str> {
    if matches!(name, "" | "." | "..") {
        return Err("is not one of a file below a folder");
    }
    if name.len() > MAX_NAME_LEN {
        return Err("is too long");
    }
    if name.contains(['/', '\\', '\0']) || name.chars().any(char::is_control) {
        return Err("contains an invalid character");
    }
    Ok(())
}
