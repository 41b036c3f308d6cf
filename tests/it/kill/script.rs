//! A model that knows what to say from what was said: another process of it goes on with the script.

use std::sync::Arc;

use futures_core::stream::BoxStream;
use futures_util::StreamExt;
use futures_util::stream;
use helve::model::{Model, ModelError, ModelEvent, ModelRequest, StopReason};
use helve::transcript::{AssistantMessage, Message, MessagePart, ToolCall};
use serde_json::json;

use crate::kill::crash_point::{CrashInjector, CrashPoint};
use crate::kill::verify;

/// How many turns a session has.
pub(crate) const TURNS: u64 = 20;

/// What an agent says in a session of a seed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Script {
    pub(crate) seed: u64,
    /// Whether it is the one that others hand tasks to.
    pub(crate) is_helper: bool,
}

impl Script {
    pub(crate) fn prompt(turn: u64) -> Message {
        Message::user(format!("Do number {turn}."))
    }

    /// Returns what is said in a round of a turn: calls, and words at the end.
    pub(crate) fn reply(self, turn: u64, round: u64) -> AssistantMessage {
        let text = |text: String| MessagePart::Text { text };
        let mut content = Vec::new();
        if round > self.rounds(turn) {
            content.push(text(format!("Number {turn} is done.")));
        } else {
            content.push(text(format!("Number {turn}, part {round}: ")));
            let calls = 1 + self.chance(turn, round, 0) % 3;
            content.extend((0..calls).map(|index| self.call(turn, round, index)));
        }
        AssistantMessage::new(content)
    }

    pub(crate) fn rounds(self, turn: u64) -> u64 {
        match self.is_helper {
            true => 1,
            false => 1 + self.chance(turn, 0, 0) % 3,
        }
    }

    fn call(self, turn: u64, round: u64, index: u64) -> MessagePart {
        let label = format!("{turn}.{round}.{index}");
        let (tool, arguments) = match self.chance(turn, round, index + 1) % 8 {
            0 if !self.is_helper => {
                let task = format!("Do number {}.", turn * 100 + round * 10 + index);
                ("task", json!({ "agent": "helper", "prompt": task }))
            }
            0..=2 => ("pay", json!({ "what": label })),
            3..=5 => ("put", json!({ "what": label })),
            _ => ("look", json!({ "what": label })),
        };
        MessagePart::ToolCall(ToolCall::new(label, tool, arguments.to_string()))
    }

    fn chance(self, turn: u64, round: u64, index: u64) -> u64 {
        let place = (turn << 20) ^ (round << 10) ^ index;
        mix_seed(self.seed ^ mix_seed(place ^ u64::from(self.is_helper)))
    }
}

/// Returns a number that looks like chance: the finaliser of SplitMix64.
pub(crate) fn mix_seed(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The model of a script, which dies in a reply where it has to.
#[derive(Debug, Clone)]
pub(crate) struct CrashingModel {
    pub(crate) script: Script,
    pub(crate) trap: Arc<CrashInjector>,
}

impl Model for CrashingModel {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxStream<'a, Result<ModelEvent, ModelError>> {
        let messages = &request.messages;
        verify::assert_one_result_per_call(messages);
        let is_prompt = |message: &Message| matches!(message, Message::User { .. });
        let last = messages.iter().rposition(is_prompt).expect("a prompt");
        let turn = number(&messages[last]);
        // What the guard adds to the prompt is no part of the script.
        let is_note = |message: &&Message| matches!(message, Message::Note(_));
        let notes = messages[last..].iter().filter(is_note).count();
        let round = (messages.len() - last - notes).div_ceil(2) as u64;
        let events = events(self.script.reply(turn, round));
        let passing = events.into_iter().map(|event| {
            self.trap.pass(CrashPoint::Streaming);
            Ok(event)
        });
        stream::iter(passing).boxed()
    }
}

/// Reads the number that a prompt is about.
fn number(prompt: &Message) -> u64 {
    let Message::User { content } = prompt else {
        panic!("it is no prompt");
    };
    let words = content[0].as_text().expect("a text");
    let digits: String = words.chars().filter(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

/// Takes a reply apart, as a provider streams it.
fn events(reply: AssistantMessage) -> Vec<ModelEvent> {
    let mut events = Vec::new();
    let mut reason = StopReason::EndTurn;
    for part in reply.content {
        match part {
            MessagePart::Text { text } => {
                let (one, other) = text.split_at(text.len() / 2);
                events.extend([one, other].map(|text| ModelEvent::TextDelta { text: text.into() }));
            }
            MessagePart::ToolCall(ToolCall {
                id,
                name,
                arguments,
                ..
            }) => {
                reason = StopReason::ToolUse;
                events.push(ModelEvent::ToolCallStart {
                    id: id.clone(),
                    name,
                });
                let arguments = arguments.to_string();
                events.push(ModelEvent::ToolCallDelta { id, arguments });
            }
            other => panic!("the script has no {other:?}"),
        }
    }
    events.push(ModelEvent::Stop { reason });
    events
}
