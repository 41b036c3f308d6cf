//! The paths of supervisors: one folder for each user, which only that user can enter.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::sandbox::spool::ensure_own_folder;
use crate::sandbox::{SandboxError, SandboxId, SandboxPolicy};
use helve_core::support::random;

/// Returns a new, unique ID.
pub(super) fn new_id() -> Result<SandboxId, SandboxError> {
    SandboxId::new(&random::hex::<12>())
}

/// Returns the folder of a sandbox, below the user's own folder, which is created if it does not exist.
pub(super) fn folder(id: &SandboxId) -> Result<PathBuf, SandboxError> {
    let base = base_folder();
    ensure_own_folder(&base).map_err(|source| SandboxError::Io {
        doing: format!(
            "sandboxes need `{}` as a folder that only this user can access",
            base.display()
        ),
        source,
    })?;
    Ok(base.join(id.as_str()))
}

/// Returns the folder for the output of a sandbox; commands can never write to it.
pub(super) fn spool(id: &SandboxId, policy: &SandboxPolicy) -> PathBuf {
    let temporary = std::env::temp_dir();
    let shown = fs::canonicalize(&temporary).is_ok_and(|folder| {
        let mut written = policy.roots();
        written.any(|written| folder.starts_with(written))
    });
    let folder = if shown { base_folder() } else { temporary };
    folder.join(spool_name(id.as_str()))
}

/// Returns the name of the folder for the output of a sandbox.
pub(super) fn spool_name(id: &str) -> String {
    format!("helve-{id}")
}

/// Returns the folder that contains one folder for each sandbox of this user.
pub(super) fn base_folder() -> PathBuf {
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

/// Returns the folder that files are moved to that appear at protected paths; it is created when it is needed.
pub(super) fn quarantine(home: &Path, id: &SandboxId) -> PathBuf {
    state(home).join("quarantine").join(id.as_str())
}

/// Returns the folder for the layers of staged commands. It is usually on the same file system as the user's projects,
/// so that changes are applied by renaming.
pub(super) fn staging(home: &Path, id: &SandboxId) -> PathBuf {
    all_staging(home).join(id.as_str())
}

/// Returns the folder that contains the layers of all sandboxes.
pub(super) fn all_staging(home: &Path) -> PathBuf {
    state(home).join("staged")
}

/// Returns the folder for files that outlive a sandbox.
fn state(home: &Path) -> PathBuf {
    let given = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let state = given.filter(|path| path.is_absolute());
    let state = state.unwrap_or_else(|| home.join(".local/state"));
    state.join("helve")
}

/// Returns the home of the user, or a substitute for a user without a home.
pub(in super::super) fn home() -> PathBuf {
    let given = std::env::var_os("HOME").map(PathBuf::from);
    let usable = |home: &PathBuf| home.is_absolute() && !is_system_path(home);
    given.filter(usable).unwrap_or_else(|| "/home/user".into())
}

/// Replaces the folders of a policy with their real paths, and rejects folders that would expose the sandbox's own
/// files.
pub(super) fn resolve_policy(policy: &mut SandboxPolicy, home: &Path) -> Result<(), SandboxError> {
    resolve_folders(policy)?;
    let real = |path: PathBuf| fs::canonicalize(&path).unwrap_or(path);
    let (home, base) = (real(home.to_owned()), real(base_folder()));
    for folder in policy.roots() {
        let why = if home.starts_with(folder) {
            "it contains the home folder with keys and settings that commands must not reach"
        } else if base.starts_with(folder) {
            "it contains the folder of the sandbox supervisors"
        } else {
            continue;
        };
        return Err(unavailable(format!(
            "`{}` cannot be used as a workspace: {why}; choose a folder inside it",
            folder.display()
        )));
    }
    Ok(())
}

fn resolve_folders(policy: &mut SandboxPolicy) -> Result<(), SandboxError> {
    let folders = std::iter::once(&mut policy.workspace).chain(&mut policy.writable);
    for (folder, writable) in folders
        .map(|folder| (folder, true))
        .chain(policy.readable.iter_mut().map(|folder| (folder, false)))
    {
        let shown = folder.display();
        let refused = |why| unavailable(format!("`{shown}` cannot be shown to commands: {why}"));
        let real = fs::canonicalize(&*folder).map_err(|error| refused(error.to_string()))?;
        if is_system_path(&real) && (writable || real == Path::new("/")) {
            return Err(refused(
                "it is a system folder; choose a folder below it".to_owned(),
            ));
        }
        *folder = real;
    }
    // A read-only mount at the same path would hide the writable one.
    let roots: Vec<_> = policy.roots().cloned().collect();
    policy.readable.retain(|folder| !roots.contains(folder));
    Ok(())
}

/// Reports whether a folder is the root, or one of the sandbox's own system folders.
pub(in super::super) fn is_system_path(path: &Path) -> bool {
    const SYSTEM: &[&str] = &["/usr", "/etc", "/bin", "/sbin", "/lib", "/lib64", "/boot"];
    const KERNEL: &[&str] = &["/proc", "/sys", "/dev"];
    let whole = SYSTEM.iter().any(|system| path == Path::new(system));
    path == Path::new("/") || whole || KERNEL.iter().any(|kernel| path.starts_with(kernel))
}

pub(in super::super) fn unavailable(why: impl Into<String>) -> SandboxError {
    SandboxError::Unavailable {
        kind: "local".to_owned(),
        why: why.into(),
    }
}
