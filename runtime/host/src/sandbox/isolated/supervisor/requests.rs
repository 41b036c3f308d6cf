//! Handles the requests of apps.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::PollFlags;

use super::super::Mechanism;
use super::super::identity::{IdMappings, IdentityKind};
use super::super::init::set_terminal_size;
use super::super::mount::{self, NO_PRIVILEGES, READ_ONLY};
use super::super::root;
use super::super::wire::{
    Frame, InitReply, InitRequest, ReplyPayload, Request, RequestKind, WireError, decode,
};
use super::process::Process;
use super::replies::{PendingReply, WaitCondition};
use super::spawn::{take_in_namespace, take_mapped};
use super::state::SandboxSupervisor;
use crate::sandbox::{ProcessId, ProcessSpec, TerminalSize};

/// The time limit of a start, and of a write to an input that is not read.
const START_TIMEOUT: Duration = Duration::from_secs(30);
const WRITE_TIMEOUT: Duration = Duration::from_secs(24 * 3600);
/// The longest wait for output or an end; a caller that waits longer sends another request.
const MAX_WAIT: Duration = Duration::from_secs(24 * 3600);

/// A reply, or `None` if the request has to wait.
type ImmediateReply = Option<Result<ReplyPayload, WireError>>;

impl SandboxSupervisor {
    /// Sends and receives pending messages.
    pub(super) fn on_readable(&mut self, number: u64, events: PollFlags) {
        let Some(connection) = self.connections.get_mut(&number) else {
            return;
        };
        if events.contains(PollFlags::OUT) {
            connection.flush();
        }
        if !events.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
            return;
        }
        for frame in connection.read_frames() {
            self.handle(number, &frame);
        }
    }

    fn handle(&mut self, connection: u64, frame: &Frame) {
        let Ok(request) = decode::<Request>(frame) else {
            if let Some(connection) = self.connections.get_mut(&connection) {
                // The client closed the connection in the middle of a message.
                connection.is_closed = true;
            }
            return;
        };
        // The changes of a command are checked before its end is reported.
        self.handle_changes();
        let asker = (connection, request.number);
        if let Some(result) = self.dispatch(asker, request.ask, &frame.body) {
            self.reply(connection, request.number, result, &[]);
        }
    }

    fn dispatch(&mut self, asker: (u64, u64), ask: RequestKind, bytes: &[u8]) -> ImmediateReply {
        match ask {
            RequestKind::Describe => Some(Ok(ReplyPayload::Sandbox(Box::new(self.description())))),
            RequestKind::Start(spec) => self.handle_start(asker, spec),
            RequestKind::Read(read) => {
                let (process, wait) = (read.process.clone(), read.wait);
                self.wait(asker, process, WaitCondition::Output(read), wait)
            }
            RequestKind::Write { process, end } => self.handle_write(asker, process, bytes, end),
            RequestKind::Resize { process, size } => Some(self.resize(&process, size)),
            RequestKind::Signal { process, signal } => {
                let sent = self.process(&process).and_then(|found| {
                    let sent = found.signal(signal);
                    sent.map_err(|error| WireError::io("a signal cannot be sent", error))
                });
                Some(sent.map(|()| ReplyPayload::Done))
            }
            RequestKind::Status { process, wait } => {
                self.wait(asker, process, WaitCondition::End, wait)
            }
            RequestKind::List => {
                let status = |id| Some(self.processes.get(id)?.status(id));
                let listed = self.order.iter().filter_map(status);
                Some(Ok(ReplyPayload::List(listed.collect())))
            }
            RequestKind::Project { folder, name } => {
                Some(self.project(&folder, &name).map(ReplyPayload::Path))
            }
            RequestKind::Close => {
                // The reply is sent when the sandbox is closed.
                self.closing = Some(asker);
                None
            }
        }
    }

    fn wait(
        &mut self,
        (connection, number): (u64, u64),
        process: ProcessId,
        wants: WaitCondition,
        wait: Duration,
    ) -> ImmediateReply {
        self.reply_or_wait(PendingReply {
            connection,
            number,
            process,
            condition: wants,
            deadline: Instant::now() + wait.min(MAX_WAIT),
        });
        None
    }

    fn handle_start(&mut self, asker: (u64, u64), spec: ProcessSpec) -> ImmediateReply {
        let id = spec.id.clone();
        match self.start(spec) {
            Ok(()) => self.wait(asker, id, WaitCondition::Start, START_TIMEOUT),
            Err(failure) => Some(Err(failure)),
        }
    }

    fn handle_write(
        &mut self,
        asker: (u64, u64),
        id: ProcessId,
        bytes: &[u8],
        end: bool,
    ) -> ImmediateReply {
        let Some(process) = self.processes.get_mut(&id) else {
            return Some(Err(WireError::UnknownProcess(id)));
        };
        match process.input.push(bytes, end) {
            Some(count) => self.wait(asker, id, WaitCondition::InputWritten(count), WRITE_TIMEOUT),
            None => Some(Err(WireError::InputClosed(id))),
        }
    }

    fn process(&self, id: &ProcessId) -> Result<&Process, WireError> {
        let process = self.processes.get(id);
        process.ok_or_else(|| WireError::UnknownProcess(id.clone()))
    }

    fn resize(&self, id: &ProcessId, size: TerminalSize) -> Result<ReplyPayload, WireError> {
        let terminal = self.process(id)?.terminal.as_ref();
        let terminal = terminal.ok_or_else(|| WireError::NoTerminal(id.clone()))?;
        set_terminal_size(terminal, size)
            .map(|()| ReplyPayload::Done)
            .map_err(|error| WireError::io("a terminal cannot be resized", error))
    }

    /// Makes a folder visible inside, read-only.
    fn project(&mut self, folder: &Path, name: &str) -> Result<PathBuf, WireError> {
        let failed = |why: String| WireError::Projection {
            folder: folder.to_owned(),
            why,
        };
        if name.is_empty() || name.contains(['/', '\0']) || matches!(name, "." | "..") {
            return Err(failed(format!("`{name}` is not a single folder name")));
        }
        let path = std::fs::canonicalize(folder).map_err(|error| failed(error.to_string()))?;
        if !path.is_dir() {
            return Err(failed("not a folder".to_owned()));
        }
        match self.projected.get(name) {
            Some(other) if *other == path => return Ok(Path::new(root::PROJECTED).join(name)),
            Some(_) => {
                return Err(failed(format!(
                    "`{name}` is already used for another folder"
                )));
            }
            None => {}
        }
        if self.has_external_namespaces() {
            // Folders cannot be mounted; a readable folder is visible at the same path as outside.
            let mut readable = self.policy.readable.iter();
            let seen = readable.any(|seen| path.starts_with(seen));
            let why = "nothing can be mounted in this sandbox; add the folder to the readable ones";
            return seen.then_some(path).ok_or_else(|| failed(why.to_owned()));
        }
        let tree = self
            .take_tree(&path)
            .map_err(|error| failed(error.to_string()))?;
        let name = name.to_owned();
        match self.request_init(&InitRequest::Project { name: name.clone() }, &[tree])? {
            (InitReply::Path(inside), _) => {
                self.projected.insert(name, path);
                Ok(inside)
            }
            _ => Err(failed("the sandbox sent an unexpected reply".to_owned())),
        }
    }

    /// Reports whether the namespaces were not created by the supervisor.
    fn has_external_namespaces(&self) -> bool {
        self.enforcement.mechanism != Mechanism::Namespaces.name()
    }

    /// Clones the mount of a folder outside, read-only.
    fn take_tree(&self, path: &Path) -> std::io::Result<OwnedFd> {
        let gone = || std::io::Error::other("the sandbox has ended");
        let init = self.init.as_ref().ok_or_else(gone)?;
        let tree = match init.identity.kind {
            IdentityKind::Dedicated => {
                let mut translations = IdMappings::new(init.identity.outer_user);
                take_mapped(path, &mut translations).or_else(|_| mount::clone_tree(path))?
            }
            IdentityKind::Root => mount::clone_tree(path)?,
            IdentityKind::Own => {
                let namespace = init.namespace.as_ref().ok_or_else(gone)?;
                return take_in_namespace(namespace, path);
            }
        };
        mount::set_attributes(&tree, NO_PRIVILEGES | READ_ONLY)?;
        Ok(tree)
    }
}
