//! The limits on what calls may access.

use super::Judge;
use super::finding::Finding;
use crate::{AccessScope, Decider, paths};
use helve_core::tool::{AccessKind, Coverage, FileAccess, ToolOrigin};

impl Judge<'_> {
    /// Denies a call that is not provably within the limits of the level.
    pub(super) fn outside_scope(&self) -> Option<Finding> {
        let reason = self.level.scopes.iter().find_map(|scope| {
            self.tool_outside(scope)
                .or_else(|| self.command_outside(scope))
                .or_else(|| self.file_outside(scope))
                .or_else(|| self.call_outside(scope))
        });
        reason.map(|reason| Finding::deny(reason, Decider::AccessScope))
    }

    fn tool_outside(&self, scope: &AccessScope) -> Option<String> {
        let spec = self.tool.spec();
        let filter = scope.tools.as_ref()?;
        // The tools of an agent itself, such as those for tasks, are made at run time.
        let is_limited = !matches!(spec.origin, ToolOrigin::Program);
        let is_outside = is_limited && filter.check(spec).is_err();
        is_outside.then(|| "the work is limited to other tools".to_owned())
    }

    fn command_outside(&self, scope: &AccessScope) -> Option<String> {
        let is_denied = scope.denies_commands() && self.tool.spec().requires.process;
        is_denied.then(|| "the agent has limits on files or hosts, and runs no commands".to_owned())
    }

    fn file_outside(&self, scope: &AccessScope) -> Option<String> {
        if !scope.limits_files() {
            return None;
        }
        let edited = self.edited_paths().iter().map(FileAccess::write);
        let accesses = self.facts.file_accesses.iter().cloned().chain(edited);
        let accesses: Vec<FileAccess> = accesses.collect();
        if accesses.is_empty() && self.tool.spec().requires.fs {
            return Some(
                "the agent has limits on files, and the paths of the call are unknown".to_owned(),
            );
        }
        let outside = accesses
            .iter()
            .find(|access| !self.is_within(scope, access))?;
        let path = &outside.path;
        Some(format!("`{path}` is outside of the files of the agent"))
    }

    fn is_within(&self, scope: &AccessScope, access: &FileAccess) -> bool {
        let (reads, writes) = match access.kind {
            AccessKind::Read => (true, false),
            AccessKind::Write => (false, true),
            AccessKind::Unknown => (true, true),
        };
        let is_covered = |patterns: &Option<Vec<String>>| {
            patterns.as_ref().is_none_or(|patterns| {
                let mut patterns = patterns.iter();
                patterns.any(|pattern| self.covers_access(pattern, access))
            })
        };
        (!reads || is_covered(&scope.read)) && (!writes || is_covered(&scope.write))
    }

    fn covers_access(&self, pattern: &str, access: &FileAccess) -> bool {
        if access.is_pattern && access.path.split('/').any(|name| name == "..") {
            return false;
        }
        let path = match access.is_pattern {
            // What the pattern matches is in the folder before its first wildcard.
            true => fixed_folder(&access.path),
            false => &access.path,
        };
        let covers = |pattern: &str| paths::covers(self.context(), pattern, path).covers_all();
        // `src/**` is everything in `src`, and `src` itself.
        let folder = pattern
            .strip_suffix("/**")
            .filter(|folder| !folder.is_empty());
        covers(pattern)
            || folder.is_some_and(
                |folder| match folder.contains('/') || folder.starts_with('~') {
                    true => covers(folder),
                    false => covers(&format!("./{folder}")),
                },
            )
    }

    /// A call of a tool that some rules are about must be covered by them, as far as it does more than read.
    fn call_outside(&self, scope: &AccessScope) -> Option<String> {
        let name = &*self.tool.spec().name;
        let rules: Vec<_> = scope
            .only
            .iter()
            .filter(|rule| rule.matches_tool(name))
            .collect();
        if rules.is_empty() || self.only_reads().is_some() {
            return None;
        }
        let mut covered: Option<Coverage> = self.read_only_coverage();
        for coverage in rules.iter().filter_map(|rule| self.coverage(rule)) {
            covered = Some(match covered {
                Some(covered) => covered.union(&coverage),
                None => coverage,
            });
        }
        let is_covered = covered.is_some_and(|covered| covered.covers_all());
        (!is_covered).then(|| {
            let rules: Vec<String> = rules.iter().map(|rule| format!("`{rule}`")).collect();
            format!("the agent may call it only as {}", rules.join(" or "))
        })
    }
}

/// Returns the folder of a pattern in which all that it matches lies.
fn fixed_folder(pattern: &str) -> &str {
    let end = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
    match pattern[..end].rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None => ".",
    }
}
