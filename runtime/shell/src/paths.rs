//! Lexical operations on paths.
//!
//! The runtime has its own copy of this normalization, since this crate is absent without the runtime's feature
//! `shell`; neither crate can import the function from the other.

use std::borrow::Cow;

/// Removes `.`, `..`, doubled and trailing slashes.
pub(crate) fn normalize(path: &str) -> Cow<'_, str> {
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

/// Reports whether a path is a folder or lies in it.
pub(crate) fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Reports whether a folder is one of the system's program folders.
pub(crate) fn holds_programs(folder: &str) -> bool {
    matches!(
        folder,
        "/bin" | "/usr/bin" | "/sbin" | "/usr/sbin" | "/usr/local/bin" | "/opt/homebrew/bin"
    )
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
