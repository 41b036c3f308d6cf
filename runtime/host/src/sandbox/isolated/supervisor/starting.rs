//! Starts processes.

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::pipe::{PipeFlags, pipe_with};

use super::super::Cgroup;
use super::super::identity::IdentityKind;
use super::super::os;
use super::super::wire::{self, CommandSpec, InitReply, InitRequest, WireError};
use super::output::{InputPipe, OutputPipe};
use super::process::Process;
use super::state::{SandboxSupervisor, no_answer};
use crate::sandbox::spool::Spool;
use crate::sandbox::{OutputStream, ProcessSpec, Stdin, TerminalSize};

/// The greatest number of commands that run at once, each with its descendants.
const MAX_RUNNING: usize = 64;
/// The greatest number of finished processes that are kept.
const MAX_REMEMBERED: usize = 512;
/// The time limit for a reply of the init process.
const HELPER_TIMEOUT: Duration = Duration::from_secs(5);

/// The ends of a command's streams: those of the supervisor, and those of the command.
struct CommandPipes {
    input: InputPipe,
    outputs: [Option<OwnedFd>; 2],
    terminal: Option<OwnedFd>,
    theirs: Vec<OwnedFd>,
}

impl SandboxSupervisor {
    /// Starts a process. Its shim reports later whether the start succeeded.
    pub(super) fn start(&mut self, spec: ProcessSpec) -> Result<(), WireError> {
        self.check(&spec)?;
        self.drop_oldest_finished()?;
        let CommandPipes {
            input,
            outputs,
            terminal,
            theirs,
        } = self.connect_command(&spec)?;
        let folder = self.sockets.spool.join(spec.id.as_str());
        self.accept_changes();
        self.cover_replaced()?;
        let shim = self.take_shim()?;
        let stage = self.stage(&spec)?;
        let working_folder = self.working_folder(&spec);
        let mut environment = self.environment.clone();
        environment.extend(spec.environment);
        let command = CommandSpec {
            working_folder,
            environment,
            terminal: spec.terminal.is_some(),
            stdin: spec.stdin,
            limits: spec.limits.stricter(&self.policy.limits),
            access: spec.access,
            network: spec.network,
            stage: stage.as_ref().and_then(|_| self.stage_spec(&spec.id)),
            argv: spec.argv,
        };
        wire::send_with(&shim, &command, &theirs)
            .map_err(|error| WireError::io("failed to send a command to its shim", error))?;
        let [stdout, stderr] = outputs;
        let keep = spec.limits.output.min(self.policy.limits.output);
        let spool = |stream| Spool::create(&folder, stream, keep);
        let wall_time = command.limits.wall_time;
        let process = Process {
            argv: shorten_argv(command.argv),
            limits: command.limits,
            started: false,
            failed: None,
            exit: None,
            shim: Some(shim),
            input,
            streams: [
                OutputPipe::over(stdout, spool(OutputStream::Stdout)),
                OutputPipe::over(stderr, spool(OutputStream::Stderr)),
            ],
            deadline: wall_time.and_then(|time| Instant::now().checked_add(time)),
            has_timed_out: false,
            terminal,
            memory_kills: self.group.as_ref().map_or(0, Cgroup::memory_kills),
            notes: Vec::new(),
            access: spec.access,
            violation: None,
            is_checked: false,
            stage,
            has_no_processes: false,
        };
        self.processes.insert(spec.id.clone(), process);
        self.order.push_back(spec.id);
        Ok(())
    }

    fn check(&self, spec: &ProcessSpec) -> Result<(), WireError> {
        if self.processes.contains_key(&spec.id) {
            return Err(WireError::ProcessExists(spec.id.clone()));
        }
        let program = spec.argv.first().cloned().unwrap_or_default();
        let variables = &spec.environment;
        let named = spec.argv.iter().chain(variables.keys());
        let mut texts = named.chain(variables.values());
        let why = if program.is_empty() {
            "no program was named"
        } else if texts.any(|text| text.contains('\0')) {
            "an argument or an environment variable contains a NUL byte"
        } else if variables
            .keys()
            .any(|name| name.is_empty() || name.contains('='))
        {
            "an environment variable has an invalid name"
        } else {
            return Ok(());
        };
        let why = why.to_owned();
        Err(WireError::CannotStart { program, why })
    }

    /// Removes the oldest finished processes, and rejects a start that exceeds the limit of running processes.
    fn drop_oldest_finished(&mut self) -> Result<(), WireError> {
        let processes = self.processes.values();
        let running = processes.filter(|process| !process.is_finished()).count();
        if running >= MAX_RUNNING {
            return Err(WireError::Unavailable {
                kind: "local".to_owned(),
                why: format!("{running} commands are already running; end some of them"),
            });
        }
        while self.order.len() >= MAX_REMEMBERED {
            let over = |id: &&_| self.processes.get(*id).is_none_or(Process::is_finished);
            let Some(oldest) = self.order.iter().find(over).cloned() else {
                break;
            };
            self.forget(&oldest);
        }
        Ok(())
    }

    fn working_folder(&self, spec: &ProcessSpec) -> PathBuf {
        let workspace = &self.policy.workspace;
        let folder = spec.working_folder.as_ref();
        folder.map_or_else(|| workspace.clone(), |folder| workspace.join(folder))
    }

