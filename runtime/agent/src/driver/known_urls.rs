//! The URLs of a conversation that a call may access without approval.

use super::state::Driver;
use crate::compaction::SUMMARY_HEADING;
use helve_core::transcript::{AssistantMessage, ContentBlock, Message, NoteSource, ToolCallResult};
use helve_permission::{KnownUrls, collect_strings};
use helve_results::parse_enclosure;

/// The name of the tool that reads on in a spilled page.
const READ_RESULT: &str = "read_result";

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Collects the URLs in the messages of the user and in pages of the network, and those of the latter that this
    /// turn has accessed. The conversation is the only source, so that a process which resumes the turn finds the same
    /// URLs.
    pub(super) fn known_urls(&self) -> KnownUrls {
        let facts = self.turn.retained_facts();
        let followed = facts.map_or(0, |facts| facts.followed_urls);
        let mut known = KnownUrls::default().with_followed(followed);
        let messages = &self.request.messages;
        let is_users = |message: &Message| matches!(message, Message::User { .. });
        let begun = messages.iter().rposition(is_users);
        let mut written = String::new();
        let mut calls: Option<&AssistantMessage> = None;
        for message in messages {
            match message {
                // The author of the task of a delegate is an agent.
                Message::User { content } if self.origin().parent_call.is_none() => {
                    let texts = content.iter().filter_map(ContentBlock::as_text);
                    texts
                        .filter(|text| !text.starts_with(SUMMARY_HEADING))
                        .for_each(|text| known.add_user_text(text));
                }
                Message::Assistant(reply) => {
                    written.push_str(&reply.text());
                    for call in reply.calls() {
                        written.push_str(&call.arguments);
                    }
                    calls = Some(reply);
                }
                Message::Tool { content } => {
                    for result in content.iter().filter(|result| !result.is_error) {
                        self.find_urls(result, calls, written.len(), &mut known);
                    }
                }
                Message::Note(note) if note.source == NoteSource::User => {
                    known.add_user_text(&note.text);
                }
                Message::User { .. } | Message::System { .. } | Message::Note(_) => {}
            }
        }
        for message in &messages[begun.unwrap_or_default()..] {
            if let Message::Assistant(reply) = message {
                add_followed_urls(reply, &written, &mut known);
            }
        }
        known
    }

    fn find_urls(
        &self,
        result: &ToolCallResult,
        calls: Option<&AssistantMessage>,
        written: usize,
        known: &mut KnownUrls,
    ) {
        let call = calls.and_then(|reply| reply.calls().find(|call| call.id == result.call_id));
        let Some(call) = call else { return };
        for text in result.content.iter().filter_map(ContentBlock::as_text) {
            let tool = match parse_enclosure(text) {
                Some(source) if call.name == READ_RESULT => source.tool,
                _ => call.name.clone(),
            };
            if self.is_page(&tool) {
                known.add_page(text, written);
            }
        }
    }

    /// Reports whether the text that a tool returns is a page of the network. The output of commands of the session and
    /// of servers does not count, because the model writes to both and could compose a URL there.
    fn is_page(&self, tool: &str) -> bool {
        let Some(tool) = self.tools.visible.find_any(tool) else {
            return false;
        };
        let spec = tool.spec();
        let is_server = matches!(spec.origin, helve_core::tool::ToolOrigin::Server { .. });
        spec.untrusted_output && !spec.requires.process && !is_server
    }
}

fn add_followed_urls(reply: &AssistantMessage, written: &str, known: &mut KnownUrls) {
    for call in reply.calls() {
        let Ok(arguments) = serde_json::from_str(&call.arguments) else {
            continue;
        };
        for text in collect_strings(&arguments) {
            known.add_followed(&text, written);
        }
    }
}
