//! The label of what the model of a session has read, for tools that store text which is read again in other sessions.

use helve_core::support::lock::Mutex;
use helve_core::tool::{Tool, ToolContext};
use helve_core::transcript::{Label, Source};

use crate::Policy;

/// The label, in the state of a session.
#[derive(Debug, Default)]
struct ReadLabel(Mutex<Option<Label>>);

/// Returns the label of what the model of a session had read when the latest of these calls was judged, for a tool that
/// requires memory or schedules; `None` if no model calls.
///
/// Text of a conversation that helve does not see, such as that of a client of an MCP server, is from an unknown source.
#[must_use]
pub fn read_label(context: &ToolContext) -> Option<Label> {
    let label = context.session_state().get_or_default::<ReadLabel>();
    let label = label.0.lock();
    label.clone()
}

/// Sets the label for a tool that asks for it.
pub(crate) fn note_read_label(policy: &Policy, tool: &dyn Tool, context: &ToolContext) {
    let requires = &tool.spec().requires;
    if !requires.memory && !requires.schedules {
        return;
    }
    let mut read = policy.label();
    if policy.has_no_conversation() {
        read.join(&Source::web(tool.spec().name.clone(), "the conversation of the client").into());
    }
    let label = context.session_state().get_or_default::<ReadLabel>();
    let mut label = label.0.lock();
    // Calls of several agents of a session run at once: what one of them has read counts for all.
    label.get_or_insert_default().join(&read);
}
