//! The common parts of the meta tools.

use std::sync::{Arc, OnceLock};

use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::exposure::ExposedTools;
use helve_core::schema::Mistakes;
use helve_core::support::lock::Mutex;
use helve_core::tool::{
    Annotations, Check, Concurrency, PreparedCall, Tool, ToolContext, ToolResult, ToolWrapper,
};
use helve_core::toolset::DynamicTool;

pub(in crate::exposure) const RESET_TOOLS: &str = "reset_tools";
pub(in crate::exposure) const EXPAND_TOOLS: &str = "tool_expand_tools";
pub(crate) const COMPRESS_HISTORY: &str = "compress_history";
pub(super) const TOOL_SEARCH: &str = "tool_search";

/// The state that the meta tools of a turn share with its driver: the new state of the switches, which the driver records.
///
/// It is created with the first meta tool, since most agents have none.
#[derive(Debug, Default)]
pub(crate) struct MetaToolContext(OnceLock<SharedExposure>);

/// The share of a meta tool.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedExposure(Arc<Mutex<Option<ExposedTools>>>);

impl SharedExposure {
    pub(super) fn set_exposed(&self, exposed: ExposedTools) {
        *self.0.lock() = Some(exposed);
    }
}

impl MetaToolContext {
    pub(super) fn share(&self) -> SharedExposure {
        self.0.get_or_init(SharedExposure::default).clone()
    }

    pub(crate) fn take_exposed(&self) -> Option<ExposedTools> {
        self.0.get()?.0.lock().take()
    }
}

/// A tool that changes only what the model sees.
///
/// A meta tool runs without approval, since it has no other effect, and exclusively, since the next call depends on it.
pub(super) struct MetaTool(DynamicTool);

impl MetaTool {
    /// Creates a meta tool. The names and the schemas are fixed except for the names of groups, which were validated,
    /// so the construction does not fail.
    pub(super) fn new(
        name: &str,
        description: impl Into<String>,
        schema: Value,
        answer: impl Fn(Value) -> BoxFuture<'static, ToolResult> + Send + Sync + 'static,
    ) -> Option<Self> {
        let tool = DynamicTool::new(name, description, schema, move |_, arguments| {
            answer(arguments)
        });
        let hints = Annotations::new(Some(true), None, None, None);
        tool.ok().map(|tool| Self(tool.with_annotations(hints)))
    }
}

impl ToolWrapper for MetaTool {
    fn inner(&self) -> &dyn Tool {
        &self.0
    }

    fn prepare(
        &self,
        context: &ToolContext,
        arguments: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        let prepared = self.0.prepare(context, arguments)?;
        Ok(prepared.with_facts(|facts| {
            facts.check = Check::Allow;
            facts.concurrency = Concurrency::Exclusive;
        }))
    }
}
