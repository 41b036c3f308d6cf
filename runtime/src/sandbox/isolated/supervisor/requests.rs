//! What apps ask for.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::PollFlags;

use super::super::Mechanism;
use super::super::identity::{Kind, Translations};
use super::super::mount::{self, PLAIN, READ_ONLY};
use super::super::root;
use super::super::wire::{Answer, Ask, Failure, Frame, InitReply, InitRequest, Request, decode};
use super::spawn::translated;
use super::state::SandboxSupervisor;
use super::waiter::{Waiter, Wants};
use crate::sandbox::{ProcessId, ProcessSpec, TerminalSize};

/// How long a start, and a write to an input that nobody reads, may take.
const PATIENCE: Duration = Duration::from_secs(30);
const WRITE_PATIENCE: Duration = Duration::from_secs(24 * 3600);
/// The longest wait for output or an end; a caller that wants more asks again.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// An answer, or nothing yet.
type Now = Option<Result<Answer, Failure>>;

impl SandboxSupervisor {
    /// Sends and hears what is to be sent and heard.
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
                connection.hang_up();
            }
            return;
        };
        // What a command made is looked at before anybody hears of it.
        self.settle();
        let asker = (connection, request.number);
        if let Some(result) = self.dispatch(asker, request.ask, &frame.body) {
            self.reply(connection, request.number, result, &[]);
        }
    }

    fn dispatch(&mut self, asker: (u64, u64), ask: Ask, bytes: &[u8]) -> Now {
        match ask {
            Ask::Describe => Some(Ok(Answer::Sandbox(Box::new(self.description())))),
            Ask::Start(spec) => self.asked_to_start(asker, spec),
            Ask::Read(read) => {
                let (process, wait) = (read.process.clone(), read.wait);
                self.wait(asker, process, Wants::Output(read), wait)
            }
            Ask::Write { process, end } => self.asked_to_write(asker, process, bytes, end),
            Ask::Resize { process, size } => Some(self.resize(&process, size)),
            Ask::Signal { process, signal } => Some(match self.processes.get(&process) {
                None => Err(Failure::UnknownProcess(process)),
                Some(found) => found
                    .signal(signal)
                    .map(|()| Answer::Done)
                    .map_err(|error| Failure::io("a signal cannot be sent", error)),
            }),
            Ask::Status { process, wait } => self.wait(asker, process, Wants::End, wait),
            Ask::List => {
                let listed = self.order.iter().filter_map(|id| {
                    let process = self.processes.get(id)?;
                    Some(process.status(id))
                });
                Some(Ok(Answer::List(listed.collect())))
            }
            Ask::Project { folder, name } => Some(self.project(&folder, &name).map(Answer::Path)),
            Ask::Close => {
                // The answer comes when nothing is left.
                self.closing = Some(asker);
                None
            }
        }
    }

    fn wait(
        &mut self,
        (connection, number): (u64, u64),
        process: ProcessId,
        wants: Wants,
        wait: Duration,
    ) -> Now {
        self.answer_or_wait(Waiter {
            connection,
            number,
            process,
            wants,
            deadline: Instant::now() + wait.min(LONGEST),
        });
        None
    }

    fn asked_to_start(&mut self, asker: (u64, u64), spec: ProcessSpec) -> Now {
        let id = spec.id.clone();
        match self.start(spec) {
            Ok(()) => self.wait(asker, id, Wants::Start, PATIENCE),
            Err(failure) => Some(Err(failure)),
        }
    }

    fn asked_to_write(&mut self, asker: (u64, u64), id: ProcessId, bytes: &[u8], end: bool) -> Now {
        let Some(process) = self.processes.get_mut(&id) else {
            return Some(Err(Failure::UnknownProcess(id)));
        };
        match process.input.push(bytes, end) {
            Some(count) => self.wait(asker, id, Wants::Taken(count), WRITE_PATIENCE),
            None => Some(Err(Failure::InputClosed(id))),
        }
    }

    fn resize(&self, id: &ProcessId, size: TerminalSize) -> Result<Answer, Failure> {
        let process = self.processes.get(id);
        let process = process.ok_or_else(|| Failure::UnknownProcess(id.clone()))?;
        let terminal = process.terminal.as_ref();
        let terminal = terminal.ok_or_else(|| Failure::NoTerminal(id.clone()))?;
        let size = rustix::termios::Winsize {
            ws_row: size.rows,
            ws_col: size.columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        rustix::termios::tcsetwinsize(terminal, size)
            .map(|()| Answer::Done)
            .map_err(|error| Failure::io("a terminal cannot be resized", error))
    }

    /// Shows a folder inside, read-only.
    fn project(&mut self, folder: &Path, name: &str) -> Result<PathBuf, Failure> {
        let failed = |why: String| Failure::Projection {
            folder: folder.to_owned(),
            why,
        };
        if name.is_empty() || name.contains(['/', '\0']) || matches!(name, "." | "..") {
            return Err(failed(format!("`{name}` is not one name of a folder")));
        }
        let path = std::fs::canonicalize(folder).map_err(|error| failed(error.to_string()))?;
        if !path.is_dir() {
            return Err(failed("it is no folder".to_owned()));
        }
        match self.projected.get(name) {
            Some(other) if *other == path => return Ok(Path::new(root::PROJECTED).join(name)),
            Some(_) => return Err(failed(format!("another one is shown as `{name}`"))),
            None => {}
        }
        if self.is_given() {
            // Nothing can be mounted here; what is seen anyway is where it is outside.
            let seen = self
                .policy
                .readable
                .iter()
                .any(|seen| path.starts_with(seen));
            let why = "nothing can be mounted in this sandbox; add the folder to the readable ones";
            return seen.then_some(path).ok_or_else(|| failed(why.to_owned()));
        }
        let tree = self
            .tree(&path)
            .map_err(|error| failed(error.to_string()))?;
        let request = InitRequest::Project {
            name: name.to_owned(),
        };
        match self.request_init(&request, &[tree])? {
            (InitReply::Path(inside), _) => {
                self.projected.insert(name.to_owned(), path);
                Ok(inside)
            }
            (InitReply::Failed(failure), _) => Err(failure),
            _ => Err(failed("the sandbox answered something else".to_owned())),
        }
    }

    /// Tells whether its surroundings are not its own work.
    fn is_given(&self) -> bool {
        self.enforcement.mechanism != Mechanism::Namespaces.name()
    }

    /// Takes the mount of a folder outside, read-only.
    fn tree(&self, path: &Path) -> std::io::Result<OwnedFd> {
        let gone = || std::io::Error::other("the sandbox is gone");
        let init = self.init.as_ref().ok_or_else(gone)?;
        let tree = match init.identity.kind {
            Kind::Dedicated => {
                let mut translations = Translations::to(init.identity.outer_user);
                translated(path, &mut translations).or_else(|_| mount::tree(path))?
            }
            Kind::Root => mount::tree(path)?,
            Kind::Own => {
                return super::spawn::taken_inside(init.namespace.as_ref().ok_or_else(gone)?, path);
            }
        };
        mount::set(&tree, PLAIN | READ_ONLY)?;
        Ok(tree)
    }
}
