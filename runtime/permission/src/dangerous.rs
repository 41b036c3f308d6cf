//! The paths that only a user may open.

mod dangerous_path_setting;
mod fold;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use foldhash::fast::FixedState;

use super::paths;
pub use dangerous_path_setting::DangerousPathSetting;
use fold::fold;
pub(crate) use helve_core::dangerous_paths::Guard;
use helve_core::dangerous_paths::{self, Row};
use helve_core::tool::{AccessKind, FileAccess, ToolContext};
use helve_storage::glob;

/// The places in a file system that hold secrets, or that other programs execute or load.
///
/// Each place has separate verdicts for reading and for writing. Removing counts as writing.
///
/// | place | reading | writing |
/// |---|---|---|
/// | secrets: `.env`, keys, credentials, histories | asks | asks |
/// | files that other programs execute or load: `.git/`, `.bashrc`, `.vscode/` | asks, except in [`Mode::Bypass`](super::Mode::Bypass) | asks |
/// | files that run later or steer an agent: `.husky/`, `.mcp.json`, `.cargo/config.toml` | runs | asks, except in `Mode::Bypass` |
/// | such files that users edit often: `AGENTS.md`, CI workflows | runs | asks after untrusted text was read |
/// | system files that are executed or loaded: `/etc/passwd`, `/etc/cron.d/` | runs | asks |
///
/// `doctor` prints all of the patterns. An access that asks here asks in every mode that can ask, whatever the allow
/// rules are, and is denied in a mode that never prompts. Names are compared without regard to case, since some file
/// systems ignore case; `..`, `~` and links in paths are resolved.
///
/// A pattern has the syntax of [`paths`](super::paths), with one addition: a `/` at its end makes it a folder with
/// everything in it. Without the `/`, only the entry of that name matches. A pattern after `!` is an exception.
/// Patterns that an app adds are secrets.
///
/// ```
/// use helve::permission::DangerousPaths;
///
/// let paths = DangerousPaths::default().with(["*.kdbx", "secrets/", "!secrets/README.md"])?;
/// assert_eq!(paths.find("/work/.ENV"), Some(".env"));
/// assert_eq!(paths.find("/work/secrets/a.txt"), Some("secrets/"));
/// assert_eq!(paths.find("/work/secrets/README.md"), None);
/// # Ok::<(), helve::permission::InvalidPattern>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct DangerousPaths {
    /// The patterns; `None` for the defaults, which are parsed when a path is first looked up.
    own: Option<Arc<PatternSet>>,
}

#[derive(Debug, Clone, Default)]
struct PatternSet {
    entries: Vec<PatternEntry>,
    /// The entries by the last name of their pattern: such an entry only matches paths that contain the name.
    by_name: HashMap<String, Vec<usize>, FixedState>,
    /// The entries whose last name is itself a wildcard pattern.
    by_wildcard: Vec<usize>,
}

impl PatternSet {
    fn push(&mut self, entry: PatternEntry) {
        let at = self.entries.len();
        let last = entry.pattern.rsplit('/').next().unwrap_or_default();
        if last.contains(['*', '?', '[', '\\']) {
            self.by_wildcard.push(at);
        } else {
            self.by_name.entry(last.to_owned()).or_default().push(at);
        }
        self.entries.push(entry);
    }

    /// Returns the entry that makes a folded path dangerous for an access of this kind.
    fn find(&self, path: &str, access: AccessKind) -> Option<DangerousPathMatch<'_>> {
        let entry = |at: &usize| self.entries.get(*at);
        let mut named = path.split('/').filter_map(|name| self.by_name.get(name));
        let Some(first) = named.next() else {
            let nameless = self.by_wildcard.iter().filter_map(entry);
            return find_strictest(nameless, access, |entry| entry.matches(path));
        };
        let indices = [first, &self.by_wildcard].into_iter().chain(named);
        let mut places: Vec<usize> = indices.flatten().copied().collect();
        // An exception applies only to the entries before it.
        places.sort_unstable();
        let entries = places.iter().filter_map(entry);
        find_strictest(entries, access, |entry| entry.matches(path))
    }
}

