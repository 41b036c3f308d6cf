//! What the text of a turn is made of, where the driver knows more of it than a tool declares.

use super::Driver;
use crate::agent::spec::Agent;
use crate::agent::turn::Outcome;
use crate::call::CallSite;
use crate::results::ResultInput;
use crate::tool::{ToolContext, ToolResult};
use crate::transcript::Label;

/// Reads what a delegate answers: as far as it may hold somebody else's text, it is enclosed like that.
pub(super) async fn read_child(
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
    /// Adds what the conversation is made of to the policy and, once it is untrusted, to the gate of the sandbox.
    pub(super) fn note_label(&self) {
        let label = self.turn.label();
        self.policy.join_label(label);
        if label.is_untrusted() {
            self.policy.know_urls(self.known_urls());
            self.hold_connections();
        }
    }
}
