//! The places that nobody but a person may open.

#[cfg(feature = "app")]
mod added;
mod fold;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use foldhash::fast::FixedState;

use super::paths;
pub(crate) use crate::dangerous_paths::Guard;
use crate::dangerous_paths::{self, Row};
use crate::support::glob;
use crate::tool::{Access, ToolContext, Touch};
#[cfg(feature = "app")]
pub(crate) use added::AddedPath;
use fold::fold;

/// The places in a file system that hold secrets, or that other programs run or obey.
///
/// Each place has its own answer to reading and to writing, which removing is, too:
///
/// | place | reading | writing |
/// |---|---|---|
/// | secrets: `.env`, keys, credentials, histories | asks | asks |
/// | what other programs run or obey: `.git/`, `.bashrc`, `.vscode/` | asks, but in [`Mode::Bypass`](super::Mode::Bypass) | asks |
/// | what runs or steers an agent later: `.husky/`, `.mcp.json`, `.cargo/config.toml` | runs | asks, but in `Mode::Bypass` |
/// | the same where people write every day: `AGENTS.md`, CI workflows | runs | asks once untrusted text was read |
/// | what the machine runs or obeys: `/etc/passwd`, `/etc/cron.d/` | runs | asks |
///
/// `doctor` prints all of them. What asks here asks in every mode that can ask, whatever the allow rules say, and is denied where nobody may be asked.
/// Names are held against each other without regard to case, since some file systems have none; the names of a path, its
/// `..`, `~` and its links are seen through.
///
/// A pattern is one of [`paths`](super::paths), with one more sign: a `/` at its end makes it a folder, with all in it.
/// Without it, only what has that name is meant. A pattern after `!` is an exception. What an app adds is a secret.
///
/// ```
/// use helve_runtime::permission::DangerousPaths;
///
/// let paths = DangerousPaths::default().with(["*.kdbx", "secrets/", "!secrets/README.md"])?;
/// assert_eq!(paths.find("/work/.ENV"), Some(".env"));
/// assert_eq!(paths.find("/work/secrets/a.txt"), Some("secrets/"));
/// assert_eq!(paths.find("/work/secrets/README.md"), None);
/// # Ok::<(), helve_runtime::permission::InvalidPattern>(())
/// ```
#[derive(Debug, Clone)]
pub struct DangerousPaths {
    set: Arc<Set>,
}

#[derive(Debug, Clone, Default)]
struct Set {
    entries: Vec<Entry>,
    /// The entries by the last name of their pattern: they are about no path without it.
    by_name: HashMap<String, Vec<usize>, FixedState>,
    /// The entries whose last name is itself a pattern.
    nameless: Vec<usize>,
}

impl Set {
    fn push(&mut self, entry: Entry) {
        let at = self.entries.len();
        let last = entry.pattern.rsplit('/').next().unwrap_or_default();
        if last.contains(['*', '?', '[', '\\']) {
            self.nameless.push(at);
        } else {
            self.by_name.entry(last.to_owned()).or_default().push(at);
        }
        self.entries.push(entry);
    }

    /// Finds what makes a folded path dangerous to whoever does this there.
    fn find(&self, path: &str, access: Access) -> Option<DangerousPlace<'_>> {
        let entry = |at: &usize| self.entries.get(*at);
        let mut named = path.split('/').filter_map(|name| self.by_name.get(name));
        let Some(first) = named.next() else {
            let nameless = self.nameless.iter().filter_map(entry);
            return gravest(nameless, access, |entry| entry.names(path));
        };
        let mut places: Vec<usize> = [first, &self.nameless]
            .into_iter()
            .chain(named)
            .flatten()
            .copied()
            .collect();
        // An exception is about what stands before it.
        places.sort_unstable();
        let entries = places.iter().filter_map(entry);
        gravest(entries, access, |entry| entry.names(path))
    }
}

