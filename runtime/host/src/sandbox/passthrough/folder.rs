//! The folder in which a sandbox stores the output of its commands.

use std::collections::HashMap;
use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::sandbox::{ProcessId, SandboxError, SandboxId};
use helve_core::support::lock::Mutex;
use helve_core::support::random;

/// A folder that only this user can enter, named after its sandbox.
#[derive(Debug)]
pub(super) struct SandboxFolder {
    pub(super) id: SandboxId,
    pub(super) path: PathBuf,
    /// The projected folders, by name; the lock is held during a projection.
    pub(super) projections: Mutex<HashMap<String, PathBuf>>,
}

impl SandboxFolder {
    pub(super) fn create() -> Result<Self, SandboxError> {
        let user = rustix::process::geteuid().as_raw();
        let above = std::env::temp_dir().join(format!("helve-{user}"));
        let failed = |source| SandboxError::Io {
            doing: format!("making a folder for output in `{}`", above.display()),
            source,
        };
        create_private(&above, user).map_err(failed)?;
        let id = SandboxId::new(&format!("passthrough-{}", random::hex::<8>()))?;
        let path = above.join(id.as_str());
        make(&path).map_err(failed)?;
        Ok(Self {
            id,
            path,
            projections: Mutex::default(),
        })
    }

    pub(super) fn create_process_folder(
        &self,
        process: &ProcessId,
    ) -> Result<PathBuf, SandboxError> {
        self.create_inside(&output_folder(&self.path, process))
    }

    pub(super) fn create_projections_folder(&self) -> Result<PathBuf, SandboxError> {
        self.create_inside(&self.path.join("projected"))
    }

    fn create_inside(&self, path: &Path) -> Result<PathBuf, SandboxError> {
        ensure_exists(path).map_err(|source| SandboxError::Io {
            doing: format!("making `{}`", path.display()),
            source,
        })?;
        Ok(path.to_owned())
    }

    /// Removes the folder with its contents. Files that cannot be removed are left for the system's cleanup of
    /// temporary files.
    pub(super) fn remove(&self) {
        if fs::remove_dir_all(&self.path).is_err() {
            make_removable(&self.path);
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Returns the folder for the output of a process.
pub(super) fn output_folder(folder: &Path, process: &ProcessId) -> PathBuf {
    folder.join(format!("output-{process}"))
}

/// Creates a folder that only this user can access; a folder of another user is rejected.
fn create_private(path: &Path, user: u32) -> io::Result<()> {
    ensure_exists(path)?;
    let found = fs::symlink_metadata(path)?;
    if found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0 {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "`{}` is not a folder that only this user can enter; remove it",
        path.display()
    )))
}

fn ensure_exists(path: &Path) -> io::Result<()> {
    match make(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

fn make(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Restores the permissions that are needed to remove a copied folder.
pub(super) fn make_removable(folder: &Path) {
    let Ok(found) = fs::symlink_metadata(folder) else {
        return;
    };
    if !found.is_dir() {
        return;
    }
    let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        make_removable(&entry.path());
    }
}
