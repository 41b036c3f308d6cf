//! Plans which paths inside the writable folders are protected, and which are masked.
//!
//! A file that a command may write may later be executed outside of the sandbox: a Git hook, a shell start-up file, the
//! settings of an editor. Existing protected paths are bound read-only over themselves, and every folder above them is
//! pinned, because a folder that can be renamed can be replaced. Protected paths that do not exist cannot be bound
//! without leaving stubs in the project, so they are watched.

mod git;
mod names;
mod new_paths;
mod normalize;
mod settings;
#[cfg(test)]
mod tests;
mod walk;

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

pub(super) use git::GitFolderMarkers;
pub(crate) use git::linked_repositories;
pub(super) use names::NamePatterns;
pub(super) use new_paths::SweepPhase;
pub(super) use settings::ENVIRONMENT as SETTINGS_ENVIRONMENT;
pub(super) use walk::WalkFinding;

use super::owner_access;
use crate::sandbox::SandboxPolicy;
use helve_core::dangerous_paths::{Depth, depth_in_commands};
use normalize::normalize;
use walk::Walk;

/// The greatest number of symbolic links that are followed in a row, as in the kernel.
const LINKS: usize = 40;

/// The greatest number of entries that are read of a folder to find out which names do not exist; in a larger folder
/// each name is looked up.
const MAX_LISTED_ENTRIES: usize = 1000;

/// The bounds of the scan for a plan, so that it takes bounded time. A plan that reaches a bound records that.
#[derive(Debug, Clone, Copy)]
struct WalkBounds {
    /// Entries of the folders of a policy.
    entries: usize,
    /// Folders inside a Git folder, for submodules and worktrees.
    git_folders: usize,
    /// Entries of a protected folder, for links.
    linked: usize,
}

impl WalkBounds {
    const WHOLE: Self = Self {
        entries: Walk::FULL_WALK,
        git_folders: 100_000,
        linked: 100_000,
    };
    /// The bounds of a quick scan.
    const GLANCE: Self = Self {
        entries: Walk::QUICK_WALK,
        ..Self::WHOLE
    };
}

/// The plan for paths of this machine before a command may run. A path is in one list only.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Protection {
    /// Folders that are bound over themselves, writable, so that they cannot be renamed: parents before children.
    pub(crate) pinned: Vec<PathBuf>,
    /// Files and folders that are bound over themselves read-only, including everything below.
    pub(crate) read_only: Vec<PathBuf>,
    /// Files and folders whose contents are hidden.
    pub(crate) masked: Vec<PathBuf>,
    /// Protected paths that do not exist yet: a file that appears there is removed when its command ends.
    pub(crate) watched: Vec<PathBuf>,
    /// Protected paths that are symbolic links, which no bind mount can protect, with their targets: a link that has
    /// changed when a command ends is restored.
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
    /// The reason why the plan is incomplete, such as a tree with too many entries; `None` if it is complete.
    pub(crate) stopped: Option<String>,
}

impl Protection {
    /// Scans the writable and readable folders of a policy, without following links. The scan reads names, and the
    /// contents of Git's own files only, so it takes milliseconds; it blocks.
    ///
    /// The caller must have added the folders of [`linked_repositories`] to [`SandboxPolicy::writable`].
    pub(crate) fn plan(policy: &SandboxPolicy) -> Self {
        Self::look(policy, WalkBounds::WHOLE)
    }

    /// Plans again, for paths near the roots that were created since.
    pub(crate) fn refresh(policy: &SandboxPolicy) -> Self {
        let plan = Self::look(policy, WalkBounds::GLANCE);
        Self {
            // A quick scan is not expected to be complete.
            stopped: None,
            ..plan
        }
    }

    /// Creates a plan from the findings of another scan of the folders.
    pub(super) fn from_findings(policy: &SandboxPolicy, found: Vec<WalkFinding>) -> Self {
        let mut plan = Plan::new(policy, WalkBounds::WHOLE);
        plan.protect_named();
        for found in found {
            plan.protect_found(found);
        }
        plan.finish(None)
    }

