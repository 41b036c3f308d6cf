//! What a model is shown of the tools that it may call.

use std::sync::Arc;

use crate::model::OfferedTool;
use crate::tool::Tool;
use crate::toolset::Toolset;
use crate::transcript::ToolName;

/// Writes the tools of a request.
pub(super) fn offered(toolset: &Toolset) -> Arc<[OfferedTool]> {
    let offer = |tool: Arc<dyn Tool>| {
        let spec = tool.spec();
        OfferedTool::new(
            ToolName::new(spec.name.clone()),
            spec.description.clone(),
            spec.input_schema.clone(),
        )
    };
    toolset.tools().into_iter().map(offer).collect()
}
