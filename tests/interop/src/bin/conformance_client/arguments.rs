//! What the tools of the suite are called with.

use helve::Toolset;
use serde_json::{Map, Value, json};

use crate::scenario::Scenario;

/// Returns one call of each tool, or those that the scenario wants.
pub(crate) fn calls(toolset: &Toolset, scenario: &Scenario) -> Vec<(String, Value)> {
    let tools = toolset.tools();
    if let Some(calls) = scenario.calls() {
        let offered = |name: &str| tools.iter().any(|tool| *tool.spec().name == *name);
        let calls = calls
            .into_iter()
            .map(|(name, arguments)| (format!("mcp__suite__{name}"), arguments));
        return calls.filter(|(name, _)| offered(name)).collect();
    }
    let schemas = tools.iter().map(|tool| {
        (
            tool.spec().name.to_string(),
            tool.spec().input_schema.as_given().clone(),
        )
    });
    let schemas = schemas.collect::<Vec<_>>();
    let echo = "mcp__suite__json_schema_echo";
    if let Some((_, schema)) = schemas
        .iter()
        .find(|(name, _)| name.ends_with("json_schema_2020_12_tool"))
    {
        // The suite wants to see what became of this schema on its way.
        return vec![(echo.to_owned(), json!({ "schema": schema }))];
    }
    let call = |(name, schema): &(String, Value)| (name.clone(), required(schema));
    schemas.iter().map(call).collect()
}

/// Makes a value for everything that a schema requires.
fn required(schema: &Value) -> Value {
    let required = schema["required"].as_array().into_iter().flatten();
    let named = required.filter_map(Value::as_str);
    let arguments = named.map(|name| (name.to_owned(), value(&schema["properties"][name])));
    Value::Object(arguments.collect::<Map<_, _>>())
}

/// Makes a value that a property takes: its default where it has one.
pub(crate) fn value(property: &Value) -> Value {
    if let Some(default) = property.get("default") {
        return default.clone();
    }
    if let Some(choice) = property["enum"].get(0) {
        return choice.clone();
    }
    match property["type"].as_str() {
        Some("number") => json!(1.0),
        Some("integer") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("test"),
    }
}
