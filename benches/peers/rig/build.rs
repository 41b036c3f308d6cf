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
    generate("#[allow(unused_imports)] use rig_core::{rig_tool, tool::ToolExecutionError};\n", tool, "");
}