    fn connect_command(&mut self, spec: &ProcessSpec) -> Result<CommandPipes, WireError> {
        let failed = |error: io::Error| WireError::io("a command cannot be connected", error);
        if let Some(size) = spec.terminal {
            let (held, theirs) = self.terminal(size)?;
            return terminal_ends(held, theirs, spec.stdin == Stdin::Open).map_err(failed);
        }
        pipe_ends(spec.stdin == Stdin::Open)
            .and_then(|ends| self.give_ownership(&ends.theirs).map(|()| ends))
            .map_err(failed)
    }

    /// Makes the command the owner of its streams, so that it can reopen them by `/dev/stdout` and the like.
    fn give_ownership(&self, theirs: &[OwnedFd]) -> io::Result<()> {
        let Some(identity) = self.init.as_ref().map(|init| init.identity) else {
            return Ok(());
        };
        if identity.kind != IdentityKind::Dedicated {
            return Ok(());
        }
        let user = rustix::fs::Uid::from_raw(identity.outer_user);
        let group = rustix::fs::Gid::from_raw(identity.outer_group);
        theirs
            .iter()
            .try_for_each(|end| Ok(rustix::fs::fchown(end, Some(user), Some(group))?))
    }

    fn terminal(&mut self, size: TerminalSize) -> Result<(OwnedFd, OwnedFd), WireError> {
        let (answer, files) = self.request_init(&InitRequest::Terminal { size }, &[])?;
        let mut files = files.into_iter();
        match (answer, files.next(), files.next()) {
            (InitReply::Done, Some(held), Some(theirs)) => Ok((held, theirs)),
            _ => Err(unexpected_reply()),
        }
    }

    /// Sends a request to the init process, and waits for its reply.
    ///
    /// # Errors
    /// Fails if the request cannot be sent, or if the init process replies with an error.
    pub(super) fn request_init(
        &mut self,
        request: &InitRequest,
        files: &[OwnedFd],
    ) -> Result<(InitReply, Vec<OwnedFd>), WireError> {
        let init = self.init.as_ref().ok_or_else(init_gone)?;
        let answer = wire::send_with(&init.socket, request, files)
            .and_then(|()| wire::receive::<InitReply>(&init.socket))
            .map_err(no_answer)?;
        match answer.ok_or_else(init_gone)? {
            (InitReply::Failed(failure), _) => Err(failure),
            answer => Ok(answer),
        }
    }

    /// Returns a shim that waits for its command.
    fn take_shim(&mut self) -> Result<OwnedFd, WireError> {
        if self.spare.is_none() {
            self.prepare_shim();
        }
        self.spare.take().ok_or_else(init_gone)
    }

    /// Requests a shim for the next command.
    pub(super) fn prepare_shim(&mut self) {
        self.spare_due = None;
        if self.spare.is_some() {
            return;
        }
        let Some(init) = &self.init else { return };
        let Ok((ours, theirs)) = os::socket_pair() else {
            return;
        };
        let patient = [Timeout::Recv, Timeout::Send]
            .into_iter()
            .all(|side| set_socket_timeout(&ours, side, Some(HELPER_TIMEOUT)).is_ok());
        if patient && wire::send_with(&init.socket, &InitRequest::Shim, &[theirs]).is_ok() {
            self.spare = Some(ours);
        }
    }
}

fn init_gone() -> WireError {
    WireError::Closed("the init process exited and all processes were killed".to_owned())
}

pub(super) fn unexpected_reply() -> WireError {
    WireError::Closed("the init process sent an unexpected reply".to_owned())
}

fn pipe_ends(open: bool) -> io::Result<CommandPipes> {
    let (stdout, their_stdout) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stderr, their_stderr) = pipe_with(PipeFlags::CLOEXEC)?;
    let mut theirs = vec![their_stdout, their_stderr];
    rustix::io::ioctl_fionbio(&stdout, true)?;
    rustix::io::ioctl_fionbio(&stderr, true)?;
    let mut input = InputPipe::default();
    if open {
        let (their_stdin, stdin) = pipe_with(PipeFlags::CLOEXEC)?;
        rustix::io::ioctl_fionbio(&stdin, true)?;
        theirs.push(their_stdin);
        input = InputPipe::over(Some(stdin), false);
    }
    Ok(CommandPipes {
        input,
        outputs: [Some(stdout), Some(stderr)],
        terminal: None,
        theirs,
    })
}

fn terminal_ends(held: OwnedFd, theirs: OwnedFd, open: bool) -> io::Result<CommandPipes> {
    rustix::io::ioctl_fionbio(&held, true)?;
    let input = open.then(|| held.try_clone()).transpose()?;
    Ok(CommandPipes {
        input: InputPipe::over(input, true),
        outputs: [Some(held.try_clone()?), None],
        terminal: Some(held),
        theirs: vec![theirs],
    })
}

/// Shortens the arguments, so that a list of all processes stays small.
fn shorten_argv(mut argv: Vec<String>) -> Vec<String> {
    const MAX_ARGV_BYTES: usize = 8 << 10;
    let mut room = MAX_ARGV_BYTES;
    for argument in &mut argv {
        if argument.len() > room {
            argument.truncate(argument.floor_char_boundary(room));
            argument.push('…');
        }
        room = room.saturating_sub(argument.len());
    }
    argv.truncate(MAX_ARGV_BYTES);
    argv
}
