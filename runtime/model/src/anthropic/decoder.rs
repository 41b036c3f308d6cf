//! Decodes the events of the provider to [`ModelEvent`]s.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::block::BlockState;
use super::event::{Event, MessagesResponse, missing_key, parse};
use crate::api::ANTHROPIC_MESSAGES;
use crate::http::{Decoder, ErrorBody, SseEvent};
use crate::{ModelError, ModelEvent, StopReason};
use helve_core::transcript::{CallId, ReplySource, Usage};

#[derive(Debug)]
pub(super) struct MessagesDecoder {
    source: ReplySource,
    open_blocks: BTreeMap<u64, BlockState>,
    /// The calls without arguments; the stop reason decides whether they have none or were truncated.
    calls_without_arguments: Vec<CallId>,
    has_calls: bool,
    usage: Usage,
    reason: Option<StopReason>,
    is_over: bool,
}

impl Decoder for MessagesDecoder {
    fn decode_event(
        &mut self,
        event: &SseEvent,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        // Some gateways end every stream with this text, regardless of the protocol.
        if event.data.trim() == "[DONE]" {
            return Ok(());
        }
        let read: Event<'_> = parse("an event", &event.data)?;
        let kind = read.kind.as_deref().or(event.name.as_deref());
        match kind.unwrap_or_default() {
            "message_start" => {
                let message = read.message;
                let message = message.ok_or_else(|| missing_key("message_start", "message"))?;
                self.start_message(parse("the message", message.get())?, out)
            }
            "content_block_start" => {
                let block = read.content_block;
                let block =
                    block.ok_or_else(|| missing_key("content_block_start", "content_block"))?;
                self.start_block(read.index()?, block, out)
            }
            "content_block_delta" => {
                let index = read.index()?;
                let block = self.open_blocks.get_mut(&index).ok_or_else(|| {
                    ModelError::malformed(format!("more came of block {index}, which is not open"))
                })?;
                block.apply_delta(read.delta()?, out)
            }
            "content_block_stop" => self.end_block(read.index()?, out),
            "message_delta" => {
                let delta = read.delta()?;
                let reason = delta.get("stop_reason").and_then(Value::as_str);
                self.update_usage(read.usage.as_ref(), out);
                let reason = reason.map(|reason| self.stop_reason(reason));
                self.reason = reason.or(self.reason);
                Ok(())
            }
            "message_stop" => self.finish_reply(out),
            "error" => Err(self.error_from_json(&read.error.unwrap_or_default())),
            // `ping`, and events of later versions.
            _ => Ok(()),
        }
    }

    fn decode_body(&mut self, body: &[u8], out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let text =
            std::str::from_utf8(body).map_err(|error| ModelError::malformed(error.to_string()))?;
        let kind: Event<'_> = parse("the reply", text)?;
        if let Some(error) = kind.error.filter(|error| !error.is_null()) {
            return Err(self.error_from_json(&error));
        }
        if kind.kind.as_deref() != Some("message") {
            return Err(ModelError::malformed("the JSON body is not a message"));
        }
        self.start_message(parse("the message", text)?, out)?;
        self.finish_reply(out)
    }

    fn finish(&mut self, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        match self.is_over {
            true => Ok(()),
            // No further event is relevant after the stop reason.
            false if self.reason.is_some() => self.finish_reply(out),
            false => Err(ModelError::UnexpectedEnd),
        }
    }

    fn is_finished(&self) -> bool {
        self.is_over
    }
}

impl MessagesDecoder {
    pub(super) fn new(provider: &str, model: &str) -> Self {
        Self {
            source: ReplySource::new(ANTHROPIC_MESSAGES, provider, model),
            open_blocks: BTreeMap::new(),
            calls_without_arguments: Vec::new(),
            has_calls: false,
            usage: Usage::default(),
            reason: None,
            is_over: false,
        }
    }

