//! Checks of the machine: panics, the session folder, the access to files and git.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use super::finding::Finding;
use crate::app_context::AppContext;
use crate::config::display_path;
use crate::session_folder;
use helve_core::sandbox::PathResolution;

pub(super) fn findings(app: &AppContext) -> Vec<Finding> {
    let mut findings = vec![sessions_finding(app), files_finding(app)];
    findings.push(if cfg!(panic = "unwind") {
        Finding::ok("panics: a panic in a tool fails the call")
    } else {
        Finding::note(
            "panics: a panic in a tool aborts the process (built with `panic = \"abort\"`)",
        )
    });
    findings.extend(git_finding());
    findings
}

fn sessions_finding(app: &AppContext) -> Finding {
    let mend = "set HELVE_STATE to a writable folder, or use `--no-session`";
    let folder = match session_folder::folder(app.package.name) {
        Ok(folder) => folder,
        Err(error) => return Finding::problem(&error.to_string(), mend),
    };
    let shown = display_path(&folder);
    match check_writable(&folder) {
        Ok(()) => Finding::ok(format!("sessions: {shown} is writable")),
        Err(error) => {
            Finding::problem(&format!("sessions: {shown} is not writable: {error}"), mend)
        }
    }
}

/// Finds out whether a folder can be written, or made, and leaves nothing there.
fn check_writable(folder: &Path) -> io::Result<()> {
    let there = folder.ancestors().find(|folder| folder.exists());
    let name = format!(".helve-doctor-{}", std::process::id());
    let probe = there.unwrap_or(folder).join(name);
    fs::File::create_new(&probe)?;
    fs::remove_file(&probe)
}

fn files_finding(app: &AppContext) -> Finding {
    let Some(files) = &app.grants.files else {
        return Finding::note("files: not granted (built without the `files` feature)");
    };
    let roots = files.roots().iter();
    let roots: Vec<String> = roots.map(|root| root.display().to_string()).collect();
    let roots = roots.join(", ");
    match files.resolution() {
        PathResolution::Kernel => Finding::ok(format!(
            "files: {roots}; the kernel resolves every path below its root (openat2)"
        )),
        _ => Finding::problem(
            &format!("files: {roots}; paths are checked before use, which is open to races"),
            "use Linux 5.6 or newer",
        ),
    }
}

/// Recommends the setting with which git does not use a folder as a bare repository because of its contents: a command
/// can create such a folder anywhere, and the settings in it start programs. Returns `None` if git is not installed.
fn git_finding() -> Option<Finding> {
    let is_set = is_explicit("--global")? || is_explicit("--system")?;
    Some(if is_set {
        Finding::ok("git: safe.bareRepository is explicit")
    } else {
        Finding::note(
            "git: any folder that looks like a bare repository is used as one, with its settings",
        )
        .with_hint("git config --global safe.bareRepository explicit")
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
