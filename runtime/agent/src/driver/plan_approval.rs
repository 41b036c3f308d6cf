//! The end of plan mode by the approval of a plan.

use super::state::Driver;
use helve_core::transcript::CallKey;
use helve_permission::{Decision, PRESENT_PLAN};

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Ends plan mode if the user approved a plan. A delegate does not end the plan mode of the session.
    pub(super) fn apply_plan_approval(&mut self, key: CallKey, decision: &Decision) {
        let call = self.turn.call(key);
        let is_plan = call.is_some_and(|call| &*call.name == PRESENT_PLAN);
        if !is_plan || !self.authority.callers.is_empty() || !self.policy.is_planning() {
            return;
        }
        self.policy.apply_plan_approval(decision);
        if decision.is_allowed() {
            self.approved_mode = Some(self.policy.current_mode());
        }
    }

    /// Ends plan mode if the plan was approved before this process drove the turn and the call has not run yet. The way of
    /// the approval is not known, so that edits ask. If the call has run, the agent has to present its plan again.
    pub(super) fn restore_plan_approval(&mut self) {
        if !self.policy.is_planning() {
            return;
        }
        let calls = self.turn.calls().map(|(key, _)| key);
        let approved: Vec<_> = calls.filter(|key| self.turn.is_approved(*key)).collect();
        for key in approved {
            self.apply_plan_approval(key, &Decision::allow_once());
        }
    }
}
