//! Rules about paths: the language in which rules of file tools are written, for tools of any app.
//!
//! A rule is a glob as `.gitignore` has it. `*` and `?` stay within a name, `**` goes through any number of folders, and
//! what names a folder is about all that lies in it.
//!
//! | written | is about |
//! |---|---|
//! | `*.rs`, `secrets` | that name in any folder |
//! | `src/**`, `./build` | below the working folder |
//! | `**/*.lock` | any folder |
//! | `/etc/**` | that place of the machine |
//! | `~/notes/**` | below the home folder |
//!
//! A file tool takes the language over with two functions:
//!
//! ```
//! # extern crate helve_runtime as helve;
//! use helve::permission::paths;
//! use helve::prelude::*;
//! use helve::tool::{Check, Checked, Coverage, Touch};
//!
//! /// Counts the bytes of a file.
//! #[tool(read_only, check = check, match_rule = matches, suggest_rules = suggest)]
//! fn count_bytes_of_path(
//!     /// Its path.
//!     path: &str,
//! ) {
//!     let _ = path;
//! }
//!
//! fn check(_: &ToolContext, path: &str) -> Checked {
//!     Check::Pass.touching([Touch::read(path)])
//! }
//!
//! fn matches(cx: &ToolContext, rule: &str, path: &str) -> Coverage {
//!     paths::covers(cx, rule, path)
//! }
//!
//! fn suggest(path: &str) -> Vec<String> {
//!     paths::suggest(path).into_iter().collect()
//! }
//! # fn main() {}
//! ```

pub(crate) mod glob;
mod lexical;

use std::borrow::Cow;
use std::path::Path;

use crate::tool::{Coverage, ToolContext};

pub use lexical::absolute;

/// Says whether a rule covers a path of a call.
///
/// A path that leads elsewhere through a link has to be covered where it lies and where it leads, and is stopped by a
/// rule about either.
#[must_use]
pub fn covers(context: &ToolContext, rule: &str, path: &str) -> Coverage {
    if path.is_empty() {
        return Coverage::from(false);
    }
    let (folder, home) = (context.working_folder(), context.home());
    let place = absolute(path, folder, home);
    let pattern = anchored(rule, folder, home);
    let named = glob::covers(&pattern, &place);
    match context.links().and_then(|links| links.place(path)) {
        None => Coverage::from(named),
        Some(target) => {
            let led = glob::covers(&pattern, &target.to_string_lossy());
            Coverage::of_parts([named, led])
        }
    }
}

/// Suggests the rule that covers a path and what lies beside it: its folder, and all below.
///
/// A pattern is no suggestion for a path whose name reads as one.
///
/// ```
/// use helve_runtime::permission::paths::suggest;
///
/// assert_eq!(suggest("src/main.rs").as_deref(), Some("src/**"));
/// assert_eq!(suggest("main.rs").as_deref(), Some("./**"));
/// assert_eq!(suggest("/tmp/[a]/x"), None);
/// ```
#[must_use]
pub fn suggest(path: &str) -> Option<String> {
    let path = lexical::tidy(path);
    let folder = match path.rsplit_once('/') {
        Some((folder, _)) => folder,
        None => ".",
    };
    (!path.is_empty() && !is_glob(folder) && !folder.contains(['(', ')'])).then(|| below(folder))
}

/// Suggests the rule that covers a folder and all below.
///
/// ```
/// assert_eq!(helve_runtime::permission::paths::suggest_folder("src").as_deref(), Some("src/**"));
/// ```
#[must_use]
pub fn suggest_folder(folder: &str) -> Option<String> {
    let folder = lexical::tidy(folder);
    let folder = if folder.is_empty() { "." } else { &*folder };
    (!is_glob(folder) && !folder.contains(['(', ')'])).then(|| below(folder))
}

/// Writes the pattern of all below a folder; a single relative name would be about that name anywhere.
fn below(folder: &str) -> String {
    match folder {
        "/" => "/**".to_owned(),
        folder => format!("{folder}/**"),
    }
}

/// Reports whether a path reads as a pattern.
fn is_glob(path: &str) -> bool {
    path.contains(['*', '?', '[', '\\'])
}

/// Writes a rule as a pattern of whole paths.
pub(crate) fn anchored<'a>(
    rule: &'a str,
    folder: Option<&Path>,
    home: Option<&Path>,
) -> Cow<'a, str> {
    let trimmed = rule.trim_end_matches('/');
    if rule.starts_with("**/") || rule == "**" {
        Cow::Borrowed(trimmed)
    } else if trimmed.contains('/') || trimmed == "." || trimmed.starts_with('~') {
        Cow::Owned(absolute(trimmed, folder, home).into_owned())
    } else if trimmed.is_empty() {
        Cow::Borrowed("/**")
    } else {
        Cow::Owned(format!("**/{trimmed}"))
    }
}
