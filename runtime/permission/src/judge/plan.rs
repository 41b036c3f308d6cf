//! The approval of a plan, which ends plan mode.

use super::Judge;
use super::finding::Finding;
use crate::Decider;

/// The name of the tool with which an agent in [`Mode::Plan`](crate::Mode::Plan) presents its plan to the user, who may approve it.
pub const PRESENT_PLAN: &str = "present_plan";

impl Judge<'_> {
    /// Asks for the approval of a plan if the session is in plan mode, and denies it otherwise. Only the user may answer.
    pub(super) fn plan_approval(&self) -> Option<Finding> {
        if &*self.tool.spec().name != PRESENT_PLAN {
            return None;
        }
        if !self.policy.is_planning() {
            let reason = "the session is not in plan mode: there is nothing to approve";
            return Some(Finding::deny(reason, Decider::PlanApproval));
        }
        let reason = "the plan ends plan mode, in which nothing is changed";
        Some(Finding::ask(reason, Decider::PlanApproval).with_safety())
    }
}
