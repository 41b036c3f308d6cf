//! The gate of the session's sandbox, as careful as the policy is.

use std::sync::Arc;

use super::{Policy, UntrustedPolicy};
use crate::sandbox::{Egress, EgressGate};
use crate::tool::{Tool, ToolContext};
use crate::transcript::{Label, Source};

impl Policy {
    /// Has the gate of the sandbox know what the model read, before a tool starts a command there; `None` where the tool
    /// starts none, or there is no gate.
    ///
    /// It opens the sandbox where nobody did. One that cannot be opened is the tool's to tell.
    pub(crate) async fn guard_commands(
        &self,
        tool: &dyn Tool,
        context: &ToolContext,
    ) -> Option<Arc<EgressGate>> {
        if !tool.spec().requires.process || context.is_dry_run() {
            return None;
        }
        let sandbox = context.grants().sandbox.as_ref()?.get().await.ok()?;
        let Egress::Gated(gate) = sandbox.egress() else {
            return None;
        };
        if self.what_untrusted_asks() == UntrustedPolicy::Never {
            gate.never_ask();
        }
        gate.join_label(&self.label());
        Some(gate)
    }
}

/// Labels what a tool returns whose commands may have reached the network: what came from there may be in it.
pub(crate) fn label_of_commands(gate: &EgressGate, tool: &str) -> Label {
    let sources = gate.reached().into_iter();
    sources.fold(Label::workspace(), |label, host| {
        label.joined(&Label::from(Source::web(tool, host)))
    })
}