/// A place that is dangerous to whoever reads or writes it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DangerousPlace<'d> {
    /// The pattern, as it was written.
    pub(crate) pattern: &'d str,
    /// What is there.
    pub(crate) reason: &'d str,
    pub(crate) guard: Guard,
}

/// Returns what the gravest of the entries says that name a place. An exception takes back what stands before it.
fn gravest<'d>(
    entries: impl Iterator<Item = &'d Entry>,
    access: Access,
    names: impl Fn(&Entry) -> bool,
) -> Option<DangerousPlace<'d>> {
    let mut gravest: Option<DangerousPlace<'d>> = None;
    for entry in entries.filter(|entry| names(entry)) {
        if entry.is_exception {
            gravest = None;
            continue;
        }
        let guard = entry.guard(access);
        if guard > gravest.map_or(Guard::Open, |before| before.guard) {
            gravest = Some(DangerousPlace {
                pattern: &entry.written,
                reason: &entry.reason,
                guard,
            });
        }
    }
    gravest
}

#[derive(Debug, Clone)]
struct Entry {
    written: String,
    pattern: String,
    /// How a path begins and ends that the pattern names, as far as that is literal: most paths need no other look.
    ends: (String, String),
    kind: Kind,
    is_exception: bool,
    reason: Cow<'static, str>,
    on_read: Guard,
    on_write: Guard,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
}

/// The text is no pattern of [`DangerousPaths`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no pattern of dangerous paths; write a name, `folder/`, `**/folder/name` or an absolute path"
)]
pub struct InvalidPattern(String);

impl Default for DangerousPaths {
    fn default() -> Self {
        static DEFAULTS: LazyLock<DangerousPaths> = LazyLock::new(|| {
            let mut set = Set::default();
            let entries = dangerous_paths::rows().filter_map(Entry::from_row);
            entries.for_each(|entry| set.push(entry));
            DangerousPaths { set: Arc::new(set) }
        });
        DEFAULTS.clone()
    }
}

impl Entry {
    fn from_row(row: &Row) -> Option<Self> {
        Some(Self {
            reason: Cow::Borrowed(row.reason),
            on_read: row.reading,
            on_write: row.writing,
            ..Self::parse(row.pattern)?
        })
    }

    fn parse(written: &str) -> Option<Self> {
        let (is_exception, text) = match written.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, written),
        };
        let (kind, name) = match text.strip_suffix('/') {
            Some(name) => (Kind::Folder, name),
            None => (Kind::File, text),
        };
        let anywhere = if name.starts_with('/') || name.starts_with("**/") {
            Cow::Borrowed(name)
        } else if name.starts_with("~/") {
            paths::anchored(name, None, Some(&std::env::home_dir()?))
        } else {
            Cow::Owned(format!("**/{name}"))
        };
        let pattern = fold(&anywhere).into_owned();
        (!name.is_empty() && !name.ends_with('/') && name != "**").then(|| Self {
            written: written.to_owned(),
            ends: literal_ends(&pattern, kind),
            pattern,
            kind,
            is_exception,
            reason: Cow::Borrowed("the app says so"),
            on_read: Guard::Always,
            on_write: Guard::Always,
        })
    }

    fn guard(&self, access: Access) -> Guard {
        match access {
            Access::Read => self.on_read,
            Access::Write => self.on_write,
            Access::Unknown => self.on_read.max(self.on_write),
        }
    }

    /// Reports whether the entry is about a path, which is absolute and folded.
    fn names(&self, path: &str) -> bool {
        let (begin, end) = &self.ends;
        if !path.starts_with(&**begin) || !path.ends_with(&**end) {
            return false;
        }
        match self.kind {
            Kind::File => glob::names(&self.pattern, path),
            Kind::Folder => glob::covers(&self.pattern, path),
        }
    }
}

