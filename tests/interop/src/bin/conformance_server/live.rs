//! Lists that change while they are served.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use helve::prelude::*;
use helve::serve::Prompts;
use helve::toolset::{DynamicTool, ToolList, ToolSource};
use serde_json::json;

use crate::prompts;

/// A tool that comes and goes.
#[derive(Clone, Default)]
pub(crate) struct LiveTools(Arc<AtomicU64>);

impl ToolSource for LiveTools {
    fn list(&self) -> ToolList {
        let revision = self.0.load(Ordering::Relaxed);
        let there = (revision % 2 == 1).then(|| {
            DynamicTool::new(
                "test_came_later",
                "Came later.",
                json!({ "type": "object" }),
                |_, _| Box::pin(async { Ok(ToolOutput::plain("here")) }),
            )
        });
        let tools = there.into_iter().filter_map(Result::ok);
        ToolList::new(tools.map(|tool| Arc::new(tool) as _)).with_revision(revision)
    }
}

/// Changes the list of tools.
#[tool(read_only)]
fn test_trigger_tool_change(live: &LiveTools) -> &'static str {
    live.0.fetch_add(1, Ordering::Relaxed);
    "The list of tools has changed"
}

/// Changes the list of prompts.
#[tool(read_only)]
fn test_trigger_prompt_change(served: &Prompts) -> &'static str {
    served.replace(prompts::all());
    "The list of prompts has changed"
}
