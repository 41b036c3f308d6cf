//! Paths that are always denied or protected, matched against the resolved path.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use super::io_failure::{IoFailure, Result};
use crate::sandbox::FsError;
use crate::sandbox::fs_error::display_path;

/// The location of a file after all links are resolved.
#[derive(Debug, Clone)]
pub(crate) struct LocatedPath {
    /// The path relative to its root.
    pub(super) below: PathBuf,
    /// The absolute path.
    pub(super) absolute: PathBuf,
}

impl LocatedPath {
    /// Returns the location of a name in this folder.
    pub(super) fn join(&self, name: &OsStr) -> Self {
        Self {
            below: self.below.join(name),
            absolute: self.absolute.join(name),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct DenyRules {
    /// The rules for paths that are neither read nor written.
    pub(super) denied: Vec<DenyRule>,
    /// The rules for paths that are not written.
    pub(super) protected: Vec<DenyRule>,
}

/// A pattern, by component.
#[derive(Debug, Clone)]
pub(super) struct DenyRule {
    text: String,
    names: Vec<RuleSegment>,
    /// Whether the pattern matches absolute paths, instead of any depth below a root.
    absolute: bool,
}

/// One component of a pattern. Most components are literal, which matters because every opened file is compared with
/// all patterns.
#[derive(Debug, Clone)]
enum RuleSegment {
    Plain(String),
    Glob(GlobMatcher),
}

impl DenyRules {
    /// Rejects reading a denied path.
    pub(super) fn read(&self, at: &LocatedPath) -> Result<()> {
        reject(
            &self.denied,
            at,
            DenyRule::covers,
            "is denied to every tool",
        )
    }

    /// Rejects writing a denied or protected path.
    pub(super) fn write(&self, at: &LocatedPath) -> Result<()> {
        self.read(at)?;
        let why = "is protected from changes";
        reject(&self.protected, at, DenyRule::covers, why)
    }

    /// Rejects moving or removing an ancestor of a denied or protected path: the path would be reachable by another
    /// name, or could be created again.
    pub(super) fn check_move(&self, at: &LocatedPath) -> Result<()> {
        self.write(at)?;
        let why = "contains files that are protected from changes";
        reject(&self.denied, at, DenyRule::covers_descendant_of, why)?;
        reject(&self.protected, at, DenyRule::covers_descendant_of, why)
    }
}

/// Adds patterns to rules.
pub(super) fn add<P: AsRef<str>>(
    rules: &mut Vec<DenyRule>,
    patterns: impl IntoIterator<Item = P>,
) -> Result<(), FsError> {
    for pattern in patterns {
        let pattern = pattern.as_ref();
        let rule = DenyRule::new(pattern).map_err(|reason| FsError::InvalidPath {
            path: display_path(Path::new(pattern)),
            reason,
        })?;
        rules.push(rule);
    }
    Ok(())
}

fn reject(
    rules: &[DenyRule],
    at: &LocatedPath,
    applies: impl Fn(&DenyRule, &[&Path]) -> bool,
    why: &str,
) -> Result<()> {
    if rules.is_empty() {
        return Ok(());
    }
    let (below, absolute) = (names(&at.below), names(&at.absolute));
    let broken = rules.iter().find(|rule| {
        let path = if rule.absolute { &absolute } else { &below };
        applies(rule, path)
    });
    match broken {
        Some(rule) => Err(IoFailure::Forbidden(format!("`{}` {why}", rule.text))),
        None => Ok(()),
    }
}

fn names(path: &Path) -> Vec<&Path> {
    let normal = |part| match part {
        Component::Normal(name) => Some(Path::new(name)),
        _ => None,
    };
    path.components().filter_map(normal).collect()
}

impl DenyRule {
    fn new(pattern: &str) -> Result<Self, &'static str> {
        let absolute = pattern.starts_with('/');
        let mut parts: Vec<&str> = pattern
            .split('/')
            .filter(|part| !matches!(*part, "" | "."))
            .collect();
        // A trailing `**` is redundant, since everything below a match is covered.
        while parts.last() == Some(&"**") {
            parts.pop();
        }
        while !absolute && parts.first() == Some(&"**") {
            parts.remove(0);
        }
        if parts.is_empty() {
            return Err("the pattern matches every path");
        }
        if parts.contains(&"**") || parts.contains(&"..") {
            return Err("the pattern has `**` or `..` in the middle");
        }
        let names: Result<Vec<_>, _> = parts.iter().map(|part| RuleSegment::new(part)).collect();
        Ok(Self {
            text: pattern.to_owned(),
            names: names.map_err(|_| "the pattern is not a valid glob")?,
            absolute,
        })
    }

    /// Reports whether a path is, or is below, a match of the pattern.
    fn covers(&self, path: &[&Path]) -> bool {
        path.len() >= self.names.len()
            && self
                .starts(path.len() - self.names.len())
                .any(|start| self.count_matches(&path[start..]) == self.names.len())
    }

    /// Reports whether a path is an ancestor of a possible match of the pattern.
    fn covers_descendant_of(&self, path: &[&Path]) -> bool {
        let starts = self.starts(path.len());
        starts.into_iter().any(|start| {
            let rest = &path[start..];
            (self.absolute || !rest.is_empty())
                && rest.len() < self.names.len()
                && self.count_matches(rest) == rest.len()
        })
    }

    fn starts(&self, last: usize) -> std::ops::RangeInclusive<usize> {
        0..=if self.absolute { 0 } else { last }
    }

    /// Counts the leading components of a path that match the pattern.
    fn count_matches(&self, path: &[&Path]) -> usize {
        let pairs = self.names.iter().zip(path);
        pairs.take_while(|(name, part)| name.matches(part)).count()
    }
}

/// Whether the default file systems of the platform are case-insensitive.
const IGNORE_CASE: bool = cfg!(any(target_os = "macos", windows));

impl RuleSegment {
    fn new(part: &str) -> Result<Self, globset::Error> {
        if !part.contains(['*', '?', '[', ']', '{', '}', '\\']) {
            return Ok(Self::Plain(part.to_owned()));
        }
        let glob = GlobBuilder::new(part)
            .literal_separator(true)
            .backslash_escape(true)
            .case_insensitive(IGNORE_CASE)
            .build()?;
        Ok(Self::Glob(glob.compile_matcher()))
    }

    fn matches(&self, part: &Path) -> bool {
        match self {
            Self::Plain(name) if IGNORE_CASE => part.as_os_str().eq_ignore_ascii_case(name),
            Self::Plain(name) => part.as_os_str() == name.as_str(),
            Self::Glob(glob) => glob.is_match(part),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{DenyRules, LocatedPath, add};

    fn at(below: &str) -> LocatedPath {
        LocatedPath {
            below: below.into(),
            absolute: Path::new("/root").join(below),
        }
    }

    #[test]
    fn a_pattern_covers_a_name_and_what_is_below_at_any_depth() {
        let mut deny_rules = DenyRules::default();
        let patterns = [".ssh", ".config/gcloud", "*.pem", "/root/only", "**/.x/**"];
        add(&mut deny_rules.denied, patterns).expect("globs");
        for denied in [
            ".ssh",
            "a/.ssh/id",
            ".config/gcloud/db",
            "b/.config/gcloud",
            "k.pem",
            "only/x",
            ".x/y",
        ] {
            assert!(deny_rules.read(&at(denied)).is_err(), "{denied}");
        }
        for allowed in [
            ".sshd",
            "config/gcloud",
            ".config/other",
            "pem",
            "a/only",
            "",
        ] {
            assert!(deny_rules.read(&at(allowed)).is_ok(), "{allowed}");
        }
        for ahead in [".config", "a/.config", ".ssh"] {
            assert!(deny_rules.check_move(&at(ahead)).is_err(), "{ahead}");
        }
        assert!(deny_rules.check_move(&at("a")).is_ok());
    }

    #[test]
    fn what_would_cover_everything_is_no_pattern() {
        for pattern in ["", "**", "/", "a/**/b", "a/../b", "[", "./"] {
            assert!(add(&mut Vec::new(), [pattern]).is_err(), "{pattern}");
        }
    }
}
