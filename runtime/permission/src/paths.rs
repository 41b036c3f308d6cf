//! Rules about paths: the rule language of file tools, for tools of any app.
//!
//! A rule is a glob in the syntax of `.gitignore`. `*` and `?` match within a name, `**` matches any number of folders,
//! and a pattern that matches a folder covers everything in it.
//!
//! | pattern | matches |
//! |---|---|
//! | `*.rs`, `secrets` | that name in any folder |
//! | `src/**`, `./build` | below the working folder |
//! | `**/*.lock` | any folder |
//! | `/etc/**` | that place of the machine |
//! | `~/notes/**` | below the home folder |
//!
//! A file tool uses the language with two functions:
//!
//! ```
//! use helve::permission::paths;
//! use helve::prelude::*;
//! use helve::tool::{Check, CheckReport, Coverage, FileAccess};
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
//! fn check(_: &ToolContext, path: &str) -> CheckReport {
//!     Check::Pass.with_accesses([FileAccess::read(path)])
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

use std::borrow::Cow;
use std::iter;
use std::path::{Path, PathBuf};

use helve_core::tool::{Coverage, ToolContext};
use helve_storage::glob;

/// Makes a path absolute by its names: expands `~` and relative paths, and removes `.` and `..`. Links are not
/// resolved.
///
/// Without a working folder, a relative path stays relative.
///
/// ```
/// use std::path::Path;
/// use helve::permission::paths::absolute;
///
/// let (folder, home) = (Some(Path::new("/work")), Some(Path::new("/home/me")));
/// assert_eq!(absolute("src/../a.rs", folder, home), "/work/a.rs");
/// assert_eq!(absolute("~/.bashrc", folder, home), "/home/me/.bashrc");
/// assert_eq!(absolute("/../etc", folder, home), "/etc");
/// ```
#[must_use]
pub fn absolute<'a>(path: &'a str, folder: Option<&Path>, home: Option<&Path>) -> Cow<'a, str> {
    let start = match (path.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            return Cow::Owned(joined(home, rest));
        }
        _ if path.starts_with('/') => None,
        _ => folder,
    };
    match start {
        None => normalize(path),
        Some(folder) => Cow::Owned(joined(folder, path)),
    }
}

fn joined(folder: &Path, path: &str) -> String {
    let whole = format!("{}/{path}", folder.to_string_lossy());
    normalize(&whole).into_owned()
}

/// Removes `.`, `..`, doubled and trailing slashes.
fn normalize(path: &str) -> Cow<'_, str> {
    let is_tidy = path
        .trim_start_matches('/')
        .split('/')
        .all(|name| !matches!(name, "" | "." | ".."));
    if path == "/" || (is_tidy && !path.starts_with("//")) {
        return Cow::Borrowed(path);
    }
    let rooted = path.starts_with('/');
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." if names.last().is_some_and(|last| *last != "..") => {
                names.pop();
            }
            ".." if rooted => {}
            name => names.push(name),
        }
    }
    let names = names.join("/");
    Cow::Owned(if rooted { format!("/{names}") } else { names })
}

/// Reports whether a rule covers a path of a call.
///
/// If a path leads elsewhere through a link, an allow rule must cover both the link and its target, and a deny rule
/// about either applies.
#[must_use]
pub fn covers(context: &ToolContext, rule: &str, path: &str) -> Coverage {
    if path.is_empty() {
        return Coverage::from(false);
    }
    let (folder, home) = (context.working_folder(), context.home());
    let place = absolute(path, folder, home);
    let pattern = anchor(rule, folder, home);
    let named = glob::covers(&pattern, &place);
    let led = context.links().into_iter();
    let led = led.flat_map(|links| links.places(path));
    let led = led.map(|place| glob::covers(&pattern, &place.to_string_lossy()));
    Coverage::from_parts(iter::once(named).chain(led))
}

/// Suggests the rule that covers the folder of a path, with everything below. A path that ends in a slash names the
/// folder itself.
///
/// Characters that have a meaning in patterns are escaped.
///
/// ```
/// use helve::permission::paths::suggest;
///
/// assert_eq!(suggest("src/main.rs").as_deref(), Some("src/**"));
/// assert_eq!(suggest("main.rs").as_deref(), Some("./**"));
/// assert_eq!(suggest("src/").as_deref(), Some("src/**"));
/// assert_eq!(suggest("app/[id]/page.tsx").as_deref(), Some(r"app/\[id]/**"));
/// ```
#[must_use]
pub fn suggest(path: &str) -> Option<String> {
    let tidy = normalize(path);
    let last = path.rsplit('/').next().unwrap_or_default();
    if !path.is_empty() && (last.is_empty() || last == ".") {
        return suggest_folder(path);
    }
    let folder = match tidy.rsplit_once('/') {
        Some((folder, _)) => folder,
        None => ".",
    };
    (!tidy.is_empty())
        .then(|| pattern_below(path, folder))
        .flatten()
}

/// Suggests the rule that covers a folder with everything below.
///
/// ```
/// assert_eq!(helve::permission::paths::suggest_folder("src").as_deref(), Some("src/**"));
/// ```
#[must_use]
pub fn suggest_folder(folder: &str) -> Option<String> {
    let tidy = normalize(folder);
    pattern_below(folder, if tidy.is_empty() { "." } else { &tidy })
}

/// Returns the pattern that matches everything below the folder of a path. A single relative name would match that name
/// in any folder, so it is anchored.
fn pattern_below(path: &str, folder: &str) -> Option<String> {
    if folder.contains(['(', ')']) {
        return None;
    }
    // `./~/x` is in a folder named `~`, and not in the home folder.
    let here = if folder.starts_with('~') && !path.starts_with('~') {
        "./"
    } else {
        ""
    };
    Some(match folder {
        "/" => "/**".to_owned(),
        folder => format!("{here}{}/**", escape(folder)),
    })
}

/// Returns the pattern that matches only this path.
fn escape(path: &str) -> Cow<'_, str> {
    const SPECIAL: [char; 4] = ['*', '?', '[', '\\'];
    if !path.contains(SPECIAL) {
        return path.into();
    }
    let mut pattern = String::with_capacity(path.len() + 4);
    for c in path.chars() {
        if SPECIAL.contains(&c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.into()
}

/// Returns the pattern that matches only this place, for joining with another pattern.
fn path_as_pattern(place: &Path) -> Cow<'_, Path> {
    match escape(&place.to_string_lossy()) {
        Cow::Borrowed(_) => place.into(),
        Cow::Owned(pattern) => PathBuf::from(pattern).into(),
    }
}

/// Returns the pattern of a rule as a pattern of absolute paths.
pub(crate) fn anchor<'a>(
    rule: &'a str,
    folder: Option<&Path>,
    home: Option<&Path>,
) -> Cow<'a, str> {
    let trimmed = rule.trim_end_matches('/');
    let (folder, home) = (folder.map(path_as_pattern), home.map(path_as_pattern));
    let (folder, home) = (folder.as_deref(), home.as_deref());
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

#[cfg(test)]
mod tests {
    use super::normalize;

    #[test]
    fn tidies() {
        for (path, tidied) in [
            ("", ""),
            ("/", "/"),
            ("//", "/"),
            ("a//b/./c/", "a/b/c"),
            ("a/../b", "b"),
            ("../a", "../a"),
            ("a/../../b", "../b"),
            ("/..", "/"),
            ("/a/../..", "/"),
            (".", ""),
        ] {
            assert_eq!(normalize(path), tidied, "{path}");
        }
    }
}
