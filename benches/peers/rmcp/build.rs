//! Writes the tools as rmcp wants them: a struct and a method each.

include!("../generate.rs");

fn main() {
    let structs: String = (0..count())
        .map(|n| {
            format!(
                r#"
#[derive(serde::Deserialize, schemars::JsonSchema)]
pub struct Forecast{n} {{
    /// The city to look up.
    city: String,
    /// How many days ahead.
    days: u32,
    /// Whether to answer in metric units.
    metric: Option<bool>,
}}
"#
            )
        })
        .collect();
    let tool = |n| {
        format!(
            r#"
    /// Looks up forecast {n}.
    #[tool]
    pub async fn forecast_{n}(&self, Parameters(Forecast{n} {{ city, days, metric }}): Parameters<Forecast{n}>) -> String {{
        format!("{{city}} {{days}} {{metric:?}}")
    }}
"#
        )
    };
    let head = format!(
        "#[allow(unused_imports)] use rmcp::{{handler::server::wrapper::Parameters, tool, tool_router}};\n{structs}\npub struct Forecasts;\n#[tool_router(vis = \"pub\", allow_empty)]\nimpl Forecasts {{"
    );
    generate(&head, tool, "}\n");
}
