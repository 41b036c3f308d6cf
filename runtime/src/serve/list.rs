//! `tools/list`: what a client is shown of the tools.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rmcp::model::{
    CacheScope, ErrorData, JsonObject, ListToolsResult, PaginatedRequestParams, Tool as Shown,
    ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use super::{Server, client};
use crate::schema::Canonical;
use crate::support::lock::Mutex;
use crate::tool::{Annotations, Tool, ToolSpec};

/// How many tools a page has.
const PAGE: usize = 100;

/// How long a client may go by a list, in milliseconds: a change is told to whoever listens.
pub(super) const FRESH_MS: u64 = 60_000;

/// The tools as clients are shown them, made once for each state of the toolset.
#[derive(Default)]
pub(super) struct Offer(Mutex<Option<(u64, Arc<[Shown]>)>>);

/// Answers with the tools behind a cursor, in the order of their names.
///
/// A cursor names the last tool of a page, so that it stays true whatever comes or goes.
pub(super) fn page(
    server: &Server,
    request: Option<PaginatedRequestParams>,
    context: &RequestContext<RoleServer>,
) -> Result<ListToolsResult, ErrorData> {
    let tools = offered(server);
    let start = match request.and_then(|request| request.cursor) {
        None => 0,
        Some(cursor) => {
            let last = name_in(&cursor).ok_or_else(|| {
                ErrorData::invalid_params("the cursor is none that this server gave", None)
            })?;
            tools.partition_point(|tool| *tool.name <= *last)
        }
    };
    let page: Vec<Shown> = tools[start..].iter().take(PAGE).cloned().collect();
    let is_last = start + page.len() == tools.len();
    let next = page.last().filter(|_| !is_last);
    let next_cursor = next.map(|tool| URL_SAFE_NO_PAD.encode(&*tool.name));
    let mut result = ListToolsResult::with_all_items(page);
    result.next_cursor = next_cursor;
    if client::is_modern(context) {
        result.ttl_ms = Some(FRESH_MS);
        result.cache_scope = Some(CacheScope::Private);
    }
    Ok(result)
}

/// Returns the name that a cursor stands for.
fn name_in(cursor: &str) -> Option<String> {
    String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()
}

/// Finds a tool by its name, as clients are shown it.
pub(super) fn find(server: &Server, name: &str) -> Option<Shown> {
    let tools = offered(server);
    let found = tools.binary_search_by(|tool| (*tool.name).cmp(name));
    found.ok().map(|index| tools[index].clone())
}

/// Returns the tools as they are now.
fn offered(server: &Server) -> Arc<[Shown]> {
    let toolset = server.toolset();
    let revision = toolset.revision();
    let mut offer = server.inner.offer.0.lock();
    match &*offer {
        Some((at, tools)) if *at == revision => tools.clone(),
        _ => {
            let tools = toolset.tools();
            let served = tools.iter().filter(|tool| is_served(&***tool));
            let tools: Arc<[Shown]> = served.map(|tool| shown(tool.spec())).collect();
            *offer = Some((revision, tools.clone()));
            tools
        }
    }
}

/// Reports whether a call of a tool can be answered here: a result that somebody else hands in goes to a turn.
pub(super) fn is_served(tool: &dyn Tool) -> bool {
    !tool.is_external()
}

fn shown(spec: &ToolSpec) -> Shown {
    let mut tool = Shown::new(
        spec.name.to_string(),
        spec.description.to_string(),
        object(&spec.input_schema),
    );
    tool.title = spec.title.as_ref().map(ToString::to_string);
    tool.output_schema = spec.output_schema.as_deref().map(object);
    tool.annotations = annotations(&spec.annotations);
    tool
}

/// Returns a schema as the protocol has it: an object that says so.
fn object(schema: &Canonical) -> Arc<JsonObject> {
    let mut object = match (schema.as_given(), schema.value()) {
        // As it was given, a schema may be one reference, which many clients do not follow.
        (Value::Object(given), _) if given.get("type").is_some_and(|kind| kind == "object") => {
            given.clone()
        }
        (_, Value::Object(object)) => object.clone(),
        _ => JsonObject::new(),
    };
    object
        .entry("type")
        .or_insert_with(|| Value::from("object"));
    Arc::new(object)
}

fn annotations(hints: &Annotations) -> Option<ToolAnnotations> {
    let declared = *hints != Annotations::NONE;
    declared.then(|| {
        ToolAnnotations::from_raw(
            None,
            hints.read_only,
            hints.destructive,
            hints.idempotent,
            hints.open_world,
        )
    })
}
