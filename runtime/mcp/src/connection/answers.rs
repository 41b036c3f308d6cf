//! Answers the requests of a server to the client: elicitation, sampling and roots.
//!
//! Sampling and roots are deprecated in the newest protocol, and supported for servers of older ones.
#![expect(deprecated, reason = "older servers use them")]

use std::sync::Arc;

use rmcp::model::{
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult,
    ElicitationAction, ErrorData, ListRootsResult, Role, Root, SamplingMessage,
    SamplingMessageContentBlock,
};
use serde_json::{Map, Value};
use url::Url;

use super::calls::ActiveRequest;
use crate::{ServerName, ServerTrust};
use helve_core::capability::{
    Elicitation, ElicitationResult, SamplingMessage as Message, SamplingRequest, SamplingRole,
};
use helve_core::tool::{ToolContext, chain_text};
use helve_core::transcript::ContentBlock;

/// Answers the requests of one server.
#[derive(Debug, Clone)]
pub(super) struct ServerRequestHandler {
    pub(super) server: ServerName,
    pub(super) trust: ServerTrust,
}

impl ServerRequestHandler {
    /// Asks the user; declines if no user is available, or if the request belongs to no call.
    pub(super) async fn elicit(
        &self,
        active: Option<&Arc<ActiveRequest>>,
        params: ElicitRequestParams,
    ) -> ElicitResult {
        let decline = ElicitResult::new(ElicitationAction::Decline);
        let Some((active, cx)) = call_of(active) else {
            return decline;
        };
        let (elicitation, schema) = match params {
            ElicitRequestParams::FormElicitationParams {
                message,
                requested_schema,
                ..
            } => {
                let Ok(schema) = serde_json::to_value(requested_schema) else {
                    return decline;
                };
                (Elicitation::form(message, schema.clone()), schema)
            }
            ElicitRequestParams::UrlElicitationParams {
                message,
                url,
                elicitation_id,
                ..
            } => (Elicitation::url(message, url, elicitation_id), Value::Null),
            _ => return decline,
        };
        let elicitation = elicitation.with_requester(self.server.as_str());
        let _asked = active.begin_response();
        let client = cx.client();
        let elicited = active.over.run_until_cancelled(client.elicit(&elicitation));
        match elicited.await {
            Some(Ok(ElicitationResult::Accept(values))) => {
                let result = ElicitResult::new(ElicitationAction::Accept);
                if schema.is_null() {
                    result
                } else {
                    result.with_content(Value::Object(with_defaults(values, &schema)))
                }
            }
            Some(Ok(ElicitationResult::Decline) | Err(_)) => decline,
            Some(Ok(ElicitationResult::Cancel)) | None => {
                ElicitResult::new(ElicitationAction::Cancel)
            }
        }
    }

    /// Samples the app's model, if the configuration trusts the server with it.
    pub(super) async fn sample(
        &self,
        active: Option<&Arc<ActiveRequest>>,
        params: CreateMessageRequestParams,
    ) -> Result<CreateMessageResult, ErrorData> {
        if !self.trust.sampling {
            let why = "this client does not lend its model to this server";
            return Err(ErrorData::invalid_request(why, None));
        }
        let Some((active, cx)) = call_of(active) else {
            let why = "this client lends its model only while it calls a tool";
            return Err(ErrorData::invalid_request(why, None));
        };
        let sampling = self.sampling(params)?;
        let _asked = active.begin_response();
        let client = cx.client();
        let sampled = active.over.run_until_cancelled(client.sample(&sampling));
        let sampled = match sampled.await {
            Some(Ok(sampled)) => sampled,
            Some(Err(error)) => return Err(ErrorData::internal_error(chain_text(&error), None)),
            None => return Err(ErrorData::internal_error("the call was cancelled", None)),
        };
        let mut content: Vec<SamplingMessageContentBlock> =
            sampled.content.iter().filter_map(to_wire).collect();
        let message = if content.len() == 1 {
            SamplingMessage::new(Role::Assistant, content.remove(0))
        } else {
            SamplingMessage::new_multiple(Role::Assistant, content)
        };
        let mut result = CreateMessageResult::new(message, sampled.model);
        result.stop_reason = sampled.stop_reason;
        Ok(result)
    }

