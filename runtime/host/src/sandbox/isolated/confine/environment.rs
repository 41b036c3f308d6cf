//! The environment variables of a command.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::super::root;
use crate::sandbox::SandboxPolicy;
use crate::sandbox::search_path::{self, SearchPath, SearchRoot, TEMPORARY};
use helve_core::support::wildcard::is_name_or_prefix;

/// The search path for programs if this process has no `PATH`.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Returns the environment of a command: the variables of this process that are on the allowlist, the variables that
/// the policy passes and sets, and the sandbox's own home. Folders of the inherited `PATH` that are empty when the
/// sandbox opens are left out.
pub(crate) fn environment(policy: &SandboxPolicy, home: &Path) -> BTreeMap<String, String> {
    // A rule, which is UTF-8 text, cannot name a variable that is not valid UTF-8.
    let parent = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let mut chosen = select(policy, home, parent);
    if !policy.environment.contains_key("PATH")
        && let Some(path) = chosen.get_mut("PATH")
    {
        let (private, shown) = (private_folders(home), shown_folders(policy, home));
        *path = search_path::without_private(path, &private, &shown);
        if path.is_empty() {
            PATH.clone_into(path);
        }
    }
    chosen
}

/// Returns the search path for programs: for a path in the home or in another folder, the nearest folder that is shown
/// decides.
pub(crate) fn search_path(path: Option<String>, policy: &SandboxPolicy, home: &Path) -> SearchPath {
    let written = policy.roots().cloned().chain(private_folders(home));
    let read = root::toolchains(home).into_iter();
    let read = read.chain(policy.readable.iter().cloned());
    let roots = written.map(SearchRoot::writable);
    let roots = roots.chain(read.map(SearchRoot::readable));
    SearchPath::from_roots(path, roots.collect())
}

/// Lists the folders that are empty when a sandbox opens, and that every command may write to, whatever its access.
pub(crate) fn private_folders(home: &Path) -> Vec<PathBuf> {
    let temporary = TEMPORARY.map(PathBuf::from).into_iter();
    temporary.chain([home.to_owned()]).collect()
}

/// Lists the folders that are shown inside folders that are hidden otherwise.
fn shown_folders(policy: &SandboxPolicy, home: &Path) -> Vec<PathBuf> {
    let folders = policy.roots();
    let folders = folders.chain(&policy.readable).cloned();
    folders.chain(root::toolchains(home)).collect()
}

/// Selects the variables of a command. Variables that the policy sets override those that are passed on; the home is
/// the sandbox's own unless the policy sets another.
fn select(
    policy: &SandboxPolicy,
    home: &Path,
    parent: impl Iterator<Item = (String, String)>,
) -> BTreeMap<String, String> {
    let usual = SandboxPolicy::DEFAULT_PASS.iter().copied();
    let passed = usual.chain(policy.pass.iter().map(String::as_str));
    let passed: Vec<&str> = passed.collect();
    let mut chosen = BTreeMap::from([
        ("HOME".to_owned(), home.to_string_lossy().into_owned()),
        ("PATH".to_owned(), PATH.to_owned()),
    ]);
    let allowed = |name: &str| passed.iter().any(|rule| matches(rule, name)) && name != "HOME";
    chosen.extend(parent.filter(|(name, _)| allowed(name)));
    chosen.extend(policy.environment.clone());
    chosen.retain(|name, value| can_be_set(name, value));
    chosen
}

/// Reports whether a rule names a variable. `*` alone names none: a command never sees the whole environment.
fn matches(rule: &str, name: &str) -> bool {
    rule != "*" && is_name_or_prefix(rule, name)
}

/// Reports whether `execve` accepts the variable.
fn can_be_set(name: &str, value: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0')
}
