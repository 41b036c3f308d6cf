//! Reads a reply.

use serde_json::Value;

use super::event::{self, Event, Kind};
use super::open::Items;
use crate::model::api::OPENAI_RESPONSES;
use crate::model::http::{Decoder, ResponseHead, SseEvent};
use crate::model::openai::json::count;
use crate::model::openai::{failure, json};
use crate::model::{ApiError, ApiErrorKind, ModelError, ModelEvent, StopReason};
use crate::transcript::{ReplySource, Usage};

/// Reads a reply of Responses, streamed or whole.
#[derive(Debug)]
pub(super) struct ResponsesDecoder {
    provider: String,
    source: ReplySource,
    began: bool,
    over: bool,
    items: Items,
}

impl ResponsesDecoder {
    pub(super) fn new(provider: &str, model: &str) -> Self {
        Self {
            provider: provider.to_owned(),
            source: ReplySource::new(OPENAI_RESPONSES, provider, model),
            began: false,
            over: false,
            items: Items::default(),
        }
    }

    fn begin(&mut self, response: Option<&Value>, out: &mut Vec<ModelEvent>) {
        if self.began {
            return;
        }
        self.began = true;
        if let Some(response) = response {
            self.source.id = json::text(response, "id").map(str::to_owned);
            if let Some(model) = json::text(response, "model") {
                model.clone_into(&mut self.source.model);
            }
        }
        out.push(ModelEvent::ReplyStarted(self.source.clone()));
    }

    /// Takes the end of the reply, which repeats all of it.
    fn end(
        &mut self,
        response: &Value,
        output: &[&str],
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        self.over = true;
        self.begin(Some(response), out);
        self.items.rest(output, self.source.id.as_deref(), out)?;
        out.extend(usage(response).map(ModelEvent::Usage));
        let reason = self.reason(response)?;
        out.push(ModelEvent::Stop { reason });
        Ok(())
    }

    fn reason(&self, response: &Value) -> Result<StopReason, ModelError> {
        if let Some(error) = failure::of(response) {
            return Err(failure::inside(&self.provider, error));
        }
        let status = json::text(response, "status").unwrap_or("completed");
        let details = response.get("incomplete_details");
        let why = details.and_then(|details| json::text(details, "reason"));
        Ok(match (status, why) {
            ("completed", _) if self.items.any_call => StopReason::ToolUse,
            ("completed", _) if self.items.refused => StopReason::Refusal,
            ("completed", _) => StopReason::EndTurn,
            ("incomplete", Some("content_filter")) => StopReason::Refusal,
            ("incomplete", _) => StopReason::MaxTokens,
            ("failed", _) => {
                return Err(failure::ended(
                    ApiErrorKind::Server,
                    &self.provider,
                    "failed",
                ));
            }
            _ => return Err(ModelError::BrokenOff),
        })
    }
}

impl Decoder for ResponsesDecoder {
    fn event(&mut self, event: &SseEvent, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if self.over || event.data.trim() == "[DONE]" {
            return Ok(());
        }
        let event = Event::read(event)?;
        let reply = self.source.id.clone();
        let reply = reply.as_deref();
        let value = &event.value;
        match event.kind {
            Kind::Began => self.begin(value.get("response"), out),
            Kind::Over => {
                let response = value.get("response").unwrap_or(value);
                return self.end(response, &event.output(), out);
            }
            Kind::Error => return Err(failure::inside(&self.provider, value)),
            Kind::Unknown => {
                // Gateways put their own errors into other people's streams.
                if let Some(error) = failure::of(value) {
                    return Err(failure::inside(&self.provider, error));
                }
            }
            kind => {
                self.begin(None, out);
                match (kind, event.item()) {
                    (Kind::ItemAdded, _) => return self.items.added(value, reply, out),
                    (Kind::ItemDone, Some(raw)) => {
                        let index = count(value, &["output_index"]);
                        return self.items.done(index, raw, reply, out);
                    }
                    (Kind::ItemDone, None) => {
                        return Err(failure::malformed("an item of it is missing"));
                    }
                    (kind, _) => return self.items.more(kind, value, out),
                }
            }
        }
        Ok(())
    }

    fn whole(&mut self, body: &[u8], out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let text = std::str::from_utf8(body)
            .map_err(|error| failure::malformed(format!("it is no text: {error}")))?;
        let response = failure::parse(text)?;
        let is_reply = response.get("output").is_some_and(Value::is_array);
        if let Some(error) = failure::of(&response) {
            return Err(failure::inside(&self.provider, error));
        }
        match is_reply {
            true => self.end(&response, &event::output(text), out),
            false => Err(failure::malformed("it holds no output")),
        }
    }

    fn finish(&mut self, _: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        match self.over {
            true => Ok(()),
            false => Err(ModelError::BrokenOff),
        }
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn error(&self, provider: &str, head: &ResponseHead, body: &[u8]) -> ApiError {
        failure::answer(provider, head, body)
    }
}

fn usage(response: &Value) -> Option<Usage> {
    let usage = response.get("usage")?;
    let number = |path: &[&str]| count(usage, path);
    let mut read = Usage::new(
        number(&["input_tokens"])?,
        number(&["output_tokens"]).unwrap_or(0),
    );
    read.cache_read_input_tokens = number(&["input_tokens_details", "cached_tokens"]).unwrap_or(0);
    read.cache_creation_input_tokens =
        number(&["input_tokens_details", "cache_write_tokens"]).unwrap_or(0);
    read.reasoning_output_tokens =
        number(&["output_tokens_details", "reasoning_tokens"]).unwrap_or(0);
    Some(read)
}
