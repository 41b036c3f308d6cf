//! The notes that are reported with the end of a command, besides the notes on quarantined files.

use std::path::{Path, PathBuf};

use super::super::watch::ReportedChanges;
use super::state::SandboxSupervisor;
use helve_core::dangerous_paths::find_watched;

/// The greatest number of changed paths in a note.
const MAX_NAMED: usize = 8;

impl SandboxSupervisor {
    /// Takes the notes to report with the end of a command.
    pub(super) fn take_notes(&mut self) -> Vec<String> {
        let mut notes = std::mem::take(&mut self.notes);
        if let Some(watch) = &mut self.watch {
            notes.extend(watch.take_new_gap().map(|why| {
                format!("some folders are no longer watched ({why}); they are scanned periodically")
            }));
            notes.extend(note_of_changes(
                watch.take_reported(),
                &self.policy.workspace,
            ));
        }
        notes
    }

    /// Discards the changes that were made while no command ran.
    pub(super) fn discard_reported(&mut self) {
        if let Some(watch) = &mut self.watch {
            watch.take_reported();
        }
    }
}

/// Returns a note with the changed files that are executed later or instruct an agent.
fn note_of_changes(changes: ReportedChanges, workspace: &Path) -> Option<String> {
    let paths = changes.paths;
    let name = |path: &PathBuf| {
        let shown = path.strip_prefix(workspace).unwrap_or(path);
        let reason = find_watched(path)?.reason;
        Some(format!("`{}` ({reason})", shown.display()))
    };
    let mut named: Vec<String> = paths.iter().take(MAX_NAMED).filter_map(name).collect();
    let left = paths.len() - named.len();
    match (left, changes.is_truncated) {
        (0, false) => {}
        (left, false) => named.push(format!("… and {left} more")),
        (left, true) => named.push(format!("… and more than {left} more")),
    }
    (!named.is_empty()).then(|| format!("review these changes: {}", named.join(", ")))
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{ReportedChanges, note_of_changes};

    fn note(paths: impl Iterator<Item = String>, is_truncated: bool) -> String {
        let changes = ReportedChanges {
            paths: paths.map(|path| PathBuf::from("/w").join(path)).collect(),
            is_truncated,
        };
        note_of_changes(changes, Path::new("/w")).unwrap_or_default()
    }

    #[test]
    fn changes_are_told_in_one_line_of_bounded_length() {
        let few = ["AGENTS.md", "a/b.code-workspace", "gradle/wrapper/x.jar"];
        insta::assert_snapshot!(note(few.map(str::to_owned).into_iter(), false), @"review these changes: `AGENTS.md` (an agent reads it as instructions), `a/b.code-workspace` (an editor executes these files), `gradle/wrapper/x.jar` (a build tool executes or applies it at startup)");
        let many = || (0..20).map(|number| format!("{number:02}/SKILL.md"));
        insta::assert_snapshot!(note(many(), false), @"review these changes: `00/SKILL.md` (an agent reads it as instructions), `01/SKILL.md` (an agent reads it as instructions), `02/SKILL.md` (an agent reads it as instructions), `03/SKILL.md` (an agent reads it as instructions), `04/SKILL.md` (an agent reads it as instructions), `05/SKILL.md` (an agent reads it as instructions), `06/SKILL.md` (an agent reads it as instructions), `07/SKILL.md` (an agent reads it as instructions), … and 12 more");
        assert!(note(many(), true).ends_with("… and more than 12 more"));
        assert_eq!(note(std::iter::empty(), false), "");
    }
}
