//! The messages of a session, as they are searched and read.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use helve_agent::journal::{Line, Timestamp};
use helve_agent::session::{Entry, TurnRecord, TurnStarted};
use helve_agent::turn::{Purpose, Record};
use helve_core::support::text::first_bytes;
use helve_core::transcript::{ContentBlock, Label, Message, TurnId};
use serde::{Deserialize, Serialize};

/// The longest arguments of a call that are searched and shown, in bytes.
const MAX_ARGUMENTS_BYTES: usize = 2 << 10;

/// The longest text of a message that is searched and shown, in bytes.
const MAX_TEXT_BYTES: usize = 64 << 10;

/// The longest text of a result that is searched and shown, in bytes.
const MAX_RESULT_BYTES: usize = 8 << 10;

/// What a message of a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MessageRole {
    /// A message of the user.
    User,
    /// A reply of the model.
    Assistant,
    /// A call of a tool, or its result.
    Tool,
}

impl MessageRole {
    /// All roles.
    pub const ALL: [Self; 3] = [Self::User, Self::Assistant, Self::Tool];

    /// Returns the name of the role, as it is serialised.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }

    /// Returns the role of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// A message of a session: a prompt, a reply, a call or a result.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SessionMessage {
    /// The number of the entry of the journal that the message is from.
    pub entry: u64,
    /// The turn.
    pub turn: TurnId,
    /// The role.
    pub role: MessageRole,
    /// When the message was recorded.
    pub at: Timestamp,
    /// The text, of which a long one has the beginning.
    pub text: String,
    /// The provenance of the text.
    pub label: Label,
}

/// Reads the messages of the root turns of a session from its entries, in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct MessageReader {
    /// The labels of the open turns.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    labels: BTreeMap<TurnId, Label>,
}

impl MessageReader {
    /// Shortens the labels to one source each.
    pub(crate) fn shorten(&mut self, short: impl Fn(&Label) -> Label) {
        for label in self.labels.values_mut() {
            *label = short(label);
        }
    }

    /// Passes the messages of an entry to a function.
    pub(crate) fn read(&mut self, line: &Line<Entry>, mut see: impl FnMut(SessionMessage)) {
        match &line.entry {
            Entry::TurnStarted(started) if started.parent_call.is_none() => {
                self.labels
                    .insert(started.turn.clone(), started.label.clone());
                for text in prompts(started) {
                    see(message(
                        line,
                        &started.turn,
                        MessageRole::User,
                        text,
                        started.label.clone(),
                    ));
                }
            }
            Entry::Record(recorded) if recorded.parent_call.is_none() => {
                self.read_record(line, recorded, see);
            }
            Entry::TurnEnded(ended) => {
                self.labels.remove(&ended.turn);
            }
            _ => {}
        }
    }

    fn read_record(
        &mut self,
        line: &Line<Entry>,
        recorded: &TurnRecord,
        mut see: impl FnMut(SessionMessage),
    ) {
        let label = self.labels.entry(recorded.turn.clone()).or_default();
        match &recorded.record {
            Record::ModelDone {
                purpose: Purpose::Reply,
                reply,
                ..
            } => {
                let text = reply.message.text();
                if !text.trim().is_empty() {
                    let text = first_bytes(&text, MAX_TEXT_BYTES).to_owned();
                    see(message(
                        line,
                        &recorded.turn,
                        MessageRole::Assistant,
                        text,
                        label.clone(),
                    ));
                }
                for call in reply.message.calls() {
                    let arguments = first_bytes(call.arguments.as_str(), MAX_ARGUMENTS_BYTES);
                    let text = format!("{} {arguments}", call.name);
                    see(message(
                        line,
                        &recorded.turn,
                        MessageRole::Tool,
                        text,
                        label.clone(),
                    ));
                }
            }
            Record::Finished { outcome, .. } => {
                let own = outcome.label();
                label.join(&own);
                let text = blocks_text(&outcome.content, MAX_RESULT_BYTES);
                if !text.trim().is_empty() {
                    see(message(line, &recorded.turn, MessageRole::Tool, text, own));
                }
            }
            _ => {}
        }
    }
}

fn message(
    line: &Line<Entry>,
    turn: &TurnId,
    role: MessageRole,
    text: String,
    label: Label,
) -> SessionMessage {
    SessionMessage {
        entry: line.seq,
        turn: turn.clone(),
        role,
        at: line.at,
        text,
        label,
    }
}

/// Returns the texts of the user with which a turn begins.
fn prompts(started: &TurnStarted) -> impl Iterator<Item = String> {
    let texts = started.prompt.iter().filter_map(|message| match message {
        Message::User { content } => Some(blocks_text(content, MAX_TEXT_BYTES)),
        _ => None,
    });
    texts.filter(|text| !text.trim().is_empty())
}

/// Joins the text of blocks, up to a length.
fn blocks_text(blocks: &[ContentBlock], most: usize) -> String {
    let mut text = String::new();
    for block in blocks {
        let rest = most.saturating_sub(text.len());
        if rest == 0 {
            break;
        }
        let own = block.as_text().unwrap_or_default();
        let line_feed = if text.is_empty() { "" } else { "\n" };
        let _ = write!(text, "{line_feed}{}", first_bytes(own, rest));
    }
    text
}
