//! A warden: the process above one command and all that descends from it.

mod tree;

pub(super) use tree::kill_strays;

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, wait};
use rustix::thread::CapabilitySets;

use super::Confinement;
use super::wire::{self, Command, Failure, Report, Steer};
use super::{os, root};
use crate::sandbox::{Access, Layer, Stdin};

/// What a command says as soon as it is confined.
const CONFINED: &[u8] = &[0];
/// The exit code of a warden that could not do its work.
const BROKEN: i32 = 1;

/// Waits for a command, runs it, and reports how it ends. The keeper's end of `channel` is the warden's life: without it,
/// all that descends from the command is killed. `private` are the folders that are written whatever the access, where the
/// root is the sandbox's own.
pub(super) fn run(channel: &OwnedFd, confinement: Confinement, private: Option<&[PathBuf]>) -> ! {
    let done = watch(channel, confinement, private);
    std::process::exit(if done.is_ok() { 0 } else { BROKEN })
}

fn watch(
    channel: &OwnedFd,
    confinement: Confinement,
    private: Option<&[PathBuf]>,
) -> io::Result<()> {
    // What descends from the command and loses its parents becomes a child of the warden.
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let Some((command, files)) = wire::receive::<Command>(channel)? else {
        return Ok(());
    };
    // All that descends from this process sees the same mounts.
    let narrowed = match private {
        Some(private) if command.access == Access::Read => root::only_read(private),
        Some(_) | None => Ok(()),
    };
    if let Err(error) = narrowed {
        let why = format!("a command that only reads cannot be kept from writing: {error}");
        let mend = "this needs Linux 5.12".to_owned();
        let failure = Failure::Isolation(vec![(Layer::Files, why, mend)]);
        return wire::send(channel, &Report::Failed(failure), &[]);
    }
    give_up_capabilities()?;
    let deaths = os::child_deaths()?;
    let program = command.argv.first().cloned().unwrap_or_default();
    let child = match start(command, files, confinement) {
        Ok(child) => child,
        Err((stage, error)) => {
            return wire::send(
                channel,
                &Report::Failed(failure(stage, program, &error)),
                &[],
            );
        }
    };
    wire::send(channel, &Report::Started, &[])?;
    let main = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    follow(channel, &deaths, main)
}

fn give_up_capabilities() -> io::Result<()> {
    let none = rustix::thread::CapabilitySet::empty();
    let nothing = CapabilitySets {
        effective: none,
        permitted: none,
        inheritable: none,
    };
    Ok(rustix::thread::set_capabilities(None, nothing)?)
}

/// How far a command came before its program took over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing was confined yet, or not all.
    Confining,
    /// Only the program itself was missing.
    Starting,
}

fn start(
    command: Command,
    files: Vec<OwnedFd>,
    confinement: Confinement,
) -> Result<Child, (Stage, io::Error)> {
    let unconfined = |error: io::Error| (Stage::Confining, error);
    // Found out here, since the child changes to it before it is confined.
    enter_folder(&command.working_folder).map_err(|error| (Stage::Starting, error))?;
    let (passed, pass) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)
        .map_err(|error| unconfined(error.into()))?;
    let mut process = std::process::Command::new(&command.argv[0]);
    process
        .args(&command.argv[1..])
        .env_clear()
        .envs(&command.environment)
        .current_dir(&command.working_folder);
    connect(&mut process, files, command.terminal, command.stdin).map_err(unconfined)?;
    let (terminal, limits, access) = (command.terminal, command.limits, command.access);
    let confinement = Arc::new(confinement);
    os::before_exec(&mut process, move || {
        crate::sandbox::signals::heed();
        rustix::process::setsid()?;
        if terminal {
            // The input may be empty; the output is the terminal whatever the input is.
            rustix::process::ioctl_tiocsctty(io::stdout().as_fd())?;
        }
        match confinement.enter(access, &limits) {
            // Says that the confinement holds, so that what fails from here on is about the program.
            Ok(()) => rustix::io::write(&pass, CONFINED).map(drop)?,
            Err(error) => {
                // The way of the standard library takes a number only.
                let _ = rustix::io::write(&pass, error.to_string().as_bytes());
                return Err(error);
            }
        }
        Ok(())
    });
    let spawned = process.spawn();
    // The other end of the pipe is in here.
    drop(process);
    let mut said = [0; 512];
    let count = rustix::io::read(&passed, &mut said[..]).unwrap_or(0);
    match (&said[..count], spawned) {
        (CONFINED, Ok(child)) => Ok(child),
        (CONFINED, Err(error)) => Err((Stage::Starting, error)),
        ([], Err(error)) => Err((Stage::Confining, error)),
        // It ended on its way; nobody hears of it but here.
        ([], Ok(_)) => {
            let why = io::Error::other("it ended before it was confined");
            Err((Stage::Confining, why))
        }
        (why, _) => {
            let why = String::from_utf8_lossy(why).into_owned();
            Err((Stage::Confining, io::Error::other(why)))
        }
    }
}

