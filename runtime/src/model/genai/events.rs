//! From what genai tells of a reply to its events.

use std::collections::HashMap;

use ::genai::chat::{
    ChatResponse, ChatStreamEvent, ContentPart, StopReason as Reason, ToolCall, Usage as Spent,
};
use serde_json::Value;

use crate::model::{ApiError, ApiErrorKind, ModelError, ModelEvent, StopReason};
use crate::transcript::{CallId, ReplySource, Usage};

type Told = Vec<Result<ModelEvent, ModelError>>;

/// Follows a reply.
pub(super) struct Events {
    source: ReplySource,
    begun: bool,
    /// Proofs of which it is not known yet whether a call comes that they belong to.
    proofs: Vec<String>,
    /// How much of each call's arguments was told, by genai's id.
    calls: HashMap<String, Call>,
    /// All calls so far, the finished ones of a reused id too.
    count: usize,
}

struct Call {
    id: CallId,
    told: usize,
    is_whole: bool,
}

impl Events {
    pub(super) fn new(source: ReplySource) -> Self {
        Self {
            source,
            begun: false,
            proofs: Vec::new(),
            calls: HashMap::new(),
            count: 0,
        }
    }

    /// Takes an event of a stream; says whether it was the last one.
    pub(super) fn streamed(&mut self, event: ChatStreamEvent) -> (Told, bool) {
        let mut told = Vec::new();
        self.begin(&mut told);
        match event {
            ChatStreamEvent::Start | ChatStreamEvent::Heartbeat => {}
            ChatStreamEvent::Chunk(chunk) => self.text(chunk.content, &mut told),
            ChatStreamEvent::ReasoningChunk(chunk) => {
                self.release(&mut told);
                told.push(ModelEvent::ThinkingDelta {
                    text: chunk.content,
                });
            }
            ChatStreamEvent::ThoughtSignatureChunk(chunk) => self.proofs.push(chunk.content),
            ChatStreamEvent::ToolCallChunk(chunk) => self.call(chunk.tool_call, &mut told),
            ChatStreamEvent::End(end) => {
                let mut told: Told = {
                    self.release(&mut told);
                    told.extend(end.captured_usage.as_ref().map(usage));
                    told.into_iter().map(Ok).collect()
                };
                told.push(self.stop(end.captured_stop_reason));
                return (told, true);
            }
        }
        (told.into_iter().map(Ok).collect(), false)
    }

    /// Takes a reply that came whole.
    pub(super) fn whole(mut self, reply: ChatResponse) -> Told {
        self.source.model = reply.provider_model_iden.model_name.to_string();
        self.source.id = reply.response_id;
        let mut told = Vec::new();
        self.begin(&mut told);
        let is_thinking = |part: &ContentPart| matches!(part, ContentPart::ReasoningContent(_));
        let in_place = reply.content.parts().iter().any(is_thinking);
        if let Some(text) = reply.reasoning_content.filter(|_| !in_place) {
            told.push(ModelEvent::ThinkingDelta { text });
        }
        for part in reply.content.into_parts() {
            match part {
                ContentPart::Text(text) => self.text(text, &mut told),
                ContentPart::ThoughtSignature(proof) => self.proofs.push(proof),
                // Here the proof comes before what it proves.
                ContentPart::ReasoningContent(text) => {
                    told.push(ModelEvent::ThinkingDelta { text });
                    self.release(&mut told);
                }
                ContentPart::ToolCall(call) => self.call(call, &mut told),
                ContentPart::Binary(_) | ContentPart::ToolResponse(_) | ContentPart::Custom(_) => {}
            }
        }
        self.release(&mut told);
        told.push(usage(&reply.usage));
        let mut told: Told = told.into_iter().map(Ok).collect();
        told.push(self.stop(reply.stop_reason));
        told
    }

    fn begin(&mut self, told: &mut Vec<ModelEvent>) {
        if !self.begun {
            self.begun = true;
            told.push(ModelEvent::ReplyStarted(self.source.clone()));
        }
    }

    fn text(&mut self, text: String, told: &mut Vec<ModelEvent>) {
        self.release(told);
        told.push(ModelEvent::TextDelta { text });
    }

