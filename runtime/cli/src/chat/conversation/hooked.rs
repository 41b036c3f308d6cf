//! The hooks of the messages and of the session of a chat.

use super::Chat;
use crate::{hooks, memory};
use helve_agent::Conversation;
use helve_core::transcript::Message;
use helve_terminal::output;

impl Chat<'_> {
    /// Runs the turn of a message, unless a hook blocks the message.
    pub(super) async fn send_message(&mut self, conversation: Conversation, message: Message) {
        self.start_session(&conversation).await;
        match hooks::submit(self.app, &message, &self.options.notes).await {
            Ok(()) => {
                let session = conversation.session();
                let (id, is_new) = (Some(session.id()), session.state().turns == 0);
                let agent = self.options.agent_of_message(Some(&conversation));
                let notes = &self.options.notes;
                memory::recall(self.app, &agent, &message, id, is_new, notes).await;
                self.run_turn(conversation, Some(message)).await;
            }
            Err(why) => {
                self.conversation = Some(conversation);
                output::note(&why);
            }
        }
    }

    /// Runs the hooks of a session that begins or continues with its first message here.
    async fn start_session(&mut self, conversation: &Conversation) {
        let session = conversation.session().id().clone();
        if self.hooked_session.as_ref() == Some(&session) {
            return;
        }
        let source = match (&self.hooked_session, conversation.session().state().turns) {
            (Some(_), _) => "clear",
            (None, 0) => "startup",
            (None, _) => "resume",
        };
        let notes = &self.options.notes;
        hooks::session_started(self.app, source, Some(&session), notes).await;
        self.hooked_session = Some(session);
    }

    /// Runs the hooks of the end of the session.
    pub(super) async fn end_session(&self) {
        if self.hooked_session.is_some() {
            hooks::session_ended(self.app, "prompt_input_exit").await;
        }
    }
}
