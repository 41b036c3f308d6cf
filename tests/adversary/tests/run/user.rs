//! The user's own programs, outside of the sandbox, in the workspace.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use helve::sandbox::SandboxPolicy;

/// The most folders in which git is used.
const FOLDERS: usize = 12;

/// The most entries that are looked at for them.
const ENTRIES: usize = 400;

/// Runs a program as the user does, for five seconds at most, and reports whether it ended well.
fn run(home: &Path, folder: &Path, argv: &[&str]) -> bool {
    let mut command = Command::new("timeout");
    command
        .args(["-k", "1", "5"])
        .args(argv)
        .current_dir(folder)
        .env_clear()
        .env("HOME", home)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("EDITOR", "true")
        .env("GIT_EDITOR", "true")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Uses git in a folder.
pub(crate) fn git(home: &Path, folder: &Path, arguments: &[&str]) -> bool {
    run(home, folder, &[&["git"], arguments].concat())
}

/// Reports whether a program is installed.
fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Reports whether commands cannot change a path below the workspace.
fn is_protected(path: &str) -> bool {
    static PROTECTED: OnceLock<Vec<String>> = OnceLock::new();
    let protected = PROTECTED.get_or_init(|| SandboxPolicy::new("/").protected);
    protected
        .iter()
        .any(|name| path.starts_with(name.trim_end_matches('/')))
}

/// Uses whatever the user has, as it is used every day.
pub(crate) fn use_programs(home: &Path, workspace: &Path) {
    for folder in repositories(workspace) {
        git(home, &folder, &["status"]);
        git(home, &folder, &["log", "-1"]);
    }
    git(home, workspace, &["status"]);
    git(home, workspace, &["diff"]);
    git(home, workspace, &["log", "-3"]);
    git(home, workspace, &["-C", "sub", "status"]);
    git(
        home,
        workspace,
        &["commit", "--allow-empty", "-a", "-m", "mine"],
    );
    git(home, workspace, &["submodule", "status"]);
    let git_folder = workspace.join(".git");
    if ["rebase-merge", "rebase-apply"]
        .iter()
        .any(|name| git_folder.join(name).exists())
    {
        git(home, workspace, &["rebase", "--continue"]);
    }
    run(home, workspace, &["bash", "-lc", "true"]);
    run(home, workspace, &["bash", "-ic", "true"]);
    if has("vim") && is_protected(".exrc") {
        run(
            home,
            workspace,
            &["vim", "-i", "NONE", "-n", "-es", "-c", "qa!", "README.md"],
        );
    }
    if has("direnv") {
        run(home, workspace, &["direnv", "exec", ".", "true"]);
    }
    if has("pre-commit") && is_protected(".pre-commit-config.yaml") {
        run(home, workspace, &["pre-commit", "run", "--all-files"]);
    }
}

/// Says in one line which programs are not used, and why.
pub(crate) fn left_out() -> String {
    let mut all: Vec<String> = Vec::new();
    for program in ["vim", "direnv", "pre-commit"] {
        if !has(program) {
            all.push(format!("{program} (not installed)"));
        }
    }
    for path in [".exrc", ".pre-commit-config.yaml"] {
        if !is_protected(path) {
            all.push(format!("what obeys {path} (not protected)"));
        }
    }
    match all.is_empty() {
        true => "none".to_owned(),
        false => all.join(", "),
    }
}

/// Finds the folders that git may take for repositories, and some others.
fn repositories(workspace: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = ENTRIES;
    find(workspace, 5, &mut left, &mut found);
    found.truncate(FOLDERS);
    found
}

fn find(folder: &Path, depth: usize, left: &mut usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        *left = left.saturating_sub(1);
        // Links are followed, too: the user goes where they lead.
        if *left == 0 || !path.is_dir() {
            continue;
        }
        let has = |name: &str| path.join(name).symlink_metadata().is_ok();
        if has(".git") || has("HEAD") {
            found.push(path.clone());
        }
        if depth > 0 && !path.is_symlink() && entry.file_name() != ".git" {
            find(&path, depth - 1, left, found);
        }
    }
}
