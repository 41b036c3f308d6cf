//! Reads a reply.

use serde_json::Value;

use super::calls::CallAccumulator;
use super::chunk::{self, Chunk, ContentDelta};
use super::extras::ReasoningExtras;
use super::{stop, usage};
use crate::api::OPENAI_CHAT;
use crate::http::{Decoder, ResponseHead, SseEvent};
use crate::openai::{error, json};
use crate::{ApiError, ModelError, ModelEvent, StopReason};
use helve_core::transcript::{ReplySource, Usage};

/// Reads a reply of Chat Completions, streamed or whole.
///
/// Servers send the usage before the end, with it or after it, and some end without `[DONE]`; so the end is only
/// emitted when nothing more comes.
#[derive(Debug)]
pub(super) struct ChatDecoder {
    provider: String,
    source: ReplySource,
    has_started: bool,
    is_finished: bool,
    /// Whether a piece of the reply came, so that a message that holds all of it says nothing new.
    has_content: bool,
    refused: bool,
    finish_reason: Option<String>,
    usage: Option<Usage>,
    calls: CallAccumulator,
    extras: ReasoningExtras,
}

impl ChatDecoder {
    pub(super) fn new(provider: &str, model: &str) -> Self {
        Self {
            provider: provider.to_owned(),
            source: ReplySource::new(OPENAI_CHAT, provider, model),
            has_started: false,
            is_finished: false,
            has_content: false,
            refused: false,
            finish_reason: None,
            usage: None,
            calls: CallAccumulator::default(),
            extras: ReasoningExtras::default(),
        }
    }

    fn push_chunk(&mut self, root: &Value, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if let Some(error) = error::find_error(root) {
            return Err(error::stream_error(&self.provider, error));
        }
        let chunk = Chunk::new(root);
        if let Some(error) = chunk.error() {
            return Err(error::stream_error(&self.provider, error));
        }
        self.update_source(root);
        let message = || chunk.message().filter(|_| !self.has_content);
        if let Some(delta) = chunk.delta().or_else(message) {
            self.start_reply(out);
            self.push_delta(delta, out)?;
        }
        if let Some(usage) = chunk.usage().and_then(usage::parse_usage) {
            self.usage = Some(usage);
        }
        if let Some(word) = chunk.finish_reason() {
            self.start_reply(out);
            self.finish_reason = Some(word.to_owned());
        }
        Ok(())
    }

    /// Takes the id and the model, which some servers leave empty at first.
    fn update_source(&mut self, root: &Value) {
        if self.has_started {
            return;
        }
        if let Some(id) = json::text(root, "id") {
            self.source.id.get_or_insert_with(|| id.to_owned());
        }
        if let Some(model) = json::text(root, "model") {
            model.clone_into(&mut self.source.model);
        }
    }

    fn start_reply(&mut self, out: &mut Vec<ModelEvent>) {
        if !self.has_started {
            self.has_started = true;
            out.push(ModelEvent::ReplyStarted(self.source.clone()));
        }
    }

    fn push_delta(&mut self, delta: &Value, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let before = out.len();
        let text = |text: &str| text.to_owned();
        if let Some(thinking) = chunk::parse_thinking(delta) {
            let text = thinking.into_owned();
            out.push(ModelEvent::ThinkingDelta { text });
        }
        for piece in chunk::parse_content(delta) {
            match piece {
                ContentDelta::Text("") | ContentDelta::Thinking("") => {}
                ContentDelta::Text(piece) => out.push(ModelEvent::TextDelta { text: text(piece) }),
                ContentDelta::Thinking(piece) => {
                    out.push(ModelEvent::ThinkingDelta { text: text(piece) })
                }
            }
        }
        if let Some(refusal) = json::text(delta, "refusal") {
            self.refused = true;
            let text = text(refusal);
            out.push(ModelEvent::TextDelta { text });
        }
        self.extras.push_delta(delta);
        self.calls
            .push_delta(delta, self.source.id.as_deref(), out)?;
        self.has_content |= out.len() > before;
        Ok(())
    }

    /// Ends the reply. `said` is whether the server said so itself.
    fn finish_reply(&mut self, said: bool, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        self.is_finished = true;
        let reason = match self.finish_reason.take() {
            Some(word) => stop::parse_finish_reason(&word, self.calls.has_any(), &self.provider),
            // A reply of which something came, and which the server calls done.
            None if said && self.has_content => {
                stop::parse_finish_reason("stop", self.calls.has_any(), &self.provider)
            }
            None => Err(ModelError::UnexpectedEnd),
        };
        out.extend(std::mem::take(&mut self.extras).into_event());
        out.extend(self.usage.take().map(ModelEvent::Usage));
        let reason = reason?;
        // A turn that went on without it would look finished with its call left undone.
        if self.calls.has_nameless() && matches!(reason, StopReason::ToolUse | StopReason::EndTurn)
        {
            return Err(error::malformed("a tool call has no name"));
        }
        let reason = match reason {
            StopReason::EndTurn if self.refused => StopReason::Refusal,
            reason => reason,
        };
        out.push(ModelEvent::Stop { reason });
        Ok(())
    }
}

impl Decoder for ChatDecoder {
    fn decode_event(
        &mut self,
        event: &SseEvent,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        if self.is_finished {
            return Ok(());
        }
        if event.data.trim() == "[DONE]" {
            return self.finish_reply(true, out);
        }
        let root = error::parse(&event.data)?;
        if event.name.as_deref() == Some("error") {
            return Err(error::stream_error(&self.provider, &root));
        }
        self.push_chunk(&root, out)
    }

    fn decode_body(&mut self, body: &[u8], out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let root: Value = serde_json::from_slice(body)
            .map_err(|error| error::malformed(format!("the body is not valid JSON: {error}")))?;
        // Gemini wraps an error into a list.
        let root = root.get(0).unwrap_or(&root);
        self.push_chunk(root, out)?;
        match self.has_started {
            true => self.finish_reply(true, out),
            false => Err(error::malformed("it holds no choices")),
        }
    }

    fn finish(&mut self, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        match self.is_finished {
            true => Ok(()),
            false => self.finish_reply(false, out),
        }
    }

    fn is_finished(&self) -> bool {
        self.is_finished
    }

    fn decode_error(&self, provider: &str, head: &ResponseHead, body: &[u8]) -> ApiError {
        error::response_error(provider, head, body)
    }
}
