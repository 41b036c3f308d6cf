//! Handles changes in the folders of a sandbox.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::super::protection::SweepPhase;
use super::super::watch::Watch;
use super::super::wire::{InitReply, InitRequest, WireError};
use super::super::{Mechanism, Protection};
use super::process::Process;
use super::starting::unexpected_reply;
use super::state::SandboxSupervisor;
use crate::sandbox::{Access, ProcessId, Signal};

/// The interval of content checks while commands run: a file that is mapped into memory changes without an event.
const REJUDGE_INTERVAL: Duration = Duration::from_millis(100);
/// The shortest interval of full scans while commands run and not all folders are watched.
const RECHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The least ratio of the time that commands run between two scans to the duration of a scan.
const CHECK_SHARE: u32 = 20;
/// The note if the kernel dropped events.
const OVERFLOWED: &str = "the watch overflowed; all folders were scanned";
/// The greatest number of checks in a row: a process outside may change files without end.
const MAX_ROUNDS: usize = 100;

impl SandboxSupervisor {
    /// Reports whether all folders are watched.
    pub(super) fn is_watching(&self) -> bool {
        let watch = self.watch.as_ref();
        watch.is_some_and(|watch| watch.gap().is_none())
    }

    /// Reads the changes in the folders, and handles them if a command runs. Without a command, the user made the
    /// changes.
    pub(super) fn handle_changes(&mut self) {
        self.drain();
        if self.must_intervene() && self.processes.values().any(Process::is_alive) {
            self.freeze_and_check();
        }
    }

    fn must_intervene(&self) -> bool {
        self.watch.as_ref().is_some_and(Watch::must_intervene)
    }

    /// Reads the changes in the folders. A covered file that the user removed is not covered any more, so that a file
    /// that appears there while a command runs is attributed to the command.
    pub(super) fn drain(&mut self) {
        let Some(watch) = &mut self.watch else {
            return;
        };
        watch.drain();
        let removed = watch.take_removed();
        if removed.is_empty() {
            return;
        }
        if self.has_writers() {
            self.sweeper.uncover(&removed);
        } else {
            self.sweeper.forget_covered(&removed);
        }
    }

    /// Reads all folders again if the kernel dropped events, and reports whether it did. A covered path with another
    /// file, or none, may have been removed without an event.
    fn take_overflow(&mut self) -> bool {
        let Some(watch) = &mut self.watch else {
            return false;
        };
        if !watch.take_overflow() {
            return false;
        }
        watch.read_again();
        if self.has_writers() {
            let replaced = self.sweeper.replaced_paths();
            self.sweeper.uncover(&replaced);
        } else {
            self.sweeper.covered.clear();
        }
        true
    }

    pub(super) fn has_writers(&self) -> bool {
        let mut processes = self.processes.values();
        processes.any(|process| self.is_writer(process))
    }

    /// Accepts changes that the user made while no process ran that could have made them.
    pub(super) fn accept_changes(&mut self) {
        if self.has_writers() {
            return self.handle_changes();
        }
        self.sweeper.made.clear();
        let plan = self.replan_if_changed();
        // Changes of the user are not reported to the user.
        self.discard_reported();
        if let Some(plan) = plan {
            self.adopt(plan);
        }
    }

    /// Makes a new plan if a relevant path changed.
    fn replan_if_changed(&mut self) -> Option<Protection> {
        if self.is_watching() {
            self.drain();
            self.take_overflow();
            let watch = self.watch.as_ref();
            if watch.is_some_and(|watch| !watch.is_plan_stale()) {
                return None;
            }
        }
        Some(self.plan())
    }

    /// Makes a plan by a scan, if not all folders are watched.
    pub(super) fn plan_by_walking(&mut self) -> Protection {
        let before = Instant::now();
        let plan = Protection::plan(&self.policy);
        self.sweeper.took = before.elapsed();
        plan
    }

