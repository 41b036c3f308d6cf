//! Assembles the events of a reply to a message.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::reply_size::ReplySize;
use super::{ModelError, ModelEvent, StopReason};
use helve_core::transcript::{
    ArgumentsDefect, AssistantMessage, CallId, MessagePart, ReplySource, ToolCall, Usage,
};

/// The greatest number of parts of a reply: texts, thinking, calls and items.
const MAX_PARTS: usize = 16_384;

/// A complete reply of a model.
///
/// ```
/// use helve::model::{Reply, StopReason};
///
/// let reply = Reply::from("Adding.").with_call("c1", "add", &helve::json!({ "a": 2, "b": 3 }));
/// assert_eq!(reply.message.text(), "Adding.");
/// assert_eq!(reply.stop, StopReason::ToolUse);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The message.
    pub message: AssistantMessage,
    /// The reason why the reply ended.
    pub stop: StopReason,
    /// The token usage.
    #[serde(default)]
    pub usage: Usage,
}

/// Assembles the events of a reply to a message.
///
/// The arguments of a call are kept as received: if they are truncated or not JSON, the call's
/// [`arguments_defect`](ToolCall::defect) is set, and no value is substituted.
///
/// ```
/// use helve::model::{Assembler, ModelEvent, StopReason};
/// use helve::transcript::ArgumentsDefect;
///
/// let mut assembler = Assembler::new();
/// assembler.push(ModelEvent::ToolCallStart { id: "c1".into(), name: "write".into() })?;
/// assembler.push(ModelEvent::ToolCallDelta { id: "c1".into(), arguments: r#"{"path":"a.t"#.into() })?;
/// assembler.push(ModelEvent::Stop { reason: StopReason::MaxTokens })?;
///
/// let reply = assembler.finish()?;
/// let call = reply.message.calls().next().expect("a call");
/// assert_eq!(call.arguments, r#"{"path":"a.t"#);
/// assert_eq!(call.defect, Some(ArgumentsDefect::Truncated));
/// # Ok::<(), helve::model::ModelError>(())
/// ```
#[derive(Debug, Default)]
pub struct Assembler {
    source: Option<Box<ReplySource>>,
    parts: Vec<PartBuilder>,
    stop: Option<StopReason>,
    usage: Usage,
    size: ReplySize,
}

/// A part that may receive more deltas.
#[derive(Debug)]
enum PartBuilder {
    /// A call, and the text of its arguments so far.
    Call(ToolCall, String),
    Other(MessagePart),
}

impl Assembler {
    /// Creates an assembler without events.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Processes the next event.
    ///
    /// # Errors
    /// [`ModelError::Malformed`] if the event cannot follow the previous events, or if the reply exceeds the size
    /// limit.
    pub fn push(&mut self, event: ModelEvent) -> Result<(), ModelError> {
        // Some providers send the usage after the end; no other event may follow.
        if self.stop.is_some() && !matches!(event, ModelEvent::Usage(_)) {
            return Err(ModelError::malformed("an event came after the stop event"));
        }
        self.size.add(&event)?;
        if self.parts.len() > MAX_PARTS {
            let what = format!("it has more than {MAX_PARTS} parts");
            return Err(ModelError::Malformed(what));
        }
        match event {
            ModelEvent::ReplyStarted(source) => self.source = Some(Box::new(source)),
            ModelEvent::Retry(_) => *self = Self::default(),
            ModelEvent::ProviderItem { api, item } => {
                self.push_part(MessagePart::ProviderItem { api, item });
            }
            ModelEvent::TextDelta { text } => self.push_text(text),
            ModelEvent::ThinkingDelta { text } => self.push_thinking(text),
            ModelEvent::ThinkingSignature { signature } => self.push_signature(signature),
            ModelEvent::ToolCallStart { id, name } => {
                if self.find_call(&id).is_some() {
                    let what = format!("two calls have the id `{id}`");
                    return Err(ModelError::Malformed(what));
                }
                let call = ToolCall::new(id, name, "");
                self.parts.push(PartBuilder::Call(call, String::new()));
            }
            ModelEvent::ToolCallDelta { id, arguments } => {
                self.begun_call("arguments", &id)?.1.push_str(&arguments);
            }
            ModelEvent::ToolCallSignature { id, signature } => {
                self.begun_call("a proof", &id)?.0.signature = Some(signature);
            }
            ModelEvent::Usage(usage) => self.usage = usage,
            ModelEvent::Stop { reason } => self.stop = Some(reason),
        }
        Ok(())
    }

