//! The mounts of a container, and the files that are masked or read-only in them.

use std::fs;
use std::path::Path;

use bollard::models::{Mount, MountType};

use helve_core::dangerous_paths::is_named;
use helve_core::sandbox::SandboxPolicy;

/// The greatest number of names that are searched for files to mask, and the greatest depth.
const MAX_NAMES: usize = 50_000;
const MAX_DEPTH: usize = 12;

/// The mounts of a container.
#[derive(Debug, Default)]
pub(super) struct Mounts {
    pub(super) mounts: Vec<Mount>,
    /// Whether all names were searched.
    pub(super) complete: bool,
}

/// Plans the mounts of a workspace that is mounted into a container. This blocks.
pub(super) fn plan(policy: &SandboxPolicy) -> Mounts {
    let folders = policy.roots();
    let writable = folders.clone().map(|folder| (folder, false));
    let readable = policy.readable.iter().map(|folder| (folder, true));
    let mut mounts: Vec<Mount> = writable
        .chain(readable)
        .map(|(folder, read_only)| bind_mount(folder, folder, read_only))
        .collect();
    for folder in folders.clone() {
        for name in &policy.protected {
            let path = folder.join(name);
            // The target of a link is not in this folder; a path that does not exist cannot be mounted over.
            if path.canonicalize().is_ok_and(|whole| whole == path) {
                mounts.push(bind_mount(&path, &path, true));
            }
        }
    }
    let mut seen = 0;
    let mut complete = true;
    for folder in folders.clone() {
        complete &= find_masked(folder, &policy.masked, &mut seen, &mut |path, is_folder| {
            mounts.push(mask_mount(path, is_folder));
        });
    }
    for path in &policy.masked_paths {
        // Paths outside of these folders are not visible anyway.
        if folders.clone().any(|folder| path.starts_with(folder)) {
            mounts.push(mask_mount(path, path.is_dir()));
        }
    }
    Mounts { mounts, complete }
}

/// Finds the masked files below a folder; returns whether all names were searched.
fn find_masked(
    folder: &Path,
    rules: &[String],
    seen: &mut usize,
    found: &mut dyn FnMut(&Path, bool),
) -> bool {
    let mut todo = vec![(folder.to_owned(), 0)];
    let mut complete = true;
    while let Some((folder, depth)) = todo.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            *seen += 1;
            if *seen > MAX_NAMES {
                return false;
            }
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if is_masked(&entry.file_name().to_string_lossy(), rules) && !kind.is_symlink() {
                found(&entry.path(), kind.is_dir());
            } else if kind.is_dir() && depth < MAX_DEPTH {
                todo.push((entry.path(), depth + 1));
            } else if kind.is_dir() {
                complete = false;
            }
        }
    }
    complete
}

/// Reports whether a name is masked: literally, or by a rule with one `*`.
pub(super) fn is_masked(name: &str, rules: &[String]) -> bool {
    rules.iter().any(|rule| is_named(rule, name))
}

fn bind_mount(source: &Path, target: &Path, read_only: bool) -> Mount {
    Mount {
        typ: Some(MountType::BIND),
        source: Some(text(source)),
        target: Some(text(target)),
        read_only: Some(read_only),
        ..Mount::default()
    }
}

/// Covers a folder with an empty one, and a file with `/dev/null`.
fn mask_mount(target: &Path, is_folder: bool) -> Mount {
    if !is_folder {
        return bind_mount(Path::new("/dev/null"), target, true);
    }
    Mount {
        typ: Some(MountType::TMPFS),
        target: Some(text(target)),
        read_only: Some(true),
        ..Mount::default()
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
