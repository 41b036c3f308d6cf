//! The tools by which a model reaches its other tools, and makes room. They change nothing but what it is shown.

mod compress;
mod expand;
mod reset;
mod search;
#[cfg(feature = "skills")]
mod skills;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::window::{Gaps, Group};
use super::{Offered, Offering};
use crate::schema::Mistakes;
use crate::support::lock::Mutex;
use crate::tool::{
    Annotations, Check, Concurrency, Prepared, Tool, ToolContext, ToolResult, Wrapper,
};
use crate::toolset::{DynamicTool, Toolset};

pub(super) const RESET_TOOLS: &str = "reset_tools";
pub(super) const EXPAND_TOOLS: &str = "tool_expand_tools";
pub(in crate::agent) const COMPRESS_HISTORY: &str = "compress_history";
const SEARCH: &str = "tool_search";

/// What such a tool looks at: the agent's tools and how the switches stand.
#[derive(Clone)]
pub(super) struct View {
    pub(super) toolset: Toolset,
    pub(super) offering: Arc<Offering>,
    pub(super) offered: Offered,
    pub(super) groups: Vec<Group>,
    pub(super) gaps: Gaps,
    pub(super) is_chosen: bool,
}

/// Where such a tool leaves the switches as they shall stand next; whoever drives the turn writes them down.
#[derive(Debug, Default)]
pub(in crate::agent) struct Desk(Mutex<Option<Offered>>);

impl Desk {
    fn leave(&self, offered: Offered) {
        *self.0.lock() = Some(offered);
    }

    /// Takes what was left there.
    pub(in crate::agent) fn take(&self) -> Option<Offered> {
        self.0.lock().take()
    }
}

/// Makes those that there is any use for.
pub(super) fn tools(view: &View, desk: &Arc<Desk>) -> Vec<Arc<dyn Tool>> {
    let mut tools = Vec::new();
    if view.offered.compress {
        tools.extend(compress::tool());
    }
    if !view.groups.is_empty() {
        tools.extend(reset::tool(view, desk));
    }
    if view.is_chosen {
        tools.extend(expand::tool(view, desk));
        tools.extend(search::tool(view));
    }
    let tools = tools.into_iter();
    let tools = tools.map(Wrapper::into_tool);
    #[cfg(feature = "skills")]
    let tools = tools.chain(skills::tools(view));
    tools.collect()
}

/// Such a tool: it runs without a question, since nothing happens but that the model sees more or less; and alone, since
/// the next call sees what it changed.
struct MetaTool(DynamicTool);

impl MetaTool {
    /// Makes one; the names are fixed and the schemas are written here, so that nothing can be wrong with them but a group's
    /// name, which was checked.
    fn new(
        name: &str,
        description: impl Into<String>,
        schema: Value,
        answer: impl Fn(Value) -> BoxFuture<'static, ToolResult> + Send + Sync + 'static,
    ) -> Option<Self> {
        let tool = DynamicTool::new(name, description, schema, move |_, arguments| {
            answer(arguments)
        });
        let hints = Annotations {
            read_only: Some(true),
            ..Annotations::NONE
        };
        tool.ok().map(|tool| Self(tool.annotated(hints)))
    }
}

impl Wrapper for MetaTool {
    fn inner(&self) -> &dyn Tool {
        &self.0
    }

    fn prepare(&self, context: &ToolContext, arguments: Arc<str>) -> Result<Prepared, Mistakes> {
        let prepared = self.0.prepare(context, arguments)?;
        Ok(prepared.with_facts(|facts| {
            facts.check = Check::Allow;
            facts.concurrency = Concurrency::Exclusive;
        }))
    }
}
