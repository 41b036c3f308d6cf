//! Which files of a skill can run.

use std::path::Path;

/// The interpreters for scripts without a `#!` line, by extension.
pub(crate) const INTERPRETERS: &[(&str, &str)] = &[
    ("py", "python3"),
    ("sh", "sh"),
    ("bash", "bash"),
    ("js", "node"),
    ("mjs", "node"),
    ("cjs", "node"),
];

/// Returns the interpreter for a script without a `#!` line.
pub(crate) fn interpreter(path: &str) -> Option<&'static str> {
    let extension = Path::new(path).extension()?.to_str()?;
    let mut known = INTERPRETERS.iter();
    let (_, program) = known.find(|(known, _)| *known == extension)?;
    Some(program)
}

/// Returns whether a file of a skill is a script, which a reviewer has to read: it is executable, its extension has an
/// interpreter, or it is below `scripts/`.
///
/// Every file that `run_skill_script` runs is a script.
#[must_use]
pub fn is_script(path: &str, executable: bool) -> bool {
    executable || path.starts_with("scripts/") || interpreter(path).is_some()
}
