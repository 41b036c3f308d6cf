//! The parts of a call, as the approver sees them.

use super::Judge;
use crate::{PartStatus, QuestionPart};

impl Judge<'_> {
    pub(crate) fn parts(&mut self) -> Vec<QuestionPart> {
        let covered = self.parts_covered_at_every_level();
        let mut parts: Vec<QuestionPart> = Vec::new();
        for (index, part) in self.facts.parts.iter().enumerate() {
            // Another way to read the part before; it needs no approval.
            let is_other_face =
                part.read_only && parts.last().is_some_and(|before| before.text == part.text);
            if is_other_face {
                continue;
            }
            let standing = match covered.get(index) {
                _ if part.read_only => PartStatus::ReadOnly,
                Some(true) => PartStatus::Allowed,
                _ => PartStatus::Open,
            };
            parts.push(QuestionPart::new(&*part.text, standing));
        }
        parts
    }
}
