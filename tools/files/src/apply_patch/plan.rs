//! Plans the changes of a patch: all files are read and all hunks are applied in memory before anything is written.

use std::fmt::Write as _;
use std::path::PathBuf;

use helve::prelude::*;
use helve::sandbox::{Change, WriteCondition};

use super::hunks;
use super::parse::{FilePatch, Hunk, PatchAction};
use crate::change::{self, FileEdit};
use crate::{diff, name};

/// The changes of a patch, with their report.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) changes: Vec<Change>,
    pub(super) edited: Vec<FileEdit>,
    pub(super) summary: String,
}

/// Plans the changes of all files; the error describes all problems.
pub(super) async fn make(cx: &ToolContext, files: Vec<FilePatch>) -> Result<Plan, ToolError> {
    let mut plan = Plan::default();
    let mut misfits: Vec<String> = Vec::new();
    for file in files {
        match plan.add(cx, file).await {
            Ok(()) => {}
            Err(ToolError::Failed(failure)) => misfits.push(failure.to_string()),
            Err(error) => return Err(error),
        }
    }
    if misfits.is_empty() {
        let summary = plan.summary.trim_end().to_owned();
        let files = name::count(plan.edited.len(), "file");
        plan.summary = match cx.is_dry_run() {
            true => format!("would change {files}\n{summary}"),
            false => format!("changed {files}\n{summary}"),
        };
        return Ok(plan);
    }
    misfits.push("Nothing was changed.".to_owned());
    Err(ToolError::failed(misfits.join("\n\n")))
}

impl Plan {
    async fn add(&mut self, cx: &ToolContext, file: FilePatch) -> Result<(), ToolError> {
        let path = name::resolve_path(cx, &file.path);
        match file.action {
            PatchAction::Add(text) => self.create(cx, path, text).await,
            PatchAction::Delete(hunks) => self.remove(cx, path, &hunks).await,
            PatchAction::Update { move_to, hunks } => self.update(cx, path, move_to, &hunks).await,
        }
    }

    async fn create(
        &mut self,
        cx: &ToolContext,
        path: PathBuf,
        text: String,
    ) -> Result<(), ToolError> {
        require_absent(cx, &path).await?;
        let _ = writeln!(
            self.summary,
            "A {} ({})",
            name::display_path(&path),
            name::count(text.lines().count(), "line")
        );
        self.changes.push(Change::Write {
            path: path.clone(),
            bytes: change::check_size(&path, text.clone().into_bytes())?,
            condition: WriteCondition::Absent,
        });
        self.edited.push(FileEdit {
            path,
            before: None,
            after: Some(text),
        });
        Ok(())
    }

    async fn remove(
        &mut self,
        cx: &ToolContext,
        path: PathBuf,
        hunks: &[Hunk],
    ) -> Result<(), ToolError> {
        let existing = change::open(cx, &path).await?;
        let shown = name::display_path(&path);
        let before = existing.text.text.clone();
        let left = hunks::apply(&before, hunks, &shown).map_err(ToolError::failed)?;
        if !hunks.is_empty() && !left.is_empty() {
            return Err(ToolError::failed(format!(
                "`{shown}`: the diff removes the file, but the file has more lines than the diff takes away; read it again"
            )));
        }
        let _ = writeln!(self.summary, "D {shown}");
        self.changes.push(Change::Remove {
            path: path.clone(),
            condition: existing.unchanged_condition(),
        });
        self.edited.push(FileEdit {
            path,
            before: Some(before),
            after: None,
        });
        Ok(())
    }

    async fn update(
        &mut self,
        cx: &ToolContext,
        path: PathBuf,
        move_to: Option<String>,
        hunks: &[Hunk],
    ) -> Result<(), ToolError> {
        let existing = change::open(cx, &path).await?;
        let shown = name::display_path(&path);
        let before = existing.text.text.clone();
        let after = hunks::apply(&before, hunks, &shown).map_err(ToolError::failed)?;
        if after == before && move_to.is_none() {
            return Err(ToolError::failed(format!(
                "`{shown}`: the patch changes nothing in it; leave it out"
            )));
        }
        let mut condition = existing.unchanged_condition();
        if after != before {
            self.changes.push(Change::Write {
                path: path.clone(),
                bytes: existing.encode(&path, &after)?,
                condition,
            });
            // The file that is moved is the one that was just written.
            condition = WriteCondition::Always;
        }
        let to = move_to.map(|to| name::resolve_path(cx, &to));
        if let Some(to) = &to {
            require_absent(cx, to).await?;
            self.changes.push(Change::Rename {
                from: path.clone(),
                to: to.clone(),
                condition,
            });
        }
        self.report_edit(&shown, to.unwrap_or(path), before, after);
        Ok(())
    }

    fn report_edit(&mut self, from: &str, path: PathBuf, before: String, after: String) {
        let to = name::display_path(&path);
        let edited = FileEdit {
            path,
            before: Some(before),
            after: Some(after),
        };
        let (added, removed) = diff::counts(&edited.diff());
        let _ = match from == to {
            true => writeln!(self.summary, "M {from} (+{added} -{removed})"),
            false => writeln!(self.summary, "R {from} -> {to} (+{added} -{removed})"),
        };
        self.edited.push(edited);
    }
}

/// Checks that a path does not exist.
async fn require_absent(cx: &ToolContext, path: &std::path::Path) -> Result<(), ToolError> {
    if change::find(cx.fs()?, path).await?.is_some() {
        let path = name::display_path(path);
        return Err(ToolError::failed(format!(
            "`{path}` exists already; change it with `*** Update File`, or choose another path"
        )));
    }
    Ok(())
}