    /// Returns the reply.
    ///
    /// # Errors
    /// [`ModelError::UnexpectedEnd`] if there was no stop event.
    pub fn finish(self) -> Result<Reply, ModelError> {
        let stop = self.stop.ok_or(ModelError::UnexpectedEnd)?;
        Ok(self.into_reply(stop))
    }

    /// Returns a reply of the events so far, for a reply that the caller has cancelled.
    #[must_use]
    pub fn cancel(self) -> Reply {
        let stop = self.stop.unwrap_or(StopReason::Cancelled);
        self.into_reply(stop)
    }

    fn push_part(&mut self, part: MessagePart) {
        self.parts.push(PartBuilder::Other(part));
    }

    fn push_text(&mut self, more: String) {
        match self.parts.last_mut() {
            Some(PartBuilder::Other(MessagePart::Text { text })) => text.push_str(&more),
            _ if more.is_empty() => {}
            _ => self.push_part(MessagePart::Text { text: more }),
        }
    }

    /// Returns the thinking at the end, if it has no signature yet.
    fn open_thinking(&mut self) -> Option<(&mut String, &mut Option<String>)> {
        match self.parts.last_mut() {
            Some(PartBuilder::Other(MessagePart::Thinking { text, signature }))
                if signature.is_none() =>
            {
                Some((text, signature))
            }
            _ => None,
        }
    }

    fn push_thinking(&mut self, text: String) {
        if let Some((open, _)) = self.open_thinking() {
            open.push_str(&text);
        } else if !text.is_empty() {
            let signature = None;
            self.push_part(MessagePart::Thinking { text, signature });
        }
    }

    fn push_signature(&mut self, proof: String) {
        if let Some((_, signature)) = self.open_thinking() {
            *signature = Some(proof);
            return;
        }
        // A signature without visible thinking, for a provider that does not return the text.
        self.push_part(MessagePart::Thinking {
            text: String::new(),
            signature: Some(proof),
        });
    }

    /// Finds a call, from the end: deltas are almost always of the last call.
    fn find_call(&mut self, id: &CallId) -> Option<(&mut ToolCall, &mut String)> {
        self.parts.iter_mut().rev().find_map(|part| match part {
            PartBuilder::Call(call, arguments) if call.id == *id => Some((call, arguments)),
            _ => None,
        })
    }

    /// Finds the started call that an event belongs to.
    fn begun_call(
        &mut self,
        what: &str,
        id: &CallId,
    ) -> Result<(&mut ToolCall, &mut String), ModelError> {
        self.find_call(id).ok_or_else(|| {
            ModelError::malformed(format!(
                "{what} came for the call `{id}`, which never began"
            ))
        })
    }

    fn into_reply(self, stop: StopReason) -> Reply {
        let parts = self.parts.into_iter().map(|part| match part {
            PartBuilder::Call(mut call, arguments) => {
                call.defect = arguments_defect(&arguments, stop);
                call.arguments = arguments.into();
                MessagePart::ToolCall(call)
            }
            PartBuilder::Other(part) => part,
        });
        let mut message = AssistantMessage::new(parts.collect());
        message.source = self.source;
        Reply {
            message,
            stop,
            usage: self.usage,
        }
    }
}

