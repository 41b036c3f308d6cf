//! Decodes replies of OpenAI Responses.

use serde_json::Value;

use super::event::{self, EventKind, ResponsesEvent};
use super::items::ItemAccumulator;
use crate::api::OPENAI_RESPONSES;
use crate::http::{Decoder, SseEvent};
use crate::openai::json::count;
use crate::openai::{error, json};
use crate::{ApiError, ApiErrorKind, ModelError, ModelEvent, StopReason};
use helve_core::transcript::{ReplySource, Usage};

#[derive(Debug)]
pub(super) struct ResponsesDecoder {
    source: ReplySource,
    has_started: bool,
    is_finished: bool,
    items: ItemAccumulator,
}

impl ResponsesDecoder {
    pub(super) fn new(provider: &str, model: &str) -> Self {
        Self {
            source: ReplySource::new(OPENAI_RESPONSES, provider, model),
            has_started: false,
            is_finished: false,
            items: ItemAccumulator::default(),
        }
    }

    fn start_reply(&mut self, response: Option<&Value>, out: &mut Vec<ModelEvent>) {
        if self.has_started {
            return;
        }
        self.has_started = true;
        if let Some(response) = response {
            self.source.id = json::text(response, "id").map(str::to_owned);
            if let Some(model) = json::text(response, "model") {
                model.clone_into(&mut self.source.model);
            }
        }
        out.push(ModelEvent::ReplyStarted(self.source.clone()));
    }

    /// Processes the end of the reply, which repeats the whole reply.
    fn finish_reply(
        &mut self,
        response: &Value,
        output: &[&str],
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        self.is_finished = true;
        self.start_reply(Some(response), out);
        self.items
            .finish_output(output, self.source.id.as_deref(), out)?;
        out.extend(usage(response).map(ModelEvent::Usage));
        out.push(ModelEvent::stop(self.stop_reason(response)?));
        Ok(())
    }

    fn stop_reason(&self, response: &Value) -> Result<StopReason, ModelError> {
        let provider = &self.source.provider;
        error::check(provider, response)?;
        let status = json::text(response, "status").unwrap_or("completed");
        let details = response.get("incomplete_details");
        let why = details.and_then(|details| json::text(details, "reason"));
        Ok(match (status, why) {
            ("completed", _) if self.items.has_calls => StopReason::ToolUse,
            ("completed", _) if self.items.has_refusal => StopReason::Refusal,
            ("completed", _) => StopReason::EndTurn,
            ("incomplete", Some("content_filter")) => StopReason::Refusal,
            ("incomplete", _) => StopReason::MaxTokens,
            ("failed", _) => {
                let kind = ApiErrorKind::Server;
                return Err(error::ended_reply_error(kind, provider, "failed"));
            }
            _ => return Err(ModelError::UnexpectedEnd),
        })
    }
}

impl Decoder for ResponsesDecoder {
    fn decode_event(
        &mut self,
        event: &SseEvent,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        if self.is_finished || event.data.trim() == "[DONE]" {
            return Ok(());
        }
        let event = ResponsesEvent::parse(event)?;
        let value = &event.value;
        match event.kind {
            EventKind::Created => {
                self.start_reply(value.get("response"), out);
                return Ok(());
            }
            EventKind::Completed => {
                let response = value.get("response").unwrap_or(value);
                return self.finish_reply(response, &event.output(), out);
            }
            EventKind::Error => return Err(error::stream_error(&self.source.provider, value)),
            // Gateways send their own errors in the stream.
            EventKind::Unknown => return error::check(&self.source.provider, value),
            _ => self.start_reply(None, out),
        }
        let reply = self.source.id.as_deref();
        match event.kind {
            EventKind::ItemAdded => self.items.start_item(value, reply, out),
            EventKind::ItemDone => {
                let raw = event.item();
                let raw = raw.ok_or_else(|| ModelError::malformed("an output item is missing"))?;
                let index = count(value, &["output_index"]);
                self.items.finish_item(index, raw, reply, out)
            }
            kind => self.items.push_delta(kind, value, out),
        }
    }

    fn decode_body(&mut self, body: &[u8], out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let text = std::str::from_utf8(body)
            .map_err(|error| ModelError::malformed(format!("the body is not UTF-8: {error}")))?;
        let response = error::parse(text)?;
        error::check(&self.source.provider, &response)?;
        if !response.get("output").is_some_and(Value::is_array) {
            return Err(ModelError::malformed("it holds no output"));
        }
        self.finish_reply(&response, &event::output(text), out)
    }

    fn finish(&mut self, _: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        match self.is_finished {
            true => Ok(()),
            false => Err(ModelError::UnexpectedEnd),
        }
    }

    fn is_finished(&self) -> bool {
        self.is_finished
    }

    fn refine_error(&self, error: ApiError) -> ApiError {
        let mut error = error::refine_kind(error);
        // Most servers that are compatible with OpenAI have Chat Completions alone.
        let model = &self.source.model;
        let is_about_model =
            error.code.as_deref() == Some("model_not_found") || error.message.contains(model);
        if error.status == Some(404) && !is_about_model {
            error.advice = Some(match &*self.source.provider {
                "openai" => format!(
                    "the server may not have the Responses API: try `--model openai-chat/{model}`, or check the base URL"
                ),
                provider => format!(
                    "the server may not have the Responses API: set `api = \"openai-chat\"` under \
                     `[providers.{provider}]`, or check the base URL"
                ),
            });
        }
        error
    }
}

fn usage(response: &Value) -> Option<Usage> {
    let usage = response.get("usage")?;
    let number = |path: &[&str]| count(usage, path).unwrap_or(0);
    let input = count(usage, &["input_tokens"])?;
    let mut read = Usage::new(input, number(&["output_tokens"]));
    read.cache_read_input_tokens = number(&["input_tokens_details", "cached_tokens"]);
    read.cache_creation_input_tokens = number(&["input_tokens_details", "cache_write_tokens"]);
    read.reasoning_output_tokens = number(&["output_tokens_details", "reasoning_tokens"]);
    Some(read)
}
