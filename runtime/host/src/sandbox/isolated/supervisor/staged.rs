//! Checks and applies the changes of a staged command.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::super::Protection;
use super::super::identity::IdentityKind;
use super::super::stage::{self, ApplyError, CommandLayers, OverlayLayer, StagedChange};
use super::super::watch::Triggers;
use super::super::wire::{StageSpec, WireError};
use super::state::SandboxSupervisor;
use super::sweeper::{StageVerdict, refusal_message};
use crate::sandbox::{Access, Exit, ProcessId, ProcessSpec, Signal};

/// The changes of a command, for each writable folder.
type LayerChanges = Vec<(OverlayLayer, Vec<StagedChange>)>;

impl SandboxSupervisor {
    /// Creates the layers of a command with write access, if commands are staged.
    pub(super) fn stage(&self, spec: &ProcessSpec) -> Result<Option<CommandLayers>, WireError> {
        let staging = self.staging.as_ref();
        let staging = staging.filter(|_| spec.access == Access::Write);
        let stage = staging.map(|staging| staging.stage(spec.id.as_str()));
        stage
            .transpose()
            .map_err(|error| WireError::io("failed to create the overlay of a command", error))
    }

    /// Returns the overlays to mount for a command.
    pub(super) fn stage_spec(&self, id: &ProcessId) -> Option<Box<StageSpec>> {
        Some(Box::new(StageSpec {
            name: id.as_str().to_owned(),
            roots: self.staging.as_ref()?.roots.clone(),
            plan: self.sweeper.plan.clone(),
        }))
    }

    /// Checks the changes of a staged command when none of its processes runs any more, and applies or removes them;
    /// returns notes on the result. Remaining processes are killed.
    pub(super) fn finish_stage(&mut self, id: &ProcessId) -> Vec<String> {
        let Some(process) = self.processes.get_mut(id) else {
            return Vec::new();
        };
        if process.is_alive() {
            if process.stage.is_some() && process.signal(Signal::Kill).is_err() {
                process.shim = None;
            }
            if process.is_alive() {
                return Vec::new();
            }
        }
        let Some(stage) = process.stage.take() else {
            return Vec::new();
        };
        if process.failed.is_some() {
            return Vec::new();
        }
        let settled = if process.has_no_processes {
            self.judge_and_apply(&stage)
        } else {
            // A process of the command may still run, and could change files after the check.
            Err("the end of the command was not reported".to_owned())
        };
        settled.unwrap_or_else(|why| {
            if let Some(process) = self.processes.get_mut(id) {
                let why = format!("none of its changes was applied: {why}");
                process.exit = Some(Exit::ProtectedPaths(why));
            }
            Vec::new()
        })
    }

    /// Applies the changes in the layers and returns the notes about them, or the reason why none of them was applied.
    fn judge_and_apply(&mut self, stage: &CommandLayers) -> Result<Vec<String>, String> {
        // Changes that the user made meanwhile are not attributed to the command.
        self.accept_changes();
        let unreadable = |error| format!("the changes cannot be checked: {error}");
        let changes = changes_in(stage).map_err(unreadable)?;
        for (layer, changes) in &changes {
            if let Some(path) = stage::find_conflict(layer, changes).map_err(unreadable)? {
                return Err(format!(
                    "`{}` was also changed by another process while the command ran; {}",
                    path.display(),
                    keep_layers(stage, &self.sweeper.quarantine)
                ));
            }
        }
        let verdict = self.judge_changes(stage, &changes).map_err(unreadable)?;
        if !verdict.refused.is_empty() {
            let reasons: Vec<_> = verdict.refused.into_iter().collect();
            return Err(reasons.join("; "));
        }
        let mut notes = verdict.notes;
        let unapplied = self.apply(&changes);
        // The events of checked changes are discarded, together with those of changes that the user makes at the same
        // time.
        self.drain();
        notes.extend(self.take_notes());
        match unapplied {
            Ok(()) => self.accept_changes(),
            Err(ApplyError { path, error }) => {
                notes.push(format!(
                    "the changes were only partly applied: `{}`: {error}; {}",
                    path.display(),
                    keep_layers(stage, &self.sweeper.quarantine)
                ));
                notes.extend(self.check_protected_paths());
            }
        }
        Ok(notes)
    }

    /// Checks changes by their paths, and if their names show that this is not enough, by the merged view of the
    /// folders.
    fn judge_changes(
        &mut self,
        stage: &CommandLayers,
        changes: &LayerChanges,
    ) -> io::Result<StageVerdict> {
        let refused = covered_changes(changes, &self.sweeper.plan);
        if !refused.is_empty() {
            return Ok(StageVerdict {
                refused,
                ..StageVerdict::default()
            });
        }
        let mut triggers = Triggers::new(&self.policy);
        triggers.update_from_plan(&self.sweeper.plan);
        let mut all = changes.iter().flat_map(|(_, changes)| changes);
        if !all.any(|change| triggers.may_matter(&change.path)) {
            return Ok(StageVerdict::default());
        }
        let (sweeper, policy) = (&mut self.sweeper, &self.policy);
        stage::with_merged_view(&stage.layers, || sweeper.judge(policy))
    }

    fn apply(&self, changes: &LayerChanges) -> Result<(), ApplyError> {
        let init = self.init.as_ref();
        let gives_away = init.is_none_or(|init| init.identity.kind != IdentityKind::Own);
        let mut all = changes.iter();
        all.try_for_each(|(layer, changes)| stage::apply(layer, changes, gives_away))
    }
}

fn changes_in(stage: &CommandLayers) -> io::Result<LayerChanges> {
    let layers = stage.layers.iter();
    let changes = layers.map(|layer| Ok((layer.clone(), stage::list_changes(layer)?)));
    changes.collect()
}

/// Moves the layers of a command to the quarantine folder, and returns a note with their location.
fn keep_layers(stage: &CommandLayers, quarantine: &Path) -> String {
    match stage.move_to(quarantine) {
        Ok(kept) => format!("the changes are stored in `{}`", kept.display()),
        Err(error) => format!("failed to store the changes: {error}"),
    }
}

/// Returns the changes at, in or above covered paths: a command cannot make any of these changes in the real folders.
fn covered_changes(changes: &LayerChanges, plan: &Protection) -> BTreeSet<String> {
    let kept = plan.read_only.iter().chain(&plan.masked);
    let kept: BTreeSet<&Path> = kept.map(PathBuf::as_path).collect();
    let is_kept = |path: &Path| path.ancestors().any(|up| kept.contains(up));
    let holds = |path: &Path| plan.covered().any(|covered| covered.starts_with(path));
    let paths = changes.iter().flat_map(|(layer, changes)| {
        // A kept folder contains a changed entry, which is a separate change.
        let changes = changes
            .iter()
            .filter(|change| !change.kind.is_kept_folder());
        changes.map(move |change| layer.root.join(&change.path))
    });
    paths
        .filter(|path| is_kept(path) || holds(path))
        .map(|path| refusal_message(&path))
        .collect()
}