/// Returns the defect of a call's arguments.
///
/// A provider's "this call is complete" is not reliable: some providers send it although the output limit truncated
/// the call. The text is reliable: a complete JSON object cannot be the prefix of a longer one.
fn arguments_defect(arguments: &str, stop: StopReason) -> Option<ArgumentsDefect> {
    let cut = matches!(
        stop,
        StopReason::MaxTokens
            | StopReason::ContextWindow
            | StopReason::Cancelled
            | StopReason::Refusal
    );
    // Several providers send no text for a call without arguments; a truncated reply is the exception.
    if arguments.is_empty() {
        return cut.then_some(ArgumentsDefect::Truncated);
    }
    let error = serde_json::from_str::<IgnoredAny>(arguments).err()?;
    Some(match cut || error.is_eof() {
        true => ArgumentsDefect::Truncated,
        false => ArgumentsDefect::Invalid {
            error: error.to_string(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assemble(events: Vec<ModelEvent>) -> Result<Reply, ModelError> {
        let mut assembler = Assembler::new();
        for event in events {
            assembler.push(event)?;
        }
        assembler.finish()
    }

    fn start(id: &str, name: &str) -> ModelEvent {
        ModelEvent::call(&id.into(), name)
    }

    fn delta(id: &str, text: &str) -> ModelEvent {
        ModelEvent::arguments(&id.into(), text)
    }

    fn call(arguments: &str, stop: StopReason) -> ToolCall {
        let stop = ModelEvent::stop(stop);
        let reply = assemble(vec![start("a", "t"), delta("a", arguments), stop]);
        reply.unwrap().message.calls().next().unwrap().clone()
    }

    #[test]
    fn interleaved_calls_keep_their_own_text() {
        let text = "So: ".to_owned();
        let reply = assemble(vec![
            ModelEvent::TextDelta { text },
            start("a", "x"),
            start("b", "y"),
            delta("a", "{\"n\""),
            delta("b", "{}"),
            delta("a", ":1}"),
            ModelEvent::stop(StopReason::ToolUse),
            ModelEvent::Usage(Usage::new(3, 4)),
        ]);
        let reply = reply.unwrap();
        let texts: Vec<_> = reply
            .message
            .calls()
            .map(|call| call.arguments.as_str())
            .collect();
        assert_eq!(texts, ["{\"n\":1}", "{}"]);
        assert_eq!(reply.message.text(), "So: ");
        assert_eq!(reply.usage, Usage::new(3, 4));
    }

    #[test]
    fn arguments_are_reported_and_never_invented() {
        let truncated = Some(ArgumentsDefect::Truncated);
        assert_eq!(call("{\"a\":1}", StopReason::MaxTokens).defect, None);
        assert_eq!(call("{\"a\":", StopReason::MaxTokens).defect, truncated);
        assert_eq!(call("{\"a\":", StopReason::ToolUse).defect, truncated);
        assert_eq!(call("", StopReason::MaxTokens).defect, truncated);
        assert_eq!(call("", StopReason::ToolUse).defect, None);
        assert_eq!(call("", StopReason::ToolUse).arguments, "");
        let broken = call("{a:1}", StopReason::ToolUse);
        assert!(
            matches!(broken.defect, Some(ArgumentsDefect::Invalid { .. })),
            "{broken:?}"
        );
        assert_eq!(broken.arguments, "{a:1}");
    }

    #[test]
    fn thinking_keeps_its_signatures_apart() {
        let thinking = |text: &str| ModelEvent::ThinkingDelta { text: text.into() };
        let signature = |text: &str| ModelEvent::ThinkingSignature {
            signature: text.into(),
        };
        let reply = assemble(vec![
            thinking("a"),
            thinking("b"),
            signature("1"),
            thinking("c"),
            signature("2"),
            signature("hidden"),
            ModelEvent::stop(StopReason::EndTurn),
        ]);
        let part = |text: &str, signature: &str| MessagePart::Thinking {
            text: text.into(),
            signature: Some(signature.into()),
        };
        assert_eq!(
            reply.unwrap().message.content,
            [part("ab", "1"), part("c", "2"), part("", "hidden")]
        );
    }

    #[test]
    fn contradictions_are_errors() {
        let stop = || ModelEvent::stop(StopReason::EndTurn);
        let start = || start("a", "t");
        let message = |events| assemble(events).unwrap_err().to_string();
        assert!(message(vec![start(), start()]).contains("two calls have the id `a`"));
        assert!(message(vec![start(), delta("b", "{}")]).contains("`b`, which never began"));
        assert!(message(vec![stop(), start()]).contains("after the stop event"));
        assert!(message(vec![start()]).contains("without a stop event"));
    }
}