/// Returns what stands before the first wildcard of a pattern, and behind the last.
fn literal_ends(pattern: &str, kind: Kind) -> (String, String) {
    if pattern.contains('\\') {
        return Default::default();
    }
    let begin = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
    let end = pattern.rfind(['*', '?', ']']).map_or(0, |at| at + 1);
    let end = match kind {
        // `**/name` names `/name`, too.
        Kind::File => pattern[end..].trim_start_matches('/'),
        Kind::Folder => "",
    };
    (pattern[..begin].to_owned(), end.to_owned())
}

impl DangerousPaths {
    /// Makes a set without the defaults.
    #[must_use]
    pub fn none() -> Self {
        Self {
            set: Arc::default(),
        }
    }

    /// Adds patterns.
    ///
    /// # Errors
    ///
    /// Fails on what is no pattern.
    pub fn with<T: AsRef<str>>(
        mut self,
        patterns: impl IntoIterator<Item = T>,
    ) -> Result<Self, InvalidPattern> {
        let set = Arc::make_mut(&mut self.set);
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let entry = Entry::parse(pattern).ok_or_else(|| InvalidPattern(pattern.to_owned()))?;
            set.push(entry);
        }
        Ok(self)
    }

    /// Adds what settings say.
    #[cfg(feature = "app")]
    pub(crate) fn with_added(mut self, added: &[AddedPath]) -> Self {
        let set = Arc::make_mut(&mut self.set);
        for path in added {
            let reason = path.reason.clone();
            // What is no pattern was refused when it was read.
            if let Some(entry) = Entry::parse(&path.pattern) {
                set.push(Entry {
                    reason: reason.map_or(Cow::Borrowed("the settings say so"), Cow::Owned),
                    on_read: path.reading,
                    on_write: path.writing,
                    ..entry
                });
            }
        }
        self
    }

    /// Returns the patterns, as they were written.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.set.entries.iter().map(|entry| &*entry.written)
    }

    /// Returns whether the set begins with the defaults, and the patterns besides them.
    pub(super) fn beside_defaults(&self) -> (bool, impl Iterator<Item = &str>) {
        let defaults = Self::default();
        let has_defaults = self.set.entries.len() >= defaults.set.entries.len()
            && defaults
                .patterns()
                .eq(self.patterns().take(defaults.set.entries.len()));
        let skipped = if has_defaults {
            defaults.set.entries.len()
        } else {
            0
        };
        (has_defaults, self.patterns().skip(skipped))
    }

    /// Finds the pattern that makes an absolute path dangerous to whoever reads it, by its names alone.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<&str> {
        let found = self.look_up(path, Access::Read)?;
        (found.guard >= Guard::Asks).then_some(found.pattern)
    }

    /// Finds the pattern that makes a place dangerous that a call reads or writes, by its names alone. Where the place is
    /// itself a pattern, it is dangerous when it may mean what is; wildcards alone mean nothing in particular.
    #[must_use]
    pub fn find_touched(&self, touch: &Touch, context: &ToolContext) -> Option<&str> {
        let found = self.look_up_touched(touch, touch.access, context)?;
        (found.guard >= Guard::Asks).then_some(found.pattern)
    }

    /// Says what is dangerous about doing this at an absolute path.
    pub(crate) fn look_up(&self, path: &str, access: Access) -> Option<DangerousPlace<'_>> {
        self.set.find(&fold(path), access)
    }

    /// Says what is dangerous about doing this at a place that a call names.
    pub(crate) fn look_up_touched(
        &self,
        touch: &Touch,
        access: Access,
        context: &ToolContext,
    ) -> Option<DangerousPlace<'_>> {
        let path = paths::absolute(&touch.path, context.working_folder(), context.home());
        if touch.is_pattern {
            let path = fold(&path);
            // What may be an exception may be something else just as well.
            let entries = self.set.entries.iter().filter(|entry| !entry.is_exception);
            return gravest(entries, access, |entry| {
                fold::may_name(&entry.pattern, entry.kind == Kind::Folder, &path)
            });
        }
        self.look_up(&path, access)
    }
}
