//! What an agent sees of the conversation that it takes over.

use serde::{Deserialize, Serialize};

use crate::journal::is_default;
use helve_core::transcript::{
    AgentId, AssistantMessage, ContentBlock, Message, MessagePart, Note, NoteSource, ToolCall,
    ToolCallResult, ToolName,
};

/// What an agent sees of the conversation that another agent hands off to it, besides the brief.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HandOffView {
    /// What the user said, the notes, and the last text of the other agent.
    #[default]
    Brief,
    /// Everything. A call of a tool that the agent does not have is rendered as a note, so that the agent does not repeat it.
    Whole,
    /// Nothing.
    None,
}

/// The conversation with which a turn begins after a hand-off. The journal keeps the whole conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TakenOver {
    /// The agent that handed off.
    pub from: AgentId,
    /// What the agent of the turn sees.
    #[serde(default, skip_serializing_if = "is_default")]
    pub view: HandOffView,
    /// The tools with calls in the conversation that the agent of the turn does not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<ToolName>,
}

impl TakenOver {
    /// Determines what an agent with the given tools sees of a conversation.
    pub(crate) fn new(
        from: AgentId,
        view: HandOffView,
        messages: &[Message],
        has: impl Fn(&str) -> bool,
    ) -> Self {
        let mut lacks: Vec<ToolName> = Vec::new();
        if view == HandOffView::Whole {
            let calls = messages.iter().filter_map(|message| match message {
                Message::Assistant(reply) => Some(reply.calls()),
                _ => None,
            });
            for call in calls.flatten() {
                if !has(&call.name) && !lacks.contains(&call.name) {
                    lacks.push(call.name.clone());
                }
            }
        }
        Self { from, view, lacks }
    }

    /// Returns what the agent sees of a conversation.
    pub(crate) fn messages(&self, before: Vec<Message>) -> Vec<Message> {
        match self.view {
            HandOffView::None => Vec::new(),
            HandOffView::Brief => {
                let is_said =
                    |message: &Message| matches!(message, Message::User { .. } | Message::Note(_));
                before.into_iter().filter(is_said).collect()
            }
            HandOffView::Whole => self.without_foreign_calls(before),
        }
    }

    /// Replaces the calls of tools that the agent does not have by notes, each after the results of its reply.
    fn without_foreign_calls(&self, before: Vec<Message>) -> Vec<Message> {
        let mut seen = Vec::with_capacity(before.len());
        let mut foreign: Vec<ToolCall> = Vec::new();
        for message in before {
            match message {
                Message::Assistant(reply) => {
                    let (reply, taken) = self.split_reply(reply);
                    foreign = taken;
                    if !reply.content.is_empty() {
                        seen.push(Message::Assistant(reply));
                    }
                }
                Message::Tool { content } => {
                    let is_foreign = |result: &ToolCallResult| {
                        foreign.iter().any(|call| call.id == result.call_id)
                    };
                    let (results, own): (Vec<_>, Vec<_>) =
                        content.into_iter().partition(is_foreign);
                    if !own.is_empty() {
                        seen.push(Message::Tool { content: own });
                    }
                    let notes = foreign.drain(..).map(|call| {
                        let result = results.iter().find(|result| result.call_id == call.id);
                        Message::from(self.call_note(&call, result))
                    });
                    seen.extend(notes);
                }
                other => seen.push(other),
            }
        }
        seen
    }

    /// Takes the calls of tools that the agent does not have out of a reply. What the provider ties to the calls goes with
    /// them.
    fn split_reply(&self, mut reply: AssistantMessage) -> (AssistantMessage, Vec<ToolCall>) {
        let lacks = |call: &&ToolCall| self.lacks.contains(&call.name);
        let taken: Vec<ToolCall> = reply.calls().filter(lacks).cloned().collect();
        if !taken.is_empty() {
            reply.content.retain(|part| match part {
                MessagePart::Text { .. } => true,
                MessagePart::ToolCall(call) => !lacks(&call),
                _ => false,
            });
        }
        (reply, taken)
    }

    fn call_note(&self, call: &ToolCall, result: Option<&ToolCallResult>) -> Note {
        let texts = result.into_iter().flat_map(|result| result.content.iter());
        let texts: Vec<&str> = texts.filter_map(ContentBlock::as_text).collect();
        let text = format!(
            "Called the tool `{}` with {}. The result was:\n{}",
            call.name,
            &*call.arguments,
            texts.join("\n")
        );
        Note::new(NoteSource::Agent, call.id.to_string(), text).with_name(self.from.as_str())
    }
}
