//! Where keepers are found: one folder a user, which nobody else can enter.

use std::collections::hash_map::RandomState;
use std::fs::{self, DirBuilder};
use std::hash::BuildHasher;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::sandbox::{SandboxError, SandboxId};

/// Makes a name that nobody has: the keys of a hash map are what std has of randomness, and an id needs no secret.
pub(super) fn new_id() -> Result<SandboxId, SandboxError> {
    let now = SystemTime::now();
    let halves = [RandomState::new(), RandomState::new()].map(|keys| keys.hash_one(now));
    SandboxId::new(&format!("{:016x}{:08x}", halves[0], halves[1] >> 32))
}

/// Returns the folder of a sandbox, in the user's own folder, which is made.
pub(super) fn folder(id: &SandboxId) -> Result<PathBuf, SandboxError> {
    let base = base();
    own(&base).map_err(|source| SandboxError::Io {
        doing: format!(
            "sandboxes need the folder `{}` for this user alone",
            base.display()
        ),
        source,
    })?;
    Ok(base.join(id.as_str()))
}

/// Returns where the output of a sandbox is kept.
pub(super) fn spool(id: &SandboxId) -> PathBuf {
    std::env::temp_dir().join(format!("helve-{id}"))
}

fn base() -> PathBuf {
    let user = rustix::process::geteuid();
    let given = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let given = given.filter(|path| {
        path.is_absolute() && fs::metadata(path).is_ok_and(|found| found.uid() == user.as_raw())
    });
    match given {
        Some(folder) => folder.join("helve"),
        None if user.is_root() && Path::new("/run").is_dir() => "/run/helve".into(),
        None => format!("/tmp/helve-{}", user.as_raw()).into(),
    }
}

/// Makes a folder, or checks that it is this user's own and closed to others.
fn own(folder: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made,
    }
    let found = fs::symlink_metadata(folder)?;
    let user = rustix::process::geteuid().as_raw();
    if found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0 {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        "it is somebody else's, no folder, or open to others; remove it",
    ))
}
