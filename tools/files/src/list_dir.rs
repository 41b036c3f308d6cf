//! `list_dir`: lists a folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use helve::prelude::*;
use helve::sandbox::{DirEntry, FileKind, FsError, SandboxFs};

use super::grep::ignore_rules::{self, IgnoreRules};
use super::grep::walk;
use super::{name, permission};

/// The greatest number of names that are shown.
const MAX_NAMES: usize = 1_000;

/// The number of files whose sizes are read concurrently.
const AT_ONCE: usize = 16;

/// Lists a folder: names with their kinds and sizes, sorted; folders end with `/`.
///
/// With `depth` the folders in it are listed too, except for those that git ignores or keeps for itself. Returns at most
/// 1,000 names; use `glob` to find files by a pattern.
#[tool(
    always,
    read_only,
    title = "List folder",
    requires(fs),
    timeout = "30s",
    check = permission::check_list,
    match_rule = permission::match_list,
    suggest_rules = permission::suggest_list
)]
pub async fn list_dir(
    /// Folder to list, relative to the working folder or absolute.
    #[arg(default = ".")]
    path: &str,
    /// How many levels to list: 1 is the folder itself.
    #[arg(default = 1, min = 1, max = 10)]
    depth: u64,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let (fs, path) = (cx.fs()?, name::resolve_path(cx, path));
    let start = fs.resolve(&path).await?;
    let mut tree = ListingBuilder {
        fs,
        lines: Vec::new(),
        remaining_chars: cx.result_budget(),
        omitted: 0,
        notes: Vec::new(),
    };
    let levels = start.relative.components().count();
    let mut above = None;
    if depth > 1 {
        let folders: Vec<&Path> = start.absolute.ancestors().skip(1).take(levels).collect();
        for folder in folders.into_iter().rev() {
            above = Some(IgnoreRules::below(above, fs, folder, |_| true).await);
        }
    }
    // The error refers to the path as the caller has written it.
    let listing = fs.read_dir(&path).await?;
    tree.list(start.absolute, listing, above, depth, 0).await;
    Ok(tree.output(&name::display_path(&path)))
}

/// A listing that is being built.
struct ListingBuilder<'a> {
    fs: &'a dyn SandboxFs,
    lines: Vec<String>,
    /// The number of characters that can still be written.
    remaining_chars: usize,
    omitted: usize,
    notes: Vec<String>,
}

impl ListingBuilder<'_> {
    fn list(
        &mut self,
        folder: PathBuf,
        listing: helve::sandbox::Listing,
        above: Option<Arc<IgnoreRules>>,
        depth: u64,
        level: usize,
    ) -> BoxFuture<'_, ()> {
        async move {
            if listing.truncated {
                let folder = name::display_path(&folder);
                self.notes
                    .push(format!("`{folder}` has more names than can be listed"));
            }
            let rules = if depth > 1 {
                let has = |name: &str| listing.entries.iter().any(|entry| entry.name == *name);
                Some(IgnoreRules::below(above, self.fs, &folder, has).await)
            } else {
                None
            };
            let free = MAX_NAMES.saturating_sub(self.lines.len());
            let shown = listing.entries.len().min(free);
            self.omitted += listing.entries.len() - shown;
            let described = self.describe(&folder, &listing.entries[..shown]).await;
            for (entry, text) in listing.entries.iter().zip(described) {
                let line = format!("{}{text}", "  ".repeat(level));
                if !self.push(line) {
                    continue;
                }
                if let Some(rules) = &rules
                    && entry.kind == FileKind::Directory
                {
                    let path = folder.join(&entry.name);
                    self.enter(path, entry, rules, depth, level).await;
                }
            }
        }
        .boxed()
    }

    /// Lists a subfolder, unless listings skip it.
    async fn enter(
        &mut self,
        path: PathBuf,
        entry: &DirEntry,
        rules: &Arc<IgnoreRules>,
        depth: u64,
        level: usize,
    ) {
        let is_passed_over = ignore_rules::is_vcs_folder(&entry.name, entry.kind)
            || rules.matched(&path, true).is_ignore();
        if is_passed_over {
            if let Some(line) = self.lines.last_mut() {
                line.push_str("  (not listed)");
            }
            return;
        }
        match self.fs.read_dir(&path).await {
            Ok(listing) => {
                let rules = Some(Arc::clone(rules));
                self.list(path, listing, rules, depth - 1, level + 1).await;
            }
            Err(error) => {
                if let Some(line) = self.lines.last_mut() {
                    line.push_str(&format!("  ({})", walk::reason(&error)));
                }
            }
        }
    }

    /// Renders entries with their metadata, in order.
    async fn describe(&self, folder: &Path, entries: &[DirEntry]) -> Vec<String> {
        let fs = self.fs;
        let lines: Vec<_> = entries
            .iter()
            .map(|entry| line(fs, folder.join(&entry.name), entry.clone()))
            .collect();
        stream::iter(lines).buffered(AT_ONCE).collect().await
    }

    /// Adds a line; returns `false` if it does not fit.
    fn push(&mut self, line: String) -> bool {
        match self.remaining_chars.checked_sub(line.chars().count() + 1) {
            Some(room) if self.lines.len() < MAX_NAMES => {
                self.remaining_chars = room;
                self.lines.push(line);
                true
            }
            _ => {
                self.omitted += 1;
                false
            }
        }
    }

    fn output(self, path: &str) -> ToolOutput {
        if self.lines.is_empty() && self.omitted == 0 {
            return ToolOutput::plain(format!("(`{path}` is empty)"));
        }
        let mut output = ToolOutput::plain(self.lines.join("\n") + "\n");
        if self.omitted > 0 {
            output = output.with_note(format!(
                "[{} more names are not shown; list a folder in it, or use `glob`]",
                self.omitted
            ));
        }
        self.notes
            .into_iter()
            .fold(output, |output, note| output.with_note(format!("[{note}]")))
    }
}

async fn line(fs: &dyn SandboxFs, path: PathBuf, entry: DirEntry) -> String {
    let shown = name::display_path(Path::new(&entry.name));
    match entry.kind {
        FileKind::Directory => format!("{shown}/"),
        FileKind::File => match fs.metadata(&path).await {
            Ok(metadata) => {
                let runs = if metadata.executable { "*" } else { "" };
                format!("{shown}{runs}  {}", name::size(metadata.len))
            }
            Err(error) => format!("{shown}  ({})", walk::reason(&error)),
        },
        FileKind::Symlink => match fs.resolve(&path).await {
            Ok(target) => format!("{shown} -> {}", target.display),
            Err(FsError::NotFound { .. }) => format!("{shown} -> (nothing)"),
            Err(error) => format!("{shown} -> ({})", walk::reason(&error)),
        },
        kind => format!("{shown}  ({kind})"),
    }
}
