//! Decodes replies of Chat Completions.

use serde_json::Value;

use super::calls::CallAccumulator;
use super::chunk::{self, Chunk};
use super::extras::ReasoningExtras;
use super::usage;
use crate::api::OPENAI_CHAT;
use crate::http::{Decoder, SseEvent};
use crate::openai::{error, json};
use crate::{ApiError, ApiErrorKind, ModelError, ModelEvent, StopReason};
use helve_core::transcript::{ReplySource, Usage};

/// Decodes a reply of Chat Completions, streamed or complete.
///
/// Servers send the usage before, with or after the stop reason, and some send no `[DONE]`; the stop event is
/// therefore emitted only at the end of the stream.
#[derive(Debug)]
pub(super) struct ChatDecoder {
    source: ReplySource,
    has_started: bool,
    is_finished: bool,
    /// Whether a delta was received, so that a complete message that follows is a repetition.
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
        error::check(&self.source.provider, root)?;
        let chunk = Chunk::new(root);
        if let Some(error) = chunk.error() {
            return Err(error::stream_error(&self.source.provider, error));
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

    /// Updates the id and the model, which some servers leave empty at first.
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
        if let Some(text) = chunk::parse_thinking(delta) {
            out.push(ModelEvent::ThinkingDelta { text });
        }
        out.extend(chunk::parse_content(delta));
        if let Some(refusal) = json::text(delta, "refusal") {
            self.refused = true;
            out.push(chunk::text_delta(refusal));
        }
        self.extras.push_delta(delta);
        self.calls
            .push_delta(delta, self.source.id.as_deref(), out)?;
        self.has_content |= out.len() > before;
        Ok(())
    }

    /// Ends the reply. `said` is whether the server has reported the end.
    fn finish_reply(&mut self, said: bool, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        self.is_finished = true;
        // Without a stop reason, a reply with content is complete if the server has reported the end.
        let is_done = said && self.has_content;
        let word = self.finish_reason.take();
        let reason = match word.as_deref().or(is_done.then_some("stop")) {
            Some(word) => parse_finish_reason(word, self.calls.has_any(), &self.source.provider),
            None => Err(ModelError::UnexpectedEnd),
        };
        out.extend(std::mem::take(&mut self.extras).into_event());
        out.extend(self.usage.take().map(ModelEvent::Usage));
        let reason = reason?;
        // Without this error, the turn would look complete although its call was lost.
        if self.calls.has_nameless() && matches!(reason, StopReason::ToolUse | StopReason::EndTurn)
        {
            return Err(ModelError::malformed("a tool call has no name"));
        }
        out.push(ModelEvent::stop(match reason {
            StopReason::EndTurn if self.refused => StopReason::Refusal,
            reason => reason,
        }));
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
            return Err(error::stream_error(&self.source.provider, &root));
        }
        self.push_chunk(&root, out)
    }

    fn decode_body(&mut self, body: &[u8], out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let root: Value = serde_json::from_slice(body).map_err(|error| {
            ModelError::malformed(format!("the body is not valid JSON: {error}"))
        })?;
        // Gemini wraps an error in a list.
        let root = root.get(0).unwrap_or(&root);
        self.push_chunk(root, out)?;
        if !self.has_started {
            return Err(ModelError::malformed("it holds no choices"));
        }
        self.finish_reply(true, out)
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

    fn refine_error(&self, error: ApiError) -> ApiError {
        error::refine_kind(error)
    }
}

/// Parses a `finish_reason`.
///
/// # Errors
/// If the reason is an error of the provider.
fn parse_finish_reason(
    word: &str,
    has_calls: bool,
    provider: &str,
) -> Result<StopReason, ModelError> {
    let failed = |kind| Err(error::ended_reply_error(kind, provider, word));
    Ok(match word {
        "length" | "max_tokens" => StopReason::MaxTokens,
        "model_length" | "model_context_window_exceeded" => StopReason::ContextWindow,
        "content_filter" | "sensitive" | "refusal" | "safety" => StopReason::Refusal,
        "insufficient_system_resource" => return failed(ApiErrorKind::Overloaded),
        "error" | "network_error" => return failed(ApiErrorKind::Server),
        "abort" | "cancelled" | "canceled" => return Err(ModelError::UnexpectedEnd),
        // Several servers send "stop" although there are calls, and some report calls although there are none.
        _ if has_calls => StopReason::ToolUse,
        "stop_sequence" => StopReason::StopSequence,
        _ => StopReason::EndTurn,
    })
}
