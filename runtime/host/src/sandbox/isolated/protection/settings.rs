//! A parser of Git's settings that follows git-config(1) and Git's `config.c`.

use std::collections::HashSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use super::git;
use super::normalize::normalize;

/// The greatest number of settings files that are read for a repository.
const MAX_FILES: usize = 1000;
/// The greatest number of paths that the settings may name.
const MAX_PATHS: usize = 10_000;
/// The greatest number of work tree roots: each has its own hook folders.
const MAX_WORK_TREES: usize = 8;

/// A setting that is relevant to a plan.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GitSetting {
    pub(super) key: GitSettingKey,
    pub(super) value: OsString,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GitSettingKey {
    /// `core.hooksPath`.
    Hooks,
    /// `core.worktree`.
    WorkTree,
    /// `include.path`.
    Include,
    /// The path of an `includeIf`, whose condition is ignored.
    IncludeIf,
}

impl GitSettingKey {
    fn from_name(section: &Section, name: &[u8]) -> Option<Self> {
        Some(match (&*section.name, section.has_more, name) {
            (b"core", false, b"hookspath") => Self::Hooks,
            (b"core", false, b"worktree") => Self::WorkTree,
            (b"include", false, b"path") => Self::Include,
            (b"includeif", true, b"path") => Self::IncludeIf,
            _ => return None,
        })
    }
}

/// The environment variables that locate the user's settings. A supervisor inherits no other variables of its user.
pub(in super::super) const ENVIRONMENT: [&str; 4] = [
    "HOME",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
];

/// The paths that settings name.
#[derive(Debug, Default)]
pub(super) struct NamedPaths {
    /// Hook folders and settings files.
    pub(super) paths: Vec<PathBuf>,
    /// A settings file that was not read completely: it is too large, or exceeds the number of files.
    pub(super) skipped: Option<PathBuf>,
}

/// Returns the paths that are named by the settings of a repository, of its user, and of the files that these include.
pub(super) fn named_paths(git: &Path, work_tree: Option<&Path>) -> NamedPaths {
    let own = ["config", "config.worktree"].map(|name| git.join(name));
    let home = env::var_os("HOME").map(PathBuf::from);
    let others = files_of_user(home.as_deref());
    let mut reader = SettingsReader {
        git,
        work_trees: vec![work_tree.unwrap_or(git).to_owned()],
        home,
        hooks: Vec::new(),
        to_read: own.into_iter().chain(others).collect(),
        seen: HashSet::new(),
        named: NamedPaths::default(),
    };
    while let Some(file) = reader.to_read.pop() {
        reader.read(&file);
    }
    reader.finish()
}

/// Returns the settings files that apply to all repositories.
fn files_of_user(home: Option<&Path>) -> Vec<PathBuf> {
    let set = |name: &str| env::var_os(name).map(PathBuf::from);
    let system = set("GIT_CONFIG_SYSTEM").unwrap_or_else(|| PathBuf::from("/etc/gitconfig"));
    if let Some(global) = set("GIT_CONFIG_GLOBAL") {
        return vec![system, global];
    }
    let folder = set("XDG_CONFIG_HOME").filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.or_else(|| home.map(|home| home.join(".config")));
    let global = home.map(|home| home.join(".gitconfig"));
    let files = folder.map(|folder| folder.join("git/config"));
    std::iter::once(system).chain(files).chain(global).collect()
}

struct SettingsReader<'a> {
    git: &'a Path,
    /// The work trees in which hooks may run: the base of their relative paths.
    work_trees: Vec<PathBuf>,
    home: Option<PathBuf>,
    hooks: Vec<PathBuf>,
    to_read: Vec<PathBuf>,
    /// The visited files: they may include one another in a cycle.
    seen: HashSet<PathBuf>,
    named: NamedPaths,
}

impl SettingsReader<'_> {
    fn read(&mut self, file: &Path) {
        // Git follows a link here.
        let Ok(real) = file.canonicalize() else {
            return;
        };
        if self.seen.len() >= MAX_FILES || git::is_too_large(&real) {
            self.named.skipped.get_or_insert_with(|| file.to_owned());
            return;
        }
        if !self.seen.insert(file.to_owned()) {
            return;
        }
        let Some(bytes) = git::read_bytes(&real) else {
            return;
        };
        self.named.paths.push(real);
        for setting in settings(&bytes) {
            let are_too_many = self.named.paths.len() + self.hooks.len() >= MAX_PATHS
                || self.work_trees.len() > MAX_WORK_TREES;
            if are_too_many {
                self.named.skipped.get_or_insert_with(|| file.to_owned());
                return;
            }
            let Some(value) = self.expand_path(&setting.value) else {
                continue;
            };
            match setting.key {
                GitSettingKey::Hooks => self.hooks.push(value),
                GitSettingKey::WorkTree => {
                    let top = self.git.join(value);
                    if !self.work_trees.contains(&top) {
                        self.work_trees.push(top);
                    }
                }
                GitSettingKey::Include | GitSettingKey::IncludeIf => {
                    let path = file.parent().unwrap_or(self.git).join(value);
                    self.named.paths.extend(normalize(&path));
                    self.to_read.push(path);
                }
            }
        }
    }

    /// Expands a path value as Git does; `None` for an empty value.
    fn expand_path(&self, value: &OsStr) -> Option<PathBuf> {
        let value = value.as_bytes();
        let value = value.strip_prefix(b":(optional)").unwrap_or(value);
        let value = value.split(|byte| *byte == 0).next().unwrap_or(value);
        let path = Path::new(OsStr::from_bytes(value));
        let first = path.components().next()?.as_os_str();
        let home = match first.as_bytes() {
            b"~" => self.home.clone(),
            [b'~', user @ ..] => home_of(user),
            _ => None,
        };
        Some(match home {
            Some(home) => home.join(path.strip_prefix(first).unwrap_or(path)),
            None => path.to_owned(),
        })
    }

    /// Returns the collected paths: each hook folder relative to every work tree in which it may be, and the targets of
    /// links there.
    fn finish(mut self) -> NamedPaths {
        for hooks in &self.hooks {
            for top in &self.work_trees {
                let path = top.join(hooks);
                self.named.paths.extend(path.canonicalize());
                self.named.paths.extend(normalize(&path).map(script_folder));
            }
        }
        self.named
    }
}

