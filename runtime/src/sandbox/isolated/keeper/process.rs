//! What a keeper knows of one process.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::super::stage::Stage;
use super::super::wire::{self, Failure, Report, Steer};
use super::super::{Cgroup, limit_behind};
use super::output::{Input, Stream};
use super::serve::{Keeper, Part};
use crate::sandbox::{
    Access, Exit, Limit, Limits, OutputChunk, OutputStream, ProcessId, ProcessStatus, ReadOutput,
    Signal,
};

/// How long a command runs alone before the warden of the next one is made.
const LATER: Duration = Duration::from_millis(5);

/// A process, from its start to the end of the sandbox.
pub(super) struct Process {
    pub(super) argv: Vec<String>,
    pub(super) limits: Limits,
    pub(super) started: bool,
    /// Why it did not start.
    pub(super) failed: Option<Failure>,
    pub(super) exit: Option<Exit>,
    /// Its warden, as long as anything of it runs.
    pub(super) warden: Option<OwnedFd>,
    pub(super) input: Input,
    pub(super) streams: [Stream; 2],
    pub(super) deadline: Option<Instant>,
    /// Whether its time was up.
    pub(super) late: bool,
    /// Its terminal, where it has one.
    pub(super) terminal: Option<OwnedFd>,
    /// How many processes of the sandbox had been killed for memory when it started.
    pub(super) memory_kills: u64,
    /// What was undone of its doing.
    pub(super) notes: Vec<String>,
    pub(super) access: Access,
    /// Why it was ended before its time, where what it did was undone.
    pub(super) offence: Option<String>,
    /// Whether what it left was looked at, after its end.
    pub(super) looked_at: bool,
    /// Its layers, where it is staged, until its changes are applied or removed.
    pub(super) stage: Option<Stage>,
    /// Whether its warden said that nothing of it runs.
    pub(super) is_gone: bool,
}

impl Process {
    pub(super) fn status(&self, id: &ProcessId) -> ProcessStatus {
        let mut status = ProcessStatus::new(id.clone(), self.argv.clone());
        status.exit = self.told_exit().cloned();
        status.stdout = self.streams[0].total();
        status.stderr = self.streams[1].total();
        status.notes.clone_from(&self.notes);
        status.left_running = status.exit.is_some() && self.is_alive();
        status
    }

    /// How it ended, as soon as that may be told: after what it changed was judged, where it is staged.
    pub(super) fn told_exit(&self) -> Option<&Exit> {
        self.exit.as_ref().filter(|_| self.stage.is_none())
    }

    /// Whether anything of it runs.
    pub(super) fn is_alive(&self) -> bool {
        self.warden.is_some()
    }

    /// Whether its program runs or has run; a report that is on its way is waited for.
    pub(super) fn has_started(&mut self) -> bool {
        const ON_ITS_WAY: Timespec = Timespec {
            tv_sec: 0,
            tv_nsec: 2_000_000,
        };
        if !self.started
            && let Some(warden) = &self.warden
            && poll(&mut [PollFd::new(warden, PollFlags::IN)], Some(&ON_ITS_WAY)) == Ok(1)
        {
            self.hear();
        }
        self.started
    }

    /// Whether it is remembered only for its output.
    pub(super) fn is_over(&self) -> bool {
        self.exit.is_some() && self.warden.is_none()
    }

    pub(super) fn awaited(&self) -> impl Iterator<Item = (Part, BorrowedFd<'_>, PollFlags)> {
        let warden = self.warden.as_ref().map(AsFd::as_fd);
        let stream = |at: usize| self.streams[at].socket();
        let parts = [
            (Part::Warden, warden, PollFlags::IN),
            (Part::Input, self.input.awaited(), PollFlags::OUT),
            (Part::Stdout, stream(0), PollFlags::IN),
            (Part::Stderr, stream(1), PollFlags::IN),
        ];
        parts
            .into_iter()
            .filter_map(|(part, fd, flags)| Some((part, fd?, flags)))
    }

    /// When it has to be ended.
    pub(super) fn due(&self) -> Option<Instant> {
        self.deadline
            .filter(|_| !self.late && self.warden.is_some())
    }

    /// Reads output; nothing while there is nothing at the offset and more may come.
    pub(super) fn read(&self, read: &ReadOutput, late: bool) -> Option<io::Result<OutputChunk>> {
        let stream = match read.stream {
            OutputStream::Stdout => &self.streams[0],
            OutputStream::Stderr => &self.streams[1],
        };
        (late || stream.has(read.offset)).then(|| stream.read(read.offset, read.max))
    }

