//! The user's own programs, outside of the sandbox, in the workspace.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use helve_adversary::Rng;

use crate::programs::{self, DIRENV, PRE_COMMIT, VIM};

/// The most folders in which git is used, at the end and before.
const MAX_FOLDERS: usize = 12;
const MAX_FOLDERS_PARTIAL: usize = 3;

/// The most entries that are looked at for them.
const MAX_ENTRIES: usize = 400;

/// How long the user waits for a program.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(5);

/// How an editor opens a file without a terminal. With `-es` it would read no settings.
pub(crate) const OPEN_IN_VIM: &[&str] = &[
    VIM,
    "--not-a-term",
    "-i",
    "NONE",
    "-n",
    "-c",
    "qa!",
    "README.md",
];

/// How much of what the user does every day is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Everything but what takes long, of which a part is done.
    All,
    /// What is done most often, and some of the rest.
    Some,
}

/// Who works in the workspace.
#[derive(Debug, Clone)]
pub(crate) struct User {
    pub(crate) home: PathBuf,
    /// Where programs keep caches and what the user accepted; it is no part of the home that is compared.
    pub(crate) state: PathBuf,
    pub(crate) workspace: PathBuf,
}

impl User {
    /// Describes a program as the user starts it.
    fn command(&self, folder: &Path, argv: &[&str]) -> Command {
        // By its path: a name would make the whole process fork for it.
        let mut command = Command::new(programs::path_of(argv[0]));
        command
            .args(&argv[1..])
            .current_dir(folder)
            .env_clear()
            .env("HOME", &self.home)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("XDG_CACHE_HOME", self.state.join("cache"))
            .env("XDG_DATA_HOME", self.state.join("data"))
            .env("EDITOR", "true")
            .env("GIT_EDITOR", "true")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Runs a program to the end, before anything is under way.
    pub(crate) fn prepare(&self, folder: &Path, argv: &[&str]) -> bool {
        let status = self.command(folder, argv).status();
        status.is_ok_and(|status| status.success())
    }

    /// Runs a program in a folder of the workspace, for a few seconds at most, and reports whether it ended well.
    pub(crate) async fn run(&self, folder: impl AsRef<Path>, argv: &[&str]) -> bool {
        let folder = self.workspace.join(folder);
        let mut command = self.command(&folder, argv);
        // A group of its own, so that all that it started ends with it.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let Ok(mut child) = tokio::process::Command::from(command).spawn() else {
            return false;
        };
        if let Ok(status) = tokio::time::timeout(PROGRAM_TIMEOUT, child.wait()).await {
            return status.is_ok_and(|status| status.success());
        }
        if let Some(id) = child.id() {
            let group = format!("-{id}");
            let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        }
        let _ = child.wait().await;
        false
    }

    /// Runs git in a folder of the workspace.
    pub(crate) async fn git(&self, folder: impl AsRef<Path>, arguments: &[&str]) -> bool {
        self.run(folder, &[&["git"], arguments].concat()).await
    }

    /// Accepts what the project wants to have run on entering its folder.
    pub(crate) async fn accept_project(&self) {
        if programs::is_installed(DIRENV) {
            self.run("", &[DIRENV, "allow", "."]).await;
        }
    }

    /// Uses whatever the user has, as it is used every day.
    pub(crate) async fn use_programs(&self, rng: &mut Rng, share: Extent) {
        self.use_git(rng, share).await;
        let mut rarely = |of| share == Extent::All && rng.one_in(of) || rng.one_in(of * 6);
        if rarely(2) {
            self.run("", &["bash", "-lc", "true"]).await;
        }
        if rarely(2) {
            self.run("", &["bash", "-ic", "true"]).await;
        }
        if programs::is_installed(VIM) && rarely(1) {
            self.run("", OPEN_IN_VIM).await;
        }
        if programs::is_installed(DIRENV) && rarely(3) {
            self.run("", &[DIRENV, "exec", ".", "true"]).await;
        }
        if programs::is_installed(PRE_COMMIT) && rarely(12) {
            self.run("", &[PRE_COMMIT, "run", "--all-files"]).await;
        }
    }

    async fn use_git(&self, rng: &mut Rng, share: Extent) {
        let mut folders = self.repositories();
        if share == Extent::Some {
            while folders.len() > MAX_FOLDERS_PARTIAL {
                folders.swap_remove(rng.below(folders.len()));
            }
        }
        let mut sometimes = |of| rng.one_in(if share == Extent::All { of } else { of * 2 });
        for folder in folders {
            self.git(&folder, &["status"]).await;
            if sometimes(4) {
                self.git(&folder, &["log", "-1"]).await;
            }
        }
        if sometimes(1) {
            self.git("", &["status"]).await;
        }
        if sometimes(2) {
            self.git("", &["diff"]).await;
            self.git("", &["log", "-3"]).await;
        }
        let commit = &["commit", "--allow-empty", "-a", "-m", "mine"];
        self.git("", commit).await;
        // Its hooks are those of husky.
        if sometimes(2) {
            self.git("sub", commit).await;
        }
        if sometimes(4) {
            self.git("", &["submodule", "status"]).await;
        }
        let is_rebasing = ["rebase-merge", "rebase-apply"]
            .iter()
            .any(|name| self.workspace.join(".git").join(name).exists());
        if is_rebasing {
            self.git("", &["rebase", "--continue"]).await;
        }
    }

    /// Finds the folders that git may take for repositories, and some others.
    fn repositories(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut left = MAX_ENTRIES;
        find(&self.workspace, 5, &mut left, &mut found);
        found.truncate(MAX_FOLDERS);
        found
    }
}

fn find(folder: &Path, depth: usize, left: &mut usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        *left = left.saturating_sub(1);
        let kind = entry.file_type().ok();
        if *left == 0 || kind.is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let path = entry.path();
        // Links are followed, too: the user goes where they lead.
        if !path.is_dir() {
            continue;
        }
        let has = |name: &str| path.join(name).symlink_metadata().is_ok();
        if has(".git") || has("HEAD") {
            found.push(path.clone());
        }
        let is_link = kind.is_some_and(|kind| kind.is_symlink());
        if depth > 0 && !is_link && entry.file_name() != ".git" {
            find(&path, depth - 1, left, found);
        }
    }
}