    /// Returns the roots of the app's client, or else the working folder of the call.
    pub(super) async fn roots(&self, active: Option<&Arc<ActiveRequest>>) -> ListRootsResult {
        let Some((_, cx)) = call_of(active) else {
            return ListRootsResult::new(Vec::new());
        };
        if let Ok(told) = cx.client().roots().await {
            let roots = told.into_iter().map(|told| match told.name {
                Some(name) => Root::new(told.uri).with_name(name),
                None => Root::new(told.uri),
            });
            return ListRootsResult::new(roots.collect());
        }
        let folder = cx.working_folder();
        let folder = folder.and_then(|folder| Url::from_directory_path(folder).ok());
        let root = folder.map(|url| Root::new(url.as_str().trim_end_matches('/')));
        ListRootsResult::new(root.into_iter().collect())
    }

    fn sampling(&self, params: CreateMessageRequestParams) -> Result<SamplingRequest, ErrorData> {
        if params.tools.as_ref().is_some_and(|tools| !tools.is_empty()) {
            let why = "this client's model takes no tools of a server";
            return Err(ErrorData::invalid_params(why, None));
        }
        let mut messages = Vec::with_capacity(params.messages.len());
        for message in params.messages {
            let role = match message.role {
                Role::Assistant => SamplingRole::Assistant,
                Role::User => SamplingRole::User,
            };
            let blocks = message.content.into_vec();
            let content: Result<Vec<ContentBlock>, ErrorData> =
                blocks.into_iter().map(from_wire).collect();
            messages.push(Message::new(role, content?));
        }
        let mut sampling = SamplingRequest::new(messages, params.max_tokens);
        sampling.system_prompt = params.system_prompt;
        sampling.temperature = params.temperature.map(f64::from);
        sampling.stop_sequences = params.stop_sequences.unwrap_or_default();
        let preferences = params.model_preferences;
        let hints = preferences.and_then(|preferences| preferences.hints);
        let hints = hints.unwrap_or_default().into_iter();
        sampling.model_hints = hints.filter_map(|hint| hint.name).collect();
        sampling.requester = Some(self.server.as_str().to_owned());
        Ok(sampling)
    }
}

fn call_of(active: Option<&Arc<ActiveRequest>>) -> Option<(&Arc<ActiveRequest>, &ToolContext)> {
    let active = active?;
    Some((active, active.cx.as_ref()?))
}

/// Fills empty fields with the defaults of the schema.
fn with_defaults(mut values: Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        if let Some(default) = property.get("default") {
            values.entry(name).or_insert_with(|| default.clone());
        }
    }
    values
}

fn from_wire(block: SamplingMessageContentBlock) -> Result<ContentBlock, ErrorData> {
    match block {
        SamplingMessageContentBlock::Text(text) => Ok(ContentBlock::text(text.text)),
        SamplingMessageContentBlock::Image(image) => Ok(ContentBlock::Image {
            data: image.data,
            mime_type: image.mime_type,
        }),
        SamplingMessageContentBlock::Audio(audio) => Ok(ContentBlock::Audio {
            data: audio.data,
            mime_type: audio.mime_type,
        }),
        _ => Err(ErrorData::invalid_params(
            "this client's model takes text, images and sounds only",
            None,
        )),
    }
}

fn to_wire(block: &ContentBlock) -> Option<SamplingMessageContentBlock> {
    let value = match block {
        ContentBlock::Text { .. } | ContentBlock::Image { .. } | ContentBlock::Audio { .. } => {
            serde_json::to_value(block).ok()?
        }
        _ => return None,
    };
    serde_json::from_value(value).ok()
}