/// Returns the home of a user of this machine.
fn home_of(user: &[u8]) -> Option<PathBuf> {
    let users = git::read_bytes(Path::new("/etc/passwd"))?;
    users.split(|byte| *byte == b'\n').find_map(|line| {
        let mut fields = line.split(|byte| *byte == b':');
        let home = (fields.next()? == user).then(|| fields.nth(4))??;
        Some(PathBuf::from(OsStr::from_bytes(home)))
    })
}

/// Returns the parent of a husky hook folder, in which husky stores the scripts that its hooks start, and any other
/// folder unchanged.
fn script_folder(hooks: PathBuf) -> PathBuf {
    match hooks.parent() {
        Some(above) if hooks.ends_with(".husky/_") => above.to_owned(),
        _ => hooks,
    }
}

/// Parses the relevant settings, up to the first syntax error: Git stops at a file with an error.
pub(super) fn settings(text: &[u8]) -> Vec<GitSetting> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let mut scanner = Scanner { rest: text };
    let mut found = Vec::new();
    let mut section = Section::default();
    while let Some(byte) = scanner.next() {
        match byte {
            b'#' | b';' => scanner.skip_line(),
            b'[' => match scanner.section() {
                Some(next) => section = next,
                None => break,
            },
            byte if is_space(byte) => {}
            byte if byte.is_ascii_alphabetic() => {
                let name = scanner.name(byte);
                let Some(value) = scanner.read_assignment() else {
                    break;
                };
                // A setting without a value is a boolean.
                let Some(value) = value.map(OsString::from_vec) else {
                    continue;
                };
                let key = GitSettingKey::from_name(&section, &name);
                found.extend(key.map(|key| GitSetting { key, value }));
            }
            _ => break,
        }
    }
    found
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[derive(Debug, Default)]
struct Section {
    /// The name, in lower case.
    name: Vec<u8>,
    /// Whether a quoted subsection follows.
    has_more: bool,
}

struct Scanner<'t> {
    rest: &'t [u8],
}

impl Scanner<'_> {
    /// Returns the next byte; CR LF is returned as one line end.
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        let (first, rest) = match (first, rest.split_first()) {
            (b'\r', Some((b'\n', rest))) => (b'\n', rest),
            _ => (*first, rest),
        };
        self.rest = rest;
        Some(first)
    }

    fn next_if(&mut self, is_wanted: impl Fn(u8) -> bool) -> Option<u8> {
        let first = *self.rest.first()?;
        is_wanted(first).then(|| {
            self.rest = &self.rest[1..];
            first
        })
    }

    fn skip_line(&mut self) {
        while self.next().is_some_and(|byte| byte != b'\n') {}
    }

    /// Parses a section header, after its `[`.
    fn section(&mut self) -> Option<Section> {
        let mut name = Vec::new();
        let mut blank = loop {
            match self.next()? {
                b']' => {
                    let has_more = false;
                    return Some(Section { name, has_more });
                }
                byte if is_space(byte) => break byte,
                byte if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.') => {
                    name.push(byte.to_ascii_lowercase());
                }
                _ => return None,
            }
        };
        while is_space(blank) {
            if blank == b'\n' {
                return None;
            }
            blank = self.next()?;
        }
        if blank != b'"' {
            return None;
        }
        loop {
            match self.next()? {
                b'\n' => return None,
                b'"' => break,
                b'\\' if self.next()? == b'\n' => return None,
                _ => {}
            }
        }
        let has_more = true;
        (self.next()? == b']').then_some(Section { name, has_more })
    }

    fn name(&mut self, first: u8) -> Vec<u8> {
        let mut name = vec![first.to_ascii_lowercase()];
        while let Some(byte) = self.next_if(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            name.push(byte.to_ascii_lowercase());
        }
        name
    }

    /// Parses the rest of a setting after its name, which may have no value; `None` on a syntax error.
    fn read_assignment(&mut self) -> Option<Option<Vec<u8>>> {
        while self.next_if(|byte| matches!(byte, b' ' | b'\t')).is_some() {}
        match self.next() {
            None | Some(b'\n') => Some(None),
            Some(b'=') => self.value().map(Some),
            Some(_) => None,
        }
    }

    /// Parses a value to the end of its line, including continuation lines.
    fn value(&mut self) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        // Unquoted trailing blanks are not part of the value.
        let mut kept = 0;
        let mut in_quotes = false;
        loop {
            match self.next().unwrap_or(b'\n') {
                b'\n' if in_quotes => return None,
                b'\n' => break,
                b'#' | b';' if !in_quotes => {
                    self.skip_line();
                    break;
                }
                byte if is_space(byte) && !in_quotes => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                    continue;
                }
                b'"' => in_quotes = !in_quotes,
                b'\\' => match self.next().unwrap_or(b'\n') {
                    b'\n' => {}
                    b't' => value.push(b'\t'),
                    b'b' => value.push(8),
                    b'n' => value.push(b'\n'),
                    byte @ (b'\\' | b'"') => value.push(byte),
                    _ => return None,
                },
                byte => value.push(byte),
            }
            kept = value.len();
        }
        value.truncate(kept);
        Some(value)
    }
}

#[cfg(test)]
mod tests;
