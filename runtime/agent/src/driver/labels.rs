//! Labels that the driver knows and the tools do not declare.

use super::state::Driver;
use crate::spec::Agent;
use crate::turn::Outcome;
use helve_core::tool::{ToolContext, ToolResult};
use helve_core::transcript::Label;
use helve_permission::call::CallSite;
use helve_results::ResultInput;

/// Processes the answer of a delegate, which is enclosed like the text that the delegate has read.
pub(super) async fn process_answer(
    agent: &Agent,
    context: &ToolContext,
    site: &CallSite,
    calls: usize,
    (answer, label): (ToolResult, &Label),
) -> Outcome {
    let input = ResultInput::new(context.session_id(), &site.address, &site.call)
        .calls(calls)
        .turn_number(context.turn_number());
    agent
        .results
        .process(input.label(label), answer)
        .await
        .outcome
}

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Adds the label of the conversation to the policy and, if the label is untrusted, to the gate of the sandbox.
    pub(super) fn apply_label(&self) {
        let label = self.turn.label();
        self.policy.join_label(label);
        if label.is_untrusted() {
            self.policy.set_known_urls(self.known_urls());
            self.hold_connections();
        }
    }
}
