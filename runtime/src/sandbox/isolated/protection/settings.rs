//! Settings of git, as git reads them: git-config(1), and `config.c` of git.

use std::collections::HashSet;
use std::env;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use super::git;
use super::plain;

/// How many files of settings are read for a repository at most.
const FILES: usize = 1000;
/// How many paths they may name.
const PATHS: usize = 10_000;

/// A setting that matters to a plan.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) key: Key,
    pub(super) value: OsString,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// `core.hooksPath`.
    Hooks,
    /// `core.worktree`.
    WorkTree,
    /// `include.path`.
    Include,
    /// The path of an `includeIf`, whose condition is not looked at.
    IncludeIf,
}

impl Key {
    fn of(section: &Section, name: &[u8]) -> Option<Self> {
        Some(match (&*section.name, section.has_more, name) {
            (b"core", false, b"hookspath") => Self::Hooks,
            (b"core", false, b"worktree") => Self::WorkTree,
            (b"include", false, b"path") => Self::Include,
            (b"includeif", true, b"path") => Self::IncludeIf,
            _ => return None,
        })
    }
}

/// The paths that settings name.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// Folders of hooks, and files with more settings.
    pub(super) paths: Vec<PathBuf>,
    /// A file of settings that was not read to its end: it is too large, or one too many.
    pub(super) unread: Option<PathBuf>,
}

/// Returns the paths that the settings of a repository and of its user name, and those that these include.
pub(super) fn named_paths(git: &Path, work_tree: Option<&Path>) -> Named {
    let own = ["config", "config.worktree"].map(|name| git.join(name));
    let home = env::var_os("HOME").map(PathBuf::from);
    let others = files_of_user(home.as_deref());
    let mut reader = SettingsReader {
        base: work_tree.unwrap_or(git),
        home,
        to_read: own.into_iter().chain(others).collect(),
        seen: HashSet::new(),
        named: Named::default(),
    };
    while let Some(file) = reader.to_read.pop() {
        reader.read(&file);
    }
    reader.named
}

/// The files of settings that hold for all repositories.
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
    /// Where hooks run, so that their paths begin there.
    base: &'a Path,
    home: Option<PathBuf>,
    to_read: Vec<PathBuf>,
    /// The files that were met: they may include one another in a circle.
    seen: HashSet<PathBuf>,
    named: Named,
}

impl SettingsReader<'_> {
    fn read(&mut self, file: &Path) {
        // Git follows a link here.
        let Ok(real) = file.canonicalize() else {
            return;
        };
        if self.seen.len() >= FILES || git::is_too_large(&real) {
            self.named.unread.get_or_insert_with(|| file.to_owned());
            return;
        }
        if !self.seen.insert(real.clone()) {
            return;
        }
        let Some(bytes) = git::read_bytes(&real) else {
            return;
        };
        for setting in settings(&bytes) {
            if self.named.paths.len() >= PATHS {
                self.named.unread.get_or_insert_with(|| file.to_owned());
                return;
            }
            let base = match setting.key {
                Key::Hooks => self.base,
                Key::Include | Key::IncludeIf => file.parent().unwrap_or(self.base),
                Key::WorkTree => continue,
            };
            let value = Path::new(&setting.value);
            let path = match (value.strip_prefix("~"), &self.home) {
                (Ok(rest), Some(home)) => home.join(rest),
                _ => base.join(value),
            };
            let Some(path) = plain(&path) else { continue };
            if setting.key != Key::Hooks {
                self.to_read.push(path.clone());
            }
            self.named.paths.push(script_folder(path));
        }
    }
}

/// husky keeps the scripts that its hooks start in the folder above them.
fn script_folder(hooks: PathBuf) -> PathBuf {
    match hooks.parent() {
        Some(above) if hooks.ends_with(".husky/_") => above.to_owned(),
        _ => hooks,
    }
}

/// Reads the settings that matter, up to the first mistake: git does nothing where a file has one.
pub(super) fn settings(text: &[u8]) -> Vec<Setting> {
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
                let value = match scanner.assigned() {
                    Assigned::Nothing => continue,
                    Assigned::Value(value) => OsString::from_vec(value),
                    Assigned::Mistake => break,
                };
                found.extend(Key::of(&section, &name).map(|key| Setting { key, value }));
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
    /// In lower case.
    name: Vec<u8>,
    /// Whether more stands behind it, in quotes.
    has_more: bool,
}

/// What stands behind the name of a setting.
enum Assigned {
    /// A setting without a value is a switch.
    Nothing,
    Value(Vec<u8>),
    Mistake,
}

struct Scanner<'t> {
    rest: &'t [u8],
}

impl Scanner<'_> {
    /// Returns the next byte; two may end a line.
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        match (first, rest.split_first()) {
            (b'\r', Some((b'\n', rest))) => {
                self.rest = rest;
                Some(b'\n')
            }
            _ => {
                self.rest = rest;
                Some(*first)
            }
        }
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

    /// Reads the head of a section, behind its `[`.
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

    fn assigned(&mut self) -> Assigned {
        while self.next_if(|byte| matches!(byte, b' ' | b'\t')).is_some() {}
        match self.next() {
            None | Some(b'\n') => Assigned::Nothing,
            Some(b'=') => self.value().map_or(Assigned::Mistake, Assigned::Value),
            Some(_) => Assigned::Mistake,
        }
    }

    /// Reads a value to the end of its line, and of those in which it goes on.
    fn value(&mut self) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        // Blanks at its end that no quotes hold do not count.
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
