//! Writes the tools as rig-core wants them.

include!("../generate.rs");

fn main() {
    let tool = |n| {
        format!(
            r#"
/// Looks up forecast {n}.
#[rig_tool]
pub async fn forecast_{n}(
    /// The city to look up.
    city: String,
    /// How many days ahead.
    days: u32,
    /// Whether to answer in metric units.
    metric: Option<bool>,
) -> Result<String, ToolExecutionError> {{
    Ok(format!("{{city}} {{days}} {{metric:?}}"))
}}
"#
        )
    };
    // Without it nothing that calls a tool is compiled; the other two macros make it themselves.
    let all: String = (0..count())
        .map(|n| format!("Arc::new(Forecast{n}),"))
        .collect();
    let tail = format!("pub fn all() -> Vec<Arc<dyn ErasedTool>> {{ vec![{all}] }}\n");
    let head = "#[allow(unused_imports)] use rig_core::{rig_tool, tool::ToolExecutionError};\n\
        use rig_core::tool::ErasedTool;\n\
        use std::sync::Arc;\n";
    generate(head, tool, &tail);
}
