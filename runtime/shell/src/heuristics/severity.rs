//! What weighs most of what was found.

use super::analysis::{Finding, FindingKind};

/// Picks what weighs most: what no mode runs, what no mode answers, dangerous before unclear; the first of each.
pub(crate) fn most_severe<'f>(
    findings: impl DoubleEndedIterator<Item = &'f Finding>,
) -> Option<&'f Finding> {
    let weight = |finding: &Finding| {
        let by_layer = match finding.kind {
            FindingKind::Dangerous => 4,
            FindingKind::Sed | FindingKind::Secret => 3,
            FindingKind::Unclear => 2,
        };
        (finding.severity(), finding.is_safety_question, by_layer)
    };
    // `max_by_key` would take the last of equals.
    findings.rev().max_by_key(|finding| weight(finding))
}
