//! From what was found out to a verdict.

use super::analysis::{Analysis, Finding};
use super::leaf::Effect;
use crate::tool::{Check, Checked, Confinement, Part};

/// Writes the check of an analysed command line.
pub(super) fn check(analysis: &Analysis) -> Checked {
    let check = verdict(analysis);
    let confinement = if check == Check::ReadOnly {
        Confinement::ReadOnly
    } else {
        Confinement::None
    };
    let parts = analysis.parts.iter().flat_map(|part| {
        let own = if part.effect == Effect::Reads {
            Part::read_only(&*part.text)
        } else {
            Part::new(&*part.text)
        };
        // No allow rule has to cover the other ways to read it.
        let other = part.has_other_faces().then(|| Part::read_only(&*part.text));
        std::iter::once(own).chain(other)
    });
    let parts: Vec<Part> = parts.collect();
    let checked = check.of_parts(parts).confined(confinement);
    checked.touching(analysis.touches.iter().cloned())
}

fn verdict(analysis: &Analysis) -> Check {
    if let Some(finding) = worst(analysis) {
        let check = if finding.safety {
            Check::ask_for_safety(&*finding.reason)
        } else {
            Check::ask(&*finding.reason)
        };
        return match analysis.parts.get(finding.part) {
            Some(part) => check.because_of(&*part.text),
            None => check,
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
