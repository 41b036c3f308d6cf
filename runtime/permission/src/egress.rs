//! The egress gate of the session's sandbox, which receives the policy's label of untrusted text.

use std::sync::Arc;

use futures_util::future::OptionFuture;

use super::Policy;
use super::tool_sandbox::{context_of_tool, sandboxes};
use helve_core::authority;
use helve_core::sandbox::{Egress, EgressGate, LazySandbox, Sandbox};
use helve_core::tool::{Interruption, Tool, ToolContext, ToolError};
use helve_core::transcript::{Label, Source};

impl Policy {
    /// Passes the label of the text that the model has read to the gate of the sandbox, before a tool starts a command
    /// there. Returns `None` if the tool starts no command, or there is no gate.
    ///
    /// A sandbox that is not open is opened. A sandbox that cannot be opened is reported by the tool itself, unless
    /// untrusted text was read: the tool may succeed in a second attempt to open the sandbox, and the gate would not
    /// have received the label.
    ///
    /// # Errors
    ///
    /// Returns [`ToolError::Cancelled`] if the call is cancelled, or its deadline passes, before the sandbox is open.
    #[doc(hidden)]
    pub async fn guard_commands(
        &self,
        tool: &dyn Tool,
        context: &ToolContext,
    ) -> Result<Option<Arc<EgressGate>>, ToolError> {
        let context = &*context_of_tool(context, &tool.spec().name);
        let Some(sandbox) = &authority::grants(context).sandbox else {
            return Ok(None);
        };
        if !tool.spec().requires.process || context.is_dry_run() {
            return Ok(None);
        }
        let label = self.label();
        let is_held = label.is_untrusted() && self.asks_after_untrusted();
        // Boxed: most calls start no commands, and the future of every call would be as large.
        let sandbox = match Box::pin(open_sandbox(sandbox, tool, context)).await {
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

    /// Passes the label of the text that the model has read to the gates of the open sandboxes, for the commands that are
    /// already running there.
    #[doc(hidden)]
    pub fn hold_connections(&self, context: &ToolContext) {
        let label = self.label();
        if label.is_untrusted() && self.asks_after_untrusted() {
            for gate in egress_gates(context) {
                gate.join_label(&label);
            }
        }
    }
}

/// Opens a sandbox for a call; the call's cancellation and deadline bound the wait.
pub(super) async fn open_sandbox<'a>(
    sandbox: &'a LazySandbox,
    tool: &dyn Tool,
    context: &ToolContext,
) -> Result<&'a Arc<dyn Sandbox>, ToolError> {
    let deadline = match tool.spec().timeout {
        Some(timeout) => context.with_timeout(timeout).deadline(),
        None => context.deadline(),
    };
    let deadline = OptionFuture::from(deadline.map(tokio::time::sleep_until));
    tokio::select! {
        biased;
        opened = sandbox.get() => Ok(opened?),
        () = context.cancellation().cancelled() => Err(ToolError::Cancelled(Interruption::cancelled(false))),
        Some(()) = deadline => Err(ToolError::Cancelled(Interruption::deadline(false))),
    }
}

/// Returns the label of the result of a tool that starts commands or uses files. The result may contain data that the
/// session's commands received over the network, for example through a file that a background command wrote.
pub fn label_downloads(tool: &dyn Tool, context: &ToolContext) -> Label {
    let spec = tool.spec();
    let is_reading = spec.requires.process || spec.requires.fs;
    if !is_reading {
        return Label::user();
    }
    let sources = egress_gates(context).flat_map(|gate| gate.reached_hosts());
    let labels = sources.map(|host| Label::from(Source::web(spec.name.clone(), host)));
    let label = labels.reduce(|label, source| label.joined(&source));
    label.map_or_else(Label::user, |label| label.joined(&Label::workspace()))
}

/// Lists the gates of the open sandboxes.
pub fn egress_gates(context: &ToolContext) -> impl Iterator<Item = Arc<EgressGate>> {
    sandboxes(context).filter_map(|sandbox| match sandbox.peek()?.egress() {
        Egress::Gated(gate) => Some(gate),
        _ => None,
    })
}
