//! The variables that a server's program sees.

use std::collections::BTreeMap;
use std::ffi::OsString;

use crate::mcp::StdioServer;
use crate::support::wildcard::is_name_or_prefix;

/// What every program needs.
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

/// Returns what a program of this machine sees.
pub(super) fn whole(server: &StdioServer) -> BTreeMap<OsString, OsString> {
    let mut seen = inherited(NEEDED.iter().copied());
    seen.extend(own(server));
    seen
}

/// Returns what the configuration names: what it inherits and what is set for it.
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

/// Reports whether a name, or a prefix with `*`, covers a variable. Names on Windows disregard case.
fn covers(pattern: &str, name: &str) -> bool {
    let is_same = |name: &str| !pattern.ends_with('*') && name.eq_ignore_ascii_case(pattern);
    is_name_or_prefix(pattern, name) || cfg!(windows) && is_same(name)
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
