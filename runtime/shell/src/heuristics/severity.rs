//! The ranking of findings.

use super::analysis::{Finding, FindingKind};

/// Returns the most severe finding: denied in every mode before asking in every mode, and dangerous before unclear.
/// Among equals, returns the first.
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
    // `max_by_key` would return the last of equal findings.
    findings.rev().max_by_key(|finding| weight(finding))
}
