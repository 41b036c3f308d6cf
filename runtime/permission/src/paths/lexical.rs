//! Paths by their names alone: nothing here asks a file system.

use std::borrow::Cow;
use std::path::Path;

/// Makes a path absolute by its names: `~` and a relative path are spelled out, `.` and `..` taken away.
///
/// Without a folder to start at, a relative path stays relative.
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

/// Takes away `.`, `..`, doubled and trailing slashes.
pub(super) fn normalize(path: &str) -> Cow<'_, str> {
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
