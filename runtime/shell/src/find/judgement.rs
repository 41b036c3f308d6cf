//! What weighs most of what was found.

use super::analysis::{Finding, Layer};

/// Picks what weighs most: what no mode runs, what no mode answers, dangerous before unclear; the first of each.
pub(crate) fn worst<'f>(
    findings: impl DoubleEndedIterator<Item = &'f Finding>,
) -> Option<&'f Finding> {
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
    findings.rev().max_by_key(|finding| weight(finding))
}
