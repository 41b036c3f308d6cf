//! The state of one process in the supervisor.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::super::limit_of_signal;
use super::super::stage::CommandLayers;
use super::super::wire::{self, ShimReport, WireError};
use super::output::{InputPipe, OutputPipe};
use crate::sandbox::{
    Access, Exit, Limits, OutputChunk, OutputStream, ProcessId, ProcessStatus, ReadOutput, Signal,
};

/// A descriptor of a process that the supervisor polls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProcessFd {
    Shim,
    Input,
    Stdout,
    Stderr,
}

/// A process, from its start to the end of the sandbox.
pub(super) struct Process {
    pub(super) argv: Vec<String>,
    pub(super) limits: Limits,
    pub(super) started: bool,
    /// The error if the process did not start.
    pub(super) failed: Option<WireError>,
    pub(super) exit: Option<Exit>,
    /// The channel of the shim, while a process of the command runs.
    pub(super) shim: Option<OwnedFd>,
    pub(super) input: InputPipe,
    pub(super) streams: [OutputPipe; 2],
    pub(super) deadline: Option<Instant>,
    /// Whether the process exceeded its time limit.
    pub(super) has_timed_out: bool,
    /// The terminal, if the process has one.
    pub(super) terminal: Option<OwnedFd>,
    /// The number of processes of the sandbox that had been killed for memory when this process started.
    pub(super) memory_kills: u64,
    /// The notes on changes of the process that were undone.
    pub(super) notes: Vec<String>,
    pub(super) access: Access,
    /// The reason why the process was killed, if it broke the protection rules.
    pub(super) violation: Option<String>,
    /// Whether the folders were checked after the end of the process.
    pub(super) is_checked: bool,
    /// The layers of a staged process, until its changes are applied or removed.
    pub(super) stage: Option<CommandLayers>,
    /// Whether the shim reported that no process of the command runs any more.
    pub(super) has_no_processes: bool,
}

impl Process {
    pub(super) fn status(&self, id: &ProcessId) -> ProcessStatus {
        let mut status = ProcessStatus::new(id.clone(), self.argv.clone());
        status.exit = self.reported_exit().cloned();
        status.stdout = self.streams[0].total();
        status.stderr = self.streams[1].total();
        status.notes.clone_from(&self.notes);
        status.left_running = status.exit.is_some() && self.is_alive();
        status
    }

    /// Returns the exit as soon as it may be reported: for a staged process, after its changes were checked.
    pub(super) fn reported_exit(&self) -> Option<&Exit> {
        self.exit.as_ref().filter(|_| self.stage.is_none())
    }

    /// Reports whether a process of the command runs.
    pub(super) fn is_alive(&self) -> bool {
        self.shim.is_some()
    }

    /// Reports whether the program runs or has run; waits for a report that is on its way.
    pub(super) fn has_started(&mut self) -> bool {
        const REPORT_WAIT: Timespec = Timespec {
            tv_sec: 0,
            tv_nsec: 2_000_000,
        };
        if !self.started
            && let Some(shim) = &self.shim
            && poll(&mut [PollFd::new(shim, PollFlags::IN)], Some(&REPORT_WAIT)) == Ok(1)
        {
            self.read_report();
        }
        self.started
    }

    /// Reports whether the process is kept only for its output.
    pub(super) fn is_finished(&self) -> bool {
        self.exit.is_some() && self.shim.is_none()
    }

    pub(super) fn poll_fds(&self) -> impl Iterator<Item = (ProcessFd, BorrowedFd<'_>, PollFlags)> {
        let shim = self.shim.as_ref().map(AsFd::as_fd);
        let stream = |at: usize| self.streams[at].socket();
        let parts = [
            (ProcessFd::Shim, shim, PollFlags::IN),
            (ProcessFd::Input, self.input.pending_fd(), PollFlags::OUT),
            (ProcessFd::Stdout, stream(0), PollFlags::IN),
            (ProcessFd::Stderr, stream(1), PollFlags::IN),
        ];
        parts
            .into_iter()
            .filter_map(|(part, fd, flags)| Some((part, fd?, flags)))
    }

    /// Returns the time at which the process must be killed.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline
            .filter(|_| !self.has_timed_out && self.shim.is_some())
    }

    /// Reads output; `None` while there is no output at the offset and more may come.
    pub(super) fn read(&self, read: &ReadOutput, late: bool) -> Option<io::Result<OutputChunk>> {
        let stream = match read.stream {
            OutputStream::Stdout => &self.streams[0],
            OutputStream::Stderr => &self.streams[1],
        };
        (late || stream.has_reply_at(read.offset)).then(|| stream.read(read.offset, read.max))
    }

    /// Sends a signal to all processes of the command; succeeds without effect if they have ended.
    pub(super) fn signal(&self, signal: Signal) -> io::Result<()> {
        let Some(shim) = &self.shim else {
            return Ok(());
        };
        let ended = [io::ErrorKind::BrokenPipe, io::ErrorKind::ConnectionReset];
        match wire::send(shim, &signal) {
            // The process has just ended, and its last report is not read yet.
            Err(error) if ended.contains(&error.kind()) => Ok(()),
            sent => sent,
        }
    }

    /// Reads a report of the shim.
    pub(super) fn read_report(&mut self) {
        let Some(shim) = &self.shim else { return };
        let report = wire::receive::<ShimReport>(shim).ok().flatten();
        match report.map(|(report, _)| report) {
            Some(ShimReport::Started) => self.started = true,
            Some(ShimReport::Failed(failure)) => {
                self.failed = Some(failure);
                self.shim = None;
            }
            Some(ShimReport::Exited {
                code,
                signal,
                is_last,
            }) => {
                self.read_remaining_output();
                self.exit = Some(self.to_exit(code, signal));
                if is_last {
                    // Changes from now on are not made by this process.
                    self.shim = None;
                    self.has_no_processes = true;
                }
            }
            Some(ShimReport::Gone) => {
                self.shim = None;
                self.has_no_processes = true;
            }
            None => {
                self.shim = None;
                if self.exit.is_none() {
                    self.read_remaining_output();
                    self.exit = Some(self.to_exit(None, None));
                }
            }
        }
    }

    /// Marks the process as lost, because its sandbox is gone.
    pub(super) fn set_lost(&mut self) {
        self.shim = None;
        self.read_remaining_output();
        self.exit.get_or_insert(Exit::Lost);
        for stream in &mut self.streams {
            stream.close();
        }
        self.input.close();
    }

    /// Reads all output that was written before the end of the process, so that every observer of the end sees all
    /// output.
    fn read_remaining_output(&mut self) {
        for stream in &mut self.streams {
            stream.read_to_end();
        }
    }

    fn to_exit(&self, code: Option<i32>, signal: Option<i32>) -> Exit {
        if let Some(why) = &self.violation {
            return Exit::ProtectedPaths(why.clone());
        }
        match (code, signal) {
            _ if self.has_timed_out => Exit::TimedOut,
            (_, Some(signal)) => {
                limit_of_signal(signal, &self.limits).map_or(Exit::Signal(signal), Exit::Limit)
            }
            (Some(code), None) => Exit::Code(code),
            (None, None) => Exit::Lost,
        }
    }
}
