//! Handles the events of processes.

use std::time::{Duration, Instant};

use super::super::Cgroup;
use super::process::ProcessFd;
use super::state::SandboxSupervisor;
use crate::sandbox::{Exit, Limit, ProcessId, Signal};

/// The time that a command runs before the shim of the next command is created.
const SPARE_DELAY: Duration = Duration::from_millis(5);

impl SandboxSupervisor {
    /// Handles an event of a process.
    pub(super) fn on_event(&mut self, id: &ProcessId, part: ProcessFd) {
        let Some(process) = self.processes.get_mut(id) else {
            return;
        };
        match part {
            ProcessFd::Shim => {
                let (running, was_alive) = (process.exit.is_none(), process.is_alive());
                process.read_report();
                let ended = running && process.exit.is_some();
                let is_gone = was_alive && !process.is_alive();
                // The kernel kills for memory with a signal that other processes may also send, and counts these kills.
                let killed = process.exit == Some(Exit::Signal(libc::SIGKILL));
                let kills = || self.group.as_ref().map_or(0, Cgroup::memory_kills);
                if ended && killed && kills() > process.memory_kills {
                    process.exit = Some(Exit::Limit(Limit::Memory));
                }
                let told = process.started || process.failed.is_some();
                if told && self.spare.is_none() {
                    // The shim is created later, because its cost would delay the start of the command, or the report
                    // of its end.
                    let later = if running && !ended {
                        SPARE_DELAY
                    } else {
                        Duration::ZERO
                    };
                    self.spare_due = Some(Instant::now() + later);
                }
                if ended || is_gone {
                    let notes = if self.staging.is_some() {
                        self.finish_stage(id)
                    } else {
                        let mut notes = self.check_protected_paths();
                        notes.extend(self.take_notes());
                        notes
                    };
                    if let Some(process) = self.processes.get_mut(id) {
                        process.notes.extend(notes);
                    }
                }
            }
            ProcessFd::Input => process.input.flush(),
            ProcessFd::Stdout => process.streams[0].fill(),
            ProcessFd::Stderr => process.streams[1].fill(),
        }
    }

    /// Kills the processes that exceeded their time limit.
    pub(super) fn kill_expired(&mut self) {
        let now = Instant::now();
        for process in self.processes.values_mut() {
            if process.deadline().is_some_and(|due| now >= due) {
                process.has_timed_out = process.exit.is_none();
                process.deadline = None;
                if process.signal(Signal::Kill).is_err() {
                    // A shim whose channel fails kills its command when the channel closes.
                    process.shim = None;
                }
            }
        }
    }

    /// Checks the folders after a command whose end was reported already; later replies include the result.
    pub(super) fn check_deferred(&mut self) {
        let mut notes = self.check_all_folders();
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

    /// Handles the end of the init process: all processes inside have ended.
    pub(super) fn on_init_lost(&mut self) {
        self.kill_init();
        self.spare = None;
        for process in self.processes.values_mut() {
            process.set_lost();
            if process.stage.take().is_some() {
                // However the process ended, none of its changes was applied.
                process.exit = Some(Exit::Lost);
            }
        }
    }

    pub(super) fn forget(&mut self, id: &ProcessId) {
        self.processes.remove(id);
        self.order.retain(|other| other != id);
        let _ = std::fs::remove_dir_all(self.sockets.spool.join(id.as_str()));
    }
}