    /// Reports whether a process can change files, or could until its end and its changes were not checked yet: another
    /// process may still run then, and the changes found are not attributed to the user.
    pub(super) fn is_writer(&self, process: &Process) -> bool {
        // A staged command writes to its layers.
        let has_no_folders = process.access == Access::Read || self.staging.is_some();
        let is_kept_from_writing =
            has_no_folders && self.enforcement.mechanism == Mechanism::Namespaces.name();
        (process.is_alive() || !process.is_checked) && !is_kept_from_writing
    }

    /// Marks the ended processes as checked.
    fn mark_checked(&mut self) {
        let processes = self.processes.values_mut();
        for process in processes.filter(|process| !process.is_alive()) {
            process.is_checked = true;
        }
    }

    /// Stops all commands, and checks the folders. Files that must not stay are quarantined, and the commands that
    /// could have made them are killed; otherwise the commands are resumed.
    fn freeze_and_check(&mut self) {
        if !self.send_to_init(&InitRequest::Freeze) {
            return;
        }
        let mut reasons = BTreeSet::new();
        let has_writers = self.has_writers();
        for round in 0..MAX_ROUNDS {
            self.drain();
            if round > 0 && !self.must_intervene() {
                break;
            }
            if self.take_overflow() {
                self.note_everywhere(OVERFLOWED);
            }
            let _opened = self.watch.as_ref().map(Watch::widen_access);
            if has_writers {
                let plan = self.plan();
                reasons.extend(self.judge(plan, SweepPhase::Running).0);
            } else {
                self.accept_changes();
            }
            if self.cover_replaced().is_err() {
                return;
            }
            if let Some(watch) = &mut self.watch {
                watch.clear_intervention();
            }
        }
        if !reasons.is_empty() {
            // A file that may stay while a command makes it may be rejected after the command has ended.
            let ended = self.end_writers(&reasons);
            let opened = self.watch.as_ref().map(Watch::widen_access);
            let notes = self.judge_all();
            drop(opened);
            for id in ended {
                if let Some(process) = self.processes.get_mut(&id) {
                    process.notes.extend(notes.iter().cloned());
                }
            }
            self.mark_checked();
        }
        self.send_to_init(&InitRequest::Thaw);
    }

    /// Makes a new plan, from the watch or by a scan.
    fn plan(&mut self) -> Protection {
        match &mut self.watch {
            Some(watch) if watch.gap().is_none() => {
                watch.discard_lost();
                watch.plan(&self.policy)
            }
            _ => self.plan_by_walking(),
        }
    }

    /// Checks the files that commands made, and quarantines those that must not stay; returns notes, and the plan for
    /// the files that stay.
    pub(super) fn judge(
        &mut self,
        mut plan: Protection,
        moment: SweepPhase,
    ) -> (Vec<String>, Protection) {
        let roots = self.roots();
        let mut notes = self.sweeper.sweep(&roots, moment);
        notes.extend(self.sweep_created(&mut plan, moment));
        if let Some(watch) = &mut self.watch {
            watch.watch_plan(&plan, &self.sweeper.made);
        }
        (notes, plan)
    }

    /// Checks the protected paths after a command; returns notes on the result.
    pub(super) fn check_protected_paths(&mut self) -> Vec<String> {
        let notes = self.check_changed_paths();
        self.mark_checked();
        notes
    }

    /// Checks all files as those of ended commands.
    fn judge_all(&mut self) -> Vec<String> {
        let plan = self.plan();
        let (notes, plan) = self.judge(plan, SweepPhase::Ended);
        self.adopt_after_commands(plan);
        notes
    }

    fn check_changed_paths(&mut self) -> Vec<String> {
        if !self.is_watching() {
            return self.check_without_watch();
        }
        self.handle_changes();
        let overflowed = self.take_overflow();
        let _opened = self.watch.as_ref().map(Watch::widen_access);
        let roots = self.roots();
        let changed = self.watch.as_mut().is_some_and(Watch::take_changed);
        if !changed && !overflowed && self.sweeper.made.is_empty() {
            return self.sweeper.sweep_contents(&roots);
        }
        let mut notes = self.sweeper.sweep(&roots, SweepPhase::Ended);
        notes.extend(overflowed.then(|| OVERFLOWED.to_owned()));
        let has_news = self.watch.as_ref().is_some_and(Watch::is_plan_stale);
        if !notes.is_empty() || overflowed || has_news || !self.sweeper.made.is_empty() {
            notes.extend(self.judge_all());
        }
        notes
    }

