//! Walks the files of a folder in the order of their paths, through the file capability. Symbolic links are not
//! followed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec;

use futures_util::{Stream, stream};
use helve::ToolError;
use helve::sandbox::{DirEntry, FileKind, FsError, ResolvedPath, SandboxFs};
use ignore::Match;
use ignore::overrides::{Override, OverrideBuilder};

use super::dangerous_files::DangerousFileFilter;
use super::ignore_rules::{self, IgnoreRules};
use crate::name::display_path;

/// The reason for a partial listing of a folder: see [`Listing::LIMIT`](helve::sandbox::Listing::LIMIT).
const TOO_MANY: &str = "it has too many entries";

/// The reason for skipping a file that may contain secrets.
const SHUT: &str = "it may contain secrets; search it by its path";

/// An entry of a walk.
pub(crate) enum WalkEntry {
    /// A file: the path to open, and the path for display.
    File(PathBuf, String),
    /// A folder that could not be listed, or only in part: the path for display, and the reason.
    Unreadable(String, String),
}

/// The options of a walk.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WalkOptions {
    /// Whether hidden files and folders are included; those of version control never are.
    pub(crate) include_hidden: bool,
}

/// A walk over the files of a folder, depth first, with each folder sorted by name.
pub(crate) struct Walk<'a> {
    fs: &'a dyn SandboxFs,
    glob: Override,
    dangerous_files: DangerousFileFilter,
    options: WalkOptions,
    levels: Vec<FolderLevel>,
    /// A problem of the root, which is returned first.
    first_entry: Option<WalkEntry>,
}

/// The state of one folder of the current path.
struct FolderLevel {
    path: PathBuf,
    display: PathBuf,
    rules: Arc<IgnoreRules>,
    remaining: vec::IntoIter<DirEntry>,
}

impl<'a> Walk<'a> {
    /// Starts a walk of a folder, with the rules of its parent folders up to the root of the file capability.
    pub(crate) async fn new(
        fs: &'a dyn SandboxFs,
        start: &ResolvedPath,
        glob: Option<&str>,
        shut: DangerousFileFilter,
        seeing: WalkOptions,
    ) -> Result<Self, ToolError> {
        let depth = start.relative.components().count();
        let above: Vec<&Path> = start.absolute.ancestors().skip(1).take(depth).collect();
        let root = above.last().copied().unwrap_or(&start.absolute);
        let mut walk = Self {
            fs,
            glob: parse_glob(root, glob)?,
            dangerous_files: shut,
            options: seeing,
            levels: Vec::new(),
            first_entry: None,
        };
        let mut rules = None;
        for folder in above.into_iter().rev() {
            rules = Some(IgnoreRules::below(rules, fs, folder, |_| true).await);
        }
        let display = match &*start.display {
            "." => PathBuf::new(),
            display => display.into(),
        };
        if !walk.enter(start.absolute.clone(), display, rules).await? {
            walk.first_entry = Some(WalkEntry::Unreadable(
                start.display.clone(),
                TOO_MANY.into(),
            ));
        }
        Ok(walk)
    }

    /// Returns the next file, or the next folder that cannot be read.
    pub(crate) async fn next(&mut self) -> Option<WalkEntry> {
        if let Some(step) = self.first_entry.take() {
            return Some(step);
        }
        loop {
            // A listing may have hundreds of thousands of skipped names: other tasks must be able to run.
            tokio::task::consume_budget().await;
            let level = self.levels.last_mut()?;
            let Some(entry) = level.remaining.next() else {
                self.levels.pop();
                continue;
            };
            let path = level.path.join(&entry.name);
            let display = level.display.join(&entry.name);
            let rules = Arc::clone(&level.rules);
            if self.is_excluded(&path, &entry, &rules) {
                continue;
            }
            let name = display_path(&display);
            if self.dangerous_files.holds(&path, entry.kind) {
                if ignore_rules::is_hidden(&entry.name) {
                    continue;
                }
                return Some(WalkEntry::Unreadable(name, SHUT.into()));
            }
            match entry.kind {
                FileKind::File => return Some(WalkEntry::File(path, name)),
                FileKind::Directory => match self.enter(path, display, Some(rules)).await {
                    Ok(true) => {}
                    Ok(false) => {
                        return Some(WalkEntry::Unreadable(name, TOO_MANY.into()));
                    }
                    Err(error) => return Some(WalkEntry::Unreadable(name, reason(&error))),
                },
                _ => {}
            }
        }
    }

    /// Lists a folder; returns `false` if it has more entries than a listing can contain.
    async fn enter(
        &mut self,
        path: PathBuf,
        display: PathBuf,
        above: Option<Arc<IgnoreRules>>,
    ) -> Result<bool, FsError> {
        let listing = self.fs.read_dir(&path).await?;
        let has = |name: &str| listing.entries.iter().any(|entry| entry.name == *name);
        let rules = IgnoreRules::below(above, self.fs, &path, has).await;
        self.levels.push(FolderLevel {
            path,
            display,
            rules,
            remaining: listing.entries.into_iter(),
        });
        Ok(!listing.truncated)
    }

    fn is_excluded(&self, path: &Path, entry: &DirEntry, rules: &IgnoreRules) -> bool {
        if ignore_rules::is_vcs_folder(&entry.name, entry.kind) {
            return true;
        }
        let is_folder = entry.kind == FileKind::Directory;
        match self.glob.matched(path, is_folder).map(|_| ()) {
            Match::None => match rules.matched(path, is_folder) {
                Match::None => !self.options.include_hidden && ignore_rules::is_hidden(&entry.name),
                found => found.is_ignore(),
            },
            found => found.is_ignore(),
        }
    }
}

/// Converts a walk to a stream.
pub(crate) fn into_stream(walk: Walk<'_>) -> impl Stream<Item = WalkEntry> {
    stream::unfold(walk, |mut walk| async move {
        let step = walk.next().await?;
        Some((step, walk))
    })
}

fn parse_glob(root: &Path, glob: Option<&str>) -> Result<Override, ToolError> {
    let Some(glob) = glob else {
        return Ok(Override::empty());
    };
    let mut builder = OverrideBuilder::new(root);
    let built = builder.add(glob).and_then(|builder| builder.build());
    built.map_err(|error| {
        ToolError::failed(format!(
            "`glob` cannot be used: {error}; write it like `*.rs`, `docs/**/*.md`, `*.{{js,ts}}` or `!*.lock`"
        ))
    })
}

/// Returns a short reason why something was skipped; the caller adds the path.
pub(crate) fn reason(error: &FsError) -> String {
    match error {
        FsError::NotFound { .. } => "gone".to_owned(),
        FsError::PermissionDenied { .. } => "not permitted".to_owned(),
        FsError::Outside { .. } => "leads outside".to_owned(),
        FsError::Io { source, .. } => source.to_string(),
        FsError::InvalidPath { reason, .. } => (*reason).to_owned(),
        _ => "no longer a regular file".to_owned(),
    }
}
