//! The finding of a layer.

use crate::Decider;
use crate::level::Ceiling;
use helve_core::tool::DefaultVerdict;

/// The finding of a layer, before the mode is applied.
pub(super) struct Finding {
    pub(super) verdict: DefaultVerdict,
    pub(super) reason: String,
    pub(super) safety: bool,
    pub(super) decided_by: Decider,
    pub(super) part: Option<String>,
}

impl Finding {
    pub(super) fn new(
        standing: DefaultVerdict,
        reason: impl Into<String>,
        decided_by: Decider,
    ) -> Self {
        Self {
            verdict: standing,
            reason: reason.into(),
            safety: false,
            decided_by,
            part: None,
        }
    }

    pub(super) fn allow(decided_by: Decider) -> Self {
        Self::new(DefaultVerdict::Allow, "", decided_by)
    }

    pub(super) fn deny(reason: impl Into<String>, decided_by: Decider) -> Self {
        Self::new(DefaultVerdict::Deny, reason, decided_by)
    }

    pub(super) fn ask(reason: impl Into<String>, decided_by: Decider) -> Self {
        Self::new(DefaultVerdict::Ask, reason, decided_by)
    }

    pub(super) fn with_safety(mut self) -> Self {
        self.safety = true;
        self
    }

    /// Returns the strictness of the finding: a higher number permits less.
    pub(super) const fn strictness(&self) -> u8 {
        match self.verdict {
            DefaultVerdict::Allow => 0,
            DefaultVerdict::Ask if !self.safety => 1,
            DefaultVerdict::Ask => 2,
            DefaultVerdict::Deny => 3,
        }
    }

    /// Adds the origin of the deciding ceiling to the reason.
    pub(super) fn with_ceiling_note(mut self, ceiling: &Ceiling) -> Self {
        if !self.reason.is_empty() {
            self.reason.push_str(if ceiling.is_recorded {
                " (from the policy at the start of the turn)"
            } else {
                " (from the policy of the delegating agent)"
            });
        }
        self
    }

    pub(super) fn with_part(mut self, part: Option<String>) -> Self {
        self.part = part;
        self
    }
}
