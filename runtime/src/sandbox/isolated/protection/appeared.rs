//! What has come into being at protected paths since the plan was made.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Protection, git};

impl Protection {
    /// Returns what is now where nothing was, and must go: it would run outside of the sandbox, or configure what runs.
    ///
    /// What `git init` writes by itself may stay: samples of hooks, and settings that start nothing.
    pub(crate) fn appeared(&self) -> Vec<PathBuf> {
        self.watched
            .iter()
            .flat_map(|path| unwelcome(path))
            .collect()
    }

    /// Returns the links that no longer lead where they did, and where they did.
    pub(crate) fn changed_links(&self) -> Vec<&(PathBuf, PathBuf)> {
        let changed = |(link, target): &&(PathBuf, PathBuf)| {
            fs::read_link(link).ok().as_ref() != Some(target)
        };
        self.links.iter().filter(changed).collect()
    }
}

fn unwelcome(path: &Path) -> Vec<PathBuf> {
    let Ok(metadata) = path.symlink_metadata() else {
        return Vec::new();
    };
    let is = |name: &str| path.file_name().is_some_and(|last| last == name);
    if is("hooks") && metadata.is_dir() {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        return entries
            .map(|entry| entry.path())
            .filter(|hook| hook.extension().is_none_or(|end| end != "sample"))
            .collect();
    }
    if is("config") && metadata.is_file() && git::read(path).is_some_and(|text| is_harmless(&text))
    {
        return Vec::new();
    }
    vec![path.to_owned()]
}

/// Reports whether settings start no program, read no other settings and send Git nowhere: what is not known to be
/// harmless is not.
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
        // A backslash would carry the value on to the next line, which was then read as something else.
        !value.ends_with('\\') && is_known(&section, &name, value.trim())
    })
}

fn is_known(section: &str, name: &str, value: &str) -> bool {
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
        ]
        .contains(&name),
        "user" => ["name", "email"].contains(&name),
        "init" => name == "defaultbranch",
        "branch" => ["remote", "merge", "rebase"].contains(&name),
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
