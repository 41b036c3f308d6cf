//! Converts genai's events of a reply to [`ModelEvent`]s.

use std::collections::HashMap;

use ::genai::chat::{
    ChatResponse, ChatStreamEvent, ContentPart, StopReason as Reason, ToolCall, Usage as Spent,
};
use serde_json::Value;

use crate::{ApiError, ApiErrorKind, ModelError, ModelEvent, StopReason};
use helve_core::transcript::{CallId, ReplySource, Usage};

type EventResults = Vec<Result<ModelEvent, ModelError>>;

pub(super) struct GenaiDecoder {
    source: ReplySource,
    has_started: bool,
    /// The signatures that may belong to a call that follows.
    pending_signatures: Vec<String>,
    /// How much of each call's arguments was emitted, by genai's id.
    calls: HashMap<String, CallProgress>,
    /// The number of calls so far, including finished calls whose id was reused.
    count: usize,
}

struct CallProgress {
    id: CallId,
    sent_len: usize,
    is_complete: bool,
}

impl GenaiDecoder {
    pub(super) fn new(source: ReplySource) -> Self {
        Self {
            source,
            has_started: false,
            pending_signatures: Vec::new(),
            calls: HashMap::new(),
            count: 0,
        }
    }

    /// Decodes an event of a stream; returns whether it was the last one.
    pub(super) fn decode_event(&mut self, event: ChatStreamEvent) -> (EventResults, bool) {
        let mut told = Vec::new();
        self.start_reply(&mut told);
        match event {
            ChatStreamEvent::Start | ChatStreamEvent::Heartbeat => {}
            ChatStreamEvent::Chunk(chunk) => self.push_text(chunk.content, &mut told),
            ChatStreamEvent::ReasoningChunk(chunk) => {
                self.flush_signatures(&mut told);
                let text = chunk.content;
                told.push(ModelEvent::ThinkingDelta { text });
            }
            ChatStreamEvent::ThoughtSignatureChunk(chunk) => {
                self.pending_signatures.push(chunk.content)
            }
            ChatStreamEvent::ToolCallChunk(chunk) => self.push_call(chunk.tool_call, &mut told),
            ChatStreamEvent::End(end) => {
                self.flush_signatures(&mut told);
                told.extend(end.captured_usage.as_ref().map(usage));
                return (self.stop(told, end.captured_stop_reason), true);
            }
        }
        (told.into_iter().map(Ok).collect(), false)
    }

    /// Decodes a reply that was not streamed.
    pub(super) fn decode_response(mut self, reply: ChatResponse) -> EventResults {
        self.source.model = reply.provider_model_iden.model_name.to_string();
        self.source.id = reply.response_id;
        let mut told = Vec::new();
        self.start_reply(&mut told);
        let is_thinking = |part: &ContentPart| matches!(part, ContentPart::ReasoningContent(_));
        let in_place = reply.content.parts().iter().any(is_thinking);
        if let Some(text) = reply.reasoning_content.filter(|_| !in_place) {
            told.push(ModelEvent::ThinkingDelta { text });
        }
        for part in reply.content.into_parts() {
            match part {
                ContentPart::Text(text) => self.push_text(text, &mut told),
                ContentPart::ThoughtSignature(proof) => self.pending_signatures.push(proof),
                // In this form, the signature precedes the thinking.
                ContentPart::ReasoningContent(text) => {
                    told.push(ModelEvent::ThinkingDelta { text });
                    self.flush_signatures(&mut told);
                }
                ContentPart::ToolCall(call) => self.push_call(call, &mut told),
                ContentPart::Binary(_) | ContentPart::ToolResponse(_) | ContentPart::Custom(_) => {}
            }
        }
        self.flush_signatures(&mut told);
        told.push(usage(&reply.usage));
        self.stop(told, reply.stop_reason)
    }

    fn start_reply(&mut self, told: &mut Vec<ModelEvent>) {
        if !self.has_started {
            self.has_started = true;
            told.push(ModelEvent::ReplyStarted(self.source.clone()));
        }
    }

    fn push_text(&mut self, text: String, told: &mut Vec<ModelEvent>) {
        self.flush_signatures(told);
        told.push(ModelEvent::TextDelta { text });
    }

