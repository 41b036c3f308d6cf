//! What the supervisor does about what appeared at protected paths.

use std::path::PathBuf;
use std::time::Duration;

use super::super::Protection;
use super::super::protection::SweepPhase;
use super::super::wire::InitRequest;
use super::state::SandboxSupervisor;
use super::sweeper::identities;

/// A look through the folders that takes no longer is taken before the end of a command is reported; a longer one comes
/// after.
const QUICK_CHECK: Duration = Duration::from_millis(3);

impl SandboxSupervisor {
    /// Looks at the protected paths after a command, where not all folders are watched.
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

    /// Looks through all folders for what came into being, takes it away or has it protected.
    pub(super) fn check_all_folders(&mut self) -> Vec<String> {
        self.look_due = false;
        let mut plan = self.plan_by_walking();
        let notes = self.sweep_created(&mut plan, SweepPhase::Ended);
        self.adopt_after_commands(plan);
        notes
    }

    /// Takes away what commands made and must not stay, by a new plan; returns what was done about it.
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

    /// Has a plan carried out that was made when commands had run: what it protects may have been taken away since.
    pub(super) fn adopt_after_commands(&mut self, mut plan: Protection) {
        let is_gone = |path: &mut PathBuf| path.symlink_metadata().is_err();
        let gone = plan.read_only.extract_if(.., is_gone);
        plan.watched.extend(gone);
        self.adopt(plan);
    }

    /// Has a plan carried out inside, as far as it is new.
    pub(super) fn adopt(&mut self, plan: Protection) {
        let old = &self.sweeper.plan;
        let same = plan.pinned == old.pinned
            && plan.read_only == old.read_only
            && plan.masked == old.masked;
        let covered = identities(&plan);
        let is_done = same && covered == self.sweeper.covered;
        if !is_done && self.init.is_some() {
            // What cannot be protected must not be reachable: nothing runs any more.
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
