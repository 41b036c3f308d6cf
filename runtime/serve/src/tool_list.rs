//! Answers `tools/list`.

use std::sync::Arc;

use rmcp::model::{ErrorData, JsonObject, ListToolsResult, Tool as RmcpTool, ToolAnnotations};
use serde_json::Value;

use super::client::RequestContext;
use super::page::{page, page_result};
use helve_core::schema::CanonicalSchema;
use helve_core::support::lock::Mutex;
use helve_core::tool::{Annotations, Tool, ToolSpec};
use helve_core::toolset::Toolset;

/// The tools in the form of the protocol, converted once for each revision of the toolset.
#[derive(Default)]
pub(super) struct ToolList(Mutex<Option<ConvertedTools>>);

#[derive(Clone)]
struct ConvertedTools {
    revision: u64,
    tools: Arc<[RmcpTool]>,
}

impl ToolList {
    /// Answers `tools/list` with the page behind a cursor, sorted by name.
    pub(super) fn page(
        &self,
        toolset: &Toolset,
        cursor: Option<&str>,
        context: &RequestContext,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.current(toolset);
        let (tools, next_cursor) = page(&tools, |tool| &*tool.name, cursor)?;
        page_result!(ListToolsResult, tools, next_cursor, context)
    }

    pub(super) fn get(&self, toolset: &Toolset, name: &str) -> Option<RmcpTool> {
        let tools = self.current(toolset);
        let index = tools.binary_search_by(|tool| (*tool.name).cmp(name)).ok()?;
        Some(tools[index].clone())
    }

    fn current(&self, toolset: &Toolset) -> Arc<[RmcpTool]> {
        let revision = toolset.revision();
        let mut converted = self.0.lock();
        if let Some(known) = &*converted
            && known.revision == revision
        {
            return known.tools.clone();
        }
        let tools = toolset.tools();
        let served = tools.iter().filter(|tool| is_served(&***tool));
        let tools: Arc<[RmcpTool]> = served.map(|tool| to_rmcp(tool.spec())).collect();
        *converted = Some(ConvertedTools {
            revision,
            tools: tools.clone(),
        });
        tools
    }
}

/// Returns whether a tool is served. The result of an external tool can be handed in to an agent's turn only.
pub(super) fn is_served(tool: &dyn Tool) -> bool {
    !tool.is_external()
}

fn to_rmcp(spec: &ToolSpec) -> RmcpTool {
    let mut tool = RmcpTool::new(
        spec.name.to_string(),
        spec.description.to_string(),
        to_object_schema(&spec.input_schema),
    );
    tool.title = spec.title.as_ref().map(ToString::to_string);
    tool.output_schema = spec.output_schema.as_deref().map(to_object_schema);
    tool.annotations = to_rmcp_annotations(&spec.annotations);
    tool
}

/// Converts a schema to an object with a `type`, as the protocol requires.
fn to_object_schema(schema: &CanonicalSchema) -> Arc<JsonObject> {
    let mut object = match (schema.as_given(), schema.value()) {
        // The original form may be a single reference, which many clients do not resolve.
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

fn to_rmcp_annotations(hints: &Annotations) -> Option<ToolAnnotations> {
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
