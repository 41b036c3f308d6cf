//! Answers `resources/list`, `resources/templates/list` and `resources/read`.

use std::sync::Arc;

use futures_util::FutureExt as _;
use rmcp::model::{
    ErrorData, ListResourceTemplatesResult, ListResourcesResult, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource as RmcpResource,
};
use serde_json::json;

use super::ResourceTemplate;
use crate::client::{RequestContext, contents_to_rmcp};
use crate::interactive::{self, InteractiveRequest, to_error_data};
use crate::page::{page, page_result};
use crate::response::RequestResult;
use crate::session::Session;
use crate::settings::Settings;
use crate::state::ServerState;

/// Answers `resources/list` with the files of the app's skills and the resources of its sources.
pub(crate) async fn list(
    state: &ServerState,
    session: &Session,
    cursor: Option<&str>,
    context: &RequestContext,
) -> Result<ListResourcesResult, ErrorData> {
    #[cfg(feature = "skills")]
    let mut listed: Vec<RmcpResource> = match &state.skills {
        Some(skills) => skills.resources().await,
        None => Vec::new(),
    };
    #[cfg(not(feature = "skills"))]
    let mut listed: Vec<RmcpResource> = Vec::new();
    for source in &state.settings.resources {
        let resources = source.list(&session.context).await;
        let resources = resources.map_err(|error| to_error_data(&error, false))?;
        listed.extend(resources.into_iter().map(super::ListedResource::into_rmcp));
    }
    // The sort is stable, so that the first source wins if several have the same URI.
    listed.sort_by(|a, b| a.uri.cmp(&b.uri));
    listed.dedup_by(|later, earlier| later.uri == earlier.uri);
    let (listed, next_cursor) = page(&listed, |resource| &resource.uri, cursor)?;
    page_result!(ListResourcesResult, listed, next_cursor, context)
}

/// Answers `resources/templates/list`.
pub(crate) fn templates(
    settings: &Settings,
    cursor: Option<&str>,
    context: &RequestContext,
) -> Result<ListResourceTemplatesResult, ErrorData> {
    let mut templates = all_templates(settings);
    templates.sort_by(|a, b| a.uri_template().cmp(b.uri_template()));
    templates.dedup_by(|later, earlier| later.uri_template() == earlier.uri_template());
    let (page, next_cursor) = page(&templates, ResourceTemplate::uri_template, cursor)?;
    let page = page.iter().map(ResourceTemplate::to_rmcp).collect();
    page_result!(ListResourceTemplatesResult, page, next_cursor, context)
}

pub(crate) fn all_templates(settings: &Settings) -> Vec<ResourceTemplate> {
    let sources = settings.resources.iter();
    sources.flat_map(|source| source.templates()).collect()
}

/// Answers `resources/read`.
pub(crate) async fn read(
    state: &ServerState,
    session: &Arc<Session>,
    request: ReadResourceRequestParams,
    context: RequestContext,
) -> Result<ReadResourceResponse, ErrorData> {
    let uri = request.uri;
    #[cfg(feature = "skills")]
    if let Some(skills) = &state.skills
        && let Some(read) = skills.read(&uri).await
    {
        return read.map(Into::into);
    }
    let interactive_request = InteractiveRequest {
        name: format!("resources/read {uri}"),
        arguments: String::new(),
        state: request.request_state,
        responses: request.input_responses,
    };
    let sources = state.settings.resources.clone();
    let read = |context| {
        async move {
            for source in sources {
                if let Some(contents) = source.read(&context, &uri).await? {
                    let contents = contents.into_iter().map(contents_to_rmcp).collect();
                    return Ok(RequestResult::Resource(ReadResourceResult::new(contents)));
                }
            }
            Ok(RequestResult::Failed(ErrorData::resource_not_found(
                format!("unknown resource `{uri}`"),
                Some(json!({ "uri": uri })),
            )))
        }
        .boxed()
    };
    let response = interactive::run(state, session, interactive_request, context, read).await;
    response?.into_resource()
}
