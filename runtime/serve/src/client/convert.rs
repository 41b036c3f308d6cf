//! Converts requests for input, their results and content blocks between this crate's types and those of rmcp.
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

use super::pending_request::InputError;
use helve_core::capability::{
    BackendError, Elicitation, ElicitationRequest, ElicitationResult, Root, SamplingMessage,
    SamplingRequest, SamplingResult, SamplingRole,
};
use helve_core::schema;
use helve_core::transcript::{ContentBlock, Resource};

pub(super) fn elicitation_request(elicitation: &Elicitation) -> Result<InputRequest, BackendError> {
    let message = message_with_asker(elicitation.requester.as_deref(), &elicitation.message);
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

/// Prefixes a message with the server that asks, if that is another one than this server.
fn message_with_asker(asker: Option<&str>, message: &str) -> String {
    match asker {
        Some(asker) => format!("`{asker}` asks: {message}"),
        None => message.to_owned(),
    }
}

/// Converts the result of an elicitation. The values of a form are validated against its schema, because a client need not
/// do so.
pub(super) fn elicitation_result(
    elicitation: &Elicitation,
    result: ElicitResult,
) -> Result<ElicitationResult, BackendError> {
    match result.action {
        ElicitationAction::Accept => {}
        ElicitationAction::Decline => return Ok(ElicitationResult::Decline),
        // An action of a later version of the protocol is no answer.
        _ => return Ok(ElicitationResult::Cancel),
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
    Ok(ElicitationResult::Accept(values))
}

pub(super) fn sampling_request(sampling: &SamplingRequest) -> Result<InputRequest, BackendError> {
    let messages: Result<Vec<RmcpMessage>, BackendError> =
        sampling.messages.iter().map(sampling_message).collect();
    let mut params = CreateMessageRequestParams::new(messages?, sampling.max_tokens);
    params.system_prompt = sampling.system_prompt.clone();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "rmcp has the temperature as `f32`"
    )]
    let temperature = sampling.temperature.map(|temperature| temperature as f32);
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

fn sampling_message(message: &SamplingMessage) -> Result<RmcpMessage, BackendError> {
    let role = match message.role {
        SamplingRole::User => Role::User,
        SamplingRole::Assistant => Role::Assistant,
    };
    let blocks: Result<Vec<_>, BackendError> = message.content.iter().map(sampling_block).collect();
    let mut blocks = blocks?;
    Ok(match blocks.len() {
        // Versions before 2025-11-25 have no list of blocks.
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

pub(super) fn sampling_result(result: CreateMessageResult) -> Result<SamplingResult, BackendError> {
    let blocks = result.message.content.into_vec().into_iter();
    let content: Result<Vec<ContentBlock>, _> = blocks
        .map(|block| serde_json::to_value(block).and_then(serde_json::from_value))
        .collect();
    let mut sampled = SamplingResult::new(
        result.model,
        content.map_err(|error| malformed(&error.to_string()))?,
    );
    sampled.stop_reason = result.stop_reason;
    Ok(sampled)
}

pub(super) fn roots_request() -> InputRequest {
    InputRequest::ListRoots(ListRootsRequest {
        method: Default::default(),
        extensions: Default::default(),
    })
}

pub(super) fn roots_result(result: ListRootsResult) -> Vec<Root> {
    let roots = result.roots.into_iter();
    roots.map(|root| Root::new(root.uri, root.name)).collect()
}

fn malformed(why: &str) -> BackendError {
    InputError::Malformed(why.to_owned()).into()
}

pub(crate) fn block_to_rmcp(block: ContentBlock) -> RmcpBlock {
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

pub(crate) fn contents_to_rmcp(resource: Resource) -> ResourceContents {
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
