//! From what was found out to a verdict.

use super::analysis::{Analysis, Finding};
use super::leaf::Effect;
use crate::{Check, Checked, Part};

/// Writes the check of an analysed command line.
pub(super) fn check(analysis: Analysis) -> Checked {
    let check = verdict(&analysis);
    let parts = analysis.parts.iter().flat_map(|part| {
        let own = Part {
            text: part.text.clone(),
            read_only: part.effect == Effect::Reads,
        };
        // No allow rule has to cover the other ways to read it.
        let other = part.has_other_faces().then(|| Part {
            text: part.text.clone(),
            read_only: true,
        });
        std::iter::once(own).chain(other)
    });
    Checked {
        check,
        parts: parts.collect(),
        touches: analysis.touches,
    }
}

fn verdict(analysis: &Analysis) -> Check {
    if let Some(finding) = worst(analysis) {
        let part = analysis.parts.get(finding.part);
        return Check::Ask {
            reason: finding.reason.to_string(),
            safety: finding.safety,
            part: part.map(|part| part.text.clone()),
        };
    }
    match analysis.parts.iter().map(|part| part.effect).max() {
        Some(Effect::Reads) => Check::ReadOnly,
        Some(Effect::Edits) => Check::Edit {
            paths: analysis.edits.clone(),
        },
        None | Some(Effect::Acts) => Check::Pass,
    }
}

/// Picks what weighs most: grave before dangerous, dangerous before unclear, the first of each.
pub(super) fn worst(analysis: &Analysis) -> Option<&Finding> {
    use super::analysis::Layer;
    let weight = |finding: &Finding| {
        let by_layer = match finding.layer {
            Layer::Dangerous => 4,
            Layer::Sed | Layer::Secret => 3,
            Layer::Unclear => 2,
            Layer::Unlisted => 1,
        };
        (finding.is_grave, finding.safety, by_layer)
    };
    // `max_by_key` would take the last of equals.
    analysis
        .findings
        .iter()
        .rev()
        .max_by_key(|finding| weight(finding))
}