    /// Emits the signatures that belong to no call.
    fn flush_signatures(&mut self, told: &mut Vec<ModelEvent>) {
        let proofs = self.pending_signatures.drain(..);
        told.extend(proofs.map(|signature| ModelEvent::ThinkingSignature { signature }));
    }

    /// Decodes a complete call, or the arguments of a call so far.
    fn push_call(&mut self, call: ToolCall, told: &mut Vec<ModelEvent>) {
        let own = call.thought_signatures.unwrap_or_default();
        self.pending_signatures.retain(|proof| !own.contains(proof));
        self.flush_signatures(told);
        let (text, is_whole) = match call.fn_arguments {
            Value::String(text) => (text, false),
            Value::Null => (String::new(), true),
            value => (value.to_string(), true),
        };
        // Gemini's calls have no ids, and genai restarts its generated ids in every chunk of the stream.
        let known = self.calls.get(&call.call_id);
        if known.is_none_or(|known| known.is_complete) {
            self.count += 1;
            let id = match known {
                None => call.call_id.clone(),
                Some(_) => format!("{}#{}", call.call_id, self.count),
            };
            let id = CallId::from(id);
            told.push(ModelEvent::call(&id, call.fn_name));
            let begun = CallProgress {
                id,
                sent_len: 0,
                is_complete: is_whole,
            };
            self.calls.insert(call.call_id.clone(), begun);
        }
        let Some(known) = self.calls.get_mut(&call.call_id) else {
            return;
        };
        if let Some(more) = text.get(known.sent_len..).filter(|more| !more.is_empty()) {
            told.push(ModelEvent::arguments(&known.id, more));
            known.sent_len = text.len();
        }
        if let Some(signature) = own.into_iter().next() {
            let id = known.id.clone();
            told.push(ModelEvent::ToolCallSignature { id, signature });
        }
    }

    fn stop(&self, told: Vec<ModelEvent>, reason: Option<Reason>) -> EventResults {
        let stop = self.stop_reason(reason).map(ModelEvent::stop);
        told.into_iter().map(Ok).chain([stop]).collect()
    }

    fn stop_reason(&self, reason: Option<Reason>) -> Result<StopReason, ModelError> {
        Ok(match reason {
            // genai reports a stream that broke off as a normal end.
            None => return Err(ModelError::UnexpectedEnd),
            Some(Reason::Completed(_)) if self.count > 0 => StopReason::ToolUse,
            Some(Reason::MaxTokens(raw)) if raw == "model_context_window_exceeded" => {
                StopReason::ContextWindow
            }
            Some(Reason::MaxTokens(_)) => StopReason::MaxTokens,
            Some(Reason::ToolCall(_)) => StopReason::ToolUse,
            Some(Reason::ContentFilter(_)) => StopReason::Refusal,
            Some(Reason::StopSequence(_)) => StopReason::StopSequence,
            Some(Reason::Other(raw)) if is_malformed_call(&raw) => {
                let message = format!("the model wrote a malformed tool call ({raw})");
                let kind = ApiErrorKind::Server;
                return Err(ApiError::new(kind, &self.source.provider, message).into());
            }
            Some(Reason::Completed(_) | Reason::Other(_)) => StopReason::EndTurn,
        })
    }
}

/// Returns whether Gemini has ended a reply because of a malformed call; a retry usually succeeds.
fn is_malformed_call(reason: &str) -> bool {
    matches!(reason, "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL")
}

fn usage(spent: &Spent) -> ModelEvent {
    let tokens = |count: i32| u64::try_from(count).ok();
    let input = spent.prompt_tokens_details.as_ref();
    let output = spent.completion_tokens_details.as_ref();
    let reasoning = output.and_then(|output| output.reasoning_tokens);
    let reasoning = reasoning.and_then(tokens);
    let completion = spent.completion_tokens.and_then(tokens).or(reasoning);
    let count = |count: Option<i32>| count.and_then(tokens).unwrap_or_default();
    let mut usage = Usage::new(count(spent.prompt_tokens), completion.unwrap_or_default());
    usage.cache_read_input_tokens = count(input.and_then(|input| input.cached_tokens));
    usage.cache_creation_input_tokens = count(input.and_then(|input| input.cache_creation_tokens));
    usage.reasoning_output_tokens = reasoning.unwrap_or_default();
    ModelEvent::Usage(usage)
}
