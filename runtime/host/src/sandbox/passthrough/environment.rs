//! The environment variables of a command.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use crate::sandbox::SandboxPolicy;
use crate::sandbox::search_path::{SearchPath, SearchRoot, temporary_folders};
use helve_core::support::wildcard::is_name_or_prefix;

/// The variables of the user whose files a command sees.
const USER_VARIABLES: [&str; 5] = ["HOME", "USER", "LOGNAME", "SHELL", "TMPDIR"];

/// Returns the variables of this process that are passed to a command, and those that the policy sets.
pub(super) fn environment(policy: &SandboxPolicy) -> BTreeMap<OsString, OsString> {
    let passed = SandboxPolicy::DEFAULT_PASS.iter().chain(&USER_VARIABLES);
    let passed = passed
        .copied()
        .chain(policy.pass.iter().map(String::as_str));
    let is_passed = |name: &OsString| {
        let name = name.to_string_lossy();
        let mut passed = passed.clone();
        passed.any(|pattern| is_name_or_prefix(pattern, &name))
    };
    let mut chosen: BTreeMap<OsString, OsString> = std::env::vars_os()
        .filter(|(name, _)| is_passed(name))
        .collect();
    let own = policy.environment.iter();
    chosen.extend(own.map(|(name, value)| (name.into(), value.into())));
    chosen
}

/// Returns the search path for programs. Only folders that the policy makes writable count as writable, though no
/// folder is write-protected.
pub(super) fn search_path(policy: &SandboxPolicy) -> SearchPath {
    let path = environment(policy).remove(OsStr::new("PATH"));
    let written = policy.roots();
    let written = written.map(SearchRoot::writable).chain(temporary_folders());
    SearchPath::from_environment(path, written.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_on_the_list_is_not_seen() {
        let mut policy = SandboxPolicy::new("/");
        policy.environment.insert("OWN".to_owned(), "1".to_owned());
        let seen = environment(&policy);
        assert!(seen.contains_key(&OsString::from("PATH")));
        assert_eq!(seen.get(&OsString::from("OWN")), Some(&OsString::from("1")));
        assert!(
            seen.keys()
                .all(|name| !name.to_string_lossy().starts_with("CARGO"))
        );
        policy.pass.push("CARGO_*".to_owned());
        assert!(environment(&policy).contains_key(&OsString::from("CARGO_MANIFEST_DIR")));
    }
}
