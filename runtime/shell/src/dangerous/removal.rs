//! Removals that are certainly not intended.

use super::arguments::Arguments;
use super::danger::{Danger, danger, grave, immune};
use crate::script::ScriptWord;

/// The severity of removing a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Removal {
    /// Everything in a folder, or the current folder.
    Folder,
    /// A system folder directly below the root.
    System,
    /// The root of the file system, or the user's home folder.
    Everything,
}

impl Removal {
    /// Returns the severity of removing a path; `None` if the path is none of these.
    pub(crate) fn from_path(path: &str, home: Option<&str>) -> Option<Self> {
        let tidied = crate::paths::normalize(path);
        let path = if path == "/" || tidied.is_empty() {
            path
        } else {
            tidied.trim_end_matches('/')
        };
        let base = path.strip_suffix("/*").unwrap_or(path);
        let is_home = |path: &str| {
            matches!(path, "~" | "$HOME" | "/root")
                || home.is_some_and(|home| path == home.trim_end_matches('/'))
                || path.starts_with('~') && !path.contains('/')
        };
        if base.is_empty()
            || base == "/"
            || is_home(base)
            || matches!(path, "/home" | "/Users" | "/home/*" | "/Users/*")
        {
            return Some(Self::Everything);
        }
        let is_child = base.starts_with('/') && !base[1..].contains('/');
        if is_child {
            return Some(Self::System);
        }
        let ends = matches!(path, "*" | "." | ".." | "./" | "../")
            || path.ends_with("/*")
            || path.ends_with("/.*")
            || path == ".*";
        ends.then_some(Self::Folder)
    }

    fn danger(self, is_recursive: bool) -> Danger {
        match self {
            Self::Everything if is_recursive => {
                grave("it removes the whole system, or all of the user's files")
            }
            Self::Everything => danger("it removes the root, or the user's folder"),
            Self::System if is_recursive => grave("it removes a folder of the system"),
            Self::System => danger("it removes a folder of the system"),
            Self::Folder => danger("it removes all that is in a folder"),
        }
    }
}

pub(super) fn find(
    program: &str,
    arguments: &Arguments<'_, '_>,
    is_privileged: bool,
    home: Option<&str>,
) -> Option<Danger> {
    let is_recursive = program == "rm" && arguments.has(&['r', 'R'], "--recursive");
    let is_forced = program == "rm" && arguments.has(&['f'], "--force");
    if arguments.includes_root() {
        return Some(grave("it removes the root of the file system"));
    }
    let is_looked_at = |word: &&ScriptWord<'_>| {
        let is_own_name = word.text.starts_with('~') && !word.is_home;
        let is_unknown = word.is_dynamic && word.text.is_empty();
        !is_own_name && !is_unknown
    };
    let worst = arguments
        .places()
        .filter(is_looked_at)
        .filter_map(|word| Removal::from_path(&word.text, home))
        .max();
    if let Some(removal) = worst {
        return Some(removal.danger(is_recursive));
    }
    let is_unknown = arguments.places().any(|word| word.is_dynamic);
    if is_recursive && is_forced && !is_unknown {
        return Some(danger("`rm -rf` removes a whole tree without confirmation"));
    }
    if is_unknown {
        return Some(immune("what it removes is not known before it runs"));
    }
    if is_privileged {
        return Some(danger("it removes files with the rights of another user"));
    }
    (program == "shred" || program == "srm").then(|| danger("it makes a file unrecoverable"))
}
