//! Writes the tools as helve wants them.

include!("../generate.rs");

fn main() {
    let tool = |n| {
        format!(
            r#"
/// Looks up forecast {n}.
#[tool]
pub async fn forecast_{n}(
    /// The city to look up.
    city: String,
    /// How many days ahead.
    days: u32,
    /// Whether to answer in metric units.
    metric: Option<bool>,
) -> String {{
    format!("{{city}} {{days}} {{metric:?}}")
}}
"#
        )
    };
    generate(
        "#[allow(unused_imports)] use helve::prelude::*;\n",
        tool,
        "",
    );
}
