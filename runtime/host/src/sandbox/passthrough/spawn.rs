//! Starts a child.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Resource, Rlimit};

use super::terminal;
use crate::sandbox::{OutputStream, Stdin, TerminalSize};

pub(super) struct SpawnOptions<'p> {
    pub(super) argv: &'p [String],
    pub(super) environment: BTreeMap<OsString, OsString>,
    pub(super) folder: &'p Path,
    pub(super) stdin: Stdin,
    pub(super) terminal: Option<TerminalSize>,
    pub(super) resources: Vec<(Resource, Rlimit)>,
}

/// A child, and the parent's ends of its streams, which are non-blocking.
pub(super) struct SpawnedChild {
    pub(super) child: Child,
    pub(super) outputs: Vec<(OutputStream, OwnedFd)>,
    pub(super) input: Option<OwnedFd>,
    pub(super) terminal: Option<OwnedFd>,
}

/// Starts a child in a new session.
pub(super) fn spawn(plan: SpawnOptions<'_>) -> io::Result<SpawnedChild> {
    let [program, arguments @ ..] = plan.argv else {
        let why = "no program is named";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(&plan.environment)
        .current_dir(plan.folder);
    let is_open = plan.stdin == Stdin::Open;
    let Some(size) = plan.terminal else {
        let stdin = if is_open { Stdio::piped } else { Stdio::null };
        command.stdin(stdin());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        prepare(&mut command, plan.resources, None);
        return with_pipes(command.spawn()?);
    };
    let (own, theirs) = terminal::open(size)?;
    let end = || theirs.try_clone().map(Stdio::from);
    command.stdin(if is_open { end()? } else { Stdio::null() });
    command.stdout(end()?).stderr(end()?);
    prepare(&mut command, plan.resources, Some(theirs));
    let child = command.spawn()?;
    let input = is_open.then(|| own.try_clone()).transpose()?;
    rustix::io::ioctl_fionbio(&own, true)?;
    Ok(SpawnedChild {
        child,
        outputs: vec![(OutputStream::Stdout, own.try_clone()?)],
        input,
        terminal: Some(own),
    })
}

fn with_pipes(mut child: Child) -> io::Result<SpawnedChild> {
    let input = child.stdin.take().map(OwnedFd::from);
    let stdout = child.stdout.take().map(OwnedFd::from);
    let stderr = child.stderr.take().map(OwnedFd::from);
    let outputs: Vec<_> = [
        (OutputStream::Stdout, stdout),
        (OutputStream::Stderr, stderr),
    ]
    .into_iter()
    .filter_map(|(stream, end)| Some((stream, end?)))
    .collect();
    for end in outputs.iter().map(|(_, end)| end).chain(&input) {
        rustix::io::ioctl_fionbio(end, true)?;
    }
    Ok(SpawnedChild {
        child,
        outputs,
        input,
        terminal: None,
    })
}

/// Sets up the child before it runs the command: a session and a terminal, limits, no inherited files, and a signal
/// when the thread that started it ends.
#[expect(
    unsafe_code,
    reason = "only `pre_exec` runs between fork and exec, where a session and a terminal can be made"
)]
fn prepare(command: &mut Command, resources: Vec<(Resource, Rlimit)>, terminal: Option<OwnedFd>) {
    #[cfg(target_os = "linux")]
    let parent = rustix::process::getpid();
    let set_up = move || {
        #[cfg(target_os = "linux")]
        {
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
            // The parent may have died before the signal was set.
            if rustix::process::getppid() != Some(parent) {
                return Err(io::ErrorKind::NotConnected.into());
            }
        }
        crate::sandbox::signals::reset_to_default();
        rustix::process::setsid()?;
        if let Some(terminal) = &terminal {
            rustix::process::ioctl_tiocsctty(terminal)?;
        }
        for (resource, limit) in &resources {
            rustix::process::setrlimit(*resource, *limit)?;
        }
        #[cfg(target_os = "linux")]
        crate::support::descriptors::close_on_exec()?;
        Ok(())
    };
    // SAFETY: the child of a process with threads may call only what is async-signal-safe. Everything here is a system
    // call with arguments that were prepared before the fork: nothing allocates, locks or panics. An error from an
    // `ErrorKind`, or from an error number of the system, is created without allocation.
    unsafe {
        command.pre_exec(set_up);
    }
}