    /// Kills the commands that may have made the quarantined files, and returns their IDs.
    fn end_writers(&mut self, reasons: &BTreeSet<String>) -> Vec<ProcessId> {
        let reason = reasons.iter().cloned().collect::<Vec<_>>().join("; ");
        let more = self.take_notes();
        let ids: Vec<_> = self.processes.keys().cloned().collect();
        let mut ended = Vec::new();
        for id in ids {
            let process = self.processes.get(&id);
            let is_writer = process.is_some_and(|process| self.is_writer(process));
            let Some(process) = self.processes.get_mut(&id).filter(|_| is_writer) else {
                continue;
            };
            if !process.has_started() {
                // The process waits for its program, so it has changed no file.
                continue;
            }
            process.notes.extend(reasons.iter().chain(&more).cloned());
            process.violation.get_or_insert_with(|| reason.clone());
            if process.signal(Signal::Kill).is_err() {
                process.shim = None;
            }
            while process.is_alive() {
                process.read_report();
            }
            ended.push(id);
        }
        if self.spare.is_none() {
            self.spare_due = Some(Instant::now());
        }
        ended
    }

    fn note_everywhere(&mut self, note: &str) {
        let alive = self
            .processes
            .values_mut()
            .filter(|process| process.is_alive());
        alive.for_each(|process| process.notes.push(note.to_owned()));
    }

    /// Sends a request to the init process; if that fails, all processes are killed.
    pub(super) fn send_to_init(&mut self, request: &InitRequest) -> bool {
        let done = matches!(self.request_init(request, &[]), Ok((InitReply::Done, _)));
        if !done {
            self.on_init_lost();
        }
        done
    }

    /// Returns the time of the next periodic check.
    pub(super) fn judgement_due(&self) -> Option<Instant> {
        if !self.has_writers() {
            return None;
        }
        let pause = if self.is_watching() {
            (!self.sweeper.made.is_empty()).then_some(REJUDGE_INTERVAL)?
        } else {
            RECHECK_INTERVAL.max(self.sweeper.took * CHECK_SHARE)
        };
        Some(self.judged + pause)
    }

    /// Runs the periodic check, if it is due.
    pub(super) fn rejudge_if_due(&mut self) {
        if self.judgement_due().is_none_or(|due| due > Instant::now()) {
            return;
        }
        if !self.is_watching() || self.sweeper.plan.has_rejected(&self.sweeper.made) {
            self.freeze_and_check();
        }
        self.judged = Instant::now();
    }

    pub(super) fn roots(&self) -> Vec<PathBuf> {
        self.policy.roots().cloned().collect()
    }

    /// Covers files again that were replaced from outside: a mount covers a file, not a name, and editors and Git write
    /// a new file and rename it.
    pub(super) fn cover_replaced(&mut self) -> Result<(), WireError> {
        let Some(now) = self.sweeper.changed_identities() else {
            return Ok(());
        };
        let gone = self.sweeper.removed_paths(&now);
        if !gone.is_empty() && !self.has_writers() {
            let plan = self.plan();
            self.adopt(plan);
            return Ok(());
        }
        self.sweeper.uncover(&gone);
        let Some(now) = self.sweeper.changed_identities() else {
            return Ok(());
        };
        let request = InitRequest::Pin(Box::new(self.sweeper.plan.clone()));
        match self.request_init(&request, &[]) {
            Ok((InitReply::Done, _)) => self.sweeper.covered = now,
            failed => {
                self.on_init_lost();
                return Err(failed.err().unwrap_or_else(unexpected_reply));
            }
        }
        Ok(())
    }
}
