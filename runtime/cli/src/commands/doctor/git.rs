//! A setting of the user's own git, which a repository in a workspace cannot change.

use std::process::{Command, Stdio};

use super::finding::Finding;

/// Recommends the setting with which git does not use a folder as a bare repository because of its contents: a command
/// can create such a folder anywhere, and the settings in it start programs. Returns `None` if git is not installed.
pub(super) fn finding() -> Option<Finding> {
    let is_set = is_explicit("--global")? || is_explicit("--system")?;
    Some(if is_set {
        Finding::ok("git: safe.bareRepository is explicit")
    } else {
        Finding::note(
            "git: any folder that looks like a bare repository is used as one, with its settings\n    \
             → git config --global safe.bareRepository explicit",
        )
    })
}

/// Reports whether a file of git's own settings has it, or nothing where git does not run. Git looks at no repository.
fn is_explicit(file: &str) -> Option<bool> {
    let asked = Command::new("git")
        .args(["config", file, "--get", "safe.bareRepository"])
        .env("GIT_DIR", "/dev/null")
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let said = asked.ok()?.stdout;
    Some(said.trim_ascii() == b"explicit")
}
