//! Which folders outside of a policy may be offered to the user, after a command failed because of one.
//!
//! A command chooses what its error message says, so the path in it is no proof of anything. A folder is offered only
//! if it exists, if the policy does not reach it, and if nothing about it is a secret, protected or a part of the system.

use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::client::paths::is_system_path;
use crate::sandbox::{Access, FolderAccess, SandboxPolicy};
use helve_core::dangerous_paths::{Guard, find_guarded, is_named};

/// Folders of the system and everything in them, which commands see as the sandbox shows them or not at all.
const SYSTEM: &[&str] = &[
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/run",
    "/sbin", "/sys", "/usr", "/var",
];

/// Folders that hold the folders of users, or files of all of them.
const SHARED: &[&str] = &["/home", "/media", "/mnt", "/opt", "/root", "/srv", "/tmp"];

/// The variables that name folders in which programs keep settings and state.
const STATE_VARIABLES: &[&str] = &[
    "HELVE_STATE",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
];

/// The length of the longest path that is offered, in bytes.
const MAX_PATH: usize = 1024;

/// The greatest number of entries of a folder that are read to find secrets; a larger folder is not offered.
const MAX_ENTRIES: usize = 4096;

/// Returns the folder or file that a command would need to read or write a path; `None` if it is not offered. This
/// blocks.
pub(super) fn offer(
    policy: &SandboxPolicy,
    home: &Path,
    path: &Path,
    access: Access,
) -> Option<FolderAccess> {
    if policy.staged || !is_plain(path) {
        return None;
    }
    let real = resolve(path, access)?;
    // Both spellings count: a link with the name of a secret is one.
    if is_kept_back(policy, path) || is_kept_back(policy, &real) {
        return None;
    }
    let place = place_of(&real, access)?;
    let is_reached = |folder: &PathBuf| place.starts_with(real_path(folder));
    let is_known = policy.roots().any(is_reached)
        || (access == Access::Read && policy.readable.iter().any(is_reached));
    let holds_known = policy
        .roots()
        .any(|root| real_path(root).starts_with(&place));
    if is_known || holds_known || is_of_system(&place) || is_of_user(&place, home) {
        return None;
    }
    let is_safe = is_usable(&place, access) && !holds_secrets(policy, &place);
    is_safe.then(|| FolderAccess::new(place, access))
}

