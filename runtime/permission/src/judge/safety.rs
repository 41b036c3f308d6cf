//! The questions that only a user may answer.

use super::Judge;
use super::finding::Finding;
use crate::dangerous::{DangerousPathMatch, Guard};
use crate::{Decider, Mode};
use helve_core::tool::links::LinkTarget;
use helve_core::tool::{AccessKind, Check, FileAccess};

impl Judge<'_> {
    /// Asks about dangerous paths, and about calls that the tool's check leaves to the user.
    pub(super) fn safety(&self) -> Option<Finding> {
        self.dangerous_path().or_else(|| match &self.facts.check {
            Check::Ask {
                reason,
                safety: true,
                in_bypass,
                part,
            } if *in_bypass || self.mode() != Mode::Bypass => Some(
                Finding::ask(reason, Decider::ToolCheck)
                    .with_safety()
                    .with_part(part.clone()),
            ),
            _ => None,
        })
    }

    fn dangerous_path(&self) -> Option<Finding> {
        let mut edited = self.edited_paths().iter();
        let mut touches = self.facts.file_accesses.iter();
        touches
            .find_map(|touch| self.check_dangerous_path(touch))
            .or_else(|| edited.find_map(|path| self.check_dangerous_path(&FileAccess::write(path))))
    }

    /// Checks a path by its names first, and then its link targets.
    fn check_dangerous_path(&self, touch: &FileAccess) -> Option<Finding> {
        let dangerous = &self.level.dangerous;
        let path = &touch.path;
        let access = self.access(touch);
        let named = dangerous.look_up_accessed(touch, access, self.context());
        let (reason, pattern) = match named.filter(|place| self.requires_answer(place)) {
            Some(DangerousPathMatch {
                pattern, reason, ..
            }) => {
                let is = if touch.is_pattern { "may name" } else { "is" };
                let reason = format!("`{path}` {is} a dangerous path (`{pattern}`: {reason})");
                (reason, pattern)
            }
            None => match self.context().links()?.target(path)? {
                LinkTarget::Unknown => (
                    format!("`{path}` links outside of the granted folders"),
                    "a link",
                ),
                LinkTarget::Paths(places) => places.iter().find_map(|target| {
                    let target = target.to_string_lossy();
                    let place = dangerous.look_up(&target, access);
                    let DangerousPathMatch {
                        pattern, reason, ..
                    } = place.filter(|place| self.requires_answer(place))?;
                    let reason = format!(
                        "`{path}` links to `{target}`, a dangerous path (`{pattern}`: {reason})"
                    );
                    Some((reason, pattern))
                })?,
            },
        };
        let decided_by = Decider::DangerousPath(pattern.to_owned());
        let finding = Finding::ask(reason, decided_by).with_safety();
        Some(finding.with_part(touch.part.clone()))
    }

    /// Returns the kind of an access. An access of unknown kind counts as a read, since the program needs approval in
    /// any case. In [`Mode::Bypass`], in which nothing else stops the program from writing, the unknown kind is kept.
    fn access(&self, touch: &FileAccess) -> AccessKind {
        if touch.kind == AccessKind::Unknown && self.mode() != Mode::Bypass {
            AccessKind::Read
        } else {
            touch.kind
        }
    }

    fn requires_answer(&self, place: &DangerousPathMatch<'_>) -> bool {
        match place.guard {
            Guard::Open | Guard::AfterUntrusted => false,
            Guard::Asks => self.mode() != Mode::Bypass,
            Guard::Always | Guard::Never => true,
        }
    }
}
