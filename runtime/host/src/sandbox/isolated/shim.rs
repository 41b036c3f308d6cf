//! A shim: the parent process of one command and of its orphaned descendants.

mod command_process;
mod tree;

pub(super) use tree::{FrozenProcesses, kill_orphans};

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, wait};

use self::command_process::{CommandProcess, StartStage};
use super::Confinement;
use super::wire::{self, CommandSpec, ShimReport, WireError};
use super::{os, root};
use crate::sandbox::{Access, Layer, Signal};
use crate::support::capabilities;

/// The exit code of a shim that failed.
const BROKEN: i32 = 1;

/// Waits for a command, runs it, and reports how it ends. When the supervisor's end of `channel` is closed, the shim
/// kills all descendants of the command. `private` contains the folders that may be written whatever the access, if the
/// root is the sandbox's own.
pub(super) fn run(channel: OwnedFd, confinement: &Confinement, private: Option<&[PathBuf]>) -> ! {
    let done = watch(channel, confinement, private);
    std::process::exit(if done.is_ok() { 0 } else { BROKEN })
}

fn watch(
    mut channel: OwnedFd,
    confinement: &Confinement,
    private: Option<&[PathBuf]>,
) -> io::Result<()> {
    // Orphaned descendants of the command are reparented to the shim.
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let deaths = os::sigchld_fd()?;
    let mut waiting = CommandProcess::fork(confinement, &mut channel);
    let Some((command, files)) = wire::receive::<CommandSpec>(&channel)? else {
        return Ok(());
    };
    let unshare = |private| unshare_view(&command, confinement, private);
    match private.map_or(Ok(None), unshare) {
        Ok(None) => {}
        Ok(Some(confinement)) => {
            // Processes that are forked from now on see the same mounts; processes that were forked before do not.
            drop(waiting);
            waiting = CommandProcess::fork(&confinement, &mut channel);
        }
        Err(failure) => return wire::send(&channel, &ShimReport::Failed(failure)),
    }
    rustix::thread::set_capabilities(None, capabilities::NONE)?;
    // This is checked here, since the child changes to the folder before it is confined.
    let started = enter_folder(&command.working_folder)
        .map_err(|error| (StartStage::Starting, error))
        .and_then(|()| waiting.map_err(|error| (StartStage::Confining, error)))
        .and_then(|child| child.start(&command, files));
    let main = match started {
        Ok(main) => main,
        Err((stage, error)) => {
            let program = command.argv.into_iter().next().unwrap_or_default();
            let failure = failure(stage, program, error);
            return wire::send(&channel, &ShimReport::Failed(failure));
        }
    };
    wire::send(&channel, &ShimReport::Started)?;
    follow(&channel, &deaths, main)
}

/// Gives this process its own mounts if its command needs them, and returns the confinement for the command in them.
fn unshare_view(
    command: &CommandSpec,
    confinement: &Confinement,
    private: &[PathBuf],
) -> Result<Option<Confinement>, WireError> {
    if let Some(order) = &command.stage {
        root::mount_staged(order)?;
        return Ok(Some(confinement.for_current_mounts()?));
    }
    if command.access != Access::Read {
        return Ok(None);
    }
    root::make_read_only(private).map_err(|error| {
        let doing = "failed to make the view of a read-only command read-only";
        WireError::layer(Layer::Files, doing, error, "this needs Linux 5.12")
    })?;
    Ok(Some(confinement.clone()))
}

/// Checks that a command can start in a folder; the error contains the path.
fn enter_folder(folder: &Path) -> io::Result<()> {
    let why = match std::fs::metadata(folder) {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => "not a folder".to_owned(),
        Err(error) => error.to_string(),
    };
    let shown = folder.display();
    let why = format!("its working folder `{shown}` cannot be used: {why}");
    Err(io::Error::other(why))
}

fn failure(stage: StartStage, program: String, error: io::Error) -> WireError {
    let why = error.to_string();
    match stage {
        StartStage::Confining => WireError::layer(
            Layer::SystemCalls,
            "a command cannot be confined",
            error,
            "run `doctor` to see what is missing on this machine",
        ),
        StartStage::Starting if error.kind() == io::ErrorKind::NotFound => {
            WireError::ProgramNotFound { program, why }
        }
        StartStage::Starting => WireError::CannotStart { program, why },
    }
}

/// Reports the end of the command, forwards signals, and returns when no descendant of the command runs any more.
fn follow(channel: &OwnedFd, deaths: &OwnedFd, main: Pid) -> io::Result<()> {
    let mut main = Some(main);
    let mut left = Remaining::Living;
    loop {
        let mut ready = [
            PollFd::new(channel, PollFlags::IN),
            PollFd::new(deaths, PollFlags::IN),
        ];
        let at_once = Timespec::default();
        match poll(&mut ready, (left == Remaining::Dead).then_some(&at_once)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [steered, mut died] = ready.map(|one| !one.revents().is_empty());
        if steered {
            match wire::receive::<Signal>(channel) {
                Ok(Some((signal, _))) => {
                    tree::signal(signal, deaths);
                    // The delivery may have consumed the notification of a death.
                    died = true;
                }
                Ok(None) | Err(_) => {
                    tree::kill(deaths);
                    return Ok(());
                }
            }
        }
        if died || left == Remaining::Dead {
            // The signal only indicates that a child died.
            let _ = rustix::io::read(deaths, &mut [0; 1024][..]);
            left = reap(channel, &mut main)?;
            if left == Remaining::Nobody {
                // The peer may have closed the connection.
                let _ = wire::send(channel, &ShimReport::Gone);
                return Ok(());
            }
        }
    }
}

/// The remaining processes of a command after some of its processes were reaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Remaining {
    Nobody,
    Living,
    /// More dead processes, which are not reaped yet.
    Dead,
}

/// Reaps dead processes, and then reports the end of the command, so that a reader of the report finds no process that
/// died before. `main` is the command until its end is reported.
fn reap(channel: &OwnedFd, main: &mut Option<Pid>) -> io::Result<Remaining> {
    /// The greatest number of processes that are reaped in a row: a tree that keeps growing and dying must not delay
    /// the report or a signal.
    const MAX_REAPED: usize = 1024;
    let mut ended = None;
    let mut left = Remaining::Dead;
    for _ in 0..MAX_REAPED {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if Some(pid) == *main => ended = Some(status),
            Ok(Some(_)) => {}
            Ok(None) => {
                left = Remaining::Living;
                break;
            }
            Err(Errno::CHILD) => {
                left = Remaining::Nobody;
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    if let Some(status) = ended {
        *main = None;
        let report = ShimReport::Exited {
            code: status.exit_status(),
            signal: status.terminating_signal(),
            is_last: left == Remaining::Nobody,
        };
        // If the peer is gone, the next check of the channel ends everything.
        let _ = wire::send(channel, &report);
    }
    Ok(left)
}