    /// Decodes a message: the start of a stream, or a complete reply.
    fn start_message(
        &mut self,
        message: MessagesResponse<'_>,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let mut source = self.source.clone().with_id(message.id);
        source.model = message.model.unwrap_or(source.model);
        out.push(ModelEvent::ReplyStarted(source));
        for (index, block) in (0..).zip(message.content.unwrap_or_default()) {
            self.start_block(index, block, out)?;
            self.end_block(index, out)?;
        }
        self.update_usage(message.usage.as_ref(), out);
        let reason = message.stop_reason.as_deref();
        self.reason = reason.map(|reason| self.stop_reason(reason));
        Ok(())
    }

    fn start_block(
        &mut self,
        index: u64,
        block: &RawValue,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        if self.open_blocks.contains_key(&index) {
            return Err(ModelError::malformed(format!("block {index} begins twice")));
        }
        let block = BlockState::start(block, out)?;
        self.has_calls |= matches!(block, BlockState::Call { .. });
        self.open_blocks.insert(index, block);
        Ok(())
    }

    fn end_block(&mut self, index: u64, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let block = self.open_blocks.remove(&index);
        let block = block
            .ok_or_else(|| ModelError::malformed(format!("block {index} ends, and is not open")))?;
        self.calls_without_arguments.extend(block.finish(out)?);
        Ok(())
    }

    fn finish_reply(&mut self, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        while let Some((&index, _)) = self.open_blocks.first_key_value() {
            self.end_block(index, out)?;
        }
        let reason = self.reason.unwrap_or(match self.has_calls {
            true => StopReason::ToolUse,
            false => StopReason::EndTurn,
        });
        if matches!(reason, StopReason::EndTurn | StopReason::ToolUse) {
            let calls = self.calls_without_arguments.drain(..);
            out.extend(calls.map(|id| ModelEvent::arguments(&id, "{}")));
        }
        out.push(ModelEvent::stop(reason));
        self.is_over = true;
        Ok(())
    }

    /// Updates the token counts, which are cumulative; the provider counts cached tokens separately.
    fn update_usage(&mut self, counts: Option<&Value>, out: &mut Vec<ModelEvent>) {
        let Some(counts) = counts.filter(|counts| counts.is_object()) else {
            return;
        };
        let usage = &mut self.usage;
        let cached =
            |usage: &Usage| usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
        let mut fresh = usage.input_tokens.saturating_sub(cached(usage));
        let take = |tokens: &mut u64, place: &str| {
            // A later count replaces an earlier one, including zero. Larger values are invalid, and would overflow
            // sums.
            let count = counts.pointer(place).and_then(Value::as_u64);
            if let Some(count) = count.filter(|count| *count < 1 << 48) {
                *tokens = count;
            }
        };
        let (read, written) = ("/cache_read_input_tokens", "/cache_creation_input_tokens");
        let thinking = "/output_tokens_details/thinking_tokens";
        take(&mut fresh, "/input_tokens");
        take(&mut usage.cache_read_input_tokens, read);
        take(&mut usage.cache_creation_input_tokens, written);
        take(&mut usage.output_tokens, "/output_tokens");
        take(&mut usage.reasoning_output_tokens, thinking);
        usage.input_tokens = fresh + cached(usage);
        out.push(ModelEvent::Usage(*usage));
    }

    fn stop_reason(&self, word: &str) -> StopReason {
        match word {
            "end_turn" => StopReason::EndTurn,
            "tool_use" => StopReason::ToolUse,
            "max_tokens" => StopReason::MaxTokens,
            "stop_sequence" => StopReason::StopSequence,
            "refusal" => StopReason::Refusal,
            // After a compaction the model continues when it is called again.
            "pause_turn" | "compaction" => StopReason::PauseTurn,
            "model_context_window_exceeded" => StopReason::ContextWindow,
            // Stop reasons of later versions: with calls, the reply waits for their results; otherwise it is
            // complete.
            _ if self.has_calls => StopReason::ToolUse,
            _ => StopReason::EndTurn,
        }
    }

    fn error_from_json(&self, error: &Value) -> ModelError {
        ErrorBody::from_json(error)
            .to_error(&self.source.provider, None)
            .into()
    }
}
