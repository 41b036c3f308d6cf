//! A sandbox in namespaces that bubblewrap creates: this program runs in them as the init process.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::Pid;

use super::super::identity::Identity;
use super::super::init::external::ExternalInitTask;
use super::super::wire::{self, OpenRequest, WireError};
use super::super::{Protection, Support, private_folders};
use super::super::{os, root};
use super::state::InitProcess;
use crate::support::reexec;

/// The path of this program inside.
const PROGRAM: &str = "/run/helve/init";

/// Starts this program in bubblewrap's namespaces.
pub(super) fn spawn_init(
    opening: &OpenRequest,
    bwrap: &Path,
    support: &Support,
    plan: &Protection,
) -> Result<InitProcess, WireError> {
    let failed = |error: std::io::Error| WireError::io("bubblewrap cannot be started", error);
    let program = std::env::current_exe().map_err(failed)?;
    let (socket, theirs) = os::socket_pair().map_err(failed)?;
    let child = Command::new(bwrap)
        .args(arguments(opening, plan, &program))
        .env_clear()
        .stdin(theirs)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| failed(std::io::ErrorKind::InvalidData.into()))?;
    let given = ExternalInitTask {
        policy: opening.policy.clone(),
        support: support.clone(),
        private: private_folders(&opening.home),
        has_network: true,
    };
    wire::send(&socket, &given)
        .map_err(failed)
        .and_then(|()| InitProcess::await_ready(socket, pid, Identity::current()))
        .inspect_err(|_| os::kill_child(pid))
}

/// Returns the arguments of bubblewrap for the root of a sandbox with its own namespaces, parents before children.
fn arguments(opening: &OpenRequest, plan: &Protection, program: &Path) -> Vec<OsString> {
    let mut arguments = BubblewrapArguments::default();
    arguments.push(&["--unshare-all", "--die-with-parent", "--new-session"]);
    arguments.push(&["--clearenv", "--hostname", "sandbox"]);
    arguments.push(&["--setenv", reexec::ROLE, reexec::INIT]);
    arguments.push(&["--dev", "/dev", "--proc", "/proc"]);
    for path in root::system_folders() {
        match fs::read_link(&path) {
            Ok(target) => {
                arguments.push(&[OsStr::new("--symlink"), target.as_ref(), path.as_ref()])
            }
            Err(_) => arguments.bind("--ro-bind-try", &path),
        }
    }
    for path in [
        "/etc/passwd",
        "/etc/group",
        "/etc/hosts",
        "/etc/nsswitch.conf",
    ] {
        arguments.bind("--ro-bind-try", Path::new(path));
    }
    arguments.bind_session_folders(opening);
    for path in &plan.pinned {
        arguments.bind("--bind", path);
    }
    for path in &plan.read_only {
        arguments.bind("--ro-bind", path);
    }
    for path in &plan.masked {
        if path.is_dir() {
            arguments.push(&["--perms", "0000", "--tmpfs"]);
        } else {
            arguments.push(&["--ro-bind", "/dev/null"]);
        }
        arguments.push(&[path]);
    }
    arguments.push(&[OsStr::new("--ro-bind"), program.as_ref(), PROGRAM.as_ref()]);
    arguments.push(&["--chdir", "/", "--", PROGRAM]);
    arguments.0
}

#[derive(Debug, Default)]
struct BubblewrapArguments(Vec<OsString>);

impl BubblewrapArguments {
    fn push<T: AsRef<OsStr>>(&mut self, words: &[T]) {
        let words = words.iter().map(|word| word.as_ref().to_owned());
        self.0.extend(words);
    }

    fn bind(&mut self, how: &str, path: &Path) {
        self.push(&[OsStr::new(how), path.as_ref(), path.as_ref()]);
    }

    /// Adds the folders of the session: a shown folder comes after a private folder at the same path, and hides it.
    fn bind_session_folders(&mut self, opening: &OpenRequest) {
        let policy = &opening.policy;
        let writable = policy.roots();
        let shown = root::toolchains(&opening.home).into_iter();
        let written: Vec<&Path> = writable.clone().map(PathBuf::as_path).collect();
        let readable = policy.readable.iter().map(PathBuf::as_path);
        let seen: Vec<&Path> = written.iter().copied().chain(readable).collect();
        let above = root::above(&written, &seen, &private_folders(&opening.home));
        let private = ["/tmp".into(), "/var/tmp".into(), opening.home.clone()];
        let readable = policy.readable.iter().cloned().chain(shown);
        let mut places: Vec<(PathBuf, &str)> = private
            .into_iter()
            .chain(above)
            .map(|path| (path, "--tmpfs"))
            .chain(writable.map(|path| (path.clone(), "--bind")))
            .chain(readable.map(|path| (path, "--ro-bind")))
            .collect();
        places.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (path, how) in places {
            if how == "--tmpfs" {
                self.push(&[OsStr::new(how), path.as_ref()]);
            } else {
                self.bind(how, &path);
            }
        }
    }
}
