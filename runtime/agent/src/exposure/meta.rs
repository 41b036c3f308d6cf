//! Meta tools: the tools with which a model reaches its other tools and compacts the conversation. Meta tools change
//! only what the model sees.

mod compress;
mod expand;
mod reset;
mod search;
#[cfg(feature = "skills")]
mod skills;
mod tool;

use std::sync::Arc;

use super::view::ExposureView;
use helve_core::tool::{Tool, ToolWrapper};
pub(crate) use tool::{COMPRESS_HISTORY, MetaToolContext};
pub(super) use tool::{EXPAND_TOOLS, RESET_TOOLS};

/// Returns the meta tools that are useful in the view.
pub(super) fn tools(view: &ExposureView, context: &MetaToolContext) -> Vec<Arc<dyn Tool>> {
    let mut tools = Vec::new();
    if view.exposed.compress {
        tools.extend(compress::tool());
    }
    if !view.groups.is_empty() {
        tools.extend(reset::tool(view, context));
    }
    if view.needs_selection {
        tools.extend(expand::tool(view, context));
        tools.extend(search::tool(view));
    }
    let tools = tools.into_iter().map(ToolWrapper::into_tool);
    #[cfg(feature = "skills")]
    let tools = tools.chain(skills::tools(view));
    tools.collect()
}