/// A place that is dangerous to read or write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DangerousPathMatch<'d> {
    /// The pattern, as it was written.
    pub(crate) pattern: &'d str,
    /// A description of the place.
    pub(crate) reason: &'d str,
    pub(crate) guard: Guard,
}

/// Returns the strictest of the entries that match a place. An exception removes the matches before it.
fn find_strictest<'d>(
    entries: impl Iterator<Item = &'d PatternEntry>,
    access: AccessKind,
    names: impl Fn(&PatternEntry) -> bool,
) -> Option<DangerousPathMatch<'d>> {
    let mut gravest: Option<DangerousPathMatch<'d>> = None;
    for entry in entries.filter(|entry| names(entry)) {
        if entry.is_exception {
            gravest = None;
            continue;
        }
        let guard = entry.guard(access);
        if guard > gravest.map_or(Guard::Open, |before| before.guard) {
            gravest = Some(DangerousPathMatch {
                pattern: &entry.source,
                reason: &entry.reason,
                guard,
            });
        }
    }
    gravest
}

#[derive(Debug, Clone)]
struct PatternEntry {
    source: String,
    pattern: String,
    /// The literal beginning and end of the pattern: most paths are ruled out by a comparison with these.
    literal_ends: (String, String),
    /// Whether everything in the folder is included.
    is_folder: bool,
    is_exception: bool,
    reason: Cow<'static, str>,
    on_read: Guard,
    on_write: Guard,
}

/// The text is not a pattern of [`DangerousPaths`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid dangerous-path pattern `{0}`; expected a name, `folder/`, `**/folder/name` or an absolute path"
)]
pub struct InvalidPattern(String);

static DEFAULTS: LazyLock<Arc<PatternSet>> = LazyLock::new(|| {
    let mut set = PatternSet::default();
    let entries = dangerous_paths::rows().filter_map(PatternEntry::from_row);
    entries.for_each(|entry| set.push(entry));
    Arc::new(set)
});

impl PatternEntry {
    fn from_row(row: &Row) -> Option<Self> {
        Some(Self {
            reason: Cow::Borrowed(row.reason),
            on_read: row.reading,
            on_write: row.writing,
            ..Self::parse(row.pattern)?
        })
    }

    fn parse(written: &str) -> Option<Self> {
        let exception = written.strip_prefix('!');
        let text = exception.unwrap_or(written);
        let folder = text.strip_suffix('/');
        let (is_folder, name) = (folder.is_some(), folder.unwrap_or(text));
        let anywhere = if name.starts_with('/') || name.starts_with("**/") {
            Cow::Borrowed(name)
        } else if name.starts_with("~/") {
            paths::anchor(name, None, Some(&std::env::home_dir()?))
        } else {
            Cow::Owned(format!("**/{name}"))
        };
        let pattern = fold(&anywhere).into_owned();
        (!name.is_empty() && !name.ends_with('/') && name != "**").then(|| Self {
            source: written.to_owned(),
            literal_ends: literal_ends(&pattern, is_folder),
            pattern,
            is_folder,
            is_exception: exception.is_some(),
            reason: Cow::Borrowed("the app says so"),
            on_read: Guard::Always,
            on_write: Guard::Always,
        })
    }

    fn guard(&self, access: AccessKind) -> Guard {
        match access {
            AccessKind::Read => self.on_read,
            AccessKind::Write => self.on_write,
            AccessKind::Unknown => self.on_read.max(self.on_write),
        }
    }

    /// Reports whether the entry matches a path, which is absolute and folded.
    fn matches(&self, path: &str) -> bool {
        let (begin, end) = &self.literal_ends;
        let matches = if self.is_folder {
            glob::covers
        } else {
            glob::names
        };
        path.starts_with(&**begin) && path.ends_with(&**end) && matches(&self.pattern, path)
    }
}

