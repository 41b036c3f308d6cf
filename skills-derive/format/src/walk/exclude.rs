//! The exclusions of the caller.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::codes;
use crate::problem::Finding;

/// Globs as in a `.gitignore`, relative to the folder that is read.
#[derive(Debug, Default)]
pub(crate) struct Exclusions {
    any: GlobSet,
    folders: GlobSet,
}

impl Exclusions {
    /// Compiles the patterns; returns findings for invalid ones.
    pub(crate) fn new(patterns: &[String]) -> (Self, Vec<Finding>) {
        let (mut anything, mut folders) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        let mut findings = Vec::new();
        for pattern in patterns {
            let stem = pattern.trim_end_matches('/');
            let anchored = match stem.strip_prefix('/') {
                Some(anchored) => anchored.to_owned(),
                None if stem.contains('/') => stem.to_owned(),
                None => format!("**/{stem}"),
            };
            if stem.is_empty() || stem.starts_with('!') {
                findings.push(invalid_pattern(pattern, "it excludes nothing"));
                continue;
            }
            match GlobBuilder::new(&anchored).literal_separator(true).build() {
                Ok(glob) if pattern.ends_with('/') => folders.add(glob),
                Ok(glob) => anything.add(glob),
                Err(error) => {
                    findings.push(invalid_pattern(pattern, &error.kind().to_string()));
                    continue;
                }
            };
        }
        let mut build = |set: GlobSetBuilder| {
            set.build().unwrap_or_else(|error| {
                findings.push(invalid_pattern("", &error.to_string()));
                GlobSet::empty()
            })
        };
        let exclusions = Self {
            any: build(anything),
            folders: build(folders),
        };
        (exclusions, findings)
    }

    /// Returns whether a path is excluded.
    pub(crate) fn is_excluded(&self, path: &str, is_folder: bool) -> bool {
        self.any.is_match(path) || is_folder && self.folders.is_match(path)
    }
}

fn invalid_pattern(pattern: &str, reason: &str) -> Finding {
    let message = format!("`{pattern}` is not a valid exclude pattern: {reason}");
    Finding::new(codes::EXCLUDE_PATTERN, message).with_help(
        "write globs as in a .gitignore, without `!`: `*.psd`, `pdf/tests/`, `**/drafts/*.md`",
    )
}
