//! Reads a reply.

use serde_json::Value;

use super::calls::Calls;
use super::chunk::{self, Chunk, Piece};
use super::extras::Extras;
use super::{stop, usage};
use crate::model::api::OPENAI_CHAT;
use crate::model::http::{Decoder, ResponseHead, SseEvent};
use crate::model::openai::{failure, json};
use crate::model::{ApiError, ModelError, ModelEvent, StopReason};
use crate::transcript::{ReplySource, Usage};

/// Reads a reply of Chat Completions, streamed or whole.
///
/// Servers send the usage before the end, with it or after it, and some end without `[DONE]`; so the end is told only
/// when nothing more comes.
#[derive(Debug)]
pub(super) struct ChatDecoder {
    provider: String,
    source: ReplySource,
    began: bool,
    over: bool,
    /// Whether a piece of the reply came, so that a message that holds all of it says nothing new.
    any: bool,
    refused: bool,
    finish_reason: Option<String>,
    usage: Option<Usage>,
    calls: Calls,
    extras: Extras,
}

impl ChatDecoder {
    pub(super) fn new(provider: &str, model: &str) -> Self {
        Self {
            provider: provider.to_owned(),
            source: ReplySource::new(OPENAI_CHAT, provider, model),
            began: false,
            over: false,
            any: false,
            refused: false,
            finish_reason: None,
            usage: None,
            calls: Calls::default(),
            extras: Extras::default(),
        }
    }

    fn chunk(&mut self, root: &Value, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if let Some(error) = failure::of(root) {
            return Err(failure::inside(&self.provider, error));
        }
        let chunk = Chunk::new(root);
        if let Some(error) = chunk.error() {
            return Err(failure::inside(&self.provider, error));
        }
        self.identify(root);
        let message = || chunk.message().filter(|_| !self.any);
        if let Some(delta) = chunk.delta().or_else(message) {
            self.begin(out);
            self.delta(delta, out)?;
        }
        if let Some(usage) = chunk.usage().and_then(usage::read) {
            self.usage = Some(usage);
        }
        if let Some(word) = chunk.finish_reason() {
            self.begin(out);
            self.finish_reason = Some(word.to_owned());
        }
        Ok(())
    }

    /// Takes the id and the model, which some servers leave empty at first.
    fn identify(&mut self, root: &Value) {
        if self.began {
            return;
        }
        if let Some(id) = json::text(root, "id") {
            self.source.id.get_or_insert_with(|| id.to_owned());
        }
        if let Some(model) = json::text(root, "model") {
            model.clone_into(&mut self.source.model);
        }
    }

    fn begin(&mut self, out: &mut Vec<ModelEvent>) {
        if !self.began {
            self.began = true;
            out.push(ModelEvent::ReplyStarted(self.source.clone()));
        }
    }

    fn delta(&mut self, delta: &Value, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let before = out.len();
        let text = |text: &str| text.to_owned();
        if let Some(thinking) = chunk::thinking(delta) {
            let text = thinking.into_owned();
            out.push(ModelEvent::ThinkingDelta { text });
        }
        for piece in chunk::content(delta) {
            match piece {
                Piece::Text("") | Piece::Thinking("") => {}
                Piece::Text(piece) => out.push(ModelEvent::TextDelta { text: text(piece) }),
                Piece::Thinking(piece) => out.push(ModelEvent::ThinkingDelta { text: text(piece) }),
            }
        }
        if let Some(refusal) = json::text(delta, "refusal") {
            self.refused = true;
            let text = text(refusal);
            out.push(ModelEvent::TextDelta { text });
        }
        self.extras.take(delta);
        self.calls.take(delta, self.source.id.as_deref(), out)?;
        self.any |= out.len() > before;
        Ok(())
    }

    /// Ends the reply. `said` tells whether the server said so itself.
    fn end(&mut self, said: bool, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        self.over = true;
        let reason = match self.finish_reason.take() {
            Some(word) => stop::read(&word, self.calls.any(), &self.provider),
            // A reply of which something came, and which the server calls done.
            None if said && self.any => stop::read("stop", self.calls.any(), &self.provider),
            None => Err(ModelError::BrokenOff),
        };
        out.extend(std::mem::take(&mut self.extras).into_event());
        out.extend(self.usage.take().map(ModelEvent::Usage));
        let reason = reason?;
        // A turn that went on without it would look finished with its call left undone.
        if self.calls.has_nameless() && matches!(reason, StopReason::ToolUse | StopReason::EndTurn)
        {
            return Err(failure::malformed("it calls a tool and does not say which"));
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
    fn event(&mut self, event: &SseEvent, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if self.over {
            return Ok(());
        }
        if event.data.trim() == "[DONE]" {
            return self.end(true, out);
        }
        let root = failure::parse(&event.data)?;
        if event.name.as_deref() == Some("error") {
            return Err(failure::inside(&self.provider, &root));
        }
        self.chunk(&root, out)
    }

    fn whole(&mut self, body: &[u8], out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let root: Value = serde_json::from_slice(body)
            .map_err(|error| failure::malformed(format!("it is no JSON: {error}")))?;
        // Gemini wraps an error into a list.
        let root = root.get(0).unwrap_or(&root);
        self.chunk(root, out)?;
        match self.began {
            true => self.end(true, out),
            false => Err(failure::malformed("it holds no choices")),
        }
    }

    fn finish(&mut self, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        match self.over {
            true => Ok(()),
            false => self.end(false, out),
        }
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn error(&self, provider: &str, head: &ResponseHead, body: &[u8]) -> ApiError {
        failure::answer(provider, head, body)
    }
}
