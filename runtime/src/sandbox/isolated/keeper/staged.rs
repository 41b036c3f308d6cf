//! What becomes of the changes of a staged command.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::super::Protection;
use super::super::identity::Kind;
use super::super::stage::{self, Change, ChangeKind, Layer, Stage, StageOrder, Unapplied};
use super::super::watch::Triggers;
use super::super::wire::Failure;
use super::serve::Keeper;
use super::sweep::{Verdict, refusal_of};
use crate::sandbox::{Access, Exit, ProcessId, ProcessSpec, Signal};

/// What a command changed, for each writable folder.
type Changes = Vec<(Layer, Vec<Change>)>;

impl Keeper {
    /// Makes the layers of a command that may write, where commands are staged.
    pub(super) fn stage(&self, spec: &ProcessSpec) -> Result<Option<Stage>, Failure> {
        let staging = self.staging.as_ref();
        let staging = staging.filter(|_| spec.access == Access::Write);
        let stage = staging.map(|staging| staging.stage(spec.id.as_str()));
        let stage = stage.transpose();
        stage.map_err(|error| Failure::io("the changes of a command cannot be kept apart", error))
    }

    /// Tells what to mount for a command.
    pub(super) fn stage_order(&self, id: &ProcessId) -> Option<Box<StageOrder>> {
        let plan = self.sweeper.plan().clone();
        let staging = self.staging.as_ref()?;
        Some(Box::new(staging.order(id.as_str(), plan)))
    }

    /// Judges what a staged command changed as soon as nothing of it runs, and applies or removes it; returns what was done
    /// about it. What it left running is ended.
    pub(super) fn settle_stage(&mut self, id: &ProcessId) -> Vec<String> {
        let Some(process) = self.processes.get_mut(id) else {
            return Vec::new();
        };
        if process.is_alive() {
            if process.stage.is_some() && process.signal(Signal::Kill).is_err() {
                process.warden = None;
            }
            if process.is_alive() {
                return Vec::new();
            }
        }
        let Some(stage) = process.stage.take() else {
            return Vec::new();
        };
        let (is_gone, has_failed) = (process.is_gone, process.failed.is_some());
        if has_failed {
            stage.remove();
            return Vec::new();
        }
        let (notes, refused) = if is_gone {
            self.settle_changes(&stage)
        } else {
            // Something of it may run on, and change what was judged.
            let why = "nothing of what it changed was applied: its end was not seen";
            (Vec::new(), Some(why.to_owned()))
        };
        if let Some(why) = refused {
            stage.remove();
            if let Some(process) = self.processes.get_mut(id) {
                process.exit = Some(Exit::ProtectedPaths(why));
            }
        }
        notes
    }

    /// Applies the changes in the layers, or says why none of them is.
    fn settle_changes(&mut self, stage: &Stage) -> (Vec<String>, Option<String>) {
        // What the user changed meanwhile is not the command's.
        self.accept_changes();
        let judged = self.judge_stage(stage);
        let (changes, verdict) = match judged {
            Ok(judged) => judged,
            Err(error) => {
                let why =
                    format!("nothing of what it changed was applied: it cannot be judged: {error}");
                return (Vec::new(), Some(why));
            }
        };
        if !verdict.refused.is_empty() {
            let reasons: Vec<_> = verdict.refused.into_iter().collect();
            let why = format!(
                "nothing of what it changed was applied: {}",
                reasons.join("; ")
            );
            return (Vec::new(), Some(why));
        }
        let mut notes = verdict.notes;
        if let Some(note) = self.apply(&changes) {
            notes.push(match stage.keep(self.sweeper.quarantine()) {
                Ok(kept) => format!("{note}; they are kept in `{}`", kept.display()),
                Err(error) => format!("{note}; they cannot be kept: {error}"),
            });
        }
        stage.remove();
        (notes, None)
    }

    /// Lists and judges the changes in the layers.
    fn judge_stage(&mut self, stage: &Stage) -> io::Result<(Changes, Verdict)> {
        let changes = stage.layers.iter().map(|layer| {
            let changes = layer.changes()?;
            Ok((layer.clone(), changes))
        });
        let changes: Changes = changes.collect::<io::Result<_>>()?;
        let refused = covered(&changes, self.sweeper.plan());
        if !refused.is_empty() {
            let verdict = Verdict {
                refused,
                ..Verdict::default()
            };
            return Ok((changes, verdict));
        }
        let mut triggers = Triggers::new(&self.policy);
        triggers.follow(self.sweeper.plan());
        let mut all = changes.iter().flat_map(|(_, changes)| changes);
        if !all.any(|change| triggers.may_concern(&change.path)) {
            return Ok((changes, Verdict::default()));
        }
        let (sweeper, policy) = (&mut self.sweeper, &self.policy);
        let verdict = stage::in_merged(&stage.layers, || sweeper.verdict(policy))?;
        Ok((changes, verdict))
    }

    /// Applies changes; returns what could not be.
    fn apply(&self, changes: &Changes) -> Option<String> {
        let init = self.init.as_ref();
        let gives_away = init.is_none_or(|init| init.identity.kind != Kind::Own);
        let mut all = Unapplied::default();
        for (layer, changes) in changes {
            match stage::apply(layer, changes, gives_away) {
                Ok(unapplied) => {
                    all.count += unapplied.count;
                    all.first = all.first.or(unapplied.first);
                }
                Err(error) => {
                    all.count += changes.len();
                    all.first.get_or_insert_with(|| (layer.root.clone(), error));
                }
            }
        }
        let (path, error) = all.first?;
        Some(format!(
            "{} of the changes could not be applied, the first at `{}`: {error}",
            all.count,
            path.display()
        ))
    }
}

/// Returns the changes at, in or above paths that are covered: a command cannot make any of them.
fn covered(changes: &Changes, plan: &Protection) -> BTreeSet<String> {
    let kept = plan.read_only.iter().chain(&plan.masked);
    let kept: BTreeSet<&Path> = kept.map(PathBuf::as_path).collect();
    let is_kept = |path: &Path| path.ancestors().any(|up| kept.contains(up));
    let holds = |path: &Path| {
        let mut below = plan.covered();
        below.any(|covered| covered.starts_with(path))
    };
    let paths = changes.iter().flat_map(|(layer, changes)| {
        changes.iter().filter_map(|change| {
            let path = layer.root.join(&change.path);
            let is_refused = match change.kind {
                // It holds something that changed, which is another change.
                ChangeKind::Folder {
                    replaces: false, ..
                } => false,
                _ => is_kept(&path) || holds(&path),
            };
            is_refused.then(|| refusal_of(&path))
        })
    });
    paths.collect()
}
