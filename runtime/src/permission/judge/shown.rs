//! What whoever is asked about a call wants to see of it.

use super::Judge;
use crate::permission::{PartStanding, QuestionPart};
use crate::tool::Preview;

/// What a question shows of its call.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// The part that decides.
    pub(crate) part: Option<String>,
    /// All parts.
    pub(crate) parts: Vec<QuestionPart>,
    /// What would change.
    pub(crate) preview: Option<Preview>,
    /// Whether a dry run would tell.
    pub(crate) rehearses: bool,
}

impl Judge<'_> {
    pub(in crate::permission) fn show(mut self) -> Shown {
        Shown {
            part: self.decide().0.part,
            parts: self.parts(),
            rehearses: self.facts.rehearses,
            preview: self.facts.preview,
        }
    }

    fn parts(&mut self) -> Vec<QuestionPart> {
        let covered = self.covered_everywhere();
        let mut parts: Vec<QuestionPart> = Vec::new();
        for (index, part) in self.facts.parts.iter().enumerate() {
            // Another way to read the part before; nobody has to be asked about that.
            let is_other_face =
                part.read_only && parts.last().is_some_and(|before| before.text == part.text);
            if is_other_face {
                continue;
            }
            let standing = match covered.get(index) {
                _ if part.read_only => PartStanding::ReadOnly,
                Some(true) => PartStanding::Allowed,
                _ => PartStanding::Open,
            };
            parts.push(QuestionPart::new(&*part.text, standing));
        }
        parts
    }
}
