//! Locates the Git folders, and the paths that Git's settings name.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::settings::{GitSettingKey, settings};
use crate::sandbox::SandboxPolicy;

/// Files in a Git folder that redirect Git to another folder.
pub(super) const REDIRECTS: &[&str] = &["commondir"];

/// The remaining steps of an interactive rebase, relative to the Git folder: its lines may be shell commands.
pub(super) const TODO: &str = "rebase-merge/git-rebase-todo";
pub(super) const TODO_FILE: &str = "git-rebase-todo";

/// The largest Git file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Finds the Git folders outside of a policy's folders to which these folders belong. They must be writable for commits
/// to work in a worktree or a submodule.
///
/// A `.git` file can name any folder, so the folder must refer back to the work tree; a file inside a workspace cannot
/// forge that.
pub(crate) fn linked_repositories(policy: &SandboxPolicy) -> Vec<PathBuf> {
    let roots = policy.roots();
    let roots: Vec<PathBuf> = roots.filter_map(|root| root.canonicalize().ok()).collect();
    let inside = |path: &Path| roots.iter().any(|root| path.starts_with(root));
    let mut linked: Vec<PathBuf> = roots
        .iter()
        .filter_map(|root| linked_to(root))
        .filter(|folder| !inside(folder))
        .collect();
    linked.sort();
    linked.dedup();
    linked
}

fn linked_to(work_tree: &Path) -> Option<PathBuf> {
    let file = work_tree.join(".git");
    if !file.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let git = folder_named_by(&file)?;
    if let Some(back) = first_line(&git.join("gitdir")) {
        // A worktree: its Git folder is below `worktrees` of the repository's Git folder.
        let back = git.join(back).canonicalize().ok()?;
        let common = common_folder(&git)?;
        let is_below = git.starts_with(common.join("worktrees"));
        return (back == file && is_below && is_git_folder(&common)).then_some(common);
    }
    // A submodule: its settings name the work tree.
    let config = read_bytes(&git.join("config"))?;
    let mut named = settings(&config).into_iter();
    let back = named.rfind(|setting| setting.key == GitSettingKey::WorkTree)?;
    let back = git.join(back.value).canonicalize().ok()?;
    (back == work_tree && is_git_folder(&git)).then_some(git)
}

/// Reports whether a folder is a Git folder, by Git's own criteria.
pub(super) fn is_git_folder(folder: &Path) -> bool {
    let mut signs = GitFolderMarkers::default();
    for name in GitFolderMarkers::NAMES {
        if folder.join(name).symlink_metadata().is_ok() {
            signs.add_name(name.as_ref());
        }
    }
    signs.is_git_folder()
}

/// The names in a folder by which Git recognises a Git folder: `is_git_directory` in Git's `setup.c`, without the
/// checks of file contents.
#[derive(Debug, Default, Clone, Copy)]
pub(in super::super) struct GitFolderMarkers([bool; 4]);

impl GitFolderMarkers {
    const NAMES: [&str; 4] = ["HEAD", "objects", "refs", "commondir"];

    /// Records the name of an entry.
    pub(in super::super) fn add_name(&mut self, name: &OsStr) {
        if let Some(place) = Self::NAMES.iter().position(|known| name == *known) {
            self.0[place] = true;
        }
    }

    /// Reports whether `HEAD` exists, which every Git folder contains.
    pub(in super::super) fn has_head(&self) -> bool {
        self.0[0]
    }

    /// Reports whether the names form a Git folder. With `commondir`, the objects and references are in the folder that
    /// it names.
    pub(in super::super) fn is_git_folder(&self) -> bool {
        let [head, objects, refs, common] = self.0;
        head && (common || (objects && refs))
    }
}

/// Reports whether the steps of a rebase contain commands that Git would not add by itself.
pub(super) fn runs_commands(todo: &Path) -> bool {
    const SAFE_TODO_COMMANDS: &[&str] = &[
        "pick", "p", "reword", "r", "edit", "e", "squash", "s", "fixup", "f", "break", "b", "drop",
        "d", "label", "l", "reset", "t", "merge", "m", "u", "noop",
    ];
    if todo.symlink_metadata().is_err() {
        return false;
    }
    let Some(text) = read(todo) else { return true };
    let mut words = text
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let is_safe = |word: &str| {
        word.starts_with('#') || word == "update-ref" || SAFE_TODO_COMMANDS.contains(&word)
    };
    words.any(|word| !is_safe(word))
}

/// Returns the folder that a `.git` file names.
pub(super) fn folder_named_by(file: &Path) -> Option<PathBuf> {
    let text = read(file)?;
    let named = text.strip_prefix("gitdir:")?.trim();
    file.parent()?.join(named).canonicalize().ok()
}

/// Returns the common folder of a worktree's Git folder; `None` if it has none.
pub(super) fn common_folder(git: &Path) -> Option<PathBuf> {
    git.join(first_line(&git.join("commondir"))?)
        .canonicalize()
        .ok()
}

/// Returns the Git folders of submodules and worktrees inside a Git folder, and whether the list is complete: at most
/// `bound` folders are scanned.
pub(super) fn folders_inside(git: &Path, bound: usize) -> (Vec<PathBuf>, bool) {
    let mut found = Vec::new();
    let mut open = vec![git.join("modules"), git.join("worktrees")];
    let mut looked = 0;
    while let Some(folder) = open.pop() {
        looked += 1;
        if looked > bound {
            return (found, false);
        }
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            let path = entry.path();
            if path.join("HEAD").symlink_metadata().is_ok() {
                open.push(path.join("modules"));
                found.push(path);
            } else {
                // The name of a submodule may contain slashes.
                open.push(path);
            }
        }
    }
    (found, true)
}

fn first_line(file: &Path) -> Option<String> {
    read(file).map(|text| text.trim().to_owned())
}

/// Reads a small regular file; `None` for a larger file, since an unread rest could override the read part.
pub(super) fn read(file: &Path) -> Option<String> {
    String::from_utf8(read_bytes(file)?).ok()
}

/// Reports whether a file exceeds the size limit for Git files.
pub(super) fn is_too_large(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|found| found.len() > MAX_FILE_BYTES)
}

/// Reads a small regular file. The read never blocks, even if the path was replaced with a pipe or a kernel file.
pub(super) fn read_bytes(file: &Path) -> Option<Vec<u8>> {
    let opened = File::options()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_NOFOLLOW)
        .open(file)
        .ok()?;
    if !opened.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    opened
        .take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .ok()?;
    (bytes.len() as u64 <= MAX_FILE_BYTES).then_some(bytes)
}
