//! The protocol's words for what tools ask, and ours for what the client answers.
#![expect(
    deprecated,
    reason = "sampling and roots are deprecated by the protocol of 2026-07-28, and spoken before it"
)]

use rmcp::model::{
    ContentBlock as RmcpBlock, CreateMessageRequest, CreateMessageRequestParams,
    CreateMessageResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, ListRootsRequest, ListRootsResult, ModelHint,
    ModelPreferences, Resource as RmcpResource, ResourceContents, Role,
    SamplingMessage as RmcpMessage, SamplingMessageContentBlock,
};
use serde_json::{Map, Value};

use super::AskError;
use crate::capability::{
    BackendError, Elicitation, ElicitationRequest, Elicited, Root, Sampled, Sampling,
    SamplingMessage, SamplingRole,
};
use crate::schema;
use crate::transcript::{ContentBlock, Resource};

pub(super) fn elicitation(elicitation: &Elicitation) -> Result<InputRequest, BackendError> {
    let message = said_by(elicitation.asker.as_deref(), &elicitation.message);
    let params = match &elicitation.request {
        ElicitationRequest::Form { schema } => ElicitRequestParams::FormElicitationParams {
            meta: None,
            message,
            requested_schema: serde_json::from_value::<ElicitationSchema>(schema.clone())
                .map_err(|error| format!("the form's schema is none that MCP takes: {error}"))?,
        },
        ElicitationRequest::Url { url, id } => ElicitRequestParams::UrlElicitationParams {
            meta: None,
            message,
            url: url.clone(),
            elicitation_id: id.clone(),
        },
    };
    Ok(InputRequest::Elicitation(ElicitRequest::new(params)))
}

/// Says who asks, where that is not this server.
fn said_by(asker: Option<&str>, message: &str) -> String {
    match asker {
        Some(asker) => format!("`{asker}` asks: {message}"),
        None => message.to_owned(),
    }
}

/// Reads what the person did; the values of a form have to fit it, whatever the client let them type.
pub(super) fn elicited(
    elicitation: &Elicitation,
    result: ElicitResult,
) -> Result<Elicited, BackendError> {
    match result.action {
        ElicitationAction::Accept => {}
        ElicitationAction::Decline => return Ok(Elicited::Decline),
        // Whatever else there will be, it is no answer.
        _ => return Ok(Elicited::Cancel),
    }
    let values = match result.content {
        Some(Value::Object(values)) => values,
        None | Some(Value::Null) => Map::new(),
        Some(_) => return Err(malformed("the values of a form are an object")),
    };
    if let ElicitationRequest::Form { schema } = &elicitation.request {
        let form = schema::from_value(schema.clone())?;
        let given = Value::Object(values.clone()).to_string();
        let mistakes = schema::explain(&form, &given);
        if !mistakes.is_empty() {
            return Err(malformed(&mistakes.to_string()));
        }
    }
    Ok(Elicited::Accept(values))
}

pub(super) fn sampling(sampling: &Sampling) -> Result<InputRequest, BackendError> {
    let messages: Result<Vec<RmcpMessage>, BackendError> =
        sampling.messages.iter().map(message).collect();
    let mut params = CreateMessageRequestParams::new(messages?, sampling.max_tokens);
    let asked = sampling.system_prompt.clone();
    params.system_prompt = asked;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the protocol's crate has a temperature as `f32`"
    )]
    let temperature = sampling.temperature.map(|degrees| degrees as f32);
    params.temperature = temperature;
    if !sampling.stop_sequences.is_empty() {
        params.stop_sequences = Some(sampling.stop_sequences.clone());
    }
    if !sampling.model_hints.is_empty() {
        let hints = sampling.model_hints.iter().map(ModelHint::new).collect();
        params.model_preferences = Some(ModelPreferences::new().with_hints(hints));
    }
    Ok(InputRequest::CreateMessage(CreateMessageRequest::new(
        params,
    )))
}

fn message(message: &SamplingMessage) -> Result<RmcpMessage, BackendError> {
    let role = match message.role {
        SamplingRole::User => Role::User,
        SamplingRole::Assistant => Role::Assistant,
    };
    let blocks: Result<Vec<_>, BackendError> = message.content.iter().map(sampling_block).collect();
    let mut blocks = blocks?;
    Ok(match blocks.len() {
        // Versions before 2025-11-25 know no list.
        1 => RmcpMessage::new(role, blocks.remove(0)),
        _ => RmcpMessage::new_multiple(role, blocks),
    })
}

fn sampling_block(block: &ContentBlock) -> Result<SamplingMessageContentBlock, BackendError> {
    match block {
        ContentBlock::Text { .. } | ContentBlock::Image { .. } | ContentBlock::Audio { .. } => {
            Ok(serde_json::from_value(serde_json::to_value(block)?)?)
        }
        _ => Err("a client's model takes texts, images and sounds only".into()),
    }
}

pub(super) fn sampled(result: CreateMessageResult) -> Result<Sampled, BackendError> {
    let blocks = result.message.content.into_vec().into_iter();
    let content: Result<Vec<ContentBlock>, _> = blocks
        .map(|block| serde_json::to_value(block).and_then(serde_json::from_value))
        .collect();
    let mut sampled = Sampled::new(
        result.model,
        content.map_err(|error| malformed(&error.to_string()))?,
    );
    sampled.stop_reason = result.stop_reason;
    Ok(sampled)
}

pub(super) fn list_roots() -> InputRequest {
    InputRequest::ListRoots(ListRootsRequest {
        method: Default::default(),
        extensions: Default::default(),
    })
}

pub(super) fn roots(result: ListRootsResult) -> Vec<Root> {
    let roots = result.roots.into_iter();
    roots.map(|root| Root::new(root.uri, root.name)).collect()
}

fn malformed(why: &str) -> BackendError {
    AskError::Malformed(why.to_owned()).into()
}

/// Writes a block of a result in the protocol's words.
pub(in crate::serve) fn block_to_rmcp(block: ContentBlock) -> RmcpBlock {
    match block {
        ContentBlock::Text { text } => RmcpBlock::text(text),
        ContentBlock::Image { data, mime_type } => RmcpBlock::image(data, mime_type),
        ContentBlock::Audio { data, mime_type } => RmcpBlock::audio(data, mime_type),
        ContentBlock::Resource { resource } => RmcpBlock::resource(contents_to_rmcp(resource)),
        ContentBlock::ResourceLink {
            uri,
            name,
            mime_type,
        } => {
            let mut link = RmcpResource::new(uri, name);
            link.mime_type = mime_type;
            RmcpBlock::resource_link(link)
        }
    }
}

/// Writes what a resource holds in the protocol's words.
pub(in crate::serve) fn contents_to_rmcp(resource: Resource) -> ResourceContents {
    let Resource {
        uri,
        mime_type,
        text,
        blob,
    } = resource;
    match (text, blob) {
        (None, Some(blob)) => ResourceContents::BlobResourceContents {
            uri,
            mime_type,
            blob,
            meta: None,
        },
        (text, _) => ResourceContents::TextResourceContents {
            uri,
            mime_type,
            text: text.unwrap_or_default(),
            meta: None,
        },
    }
}
