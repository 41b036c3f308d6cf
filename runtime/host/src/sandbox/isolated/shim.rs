//! A shim: the process above one command and all that descends from it.

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

/// The exit code of a shim that could not do its work.
const BROKEN: i32 = 1;

/// Waits for a command, runs it, and reports how it ends. The supervisor's end of `channel` is the shim's life: without it,
/// all that descends from the command is killed. `private` are the folders that are written whatever the access, where the
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
    // What descends from the command and loses its parents becomes a child of the shim.
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
            // All that descends from this process from now on sees the same mounts; what was made before does not.
            drop(waiting);
            waiting = CommandProcess::fork(&confinement, &mut channel);
        }
        Err(failure) => return wire::send(&channel, &ShimReport::Failed(failure)),
    }
    rustix::thread::set_capabilities(None, capabilities::NONE)?;
    // Found out here, since the child changes to it before it is confined.
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

/// Gives this process mounts of its own where its command needs them, and returns what confines the command in them.
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

/// Looks whether a command can start in a folder, and says which it is where it cannot.
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

/// Reports the end of the command, hands out signals, and stays as long as anything of it runs.
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
                    // That may have reported who died.
                    died = true;
                }
                Ok(None) | Err(_) => {
                    tree::kill(deaths);
                    return Ok(());
                }
            }
        }
        if died || left == Remaining::Dead {
            // The signal only says that a child died.
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

/// What is left of a command after some of its processes were reaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Remaining {
    Nobody,
    Living,
    /// More that died, and were not reaped yet.
    Dead,
}

/// Reaps those that died, and then reports the end of the command: a reader of the report finds nothing of what died
/// before. `main` is the command until its end is reported.
fn reap(channel: &OwnedFd, main: &mut Option<Pid>) -> io::Result<Remaining> {
    /// A tree that keeps growing and dying must not keep the report, or a signal, waiting.
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
        // Without anybody to hear it, the next look at the channel ends everything.
        let _ = wire::send(channel, &report);
    }
    Ok(left)
}
