//! The conversation that a call is part of, for tools that declare that they read it.

use std::sync::Arc;

use super::ModelRequest;
use super::tier::LoanWithConversation;
use helve_core::capability::{Capability, Refusal};
use helve_core::tool::ToolContext;
use helve_core::transcript::Message;

/// The messages of a conversation up to a call, which cannot be changed.
///
/// They are what the model has read: after a summary, the summary in place of the earlier messages. The system prompt is
/// not among them. The last message is the reply with the call.
#[derive(Debug, Clone)]
pub struct ConversationView(Arc<ModelRequest>);

impl ConversationView {
    /// Returns the messages, the last one last.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.0.messages
    }
}

/// The conversation that a call is part of; implemented for [`ToolContext`], and part of the prelude.
///
/// ```
/// use helve::prelude::*;
/// use helve::transcript::Message;
///
/// /// Counts the messages of the user.
/// #[tool(read_only, requires(conversation))]
/// fn count_prompts(cx: &ToolContext) -> Result<usize, ToolError> {
///     let conversation = cx.conversation()?;
///     let is_prompt = |message: &&Message| matches!(message, Message::User { .. });
///     Ok(conversation.messages().iter().filter(is_prompt).count())
/// }
/// ```
pub trait ReadsConversation {
    /// Returns the conversation up to this call, for a tool that declares `requires(conversation)`.
    ///
    /// # Errors
    ///
    /// When the tool did not declare `conversation`, or no agent makes the call.
    fn conversation(&self) -> Result<ConversationView, Refusal>;
}

impl ReadsConversation for ToolContext {
    fn conversation(&self) -> Result<ConversationView, Refusal> {
        if !self.requirements().conversation {
            return Err(Refusal::not_declared(Capability::Conversation));
        }
        let loan = self.lent_models();
        let loan = loan.and_then(|(loan, _)| loan.downcast::<LoanWithConversation>().ok());
        let missing = || Refusal::not_granted(Capability::Conversation);
        let loan = loan.ok_or_else(missing)?;
        Ok(ConversationView(Arc::clone(&loan.conversation)))
    }
}
