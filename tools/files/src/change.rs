//! Changes files: the existing contents are read first, each written file is reported, and a file that another
//! process has changed since it was read is not overwritten.

use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};

use helve::prelude::*;
use helve::sandbox::{Change, FsError, Metadata, SandboxFs, WriteCondition};
use helve::tool::{Interruption, SeenFiles, StaleWrite};

use super::stop_token::{ReadFailure, StopSource};
use super::text::DecodedText;
use super::{diff, name, validate};

/// The greatest size of a file that is changed or written, in bytes.
pub(super) const MAX_FILE_BYTES: usize = 8 << 20;

/// A file before its change.
#[derive(Debug)]
pub(super) struct ExistingFile {
    /// The path with all symbolic links resolved.
    pub(super) resolved_path: PathBuf,
    pub(super) metadata: Metadata,
    pub(super) text: DecodedText,
}

/// Returns the resolved path of an existing file; `None` if the path does not exist.
pub(super) async fn find(fs: &dyn SandboxFs, path: &Path) -> Result<Option<PathBuf>, FsError> {
    match fs.resolve(path).await {
        Ok(found) => Ok(Some(found.absolute)),
        Err(FsError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads a file that is to be changed, and checks that it is unchanged since the session has read it, if it has.
pub(super) async fn open(cx: &ToolContext, path: &Path) -> Result<ExistingFile, ToolError> {
    let fs = cx.fs()?;
    let place = fs.resolve(path).await?.absolute;
    let existing = load(cx, fs, path, place).await?;
    let seen = cx.files_seen();
    match seen.check(&existing.resolved_path, &existing.metadata) {
        Ok(()) => Ok(existing),
        Err(_) => Err(stale(path)),
    }
}

async fn load(
    cx: &ToolContext,
    fs: &dyn SandboxFs,
    path: &Path,
    place: PathBuf,
) -> Result<ExistingFile, ToolError> {
    let handle = fs.open(path).await?;
    let metadata = handle.metadata().clone();
    let shown = name::display_path(path);
    if metadata.len > MAX_FILE_BYTES as u64 {
        return Err(too_large(&shown, metadata.len));
    }
    let watch = StopSource::new(cx);
    let mut reader = watch.reader(handle);
    let work = move || {
        let mut bytes = Vec::new();
        let read = reader
            .by_ref()
            .take(MAX_FILE_BYTES as u64 + 1)
            .read_to_end(&mut bytes);
        match (read, reader.into_failure()) {
            (Ok(_), _) if bytes.len() > MAX_FILE_BYTES => {
                Err(too_large(&shown, bytes.len() as u64))
            }
            (Ok(_), _) => DecodedText::decode(&bytes).map_err(|is| {
                ToolError::failed(format!(
                    "`{shown}` is {is}; only text can be changed: UTF-8, UTF-16 or Latin-1"
                ))
            }),
            (Err(_), Some(ReadFailure::Stopped)) => {
                Err(ToolError::Cancelled(Interruption::deadline(false)))
            }
            (Err(error), _) => Err(ToolError::failed(format!(
                "`{shown}` cannot be read: {error}"
            ))),
        }
    };
    let text = tokio::task::spawn_blocking(work).await;
    watch.check()?;
    drop(watch);
    Ok(ExistingFile {
        resolved_path: place,
        metadata,
        text: text??,
    })
}

fn too_large(path: &str, size: u64) -> ToolError {
    ToolError::failed(format!(
        "`{path}` is too large to be changed here: it has {}, and at most {} can be changed; use a command for it",
        name::size(size),
        name::size(MAX_FILE_BYTES as u64),
    ))
}

/// Creates the error of a file that has changed since it was read.
pub(super) fn stale(path: &Path) -> ToolError {
    ToolError::StaleWrite(StaleWrite {
        path: name::display_path(path),
    })
}

impl ExistingFile {
    /// Returns the condition that the file is unchanged when it is written.
    pub(super) fn unchanged_condition(&self) -> WriteCondition {
        let version = self.metadata.version.clone();
        version.map_or(WriteCondition::Always, WriteCondition::Unchanged)
    }

    /// Encodes text in the encoding of the file; `path` is used in errors.
    pub(super) fn encode(&self, path: &Path, text: &str) -> Result<Vec<u8>, ToolError> {
        let encoding = self.text.encoding;
        let bytes = encoding.encode(text).map_err(|c| {
            ToolError::failed(format!(
                "`{}` is {}, which does not have the character `{c}`; use another one, or convert the file first",
                name::display_path(path),
                encoding.name().unwrap_or_default(),
            ))
        })?;
        check_size(path, bytes)
    }
}

/// Rejects contents that are too large to be changed later.
pub(super) fn check_size(path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>, ToolError> {
    if bytes.len() > MAX_FILE_BYTES {
        return Err(ToolError::failed(format!(
            "`{}` would have {}, and at most {} can be written here; write less, or use a command for it",
            name::display_path(path),
            name::size(bytes.len() as u64),
            name::size(MAX_FILE_BYTES as u64),
        )));
    }
    Ok(bytes)
}

/// A file before and after its change.
#[derive(Debug)]
pub(super) struct FileEdit {
    /// The path of the file after the change.
    pub(super) path: PathBuf,
    /// The text before the change; `None` if the file is new.
    pub(super) before: Option<String>,
    /// The text after the change; `None` if the file is removed.
    pub(super) after: Option<String>,
}

impl FileEdit {
    /// Renders the diff.
    pub(super) fn diff(&self) -> String {
        let (before, after) = (self.before.as_deref(), self.after.as_deref());
        diff::unified_diff(&name::display_path(&self.path), before, after)
    }

    /// Returns a warning about invalid syntax of the new text.
    pub(super) fn warning(&self) -> Option<String> {
        validate::warning(&self.path, self.after.as_deref()?)
    }
}

/// Applies changes and records the new contents as read. In a dry run nothing is changed.
pub(super) async fn apply(cx: &ToolContext, changes: Vec<Change>) -> Result<(), ToolError> {
    if cx.is_dry_run() {
        return Ok(());
    }
    let fs = cx.fs()?;
    let seen = cx.files_seen();
    let steps: Vec<PathChange> = changes.iter().map(PathChange::from_change).collect();
    let mut gone = Vec::new();
    for step in &steps {
        if let Some(path) = &step.removed {
            gone.extend(find(fs, path).await?);
        }
    }
    let done = fs.apply(changes).await?;
    for place in gone {
        seen.forget(&place);
    }
    for (step, metadata) in steps.iter().zip(&done) {
        if let Some(path) = &step.created {
            remember(fs, &seen, path, metadata).await;
        }
    }
    Ok(())
}

async fn remember(fs: &dyn SandboxFs, seen: &SeenFiles<'_>, path: &Path, metadata: &Metadata) {
    if let Ok(found) = fs.resolve(path).await {
        seen.record(found.absolute, metadata);
    }
}

/// The path that a change removes, and the path that it creates.
struct PathChange {
    removed: Option<PathBuf>,
    created: Option<PathBuf>,
}

impl PathChange {
    fn from_change(change: &Change) -> Self {
        let (gone, there) = match change {
            Change::Write { path, .. } => (None, Some(path)),
            Change::Remove { path, .. } => (Some(path), None),
            Change::Rename { from, to, .. } => (Some(from), Some(to)),
        };
        Self {
            removed: gone.cloned(),
            created: there.cloned(),
        }
    }
}

/// Reports the changes that were made, or would be made in a dry run: one line for each file, then the diffs.
pub(super) fn report(cx: &ToolContext, summary: String, edited: &[FileEdit]) -> ToolOutput {
    let mut text = summary;
    if cx.is_dry_run() {
        text.insert_str(0, "dry run, nothing is written: ");
    }
    let _ = writeln!(text);
    let diffs: String = edited
        .iter()
        .filter(|file| cx.is_dry_run() || file.before.is_some())
        .map(FileEdit::diff)
        .collect();
    // The approver of a dry run reads the whole diff; a model already has the text that it has written.
    let most = match cx.is_dry_run() {
        true => cx.result_budget(),
        false => diff::MAX_DIFF_CHARS.min(cx.result_budget()),
    };
    text.push_str(&diff::truncate_diff(
        &diffs,
        most.saturating_sub(text.len()),
    ));
    let output = ToolOutput::plain(text);
    edited
        .iter()
        .filter_map(FileEdit::warning)
        .fold(output, ToolOutput::with_note)
}
