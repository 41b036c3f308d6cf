//! The process that becomes a command. It is made before the command is known, and confined as far as that goes without
//! knowing it: most of what a start costs is spent before anybody waits for it.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Stdio;

use rustix::process::Pid;

use super::super::os::{self, ForkResult};
use super::super::wire::{self, CommandSpec};
use super::Confinement;
use crate::sandbox::Stdin;

/// What a command says as soon as it is confined.
const CONFINED: u8 = 0;
/// What stands before the reason where the program does not exist; no text begins with it.
const NOT_FOUND: u8 = 1;
/// The maximum length of the message about a failed start.
const MAX_REASON_BYTES: usize = 512;

/// How far a command came before its program took over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartStage {
    /// Nothing was confined yet, or not all.
    Confining,
    /// Only the program itself was missing.
    Starting,
}

/// A process that waits for its command. It ends when this is dropped.
pub(super) struct CommandProcess {
    pid: Pid,
    socket: OwnedFd,
}

impl CommandProcess {
    /// Creates one; it closes `channel`, which is its parent's alone.
    pub(super) fn fork(confinement: &Confinement, channel: &mut OwnedFd) -> io::Result<Self> {
        let (socket, theirs) = os::socket_pair()?;
        match os::fork()? {
            ForkResult::Child => {
                drop(socket);
                *channel = theirs;
                let why = reason(&become_command(confinement.clone(), channel));
                let _ = rustix::io::write(channel, &why[..why.len().min(MAX_REASON_BYTES)]);
                std::process::exit(1)
            }
            ForkResult::Parent(pid) => Ok(Self { pid, socket }),
        }
    }

    /// Hands a command over, with its input and outputs, and waits until its program runs.
    pub(super) fn start(
        self,
        command: &CommandSpec,
        files: Vec<OwnedFd>,
    ) -> Result<Pid, (StartStage, io::Error)> {
        // The end of a peer that is gone is reported below.
        let sent = wire::send_with(&self.socket, command, &files);
        drop(files);
        let mut said = Vec::new();
        let mut socket = File::from(self.socket).take(2 * MAX_REASON_BYTES as u64);
        let heard = socket.read_to_end(&mut said);
        match said.split_first() {
            Some((&CONFINED, [])) if sent.is_ok() => heard
                .map(|_| self.pid)
                .map_err(|error| (StartStage::Confining, error)),
            Some((&CONFINED, why)) => Err((StartStage::Starting, setup_error(why))),
            Some(_) => Err((StartStage::Confining, setup_error(&said))),
            // It ended on its way; its end is only reported here.
            None => Err((
                StartStage::Confining,
                io::Error::other("the process exited before it was confined"),
            )),
        }
    }
}

/// Writes why there is no command, for [`setup_error`].
fn reason(error: &io::Error) -> Vec<u8> {
    let mark = (error.kind() == io::ErrorKind::NotFound).then_some(NOT_FOUND);
    mark.into_iter().chain(error.to_string().bytes()).collect()
}

/// Reads why there is no command.
fn setup_error(why: &[u8]) -> io::Error {
    let (kind, why) = match why.split_first() {
        Some((&NOT_FOUND, why)) => (io::ErrorKind::NotFound, why),
        _ => (io::ErrorKind::Other, why),
    };
    io::Error::new(kind, String::from_utf8_lossy(why).into_owned())
}

/// Waits for a command and becomes it; returns why it did not.
fn become_command(confinement: Confinement, parent: &OwnedFd) -> io::Error {
    let begun = (|| {
        crate::sandbox::signals::reset_to_default();
        rustix::process::setsid()?;
        confinement.begin()?;
        wire::receive::<CommandSpec>(parent)
    })();
    let (command, files) = match begun {
        Ok(Some(given)) => given,
        // The supervisor does not need it any more.
        Ok(None) => std::process::exit(0),
        Err(error) => return error,
    };
    match prepare_command(command, files, confinement, parent) {
        Ok(mut process) => process.exec(),
        Err(error) => error,
    }
}

/// Prepares the program; the rest of the confinement is its last step.
fn prepare_command(
    command: CommandSpec,
    files: Vec<OwnedFd>,
    confinement: Confinement,
    parent: &OwnedFd,
) -> io::Result<std::process::Command> {
    let pass = parent.try_clone()?;
    let mut process = std::process::Command::new(&command.argv[0]);
    process
        .args(&command.argv[1..])
        .env_clear()
        .envs(&command.environment)
        .current_dir(&command.working_folder);
    connect(&mut process, files, command.terminal, command.stdin)?;
    let (terminal, limits) = (command.terminal, command.limits);
    let (access, network) = (command.access, command.network);
    os::set_pre_exec(&mut process, move || {
        if terminal {
            // The input may be empty; the output is the terminal whatever the input is.
            rustix::process::ioctl_tiocsctty(io::stdout().as_fd())?;
        }
        confinement.finish(access, network, &limits)?;
        // Says that the confinement holds, so that what fails from here on is about the program.
        rustix::io::write(&pass, &[CONFINED])?;
        Ok(())
    });
    Ok(process)
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
            .ok_or("an output is missing")
            .map_err(io::Error::other)
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
