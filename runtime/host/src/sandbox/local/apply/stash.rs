//! A hidden folder beside the changed files, which stores new contents before they are moved into place, and the
//! replaced originals.
//!
//! The process that creates a stash holds its lock. A crash releases the lock, and the next change in that folder
//! removes the stash.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::super::folder::{Folder, identity};
use super::super::io_failure::Result;
use super::super::tree;
use helve_core::support::random;

/// The prefix of the names of stashes, and of folders with files that could not be restored.
const STASH: &str = ".helve-apply-";
const KEPT_STASH: &str = ".helve-kept-";

/// The greatest number of names in a folder that are checked for stashes of crashed processes.
const MAX_SCANNED_NAMES: usize = 4_096;

const MAX_ATTEMPTS: usize = 16;

pub(crate) fn is_stash(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(STASH.as_bytes())
}

pub(crate) fn in_stash(path: &Path) -> bool {
    path.components().any(|part| is_stash(part.as_os_str()))
}

#[derive(Debug)]
pub(super) struct Stash {
    /// The folder that contains the stash.
    pub(super) outer: Arc<Folder>,
    pub(super) name: OsString,
    pub(super) inner: Arc<Folder>,
    next: u32,
    /// Whether a file in the stash could not be restored.
    has_unrestored: bool,
    _lock: File,
}

impl Stash {
    /// Creates a stash in a folder, and removes stashes that are not locked any more.
    pub(super) fn create(outer: &Arc<Folder>) -> Result<Self> {
        sweep(outer);
        for _ in 0..MAX_ATTEMPTS {
            let name = OsString::from(format!("{STASH}{}", random::hex::<8>()));
            match outer.make_dir(&name, 0o700) {
                Err(fault) if fault.kind() == Some(io::ErrorKind::AlreadyExists) => continue,
                made => made?,
            }
            // Until the stash is locked, another process may take it for an abandoned stash.
            let Ok(inner) = outer.child(&name) else {
                continue;
            };
            let Some(lock) = inner.lock()? else { continue };
            let there = outer.stat(&name)?;
            if there.is_some_and(|there| {
                inner
                    .metadata()
                    .is_ok_and(|own| identity(&own) == identity(&there))
            }) {
                return Ok(Self {
                    outer: Arc::clone(outer),
                    name,
                    inner: Arc::new(inner),
                    next: 0,
                    has_unrestored: false,
                    _lock: lock,
                });
            }
        }
        let why = "another process keeps removing the temporary folder";
        Err(io::Error::other(why).into())
    }

    /// Returns an unused name in the stash.
    pub(super) fn fresh_name(&mut self) -> OsString {
        self.next += 1;
        self.next.to_string().into()
    }

    /// Keeps the stash for the user to inspect, and returns its path.
    pub(super) fn keep(&mut self) -> Option<std::path::PathBuf> {
        self.has_unrestored = true;
        let name = OsString::from(format!("{KEPT_STASH}{}", random::hex::<8>()));
        self.outer
            .rename_no_replace(&self.name, &self.outer, &name)
            .ok()?;
        Some(self.outer.location.absolute.join(name))
    }

    /// Removes the stash and the files in it.
    pub(super) fn discard(&self) {
        if self.has_unrestored {
            return;
        }
        for number in 1..=self.next {
            let _ = self.inner.remove_file(OsStr::new(&number.to_string()));
        }
        let _ = self.outer.remove_dir(&self.name);
    }
}

/// Removes the stashes of a folder that are not locked.
pub(super) fn sweep(folder: &Folder) {
    let Ok((names, _)) = folder.names(MAX_SCANNED_NAMES) else {
        return;
    };
    for entry in names.iter().filter(|entry| is_stash(&entry.name)) {
        let Ok(stash) = folder.child(&entry.name) else {
            continue;
        };
        if let Ok(Some(_lock)) = stash.lock() {
            let emptied = tree::remove_contents(&stash, &mut |_| Ok(()));
            if emptied.is_ok() {
                let _ = folder.remove_dir(&entry.name);
            }
        }
    }
}
