//! The environment variables of a server's program.

use std::collections::BTreeMap;
use std::ffi::OsString;

use crate::StdioServer;

/// The variables that every program needs.
#[cfg(not(windows))]
const NEEDED: &[&str] = &["PATH", "HOME", "LANG", "LC_*", "TERM", "TMPDIR", "USER"];
#[cfg(windows)]
const NEEDED: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
];

/// Returns the environment of a local program.
pub(super) fn whole(server: &StdioServer) -> BTreeMap<OsString, OsString> {
    let mut seen = inherited(NEEDED.iter().copied());
    seen.extend(own(server));
    seen
}

/// Returns the variables that the configuration inherits or sets.
pub(super) fn own(server: &StdioServer) -> BTreeMap<OsString, OsString> {
    let mut seen = inherited(server.inherited.iter().map(String::as_str));
    let set = server.environment.iter();
    seen.extend(set.map(|(name, value)| (name.into(), value.into())));
    seen
}

fn inherited<'a>(patterns: impl Iterator<Item = &'a str>) -> BTreeMap<OsString, OsString> {
    let patterns: Vec<&str> = patterns.collect();
    std::env::vars_os()
        .filter(|(name, _)| {
            let name = name.to_string_lossy();
            patterns.iter().any(|pattern| covers(pattern, &name))
        })
        .collect()
}

/// Returns whether a name, or a prefix with `*`, matches a variable.
fn covers(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None if cfg!(windows) => name.eq_ignore_ascii_case(pattern),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_named_is_not_seen() {
        let mut server = StdioServer::new("true".to_owned(), Vec::new());
        server.environment.insert("OWN".to_owned(), "1".to_owned());
        let seen = whole(&server);
        assert!(seen.contains_key(&OsString::from("PATH")));
        assert_eq!(seen.get(&OsString::from("OWN")), Some(&OsString::from("1")));
        let is_of_cargo = |name: &OsString| name.to_string_lossy().starts_with("CARGO");
        assert!(!seen.keys().any(is_of_cargo));
        server.inherited.push("CARGO_MANIFEST_*".to_owned());
        let seen = whole(&server);
        assert!(seen.keys().any(is_of_cargo));
        assert!(!seen.contains_key(&OsString::from("CARGO_PKG_NAME")));
        assert!(!own(&server).contains_key(&OsString::from("PATH")));
    }
}
