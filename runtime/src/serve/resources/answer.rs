//! What the requests about resources are answered with.

use std::sync::Arc;

use futures_util::FutureExt as _;
use rmcp::model::{
    CacheScope, ErrorData, ListResourceTemplatesResult, ListResourcesResult,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource as Shown,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;

use super::ResourceTemplate;
use crate::serve::asking::{self, Asking, failed};
use crate::serve::client::contents_to_rmcp;
use crate::serve::list::FRESH_MS;
use crate::serve::page::page;
use crate::serve::reply::Reply;
use crate::serve::session::Session;
use crate::serve::{Server, client};

/// Answers `resources/list`: the files of the app's skills, and what its sources list.
pub(in crate::serve) async fn list(
    server: &Server,
    session: &Session,
    cursor: Option<&str>,
    context: &RequestContext<RoleServer>,
) -> Result<ListResourcesResult, ErrorData> {
    #[cfg(feature = "skills")]
    let mut listed: Vec<Shown> = match &server.inner.skills {
        Some(skills) => skills.resources().await,
        None => Vec::new(),
    };
    #[cfg(not(feature = "skills"))]
    let mut listed: Vec<Shown> = Vec::new();
    for source in &server.inner.settings.resources {
        let resources = source.list(&session.context).await;
        let resources = resources.map_err(|error| failed(&error, false))?;
        listed.extend(resources.into_iter().map(super::ListedResource::shown));
    }
    // Stable, so that of two with one URI that of the earlier source stands.
    listed.sort_by(|a, b| a.uri.cmp(&b.uri));
    listed.dedup_by(|later, earlier| later.uri == earlier.uri);
    let (listed, next) = page(&listed, |resource| &resource.uri, cursor)?;
    let mut result = ListResourcesResult::with_all_items(listed);
    result.next_cursor = next;
    if client::is_modern(context) {
        result.ttl_ms = Some(FRESH_MS);
        result.cache_scope = Some(CacheScope::Private);
    }
    Ok(result)
}

/// Answers `resources/templates/list`.
pub(in crate::serve) fn templates(
    server: &Server,
    cursor: Option<&str>,
    context: &RequestContext<RoleServer>,
) -> Result<ListResourceTemplatesResult, ErrorData> {
    let mut templates = all_templates(server);
    templates.sort_by(|a, b| a.uri_template().cmp(b.uri_template()));
    templates.dedup_by(|later, earlier| later.uri_template() == earlier.uri_template());
    let (page, next) = page(&templates, ResourceTemplate::uri_template, cursor)?;
    let page = page.iter().map(ResourceTemplate::shown).collect();
    let mut result = ListResourceTemplatesResult::with_all_items(page);
    result.next_cursor = next;
    if client::is_modern(context) {
        result.ttl_ms = Some(FRESH_MS);
        result.cache_scope = Some(CacheScope::Private);
    }
    Ok(result)
}

/// Returns the families of resources of every source.
pub(in crate::serve) fn all_templates(server: &Server) -> Vec<ResourceTemplate> {
    let sources = server.inner.settings.resources.iter();
    sources.flat_map(|source| source.templates()).collect()
}

/// Answers `resources/read`.
pub(in crate::serve) async fn read(
    server: &Server,
    session: &Arc<Session>,
    request: ReadResourceRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<ReadResourceResponse, ErrorData> {
    let uri = request.uri;
    #[cfg(feature = "skills")]
    if let Some(skills) = &server.inner.skills
        && let Some(read) = skills.read(&uri).await
    {
        return read.map(Into::into);
    }
    let asking = Asking {
        name: format!("resources/read {uri}"),
        arguments: String::new(),
        state: request.request_state,
        answers: request.input_responses,
    };
    let sources = server.inner.settings.resources.clone();
    let read = |context| {
        async move {
            for source in sources {
                if let Some(contents) = source.read(&context, &uri).await? {
                    let contents = contents.into_iter().map(contents_to_rmcp).collect();
                    return Ok(Reply::Resource(ReadResourceResult::new(contents)));
                }
            }
            Ok(Reply::Failed(ErrorData::resource_not_found(
                format!("there is no resource at `{uri}`"),
                Some(json!({ "uri": uri })),
            )))
        }
        .boxed()
    };
    let answered = asking::answer(server, session, asking, context, read).await;
    answered?.resource()
}
