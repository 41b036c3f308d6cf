//! Checks for files that were created at protected paths since the plan was made.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::{Protection, git};

/// The moment of a check for new files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SweepPhase {
    /// While a command runs: a file that is incomplete, and harmless in this state, is checked again when it changes.
    Running,
    /// After a command has ended.
    Ended,
}

impl Protection {
    /// Returns the new files at watched paths that must be removed, because they would run outside of the sandbox, or
    /// configure a program that runs there.
    ///
    /// Files that Git writes by itself may stay: sample hooks, settings that start no program, and worktrees of
    /// repositories that are protected.
    pub(crate) fn rejected_paths(&self, moment: SweepPhase) -> Vec<PathBuf> {
        let rejected = self.watched.iter();
        rejected
            .flat_map(|path| self.rejected_at(path, moment))
            .collect()
    }

    /// Returns files that existed when the plan was made, and must be removed because of their current contents: rebase
    /// steps, which Git rewrites itself.
    pub(crate) fn changed_contents(&self) -> Vec<PathBuf> {
        let is_todo = |path: &&PathBuf| path.file_name().is_some_and(|name| name == git::TODO_FILE);
        let todos = self.watched.iter().filter(is_todo);
        todos
            .flat_map(|path| self.rejected_at(path, SweepPhase::Ended))
            .collect()
    }

    /// Reports whether one of the paths must be removed, by the criteria of [`Protection::rejected_paths`] while a
    /// command runs.
    pub(crate) fn has_rejected(&self, paths: &BTreeSet<PathBuf>) -> bool {
        let unwelcome = |path: &PathBuf| !self.rejected_at(path, SweepPhase::Running).is_empty();
        paths.iter().any(unwelcome)
    }

    /// Returns the links whose targets have changed, with their original targets.
    pub(crate) fn changed_links(&self) -> Vec<&(PathBuf, PathBuf)> {
        let changed = |(link, target): &&(PathBuf, PathBuf)| {
            fs::read_link(link).ok().as_ref() != Some(target)
        };
        self.links.iter().filter(changed).collect()
    }

    fn rejected_at(&self, path: &Path, moment: SweepPhase) -> Vec<PathBuf> {
        let Ok(metadata) = path.symlink_metadata() else {
            return Vec::new();
        };
        let is = |name: &str| path.file_name().is_some_and(|last| last == name);
        if is("hooks") && metadata.is_dir() {
            let Ok(entries) = fs::read_dir(path) else {
                return vec![path.to_owned()];
            };
            return entries
                .flatten()
                .map(|entry| entry.path())
                .filter(|hook| hook.extension().is_none_or(|end| end != "sample"))
                .collect();
        }
        let is_running = moment == SweepPhase::Running;
        let is_begun = is_running && metadata.len() == 0;
        // A file with a second hard link could be changed through it after the check.
        let is_welcome = metadata.is_file()
            && metadata.nlink() == 1
            && ((is("config") && has_harmless_settings(path))
                || (is("commondir") && (is_begun || leads_to_its_repository(path)))
                || (is(".git") && (is_begun || self.names_a_safe_folder(path, moment)))
                || (is(git::TODO_FILE) && (is_running || !git::runs_commands(path))));
        if is_welcome {
            Vec::new()
        } else {
            vec![path.to_owned()]
        }
    }

    /// Reports whether a `.git` file names a folder whose settings existed before, or start no program.
    fn names_a_safe_folder(&self, file: &Path, moment: SweepPhase) -> bool {
        let Some(folder) = git::folder_named_by(file) else {
            return false;
        };
        // Git creates the file before the folder is complete, and uses neither before that.
        let is_begun = |name: &str| {
            let file = folder.join(name).symlink_metadata();
            file.is_ok_and(|file| file.is_file() && file.len() == 0)
        };
        if moment == SweepPhase::Running && (!git::is_git_folder(&folder) || is_begun("commondir"))
        {
            return true;
        }
        let config = git::common_folder(&folder).unwrap_or(folder).join("config");
        let is_kept = self.read_only.contains(&config) && !self.watched.contains(&config);
        is_kept || has_harmless_settings(&config)
    }
}

fn has_harmless_settings(file: &Path) -> bool {
    git::read(file).is_some_and(|text| is_harmless(&text))
}

/// Reports whether the Git folder of a worktree is below that of its repository.
fn leads_to_its_repository(file: &Path) -> bool {
    let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
    folder.is_some_and(|folder| {
        git::common_folder(&folder)
            .is_some_and(|common| folder.starts_with(common.join("worktrees")))
    })
}

/// Reports whether settings start no program, include no other settings and do not redirect Git; a setting that is not
/// known to be harmless is rejected.
fn is_harmless(text: &str) -> bool {
    let mut section = String::new();
    text.lines().map(str::trim).all(|line| {
        if line.is_empty() || line.starts_with(['#', ';']) {
            return true;
        }
        if let Some(head) = line.strip_prefix('[') {
            let Some(name) = head.strip_suffix(']') else {
                return false;
            };
            section = name
                .split([' ', '\t', '"'])
                .next()
                .unwrap_or_default()
                .to_ascii_lowercase();
            return true;
        }
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        let name = name.trim().to_ascii_lowercase();
        // A backslash would continue the value on the next line, which would then be parsed differently.
        !value.ends_with('\\') && is_harmless_setting(&section, &name, value.trim())
    })
}

fn is_harmless_setting(section: &str, name: &str, value: &str) -> bool {
    match section {
        "core" => [
            "repositoryformatversion",
            "filemode",
            "bare",
            "logallrefupdates",
            "ignorecase",
            "precomposeunicode",
            "symlinks",
            "autocrlf",
            "eol",
            "worktree",
        ]
        .contains(&name),
        "user" => ["name", "email"].contains(&name),
        "init" => name == "defaultbranch",
        "branch" => ["remote", "merge", "rebase"].contains(&name),
        // A URL such as `ext::…` runs the command that follows.
        "remote" => ["url", "fetch"].contains(&name) && !value.contains("::"),
        "submodule" => ["url", "active"].contains(&name) && !value.contains("::"),
        "extensions" => ["objectformat", "refstorage"].contains(&name),
        "commit" | "tag" => name == "gpgsign" && value == "false",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_harmless;

    #[test]
    fn what_git_writes_by_itself_is_harmless() {
        assert!(is_harmless(
            "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n\
             [user]\n\tname = A B\n[branch \"main\"]\n\tremote = origin\n"
        ));
        for text in [
            "[core]\n\tfsmonitor = ./evil",
            "[core]\n\tfsmonitor",
            "[core] fsmonitor = ./evil",
            "[core]\n\thooksPath = x",
            "[include]\n\tpath = x",
            "[alias]\n\tst = !sh",
            "[user]\n\tname = x\\\n[core]\n\tbare = false",
            "[commit]\n\tgpgsign = true",
            "[filter \"x\"]\n\tclean = sh",
            "[remote \"o\"]\n\turl = ext::sh",
        ] {
            assert!(!is_harmless(text), "{text}");
        }
    }
}