    /// Tells the proofs that belong to no call.
    fn release(&mut self, told: &mut Vec<ModelEvent>) {
        let proofs = self.proofs.drain(..);
        told.extend(proofs.map(|signature| ModelEvent::ThinkingSignature { signature }));
    }

    /// Takes a call that is whole, or the arguments of one as far as they came.
    fn call(&mut self, call: ToolCall, told: &mut Vec<ModelEvent>) {
        let own = call.thought_signatures.unwrap_or_default();
        self.proofs.retain(|proof| !own.contains(proof));
        self.release(told);
        let (text, is_whole) = match call.fn_arguments {
            Value::String(text) => (text, false),
            Value::Null => (String::new(), true),
            value => (value.to_string(), true),
        };
        // Gemini's calls have no ids, and those that genai makes up begin anew with every piece of the stream.
        let known = self.calls.get(&call.call_id);
        if known.is_none_or(|known| known.is_whole) {
            self.count += 1;
            let id = match known {
                None => call.call_id.clone(),
                Some(_) => format!("{}#{}", call.call_id, self.count),
            };
            let id = CallId::from(id);
            told.push(ModelEvent::ToolCallStart {
                id: id.clone(),
                name: call.fn_name.as_str().into(),
            });
            let begun = Call {
                id,
                told: 0,
                is_whole,
            };
            self.calls.insert(call.call_id.clone(), begun);
        }
        let Some(known) = self.calls.get_mut(&call.call_id) else {
            return;
        };
        let id = &known.id;
        if let Some(more) = text.get(known.told..).filter(|more| !more.is_empty()) {
            told.push(ModelEvent::ToolCallDelta {
                id: id.clone(),
                arguments: more.to_owned(),
            });
            known.told = text.len();
        }
        if let Some(signature) = own.into_iter().next() {
            let id = id.clone();
            told.push(ModelEvent::ToolCallSignature { id, signature });
        }
    }

    fn stop(&self, reason: Option<Reason>) -> Result<ModelEvent, ModelError> {
        let reason = match reason {
            // genai ends a stream that broke off as if it were over.
            None => return Err(ModelError::BrokenOff),
            Some(Reason::Completed(_)) if self.count > 0 => StopReason::ToolUse,
            Some(Reason::MaxTokens(raw)) if raw == "model_context_window_exceeded" => {
                StopReason::ContextWindow
            }
            Some(Reason::MaxTokens(_)) => StopReason::MaxTokens,
            Some(Reason::ToolCall(_)) => StopReason::ToolUse,
            Some(Reason::ContentFilter(_)) => StopReason::Refusal,
            Some(Reason::StopSequence(_)) => StopReason::StopSequence,
            Some(Reason::Other(raw)) if is_broken_call(&raw) => {
                let message = format!("the model wrote a call that is none ({raw})");
                let kind = ApiErrorKind::Server;
                return Err(ApiError::new(kind, &self.source.provider, message).into());
            }
            Some(Reason::Completed(_) | Reason::Other(_)) => StopReason::EndTurn,
        };
        Ok(ModelEvent::Stop { reason })
    }
}

/// Gemini gives up a reply whose call it cannot read; asked again, it mostly writes a better one.
fn is_broken_call(reason: &str) -> bool {
    matches!(reason, "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL")
}

fn usage(spent: &Spent) -> ModelEvent {
    let tokens = |count: Option<i32>| count.and_then(|count| u64::try_from(count).ok());
    let input = spent.prompt_tokens_details.as_ref();
    let output = spent.completion_tokens_details.as_ref();
    let reasoning = output.and_then(|output| tokens(output.reasoning_tokens));
    let completion = tokens(spent.completion_tokens).or(reasoning);
    let mut usage = Usage::new(
        tokens(spent.prompt_tokens).unwrap_or_default(),
        completion.unwrap_or_default(),
    );
    let cached = input.and_then(|input| tokens(input.cached_tokens));
    let written = input.and_then(|input| tokens(input.cache_creation_tokens));
    usage.cache_read_input_tokens = cached.unwrap_or_default();
    usage.cache_creation_input_tokens = written.unwrap_or_default();
    usage.reasoning_output_tokens = reasoning.unwrap_or_default();
    ModelEvent::Usage(usage)
}
