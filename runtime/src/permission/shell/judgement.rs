//! From what was found out to a verdict.

use std::collections::HashSet;

use super::analysis::{self, Analysis, Finding};
use super::dangerous::Severity;
use super::leaf::Effect;
use crate::tool::{Access, Check, Checked, Part, Touch};

/// Writes the check of an analysed command line.
pub(super) fn check(analysis: Analysis) -> Checked {
    let check = verdict(&analysis);
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
    let touches = touches(analysis.touches, &analysis.parts);
    check.of_parts(parts).touching(touches)
}

/// Returns the places that the commands touch. A program that is not known to only read, or to edit nothing but what it
/// says, may do anything at the places that it is given.
fn touches(touches: Vec<Touch>, parts: &[analysis::Part]) -> Vec<Touch> {
    let acting: HashSet<&str> = parts
        .iter()
        .filter(|part| part.effect == Effect::Acts)
        .map(|part| &*part.text)
        .collect();
    let settle = |mut touch: Touch| {
        let is_of_actor = touch
            .part
            .as_deref()
            .is_some_and(|part| acting.contains(part));
        if touch.access == Access::Read && is_of_actor {
            touch.access = Access::Unknown;
        }
        touch
    };
    touches.into_iter().map(settle).collect()
}

fn verdict(analysis: &Analysis) -> Check {
    if let Some(finding) = worst(analysis) {
        let check = match finding.severity() {
            Severity::Fatal => Check::deny(format!("{}: no mode runs that", finding.reason)),
            Severity::Immune => Check::ask_for_safety(&*finding.reason),
            Severity::Risky if finding.safety => Check::ask_person(&*finding.reason),
            Severity::Risky => Check::ask(&*finding.reason),
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

/// Picks what weighs most: what no mode runs, what no mode answers, dangerous before unclear; the first of each.
pub(super) fn worst(analysis: &Analysis) -> Option<&Finding> {
    use super::analysis::Layer;
    let weight = |finding: &Finding| {
        let by_layer = match finding.layer {
            Layer::Dangerous => 4,
            Layer::Sed | Layer::Secret => 3,
            Layer::Unclear => 2,
            Layer::Unlisted => 1,
        };
        (finding.severity(), finding.safety, by_layer)
    };
    // `max_by_key` would take the last of equals.
    analysis
        .findings
        .iter()
        .rev()
        .max_by_key(|finding| weight(finding))
}