    /// Iterates over the paths that are covered by a mount.
    pub(super) fn covered(&self) -> impl Iterator<Item = &PathBuf> {
        let covered = [&self.pinned, &self.read_only, &self.masked];
        covered.into_iter().flatten()
    }

    fn look(policy: &SandboxPolicy, bounds: WalkBounds) -> Self {
        let mut plan = Plan::new(policy, bounds);
        plan.protect_named();
        let readable = policy.readable.iter().map(|folder| real(folder));
        let readable = readable.filter(|folder| !plan.is_inside(folder)).collect();
        let roots = outermost(plan.roots.clone());
        let walk = Walk::new(roots, outermost(readable), bounds.entries);
        let masked = NamePatterns::new(&policy.masked);
        let stopped = walk.run(&masked, |found| plan.protect_found(found));
        plan.finish(stopped)
    }
}

/// A plan under construction.
#[derive(Debug)]
struct Plan<'a> {
    policy: &'a SandboxPolicy,
    bounds: WalkBounds,
    /// The reason why the plan may be incomplete; only the first reason is stored.
    stopped: Option<String>,
    roots: Vec<PathBuf>,
    pinned: BTreeSet<PathBuf>,
    read_only: BTreeSet<PathBuf>,
    masked: BTreeSet<PathBuf>,
    watched: BTreeSet<PathBuf>,
    links: BTreeSet<(PathBuf, PathBuf)>,
}

impl<'a> Plan<'a> {
    fn new(policy: &'a SandboxPolicy, bounds: WalkBounds) -> Self {
        let roots = policy.roots();
        Self {
            policy,
            bounds,
            stopped: None,
            roots: roots.map(|root| real(root)).collect(),
            pinned: BTreeSet::new(),
            read_only: BTreeSet::new(),
            masked: BTreeSet::new(),
            watched: BTreeSet::new(),
            links: BTreeSet::new(),
        }
    }

    /// Protects and masks the paths that the policy lists.
    fn protect_named(&mut self) {
        for root in self.roots.clone() {
            self.protect_root(&root);
        }
        for path in &self.policy.masked_paths {
            self.mask_path(path);
        }
    }

    fn protect_found(&mut self, found: WalkFinding) {
        match found {
            WalkFinding::Repository(folder) => self.protect_repository(&folder),
            WalkFinding::Bare(folder) => self.protect_git_folder(&folder, None),
            WalkFinding::Masked(file) => self.mask(file),
        }
    }

    fn protect_root(&mut self, root: &Path) {
        self.protect_names(root, |_| true);
        for name in git::REDIRECTS {
            self.protect(&root.join(".git").join(name));
        }
        if git::is_git_folder(root) {
            self.protect_git_folder(root, None);
        }
    }

    /// Protects the names of the policy in a folder. One read of the folder shows which of them do not exist.
    fn protect_names(&mut self, folder: &Path, holds: impl Fn(&str) -> bool) {
        let listed = owner_access::list(folder).ok().and_then(|entries| {
            let names: HashSet<_> = entries
                .flatten()
                .take(MAX_LISTED_ENTRIES + 1)
                .map(|entry| entry.file_name())
                .collect();
            (names.len() <= MAX_LISTED_ENTRIES).then_some(names)
        });
        for name in self.policy.protected.iter().filter(|name| holds(name)) {
            let first = Path::new(name).components().next();
            let is_absent = |names: &HashSet<_>| match first {
                Some(Component::Normal(first)) => !names.contains(first),
                _ => false,
            };
            if listed.as_ref().is_some_and(is_absent) {
                self.watched.insert(folder.join(name));
            } else {
                self.protect(&folder.join(name));
            }
        }
    }

