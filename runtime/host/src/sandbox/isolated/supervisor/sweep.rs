//! Handles files that appeared at protected paths.

use std::path::PathBuf;
use std::time::Duration;

use super::super::Protection;
use super::super::protection::SweepPhase;
use super::super::wire::InitRequest;
use super::state::SandboxSupervisor;
use super::sweeper::identities;

/// The longest check of the folders that runs before the end of a command is reported; a longer check runs afterwards.
const QUICK_CHECK: Duration = Duration::from_millis(3);

impl SandboxSupervisor {
    /// Checks the protected paths after a command, if not all folders are watched.
    pub(super) fn check_without_watch(&mut self) -> Vec<String> {
        let roots = self.roots();
        let mut notes = self.sweeper.sweep(&roots, SweepPhase::Ended);
        if self.sweeper.took <= QUICK_CHECK {
            notes.extend(self.check_all_folders());
        } else {
            let mut near = Protection::refresh(&self.policy);
            notes.extend(self.sweep_created(&mut near, SweepPhase::Ended));
            self.look_due = true;
        }
        notes
    }

    /// Scans all folders for new files, and removes or protects them.
    pub(super) fn check_all_folders(&mut self) -> Vec<String> {
        self.look_due = false;
        let mut plan = self.plan_by_walking();
        let notes = self.sweep_created(&mut plan, SweepPhase::Ended);
        self.adopt_after_commands(plan);
        notes
    }

    /// Removes files that commands made and that must not stay, according to a new plan; returns notes on them.
    pub(super) fn sweep_created(
        &mut self,
        plan: &mut Protection,
        moment: SweepPhase,
    ) -> Vec<String> {
        let roots = self.roots();
        let (unwelcome, mut notes) = self.sweeper.find_created(plan, moment);
        notes.extend(self.sweeper.quarantine_all(&roots, &unwelcome));
        notes
    }

    /// Applies a plan that was made after commands had run: the files that it protects may have been removed since.
    pub(super) fn adopt_after_commands(&mut self, mut plan: Protection) {
        let is_gone = |path: &mut PathBuf| path.symlink_metadata().is_err();
        let gone = plan.read_only.extract_if(.., is_gone);
        plan.watched.extend(gone);
        self.adopt(plan);
    }

    /// Applies the new parts of a plan inside the sandbox.
    pub(super) fn adopt(&mut self, plan: Protection) {
        let old = &self.sweeper.plan;
        let same = plan.pinned == old.pinned
            && plan.read_only == old.read_only
            && plan.masked == old.masked;
        let covered = identities(&plan);
        let is_done = same && covered == self.sweeper.covered;
        if !is_done && self.init.is_some() {
            // If the plan cannot be applied, its paths must not be reachable: all processes are killed.
            self.send_to_init(&InitRequest::Pin(Box::new(plan.clone())));
        }
        if let Some(watch) = &mut self.watch {
            watch.watch_plan(&plan, &self.sweeper.made);
            watch.clear_stale_plan();
        }
        if plan.stopped != self.sweeper.plan.stopped {
            let note = |why| format!("the protection is incomplete: {why}");
            self.notes.extend(plan.stopped.as_ref().map(note));
        }
        self.sweeper.covered = covered;
        self.sweeper.plan = plan;
    }
}
