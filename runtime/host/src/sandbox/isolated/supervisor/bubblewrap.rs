//! A sandbox in namespaces that bubblewrap makes: this program runs in them as the init.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::Pid;

use super::super::init::external::ExternalInitTask;
use super::super::root;
use super::super::wire::{self, OpenRequest, WireError};
use super::super::{Protection, Support};
use super::reduced::await_ready;
use super::state::InitProcess;
use crate::support::reexec;

/// Where this program is inside.
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
    let (socket, theirs) = UnixStream::pair().map_err(failed)?;
    let (socket, theirs) = (OwnedFd::from(socket), OwnedFd::from(theirs));
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
        private: private(&opening.home),
        has_network: true,
    };
    let init = wire::send(&socket, &given, &[])
        .map_err(failed)
        .and_then(|()| await_ready(socket, pid));
    if init.is_err() {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
    }
    init
}

fn private(home: &Path) -> Vec<PathBuf> {
    let folders = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
    folders.into_iter().chain([home.to_owned()]).collect()
}

/// Returns the arguments of bubblewrap for the root of a sandbox with its own namespaces, parents before children.
fn arguments(opening: &OpenRequest, plan: &Protection, program: &Path) -> Vec<OsString> {
    let mut arguments = BubblewrapArguments::default();
    for option in [
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        "--clearenv",
    ] {
        arguments.push(&[option]);
    }
    arguments.push(&["--hostname", "sandbox"]);
    arguments.push(&["--setenv", reexec::ROLE, reexec::INIT]);
    arguments.push(&["--dev", "/dev"]);
    arguments.push(&["--proc", "/proc"]);
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
            arguments.push(&["--perms", "0000", "--tmpfs"].map(OsStr::new));
            arguments.push(&[path]);
            continue;
        }
        arguments.push(&[
            OsStr::new("--ro-bind"),
            OsStr::new("/dev/null"),
            path.as_ref(),
        ]);
    }
    arguments.push(&[OsStr::new("--ro-bind"), program.as_ref(), PROGRAM.as_ref()]);
    arguments.push(&["--chdir", "/"]);
    arguments.push(&["--", PROGRAM]);
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

    /// The folders of the session: a folder that is shown comes after a private one at the same path, and hides it.
    fn bind_session_folders(&mut self, opening: &OpenRequest) {
        let policy = &opening.policy;
        let writable = policy.roots();
        let shown = root::toolchains(&opening.home).into_iter();
        let written: Vec<&Path> = writable.clone().map(PathBuf::as_path).collect();
        let readable = policy.readable.iter().map(PathBuf::as_path);
        let seen: Vec<&Path> = written.iter().copied().chain(readable).collect();
        let above = root::above(&written, &seen, &private(&opening.home));
        let mut places: Vec<(PathBuf, &str)> = ["/tmp", "/var/tmp"]
            .into_iter()
            .map(PathBuf::from)
            .chain([opening.home.clone()])
            .chain(above)
            .map(|path| (path, "--tmpfs"))
            .chain(writable.map(|path| (path.clone(), "--bind")))
            .chain(
                policy
                    .readable
                    .iter()
                    .map(|path| (path.clone(), "--ro-bind")),
            )
            .chain(shown.map(|path| (path, "--ro-bind")))
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