    /// Protects the files of a repository that are executed or interpreted, and its `.git`, of whatever type.
    fn protect_repository(&mut self, folder: &Path) {
        self.protect_names(folder, |name| {
            name.starts_with(".git") || depth_in_commands(name) >= Some(Depth::Repository)
        });
        let git = folder.join(".git");
        let Ok(metadata) = git.symlink_metadata() else {
            return;
        };
        if metadata.is_dir() {
            self.protect_git_folder(&git, Some(folder));
            return;
        }
        self.protect(&git);
        let target = if metadata.is_symlink() {
            git.canonicalize().ok()
        } else {
            git::folder_named_by(&git)
        };
        // A `.git` that points outside of the writable folders needs no protection: its target cannot be written.
        if let Some(target) = target.filter(|target| self.is_inside(target)) {
            self.protect_git_folder(&target, Some(folder));
        }
    }

    /// Protects the files in a Git folder that Git executes or trusts. `work_tree` is the base of relative paths in the
    /// settings.
    fn protect_git_folder(&mut self, git: &Path, work_tree: Option<&Path>) {
        self.protect_git_files(git, work_tree);
        // Git follows `commondir` once.
        if let Some(common) = git::common_folder(git).filter(|common| self.is_inside(common))
            && common != git
        {
            self.protect_git_files(&common, work_tree);
        }
    }

    fn protect_git_files(&mut self, git: &Path, work_tree: Option<&Path>) {
        for name in &self.policy.protected {
            if let Some(name) = name.strip_prefix(".git/") {
                self.protect(&git.join(name));
            }
        }
        for name in git::REDIRECTS {
            self.protect(&git.join(name));
        }
        self.protect_todo(&git.join(git::TODO));
        let named = settings::named_paths(git, work_tree);
        if let Some(file) = named.skipped {
            self.mark_truncated(|| {
                format!(
                    "`{}` was not read and may configure hooks: it is too large, or there are too many configuration files",
                    file.display()
                )
            });
        }
        for path in named.paths {
            self.protect(&path);
        }
        let (inside, is_whole) = git::folders_inside(git, self.bounds.git_folders);
        if !is_whole {
            self.mark_truncated(|| {
                format!(
                    "there are too many folders in `{}`, so not all submodules and worktrees in it were looked for",
                    git.display()
                )
            });
        }
        for other in inside {
            for name in [
                "hooks",
                "config",
                "config.worktree",
                "info/attributes",
                "commondir",
            ] {
                self.protect(&other.join(name));
            }
            self.protect_todo(&other.join(git::TODO));
        }
    }

    /// Protects the steps of a rebase. Git itself rewrites them, so they are only checked afterwards, unless they
    /// contained commands before.
    fn protect_todo(&mut self, todo: &Path) {
        if git::runs_commands(todo) {
            self.protect(todo);
        } else if let Some(todo) = normalize(todo).filter(|todo| self.is_inside(todo)) {
            self.watched.insert(todo);
        }
    }

    /// Protects one path, whether or not it exists, and the target of a link there; a path outside of the writable
    /// folders needs no protection.
    fn protect(&mut self, path: &Path) {
        self.protect_within(path, LINKS);
    }

    fn protect_within(&mut self, path: &Path, links: usize) {
        let Some(path) = normalize(path) else { return };
        let Some(root) = self.root_of(&path) else {
            return;
        };
        let mut reached = root.clone();
        let below: PathBuf = path.strip_prefix(&root).unwrap_or(&path).to_owned();
        // A writable folder itself cannot become read-only.
        if below.as_os_str().is_empty() {
            return;
        }
        let mut above = Vec::new();
        for component in below.components() {
            if reached != root {
                above.push(reached.clone());
            }
            reached.push(component);
            let Ok(metadata) = reached.symlink_metadata() else {
                self.pinned.extend(above);
                self.watched.insert(path);
                return;
            };
            if metadata.is_symlink() {
                let target = fs::read_link(&reached).unwrap_or_default();
                self.pinned.extend(above);
                self.protect_target(&reached, &target, &path, links);
                self.links.insert((reached, target));
                return;
            }
        }
        // A folder that contains a writable folder stays writable.
        if self.roots.iter().any(|root| root.starts_with(&path)) {
            return;
        }
        self.pinned.extend(above);
        self.protect_linked_entries(&path, links);
        self.read_only.insert(path);
    }

