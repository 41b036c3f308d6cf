//! Requests in the form of MCP's sampling, as tools and servers make them, for a [`Model`].

use futures_util::TryStreamExt as _;

use super::{Assembler, Model, ModelError, ModelOptions, ModelRequest, Reply, StopReason};
use helve_core::capability::{SamplingMessage, SamplingRequest, SamplingResult, SamplingRole};
use helve_core::transcript::{AssistantMessage, ContentBlock, Message, MessagePart};

/// Requests a completion from a model, and returns the reply too, for its usage.
///
/// # Errors
/// The error of the model.
pub async fn sample(
    model: &dyn Model,
    sampling: &SamplingRequest,
) -> Result<(SamplingResult, Reply), ModelError> {
    let messages = sampling.messages.iter().map(to_message);
    let mut options = ModelOptions::new().max_output_tokens(sampling.max_tokens.max(1));
    if let Some(temperature) = sampling.temperature {
        #[expect(clippy::cast_possible_truncation, reason = "it is a small number")]
        let temperature = temperature.clamp(0.0, 2.0) as f32;
        options = options.temperature(temperature);
    }
    let mut request = ModelRequest::new(messages.collect()).options(options);
    if let Some(system) = &sampling.system_prompt {
        request = request.system(system.as_str());
    }
    let mut assembler = Assembler::new();
    let mut events = model.reply(&request);
    while let Some(event) = events.try_next().await? {
        assembler.push(event)?;
    }
    let reply = assembler.finish()?;
    let mut text = reply.message.text();
    let mut stop = match reply.stop {
        StopReason::MaxTokens | StopReason::ContextWindow => "maxTokens",
        StopReason::StopSequence => "stopSequence",
        _ => "endTurn",
    };
    // Not every provider knows such texts, so they are looked for here.
    let ends = sampling.stop_sequences.iter();
    let ends = ends.filter(|end| !end.is_empty());
    if let Some(end) = ends.filter_map(|end| text.find(end.as_str())).min() {
        text.truncate(end);
        stop = "stopSequence";
    }
    let name = model
        .name()
        .map_or_else(|| "unknown".to_owned(), ToString::to_string);
    let mut sampled = SamplingResult::new(name, vec![ContentBlock::text(text)]);
    sampled.stop_reason = Some(stop.to_owned());
    Ok((sampled, reply))
}

fn to_message(message: &SamplingMessage) -> Message {
    match message.role {
        SamplingRole::User => Message::User {
            content: message.content.clone(),
        },
        SamplingRole::Assistant => {
            let texts = message.content.iter().filter_map(ContentBlock::as_text);
            let parts = texts.map(|text| MessagePart::Text {
                text: text.to_owned(),
            });
            Message::Assistant(AssistantMessage::new(parts.collect()))
        }
    }
}
