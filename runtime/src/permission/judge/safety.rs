//! What only a person may answer.

use super::Judge;
use super::finding::Finding;
use crate::permission::Decider;
use crate::tool::links::Target;
use crate::tool::{Check, Touch};

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
                part,
            } => Some(
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
        let dangerous = &self.policy.fixed().dangerous;
        let path = &touch.path;
        let (reason, pattern) = match dangerous.find_touched(touch, self.context()) {
            Some(pattern) => {
                let is = if touch.is_pattern { "may name" } else { "is" };
                let reason = format!("`{path}` {is} a dangerous path (`{pattern}`)");
                (reason, pattern)
            }
            None => match self.context().links()?.target(path)? {
                Target::Unknown => (
                    format!("`{path}` leads out of the folders that were granted"),
                    "a link",
                ),
                Target::Place(target) => {
                    let target = target.to_string_lossy();
                    let pattern = dangerous.find(&target)?;
                    let reason =
                        format!("`{path}` leads to `{target}`, a dangerous path (`{pattern}`)");
                    (reason, pattern)
                }
            },
        };
        let decided_by = Decider::DangerousPath(pattern.to_owned());
        let finding = Finding::ask(reason, decided_by).of_safety();
        Some(finding.because_of(touch.part.clone()))
    }
}
