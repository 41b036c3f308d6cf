//! Tools whose schema is the point, written out.

use std::sync::Arc;

use helve::prelude::*;
use helve::tool::{Annotations, Tool};
use helve::toolset::{DynamicTool, DynamicToolError};
use serde_json::{Value, json};

/// Makes the tools.
pub(crate) fn tools() -> Result<Vec<Arc<dyn Tool>>, DynamicToolError> {
    let wide = DynamicTool::new(
        "json_schema_2020_12_tool",
        "Tool with JSON Schema 2020-12 features",
        wide(),
        |_, arguments| {
            Box::pin(async move {
                let name = arguments["name"].as_str().unwrap_or("world").to_owned();
                Ok(ToolOutput::plain(format!("Hello, {name}!")))
            })
        },
    )?;
    let header = DynamicTool::new(
        "test_custom_header",
        "Takes a value that is in a header, too",
        json!({
            "type": "object",
            "properties": { "value": { "type": "string", "x-mcp-header": "Value" } },
            "required": ["value"],
        }),
        |_, arguments| {
            Box::pin(async move {
                let value = arguments["value"].as_str().unwrap_or_default().to_owned();
                Ok(ToolOutput::plain(value))
            })
        },
    )?;
    let read_only = Annotations::new(Some(true), None, None, None);
    Ok(vec![
        Arc::new(wide.with_annotations(read_only)),
        Arc::new(header.with_annotations(read_only)),
    ])
}

fn wide() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}
