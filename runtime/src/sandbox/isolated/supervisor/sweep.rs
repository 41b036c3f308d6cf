//! What the supervisor does about what appeared at protected paths.

use std::path::PathBuf;
use std::time::Duration;

use super::super::Protection;
use super::super::protection::Moment;
use super::super::wire::{InitReply, InitRequest};
use super::state::SandboxSupervisor;
use super::sweeper::{Made, identities};

/// A look through the folders that takes no longer is taken before the end of a command is told; a longer one comes after.
const QUICK: Duration = Duration::from_millis(3);

impl SandboxSupervisor {
    /// Looks at the protected paths after a command, where not all folders are watched.
    pub(super) fn look_without_watch(&mut self) -> Vec<String> {
        let roots = self.roots();
        let mut notes = self.sweeper.sweep(&roots, Moment::Ended);
        if self.sweeper.took <= QUICK {
            notes.extend(self.look_through());
        } else {
            let mut near = Protection::refresh(&self.policy);
            notes.extend(self.take_made(&mut near, Moment::Ended));
            self.look_due = true;
        }
        notes
    }

    /// Looks through all folders for what came into being, takes it away or has it protected.
    pub(super) fn look_through(&mut self) -> Vec<String> {
        self.look_due = false;
        let mut plan = self.walk();
        let notes = self.take_made(&mut plan, Moment::Ended);
        self.adopt_made(plan);
        notes
    }

    /// Takes away what commands made and must not stay, by a new plan; returns what was done about it.
    pub(super) fn take_made(&mut self, plan: &mut Protection, moment: Moment) -> Vec<String> {
        let roots = self.roots();
        let Made {
            unwelcome,
            mut notes,
        } = self.sweeper.take_made(plan, moment);
        for path in unwelcome {
            notes.extend(self.sweeper.take_away(&roots, &path));
        }
        notes
    }

    /// Has a plan carried out that was made when commands had run: what it protects may have been taken away since.
    pub(super) fn adopt_made(&mut self, mut plan: Protection) {
        let gone = |path: &PathBuf| path.symlink_metadata().is_err();
        let (left, stay) = std::mem::take(&mut plan.read_only)
            .into_iter()
            .partition(gone);
        plan.read_only = stay;
        let left: Vec<PathBuf> = left;
        plan.watched.extend(left);
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
            let request = InitRequest::Pin(Box::new(plan.clone()));
            match self.request_init(&request, &[]) {
                Ok((InitReply::Done, _)) => {}
                // What cannot be protected must not be reachable: nothing runs any more.
                Ok(_) | Err(_) => self.lose_init(),
            }
        }
        if let Some(watch) = &mut self.watch {
            watch.follow(&plan, self.sweeper.made());
            watch.clear_news();
        }
        if plan.stopped != self.sweeper.plan.stopped {
            let note = |why| format!("not everything is protected: {why}");
            self.notes.extend(plan.stopped.as_ref().map(note));
        }
        self.sweeper.covered = covered;
        self.sweeper.plan = plan;
    }
}