    /// Protects the target of a link: programs outside of the sandbox follow the link.
    fn protect_target(&mut self, link: &Path, target: &Path, path: &Path, links: usize) {
        let (Some(links), Some(above)) = (links.checked_sub(1), link.parent()) else {
            return;
        };
        let rest = path.strip_prefix(link).unwrap_or(Path::new(""));
        // Joining an empty path would add a trailing slash, and a link before a slash is followed.
        let target = if rest.as_os_str().is_empty() {
            above.join(target)
        } else {
            above.join(target).join(rest)
        };
        self.protect_within(&target, links);
    }

    /// Protects the targets of the links in a protected folder, such as a hook that is a script of the project.
    fn protect_linked_entries(&mut self, folder: &Path, links: usize) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for (number, entry) in entries.enumerate() {
            if number >= self.bounds.linked {
                return self.mark_truncated(|| {
                    format!(
                        "there are too many entries in `{}`, so not all links in it were followed",
                        folder.display()
                    )
                });
            }
            if !entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                continue;
            }
            let link = entry.path();
            if let Ok(target) = fs::read_link(&link) {
                self.protect_target(&link, &target, &link, links);
            }
        }
    }

    /// Marks the plan as incomplete.
    fn mark_truncated(&mut self, why: impl FnOnce() -> String) {
        self.stopped.get_or_insert_with(why);
    }

    fn mask(&mut self, file: PathBuf) {
        let Ok(metadata) = file.symlink_metadata() else {
            return;
        };
        if metadata.is_file() {
            self.masked.insert(file);
        } else if metadata.is_symlink()
            && let Ok(target) = file.canonicalize()
            && target.is_file()
            && self.is_visible(&target)
        {
            self.masked.insert(target);
        }
    }

    /// Masks a file or a folder if commands would see it.
    fn mask_path(&mut self, path: &Path) {
        if let Ok(path) = path.canonicalize()
            && self.is_visible(&path)
        {
            self.masked.insert(path);
        }
    }

    fn root_of(&self, path: &Path) -> Option<PathBuf> {
        let inside = self.roots.iter().filter(|root| path.starts_with(root));
        inside.max_by_key(|root| root.components().count()).cloned()
    }

    fn is_inside(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }

    fn is_visible(&self, path: &Path) -> bool {
        let readable = &self.policy.readable;
        self.is_inside(path) || readable.iter().any(|root| path.starts_with(real(root)))
    }

    /// Completes the plan; removes entries that another entry covers.
    fn finish(self, stopped: Option<String>) -> Protection {
        let read_only = &self.read_only;
        let covered = |path: &Path| path.ancestors().skip(1).any(|up| read_only.contains(up));
        let is_free = |path: &PathBuf| !covered(path) && !read_only.contains(path);
        let links = self.links.into_iter();
        let outermost = read_only.iter().filter(|path| !covered(path));
        Protection {
            pinned: self.pinned.into_iter().filter(is_free).collect(),
            masked: self.masked.into_iter().collect(),
            watched: self.watched.into_iter().filter(is_free).collect(),
            links: links.filter(|(link, _)| !covered(link)).collect(),
            read_only: outermost.cloned().collect(),
            stopped: stopped.or(self.stopped),
        }
    }
}

/// Resolves the links of a folder that the user named; paths from inside a workspace are never resolved this way.
pub(super) fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// Removes folders inside other folders, so that no folder is walked twice.
pub(super) fn outermost(mut folders: Vec<PathBuf>) -> Vec<PathBuf> {
    folders.sort();
    folders.dedup();
    let all = folders.clone();
    folders.retain(|folder| {
        !all.iter()
            .any(|other| other != folder && folder.starts_with(other))
    });
    folders
}
