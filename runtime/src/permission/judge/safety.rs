//! What only a person may answer.

use super::Judge;
use super::finding::Finding;
use crate::permission::dangerous::{DangerousPlace, Guard};
use crate::permission::{Decider, Mode};
use crate::tool::links::Target;
use crate::tool::{Access, Check, Touch};

impl Judge<'_> {
    /// Dangerous places, and what the tool itself leaves to a person.
    pub(super) fn safety(&self) -> Option<Finding> {
        if let Some(finding) = self.dangerous_path() {
            return Some(finding);
        }
        match &self.facts.check {
            Check::Ask {
                reason,
                safety: true,
                in_bypass,
                part,
            } if *in_bypass || self.mode() != Mode::Bypass => Some(
                Finding::ask(reason, Decider::ToolCheck)
                    .of_safety()
                    .because_of(part.clone()),
            ),
            _ => None,
        }
    }

    pub(super) fn dangerous_path(&self) -> Option<Finding> {
        let edited = self.edited().iter();
        let mut edited = edited.map(|path| self.danger(&Touch::write(path)));
        self.facts
            .touches
            .iter()
            .map(|touch| self.danger(touch))
            .find_map(|found| found)
            .or_else(|| edited.find_map(|found| found))
    }

    /// Looks at a place by its names, and then at where it leads.
    pub(super) fn danger(&self, touch: &Touch) -> Option<Finding> {
        let dangerous = &self.level.dangerous;
        let path = &touch.path;
        let access = self.access(touch);
        let named = dangerous.look_up_touched(touch, access, self.context());
        let (reason, pattern) = match named.filter(|place| self.asks(place)) {
            Some(DangerousPlace {
                pattern, reason, ..
            }) => {
                let is = if touch.is_pattern { "may name" } else { "is" };
                let reason = format!("`{path}` {is} a dangerous path (`{pattern}`: {reason})");
                (reason, pattern)
            }
            None => match self.context().links()?.target(path)? {
                Target::Unknown => (
                    format!("`{path}` leads out of the folders that were granted"),
                    "a link",
                ),
                Target::Places(places) => places.iter().find_map(|target| {
                    let target = target.to_string_lossy();
                    let place = dangerous.look_up(&target, access);
                    let DangerousPlace {
                        pattern, reason, ..
                    } = place.filter(|place| self.asks(place))?;
                    let reason = format!(
                        "`{path}` leads to `{target}`, a dangerous path (`{pattern}`: {reason})"
                    );
                    Some((reason, pattern))
                })?,
            },
        };
        let decided_by = Decider::DangerousPath(pattern.to_owned());
        let finding = Finding::ask(reason, decided_by).of_safety();
        Some(finding.because_of(touch.part.clone()))
    }

    /// Says what is done at a place. What a program that nobody knows does there takes an answer in every mode but one,
    /// where nothing else stops it from writing.
    fn access(&self, touch: &Touch) -> Access {
        if touch.access == Access::Unknown && self.mode() != Mode::Bypass {
            Access::Read
        } else {
            touch.access
        }
    }

    fn asks(&self, place: &DangerousPlace<'_>) -> bool {
        match place.guard {
            Guard::Open | Guard::AfterUntrusted => false,
            Guard::Asks => self.mode() != Mode::Bypass,
            Guard::Always | Guard::Never => true,
        }
    }
}