    /// Sends a signal to all that descends from it; nothing is left of one that is over.
    pub(super) fn signal(&self, signal: Signal) -> io::Result<()> {
        let Some(warden) = &self.warden else {
            return Ok(());
        };
        match wire::send(warden, &Steer::Signal(signal), &[]) {
            // It ended a moment ago, and its last word is not read yet.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset
                ) =>
            {
                Ok(())
            }
            sent => sent,
        }
    }

    /// Hears what the warden reports.
    pub(super) fn hear(&mut self) {
        let report = match &self.warden {
            Some(warden) => wire::receive::<Report>(warden),
            None => return,
        };
        match report {
            Ok(Some((Report::Started, _))) => self.started = true,
            Ok(Some((Report::Failed(failure), _))) => {
                self.failed = Some(failure);
                self.warden = None;
            }
            Ok(Some((
                Report::Exited {
                    code,
                    signal,
                    is_last,
                },
                _,
            ))) => {
                self.exhaust();
                self.exit = Some(self.exit_of(code, signal));
                if is_last {
                    // What changes from now on is not its doing.
                    self.warden = None;
                    self.is_gone = true;
                }
            }
            Ok(Some((Report::Gone, _))) => {
                self.warden = None;
                self.is_gone = true;
            }
            Ok(None) | Err(_) => {
                self.warden = None;
                if self.exit.is_none() {
                    self.exhaust();
                    self.exit = Some(match &self.offence {
                        Some(why) => Exit::ProtectedPaths(why.clone()),
                        None if self.late => Exit::TimedOut,
                        None => Exit::Lost,
                    });
                }
            }
        }
    }

    /// Its sandbox is gone.
    pub(super) fn lose(&mut self) {
        self.warden = None;
        self.exhaust();
        self.exit.get_or_insert(Exit::Lost);
        for stream in &mut self.streams {
            stream.close();
        }
        self.input.close();
    }

    /// Reads all that it had written before it ended, so that nobody who sees the end misses output.
    fn exhaust(&mut self) {
        for stream in &mut self.streams {
            stream.exhaust();
        }
    }

    fn exit_of(&self, code: Option<i32>, signal: Option<i32>) -> Exit {
        if let Some(why) = &self.offence {
            return Exit::ProtectedPaths(why.clone());
        }
        match (code, signal) {
            _ if self.late => Exit::TimedOut,
            (_, Some(signal)) => {
                limit_behind(signal, &self.limits).map_or(Exit::Signal(signal), Exit::Limit)
            }
            (Some(code), None) => Exit::Code(code),
            (None, None) => Exit::Lost,
        }
    }
}

impl Keeper {
    /// Attends to what happened at a process.
    pub(super) fn attend(&mut self, id: &ProcessId, part: Part) {
        let Some(process) = self.processes.get_mut(id) else {
            return;
        };
        match part {
            Part::Warden => {
                let (running, was_alive) = (process.exit.is_none(), process.is_alive());
                process.hear();
                let ended = running && process.exit.is_some();
                let is_gone = was_alive && !process.is_alive();
                // The kernel kills for memory with a signal that others may send, and counts.
                let killed = process.exit == Some(Exit::Signal(libc::SIGKILL));
                let kills = || self.group.as_ref().map_or(0, Cgroup::memory_kills);
                if ended && killed && kills() > process.memory_kills {
                    process.exit = Some(Exit::Limit(Limit::Memory));
                }
                let told = process.started || process.failed.is_some();
                if told && self.spare.is_none() {
                    // Not at once: what it costs would be taken from the command that begins, or from the word of its end.
                    let later = if running && !ended {
                        LATER
                    } else {
                        Duration::ZERO
                    };
                    self.spare_due = Some(Instant::now() + later);
                }
                if ended || is_gone {
                    let notes = if self.staging.is_some() {
                        self.settle_stage(id)
                    } else {
                        let mut notes = self.look();
                        notes.extend(self.take_notes());
                        notes
                    };
                    if let Some(process) = self.processes.get_mut(id) {
                        process.notes.extend(notes);
                    }
                }
            }
            Part::Input => process.input.flush(),
            Part::Stdout => process.streams[0].fill(),
            Part::Stderr => process.streams[1].fill(),
        }
    }

    /// Ends what has run for too long.
    pub(super) fn expire(&mut self) {
        let now = Instant::now();
        for process in self.processes.values_mut() {
            if process.due().is_some_and(|due| now >= due) {
                process.late = process.exit.is_none();
                process.deadline = None;
                if process.signal(Signal::Kill).is_err() {
                    // Without its warden's ear, the end of the channel says the same.
                    process.warden = None;
                }
            }
        }
    }

    /// Looks through the folders after a command whose end was told already; it is told with it to whoever asks later.
    pub(super) fn look_later(&mut self) {
        let mut notes = self.look_through();
        notes.extend(self.take_notes());
        let ended = self.order.iter().rev().find(|id| {
            self.processes
                .get(*id)
                .is_some_and(|process| process.exit.is_some())
        });
        if let Some(process) = ended.cloned().and_then(|id| self.processes.get_mut(&id)) {
            process.notes.extend(notes);
        }
    }

    /// Everything inside is gone.
    pub(super) fn lose_init(&mut self) {
        self.kill_init();
        self.spare = None;
        for process in self.processes.values_mut() {
            process.lose();
            if process.stage.take().is_some() {
                // Whatever its end was, nothing of what it changed was applied.
                process.exit = Some(Exit::Lost);
            }
        }
    }

    pub(super) fn forget(&mut self, id: &ProcessId) {
        self.processes.remove(id);
        self.order.retain(|other| other != id);
        let _ = std::fs::remove_dir_all(self.doors.spool.join(id.as_str()));
    }
}
