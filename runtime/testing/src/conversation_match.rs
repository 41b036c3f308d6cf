//! What messages and requests should be.

use helve_core::transcript::{ContentBlock, Message};
use helve_model::ModelRequest;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::text_match::TextMatch;

/// What a message should be. In JSON, a string is the role alone.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct MessageMatch {
    /// The role: `user`, `assistant`, `tool`, `note` or `system`.
    pub role: String,
    /// The text; of results, the texts of all, in lines.
    pub text: Option<TextMatch>,
    /// The tools that the message calls.
    pub calls: Option<Vec<String>>,
    /// The name of the author of a note.
    pub name: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageFields {
    role: String,
    text: Option<TextMatch>,
    calls: Option<Vec<String>>,
    name: Option<String>,
}

impl<'de> Deserialize<'de> for MessageMatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if let Value::String(role) = value {
            return Ok(Self {
                role,
                ..Self::default()
            });
        }
        let MessageFields {
            role,
            text,
            calls,
            name,
        } = MessageFields::deserialize(value).map_err(serde::de::Error::custom)?;
        Ok(Self {
            role,
            text,
            calls,
            name,
        })
    }
}

impl MessageMatch {
    fn difference(&self, message: &Message) -> Option<String> {
        let role = role_of(message);
        if role != self.role {
            return Some(format!("the role is `{role}`, not `{}`", self.role));
        }
        let text = self.text.as_ref();
        if let Some(Err(difference)) = text.map(|text| text.check(&message_text(message))) {
            return Some(difference);
        }
        if let Some(expected) = &self.calls {
            let calls: Vec<&str> = match message {
                Message::Assistant(reply) => reply.calls().map(|call| &*call.name).collect(),
                _ => Vec::new(),
            };
            if calls != *expected {
                return Some(format!("it calls {calls:?}, not {expected:?}"));
            }
        }
        match (&self.name, message) {
            (Some(name), Message::Note(note)) if note.name != *name => Some(format!(
                "the author of the note is `{}`, not `{name}`",
                note.name
            )),
            _ => None,
        }
    }
}

fn role_of(message: &Message) -> &'static str {
    match message {
        Message::System { .. } => "system",
        Message::User { .. } => "user",
        Message::Assistant(_) => "assistant",
        Message::Tool { .. } => "tool",
        Message::Note(_) => "note",
    }
}

/// Returns the text of content.
pub(crate) fn content_text(content: &[ContentBlock]) -> String {
    let texts: Vec<&str> = content.iter().filter_map(ContentBlock::as_text).collect();
    texts.join("\n")
}

/// Returns the text of a message.
pub(crate) fn message_text(message: &Message) -> String {
    match message {
        Message::System { content } | Message::User { content } => content_text(content),
        Message::Assistant(reply) => reply.text(),
        Message::Tool { content } => {
            let results = content.iter().map(|result| content_text(&result.content));
            results.collect::<Vec<_>>().join("\n")
        }
        Message::Note(note) => note.text.clone(),
    }
}

/// Returns a message in one line.
pub(crate) fn describe_message(message: &Message) -> String {
    let calls: Vec<String> = match message {
        Message::Assistant(reply) => reply.calls().map(|call| call.name.to_string()).collect(),
        _ => Vec::new(),
    };
    let calls = match calls.is_empty() {
        true => String::new(),
        false => format!(" [{}]", calls.join(", ")),
    };
    format!("{}: {}{calls}", role_of(message), message_text(message))
}

/// Compares messages one by one.
pub(crate) fn check_messages(expected: &[MessageMatch], messages: &[Message]) -> Vec<String> {
    let mut failures = Vec::new();
    if expected.len() != messages.len() {
        let found: Vec<String> = messages.iter().map(describe_message).collect();
        failures.push(format!(
            "there are {} messages, not {}: {found:?}",
            messages.len(),
            expected.len()
        ));
    }
    for (number, (expected, message)) in (1..).zip(expected.iter().zip(messages)) {
        if let Some(difference) = expected.difference(message) {
            failures.push(format!("message {number}: {difference}"));
        }
    }
    failures
}

/// What a request to a model should be.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RequestMatch {
    /// The name of the model; by default that of the agent of the case.
    pub model: Option<String>,
    /// The number of the request to this model, from 1.
    pub number: usize,
    /// The instructions.
    pub system: Option<TextMatch>,
    /// The texts of all messages, in lines.
    pub text: Option<TextMatch>,
    /// All messages.
    pub messages: Option<Vec<MessageMatch>>,
    /// The last messages.
    pub last: Option<Vec<MessageMatch>>,
    /// The names of all tools, sorted.
    pub tools: Option<Vec<String>>,
    /// Tools that the model sees, among others.
    #[serde(default)]
    pub has_tools: Vec<String>,
    /// Tools that the model does not see.
    #[serde(default)]
    pub lacks_tools: Vec<String>,
}

impl RequestMatch {
    pub(crate) fn check(&self, requests: &[ModelRequest]) -> Vec<String> {
        let index = self.number.checked_sub(1);
        let Some(request) = index.and_then(|index| requests.get(index)) else {
            return vec![format!("there are {} requests", requests.len())];
        };
        let mut failures = Vec::new();
        if let Some(system) = &self.system {
            let found = request.system.as_deref().unwrap_or_default();
            failures.extend(system.check(found).err());
        }
        if let Some(text) = &self.text {
            let texts: Vec<String> = request.messages.iter().map(message_text).collect();
            failures.extend(text.check(&texts.join("\n")).err());
        }
        if let Some(messages) = &self.messages {
            failures.extend(check_messages(messages, &request.messages));
        }
        if let Some(last) = &self.last {
            let skipped = request.messages.len().saturating_sub(last.len());
            failures.extend(check_messages(last, &request.messages[skipped..]));
        }
        failures.extend(self.check_tools(request));
        failures
    }

    fn check_tools(&self, request: &ModelRequest) -> Vec<String> {
        let mut tools: Vec<&str> = request.tools.iter().map(|tool| &*tool.name).collect();
        tools.sort_unstable();
        let mut failures = Vec::new();
        if let Some(expected) = self.tools.as_ref().filter(|expected| **expected != tools) {
            failures.push(format!("the tools are {tools:?}, not {expected:?}"));
        }
        for name in &self.has_tools {
            if !tools.contains(&&**name) {
                failures.push(format!("the tool `{name}` is not offered"));
            }
        }
        for name in &self.lacks_tools {
            if tools.contains(&&**name) {
                failures.push(format!("the tool `{name}` is offered"));
            }
        }
        failures
    }
}
