//! Verifies that a folder contains exactly the files of a skill.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::cache::no_follow;
use super::tree::{ProjectedFile, Tree, join_folder, mode};

/// Reports whether a skill is projected at a path, in a cache that others cannot write.
pub(super) fn is_projected(cache: &Path, at: &Path, tree: &Tree<'_>) -> bool {
    let own = |found: &fs::Metadata| {
        found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o022 == 0
    };
    let safe = fs::symlink_metadata(cache).is_ok_and(|found| found.is_dir() && own(&found));
    safe && matches_tree(at, tree).unwrap_or(false)
}

/// Reports whether a folder contains exactly the tree, with its digests and modes.
pub(super) fn matches_tree(at: &Path, tree: &Tree<'_>) -> io::Result<bool> {
    let root = at.join(tree.skill);
    if !is_read_only(at)? || names(at)? != BTreeSet::from([tree.skill.into()]) {
        return Ok(false);
    }
    let (expected, nothing) = (tree.names(), BTreeSet::new());
    for folder in &tree.folders {
        let path = join_folder(&root, folder);
        let expected = expected.get(folder).unwrap_or(&nothing);
        if !is_read_only(&path)? || names(&path)? != *expected {
            return Ok(false);
        }
    }
    for (path, file) in &tree.files {
        if !matches_file(&root.join(path), file)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_read_only(folder: &Path) -> io::Result<bool> {
    let found = fs::symlink_metadata(folder)?;
    Ok(found.is_dir() && found.mode() & 0o7777 == 0o555)
}

fn names(folder: &Path) -> io::Result<BTreeSet<OsString>> {
    fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name()))
        .collect()
}

/// Reports whether a file has the expected contents and mode.
fn matches_file(path: &Path, file: &ProjectedFile<'_>) -> io::Result<bool> {
    let mut options = OpenOptions::new();
    let mut opened = options.read(true).custom_flags(no_follow()).open(path)?;
    let found = opened.metadata()?;
    let expected = file.bytes.len() as u64;
    if !found.is_file() || found.mode() & 0o7777 != mode(file) || found.len() != expected {
        return Ok(false);
    }
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match opened.read(&mut buffer)? {
            0 => break,
            read => hasher.update(&buffer[..read]),
        }
    }
    Ok(<[u8; 32]>::from(hasher.finalize()) == file.sha256)
}
