//! Reading a reply out of a body.

use futures_util::{FutureExt as _, StreamExt as _, stream};
use helve_runtime::model::{
    ApiError, Assembler, ModelError, ModelEvent, OpenAiChatModel, OpenAiResponsesModel, Reply,
    ResponseHead,
};
use serde_json::Value;

use crate::model_openai::conversation::{OPENAI, chat, responses};

type Events = Vec<Result<ModelEvent, ModelError>>;

pub(crate) fn head(kind: &str) -> ResponseHead {
    ResponseHead::new(200).header("content-type", kind)
}

fn pieces(
    body: &str,
) -> impl futures_util::Stream<Item = Result<Vec<u8>, ModelError>> + Send + use<> {
    stream::iter([Ok(body.as_bytes().to_vec())])
}

pub(crate) fn chat_events(model: &OpenAiChatModel, head: ResponseHead, body: &str) -> Events {
    let events = model.decode(head, pieces(body)).collect::<Events>();
    events.now_or_never().expect("nothing to wait for")
}

pub(crate) fn responses_events(
    model: &OpenAiResponsesModel,
    head: ResponseHead,
    body: &str,
) -> Events {
    let events = model.decode(head, pieces(body)).collect::<Events>();
    events.now_or_never().expect("nothing to wait for")
}

pub(crate) fn assemble(events: Events) -> Result<Reply, ModelError> {
    let mut assembler = Assembler::new();
    for event in events {
        assembler.push(event?)?;
    }
    assembler.finish()
}

/// Writes chunks as a stream.
pub(crate) fn streamed(chunks: &[Value]) -> String {
    chunks
        .iter()
        .map(|chunk| format!("data: {chunk}\n\n"))
        .collect()
}

/// Reads a streamed chat completion.
pub(crate) fn read_chat(chunks: &[Value]) -> Result<Reply, ModelError> {
    let model = chat("openai/gpt-5", OPENAI);
    assemble(chat_events(
        &model,
        head("text/event-stream"),
        &streamed(chunks),
    ))
}

/// Reads a streamed response.
pub(crate) fn read_response(events: &[Value]) -> Result<Reply, ModelError> {
    let model = responses("openai/gpt-5", OPENAI);
    assemble(responses_events(
        &model,
        head("text/event-stream"),
        &streamed(events),
    ))
}

/// Returns the error that a provider answered with.
pub(crate) fn api_error(outcome: Result<Reply, ModelError>) -> ApiError {
    match outcome {
        Err(ModelError::Api(error)) => *error,
        other => panic!("an error of the provider, and not {other:?}"),
    }
}
