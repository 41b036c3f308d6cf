//! The process that becomes a command. It is forked and partly confined before the command is known, so that most of
//! the cost of a start is spent in advance.

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

/// The byte that a command sends when it is confined.
const CONFINED: u8 = 0;
/// The byte before the reason if the program does not exist; no text begins with it.
const NOT_FOUND: u8 = 1;
/// The maximum length of the message about a failed start.
const MAX_REASON_BYTES: usize = 512;

/// The stage that a command reached before its program started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartStage {
    /// The confinement was not complete.
    Confining,
    /// The confinement was complete, and only the program had to start.
    Starting,
}

/// A process that waits for its command. The process ends when this value is dropped.
pub(super) struct CommandProcess {
    pid: Pid,
    socket: OwnedFd,
}

impl CommandProcess {
    /// Forks a process, which closes `channel`: only its parent uses it.
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

    /// Passes a command with its input and outputs to the process, and waits until its program runs.
    pub(super) fn start(
        self,
        command: &CommandSpec,
        files: Vec<OwnedFd>,
    ) -> Result<Pid, (StartStage, io::Error)> {
        // A closed connection is reported below.
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
            // The process ended during its start; the end is only reported here.
            None => Err((
                StartStage::Confining,
                io::Error::other("the process exited before it was confined"),
            )),
        }
    }
}

/// Encodes the reason why a start failed, for [`setup_error`].
fn reason(error: &io::Error) -> Vec<u8> {
    let mark = (error.kind() == io::ErrorKind::NotFound).then_some(NOT_FOUND);
    mark.into_iter().chain(error.to_string().bytes()).collect()
}

/// Decodes the reason why a start failed.
fn setup_error(why: &[u8]) -> io::Error {
    let (kind, why) = match why.split_first() {
        Some((&NOT_FOUND, why)) => (io::ErrorKind::NotFound, why),
        _ => (io::ErrorKind::Other, why),
    };
    io::Error::new(kind, String::from_utf8_lossy(why).into_owned())
}

/// Waits for a command and executes it; returns the error if that fails.
fn become_command(confinement: Confinement, parent: &OwnedFd) -> io::Error {
    let begun = (|| {
        crate::sandbox::signals::reset_to_default();
        rustix::process::setsid()?;
        confinement.begin()?;
        wire::receive::<CommandSpec>(parent)
    })();
    let (command, files) = match begun {
        Ok(Some(given)) => given,
        // The supervisor does not need the process any more.
        Ok(None) => std::process::exit(0),
        Err(error) => return error,
    };
    match prepare_command(command, files, confinement, parent) {
        Ok(mut process) => process.exec(),
        Err(error) => error,
    }
}

/// Prepares the program; the rest of the confinement is applied last.
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
            // The input may be empty; the output is the terminal in every case.
            rustix::process::ioctl_tiocsctty(io::stdout().as_fd())?;
        }
        confinement.finish(access, network, &limits)?;
        // Reports that the process is confined, so that a later failure is attributed to the program.
        rustix::io::write(&pass, &[CONFINED])?;
        Ok(())
    });
    Ok(process)
}

/// Connects the standard streams of a command.
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
