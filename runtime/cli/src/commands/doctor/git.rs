//! A setting of the user's own git, which a repository in a workspace cannot change.

use std::process::{Command, Stdio};

use super::finding::Finding;

/// Recommends that git takes no folder for a bare repository by what is in it: a command can make such a folder anywhere,
/// and the settings in it start programs. Nothing is said where there is no git.
pub(super) fn finding() -> Option<Finding> {
    let is_set = is_explicit("--global")? || is_explicit("--system")?;
    Some(if is_set {
        Finding::ok("git: safe.bareRepository is explicit")
    } else {
        Finding::note(
            "git: takes any folder for a repository that looks like one, and obeys the settings in it\n    \
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