/// Looks whether a command can start in a folder, and says which it is where it cannot.
fn enter_folder(folder: &Path) -> io::Result<()> {
    let shown = folder.display();
    let said = |why: String| {
        io::Error::other(format!(
            "its working folder `{shown}` cannot be used: {why}"
        ))
    };
    match std::fs::metadata(folder) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(said("it is no folder".to_owned())),
        Err(error) => Err(said(error.to_string())),
    }
}

/// Gives a command its input and outputs.
fn connect(
    process: &mut std::process::Command,
    files: Vec<OwnedFd>,
    terminal: bool,
    stdin: Stdin,
) -> io::Result<()> {
    let mut files = files.into_iter();
    let mut next = || {
        files
            .next()
            .ok_or_else(|| io::Error::other("an output is missing"))
    };
    let stdout = next()?;
    if terminal {
        process.stderr(stdout.try_clone()?);
        process.stdin(match stdin {
            Stdin::Open => stdout.try_clone()?.into(),
            Stdin::Empty => Stdio::null(),
        });
    } else {
        process.stderr(next()?);
        process.stdin(files.next().map_or_else(Stdio::null, Stdio::from));
    }
    process.stdout(stdout);
    Ok(())
}

fn failure(stage: Stage, program: String, error: &io::Error) -> Failure {
    match stage {
        Stage::Confining => Failure::Isolation(vec![(
            Layer::SystemCalls,
            format!("a command cannot be confined: {error}"),
            "ask `doctor` what is missing on this machine".to_owned(),
        )]),
        Stage::Starting => Failure::CannotStart {
            program,
            why: error.to_string(),
        },
    }
}

/// Reports the end of the command, hands out signals, and stays as long as anything of it runs.
fn follow(channel: &OwnedFd, deaths: &OwnedFd, main: Option<Pid>) -> io::Result<()> {
    const AT_ONCE: Timespec = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let mut main = main;
    let mut left = Left::Living;
    loop {
        let mut ready = [
            PollFd::new(channel, PollFlags::IN),
            PollFd::new(deaths, PollFlags::IN),
        ];
        match poll(&mut ready, Some(&AT_ONCE).filter(|_| left == Left::Dead)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [steered, mut died] = ready.map(|one| !one.revents().is_empty());
        if steered {
            match wire::receive::<Steer>(channel) {
                Ok(Some((Steer::Signal(signal), _))) => {
                    tree::signal(tree::number(signal), deaths);
                    // That may have heard who died.
                    died = true;
                }
                Ok(None) | Err(_) => {
                    tree::kill(deaths);
                    return Ok(());
                }
            }
        }
        if died || left == Left::Dead {
            // What it says is only that somebody died.
            let _ = rustix::io::read(deaths, &mut [0; 1024][..]);
            left = reap(channel, &mut main)?;
            if left == Left::Nobody {
                return Ok(());
            }
        }
    }
}

/// What is left of a command after some of it were seen off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    Nobody,
    Living,
    /// More that died, and were not seen off yet.
    Dead,
}

/// Sees off those that died, and then reports the end of the command: whoever hears of it finds nothing of what died
/// before. `main` is the command until its end is reported.
fn reap(channel: &OwnedFd, main: &mut Option<Pid>) -> io::Result<Left> {
    /// A tree that keeps growing and dying must not keep the report, or a signal, waiting.
    const MANY: usize = 1024;
    let mut ended = None;
    let mut left = Left::Dead;
    for _ in 0..MANY {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if Some(pid) == *main => ended = Some(status),
            Ok(Some(_)) => {}
            Ok(None) => {
                left = Left::Living;
                break;
            }
            Err(Errno::CHILD) => {
                left = Left::Nobody;
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    if let Some(status) = ended {
        *main = None;
        let report = Report::Exited {
            code: status.exit_status(),
            signal: status.terminating_signal(),
        };
        // Without anybody to hear it, the next look at the channel ends everything.
        let _ = wire::send(channel, &report, &[]);
    }
    Ok(left)
}
