//! The gate of the session's sandbox, as careful as the policy is.

use std::sync::Arc;

use super::Policy;
use crate::sandbox::{Egress, EgressGate, LazySandbox, Sandbox};
use crate::tool::{Interrupted, Tool, ToolContext, ToolError};
use crate::transcript::{Label, Source};

impl Policy {
    /// Tells the gate of the sandbox what the model read, before a tool starts a command there; `None` where the tool starts
    /// none, or there is no gate.
    ///
    /// A sandbox that is not open is opened. The tool itself reports one that cannot be opened, unless untrusted text was
    /// read: the tool may open it at a second attempt, and the gate would not know of the text.
    ///
    /// # Errors
    ///
    /// [`ToolError::Cancelled`] where the call is cancelled, or its deadline passes, before the sandbox is open.
    pub(crate) async fn guard_commands(
        &self,
        tool: &dyn Tool,
        context: &ToolContext,
    ) -> Result<Option<Arc<EgressGate>>, ToolError> {
        let Some(sandbox) = &context.grants().sandbox else {
            return Ok(None);
        };
        if !tool.spec().requires.process || context.is_dry_run() {
            return Ok(None);
        }
        let label = self.label();
        let is_held = label.is_untrusted() && self.asks_after_untrusted();
        // In a box of its own: most calls start no commands, and every call would be as large.
        let sandbox = match Box::pin(open(sandbox, tool, context)).await {
            Ok(sandbox) => sandbox,
            Err(error @ ToolError::Cancelled(_)) => return Err(error),
            Err(error) if is_held => return Err(error),
            Err(_) => return Ok(None),
        };
        let Egress::Gated(gate) = sandbox.egress() else {
            return Ok(None);
        };
        if is_held {
            gate.join_label(&label);
        }
        Ok(Some(gate))
    }
}

/// Opens a sandbox for a call; the call's cancellation and deadline bound the wait.
pub(super) async fn open<'a>(
    sandbox: &'a LazySandbox,
    tool: &dyn Tool,
    context: &ToolContext,
) -> Result<&'a Arc<dyn Sandbox>, ToolError> {
    let deadline = match tool.spec().timeout {
        Some(timeout) => context.within(timeout).deadline(),
        None => context.deadline(),
    };
    let deadline = async {
        match deadline {
            Some(deadline) => tokio::time::sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        opened = sandbox.get() => Ok(opened?),
        () = context.cancellation().cancelled() => Err(ToolError::Cancelled(Interrupted::cancelled(false))),
        () = deadline => Err(ToolError::Cancelled(Interrupted::deadline(false))),
    }
}

/// Labels what a tool returns whose commands may have reached the network: what came from there may be in it.
pub(crate) fn label_of_commands(gate: &EgressGate, tool: &str) -> Label {
    let sources = gate.reached().into_iter();
    sources.fold(Label::workspace(), |label, host| {
        label.joined(&Label::from(Source::web(tool, host)))
    })
}