/// Reports whether a path is absolute and can be shown to a person without any doubt.
fn is_plain(path: &Path) -> bool {
    let is_text = |path: &str| path.len() <= MAX_PATH && !path.chars().any(char::is_control);
    let mut parts = path.components();
    path.to_str().is_some_and(is_text)
        && parts.next() == Some(Component::RootDir)
        && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// Resolves the links of a path. The last name of a path that is written may be missing.
fn resolve(path: &Path, access: Access) -> Option<PathBuf> {
    match (fs::canonicalize(path), access) {
        (Ok(real), _) => is_plain(&real).then_some(real),
        (Err(_), Access::Write) => {
            let folder = fs::canonicalize(path.parent()?).ok()?;
            let real = folder.join(path.file_name()?);
            (folder.is_dir() && is_plain(&real)).then_some(real)
        }
        (Err(_), Access::Read) => None,
    }
}

/// Returns what would be shown: the folder of a file that is written, or else the file or folder itself.
fn place_of(real: &Path, access: Access) -> Option<PathBuf> {
    match access {
        Access::Write if !real.is_dir() => real.parent().map(Path::to_owned),
        _ => Some(real.to_owned()),
    }
}

/// Reports whether a path is masked, protected, or guarded as a secret or as a file that is executed later.
fn is_kept_back(policy: &SandboxPolicy, path: &Path) -> bool {
    let masked = |name: &OsStr| {
        let name = name.to_str().unwrap_or_default();
        policy.masked.iter().any(|pattern| is_named(pattern, name))
    };
    let hidden = policy.masked_paths.iter();
    path.iter().any(masked)
        || hidden
            .map(|hidden| real_path(hidden))
            .any(|hidden| path.starts_with(hidden))
        || is_protected(policy, path)
        || find_guarded(path).is_some()
}

/// Reports whether a path, or a folder above it, ends in the names of a protected path.
fn is_protected(policy: &SandboxPolicy, path: &Path) -> bool {
    let ends_in = |place: &Path, names: &str| {
        let mut own = place.iter().rev();
        let mut names = names.trim_matches('/').split('/').rev();
        names.all(|name| {
            own.next()
                .and_then(OsStr::to_str)
                .is_some_and(|own| is_named(name, own))
        })
    };
    let mut protected = policy.protected.iter();
    protected.any(|names| path.ancestors().any(|place| ends_in(place, names)))
}

/// Reports whether a folder belongs to the system, or contains what belongs to several users.
fn is_of_system(place: &Path) -> bool {
    is_system_path(place)
        || SYSTEM.iter().any(|system| place.starts_with(system))
        || SHARED.iter().any(|shared| place == Path::new(shared))
}

/// Reports whether a folder contains the home folder or the state of programs, or is a hidden one of the home folder.
fn is_of_user(place: &Path, home: &Path) -> bool {
    let home = real_path(home);
    let is_hidden = |below: &Path| {
        let first = below.iter().next().unwrap_or_default();
        first.as_encoded_bytes().starts_with(b".")
    };
    let state = STATE_VARIABLES.iter().filter_map(std::env::var_os);
    let mut state = state.map(|folder| real_path(Path::new(&folder)));
    home.starts_with(place)
        || place.strip_prefix(&home).is_ok_and(is_hidden)
        || state.any(|state| state.starts_with(place) || place.starts_with(state))
}

/// Reports whether the user of this process can use a file or folder in this way.
fn is_usable(place: &Path, access: Access) -> bool {
    let Ok(found) = fs::metadata(place) else {
        return false;
    };
    let wanted = match access {
        Access::Read => rustix::fs::Access::READ_OK,
        Access::Write => rustix::fs::Access::READ_OK | rustix::fs::Access::WRITE_OK,
    };
    (found.is_dir() || found.is_file()) && rustix::fs::access(place, wanted).is_ok()
}

/// Reports whether a folder directly contains a secret that no mask of the policy hides, or is too large to tell.
fn holds_secrets(policy: &SandboxPolicy, place: &Path) -> bool {
    if !place.is_dir() {
        return false;
    }
    let Ok(entries) = fs::read_dir(place) else {
        return true;
    };
    let mut count = 0;
    for entry in entries.flatten() {
        count += 1;
        let name = entry.file_name();
        let name = name.to_str().unwrap_or_default();
        let is_masked = policy.masked.iter().any(|pattern| is_named(pattern, name));
        let is_secret = find_guarded(Path::new(name)).is_some_and(|row| row.reading > Guard::Asks);
        if count > MAX_ENTRIES || (is_secret && !is_masked) {
            return true;
        }
    }
    false
}

fn real_path(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A workspace, a home and another folder of the user, below one folder.
    struct World {
        folder: tempfile::TempDir,
        policy: SandboxPolicy,
    }

    impl World {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let path = |below: &str| folder.path().join(below);
            for below in [
                "work/.git/hooks",
                "home/.ssh",
                "home/.cache/x",
                "home/photos",
                "data/deep/.git/hooks",
                "data/.vault",
                "keys/.ssh",
            ] {
                fs::create_dir_all(path(below)).expect("a folder");
            }
            for below in [
                "data/list.txt",
                "data/id_rsa",
                "home/.ssh/key",
                "data/.vault/a",
            ] {
                fs::write(path(below), "x").expect("a file");
            }
            std::os::unix::fs::symlink(path("home/.ssh/key"), path("data/link")).expect("a link");
            let mut policy = SandboxPolicy::new(path("work"));
            policy.masked_paths.push(path("data/.vault"));
            Self { folder, policy }
        }

        fn offer(&self, below: &str, access: Access) -> Option<String> {
            let (base, home) = (self.folder.path(), self.folder.path().join("home"));
            let found = offer(&self.policy, &home, &base.join(below), access)?;
            assert_eq!(found.access, access);
            let base = real_path(base);
            let below = found.path.strip_prefix(base).expect("it is below");
            Some(below.display().to_string())
        }
    }

    #[test]
    fn what_is_offered_is_as_narrow_as_the_path() {
        let world = World::new();
        for (below, access, offered) in [
            ("data/list.txt", Access::Read, "data/list.txt"),
            ("data", Access::Read, "data"),
            ("data/new.txt", Access::Write, "data"),
            ("data/list.txt", Access::Write, "data"),
            ("data/deep", Access::Write, "data/deep"),
            ("home/photos", Access::Read, "home/photos"),
        ] {
            assert_eq!(
                world.offer(below, access).as_deref(),
                Some(offered),
                "{below}"
            );
        }
    }

    #[test]
    fn secrets_protected_paths_and_folders_above_them_are_not_offered() {
        let world = World::new();
        for below in [
            "home",
            "home/.ssh",
            "home/.ssh/key",
            "home/.cache/x",
            "data/id_rsa",
            "data/.vault",
            "data/.vault/a",
            "data/link",
            "data/deep/.git/hooks",
            "data/missing",
            "keys",
            "work",
            "work/.git/hooks",
            "",
            "data/../home/.ssh/key",
        ] {
            assert_eq!(world.offer(below, Access::Read), None, "{below}");
        }
        for below in [
            "home/x",
            "home/.ssh/new",
            "home/.bashrc",
            "data/.git/hooks",
            "data/.vault/b",
            "work/.git/hooks/pre-commit",
            "work/x",
            "data/deep/.git/hooks/x",
            "missing/x",
            "x",
        ] {
            assert_eq!(world.offer(below, Access::Write), None, "{below}");
        }
    }

    #[test]
    fn nothing_of_the_system_is_offered() {
        let world = World::new();
        let home = world.folder.path().join("home");
        for path in [
            "/",
            "/etc",
            "/etc/passwd",
            "/etc/shadow",
            "/proc/1/environ",
            "/dev/sda",
            "/usr/bin",
            "/var/lib",
            "/tmp",
            "/home",
            "/root",
            "/boot",
            "relative",
            "/tmp/\u{1b}[31m",
        ] {
            for access in [Access::Read, Access::Write] {
                let offered = offer(&world.policy, &home, Path::new(path), access);
                assert_eq!(offered, None, "{path:?}");
            }
        }
        let long = format!("/tmp/{}", "x/".repeat(MAX_PATH));
        assert_eq!(
            offer(&world.policy, &home, Path::new(&long), Access::Write),
            None
        );
    }
}