/// Returns the text before the first wildcard of a pattern, and the text after the last.
fn literal_ends(pattern: &str, is_folder: bool) -> (String, String) {
    if pattern.contains('\\') {
        return Default::default();
    }
    let begin = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
    let end = pattern.rfind(['*', '?', ']']).map_or(0, |at| at + 1);
    let end = if is_folder {
        ""
    } else {
        // `**/name` also matches `/name`.
        pattern[end..].trim_start_matches('/')
    };
    (pattern[..begin].to_owned(), end.to_owned())
}

impl DangerousPaths {
    /// Creates a set without the defaults.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            own: Some(Arc::default()),
        }
    }

    /// Adds patterns.
    ///
    /// # Errors
    ///
    /// Returns an error for a text that is not a valid pattern.
    pub fn with<T: AsRef<str>>(
        mut self,
        patterns: impl IntoIterator<Item = T>,
    ) -> Result<Self, InvalidPattern> {
        let set = self.set_mut();
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let entry =
                PatternEntry::parse(pattern).ok_or_else(|| InvalidPattern(pattern.to_owned()))?;
            set.push(entry);
        }
        Ok(self)
    }

    fn set(&self) -> &PatternSet {
        self.own.as_ref().unwrap_or(&DEFAULTS)
    }

    fn set_mut(&mut self) -> &mut PatternSet {
        Arc::make_mut(self.own.get_or_insert_with(|| DEFAULTS.clone()))
    }

    /// Adds the patterns of the settings.
    #[doc(hidden)]
    pub fn with_settings(mut self, added: &[DangerousPathSetting]) -> Self {
        if added.is_empty() {
            return self;
        }
        let set = self.set_mut();
        for path in added {
            let reason = path.reason.clone();
            // Invalid patterns were rejected when the settings were parsed.
            if let Some(entry) = PatternEntry::parse(&path.pattern) {
                set.push(PatternEntry {
                    reason: reason.map_or(Cow::Borrowed("the settings say so"), Cow::Owned),
                    on_read: path.on_read,
                    on_write: path.on_write,
                    ..entry
                });
            }
        }
        self
    }

    /// Returns the patterns, as they were written.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.set().entries.iter().map(|entry| &*entry.source)
    }

    /// Returns whether the set begins with the defaults, and the patterns added to them.
    pub(super) fn split_defaults(&self) -> (bool, impl Iterator<Item = &str>) {
        let defaults = Self::default();
        let count = defaults.set().entries.len();
        let has_defaults = defaults.patterns().eq(self.patterns().take(count));
        let own = self.patterns().skip(if has_defaults { count } else { 0 });
        (has_defaults, own)
    }

    /// Finds the pattern that makes an absolute path dangerous to read, by its names alone; links are not resolved.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<&str> {
        let found = self.look_up(path, AccessKind::Read)?;
        (found.guard >= Guard::Asks).then_some(found.pattern)
    }

    /// Finds the pattern that makes a place that a call reads or writes dangerous, by its names alone. If the place is
    /// itself a pattern, it is dangerous if it may match a dangerous name; wildcards alone match nothing in particular.
    #[must_use]
    pub fn find_accessed(&self, touch: &FileAccess, context: &ToolContext) -> Option<&str> {
        let found = self.look_up_accessed(touch, touch.kind, context)?;
        (found.guard >= Guard::Asks).then_some(found.pattern)
    }

    /// Returns the match that makes this access to an absolute path dangerous.
    pub(crate) fn look_up(&self, path: &str, access: AccessKind) -> Option<DangerousPathMatch<'_>> {
        self.set().find(&fold(path), access)
    }

    /// Returns the match that makes an access by a call dangerous.
    pub(crate) fn look_up_accessed(
        &self,
        touch: &FileAccess,
        access: AccessKind,
        context: &ToolContext,
    ) -> Option<DangerousPathMatch<'_>> {
        let path = paths::absolute(&touch.path, context.working_folder(), context.home());
        if touch.is_pattern {
            let path = fold(&path);
            // A pattern that may match an exception may match another name as well, so exceptions are ignored.
            let entries = self
                .set()
                .entries
                .iter()
                .filter(|entry| !entry.is_exception);
            return find_strictest(entries, access, |entry| {
                fold::may_match(&entry.pattern, entry.is_folder, &path)
            });
        }
        self.look_up(&path, access)
    }
}
