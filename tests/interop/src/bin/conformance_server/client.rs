//! Tools that speak to the client while they run.

use std::time::Duration;

use helve::capability::{Elicitation, ElicitationResult, LogLevel, SamplingRequest};
use helve::prelude::*;
use serde_json::{Value, json};

/// Between two of the messages that a client is to get apart.
const PAUSE: Duration = Duration::from_millis(50);

/// Writes to the log three times.
#[tool(read_only)]
async fn test_tool_with_logging(cx: &ToolContext) -> &'static str {
    for line in [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ] {
        let data = Value::from(line);
        cx.client().log(LogLevel::Info, Some("conformance"), &data);
        tokio::time::sleep(PAUSE).await;
    }
    "Logging test completed"
}

/// Writes to the log, which only a client that wants it hears.
#[tool(read_only)]
fn test_logging_tool(cx: &ToolContext) -> &'static str {
    let data = Value::from("the level was asked for");
    cx.client().log(LogLevel::Error, Some("conformance"), &data);
    "Logging tool completed"
}

/// Reports how far it is.
#[tool(read_only)]
async fn test_tool_with_progress(cx: &ToolContext) -> &'static str {
    for done in [0.0, 50.0, 100.0] {
        cx.progress().step(done, 100.0);
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    "Progress test completed"
}

/// Asks the client's model.
#[tool(read_only)]
async fn test_sampling(
    cx: &ToolContext,
    /// What the model is asked.
    prompt: &str,
) -> Result<String, ToolError> {
    let sampled = cx
        .client()
        .sample(&SamplingRequest::from_text(prompt, 100))
        .await?;
    Ok(format!("LLM response: {}", sampled.text()))
}

/// Needs a model of the client.
#[tool(read_only)]
async fn test_missing_capability(cx: &ToolContext) -> Result<String, ToolError> {
    let sampled = cx
        .client()
        .sample(&SamplingRequest::from_text("Say yes.", 10))
        .await?;
    Ok(sampled.text())
}

/// Asks the person for a name and an address.
#[tool(read_only)]
async fn test_elicitation(
    cx: &ToolContext,
    /// What the person is told.
    message: &str,
) -> Result<String, ToolError> {
    let schema = json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        },
        "required": ["username", "email"],
    });
    asked(cx, Elicitation::form(message, schema)).await
}

/// Asks for values that all have a default.
#[tool(read_only)]
async fn test_elicitation_sep1034_defaults(cx: &ToolContext) -> Result<String, ToolError> {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "User name", "default": "John Doe" },
            "age": { "type": "integer", "description": "User age", "default": 30 },
            "score": { "type": "number", "description": "User score", "default": 95.5 },
            "status": {
                "type": "string",
                "description": "User status",
                "enum": ["active", "inactive", "pending"],
                "default": "active",
            },
            "verified": { "type": "boolean", "description": "Verified", "default": true },
        },
        "required": [],
    });
    let form = Elicitation::form(
        "Please review and update the form fields with defaults",
        schema,
    );
    asked(cx, form).await
}

/// Asks for choices of every form.
#[tool(read_only)]
async fn test_elicitation_sep1330_enums(cx: &ToolContext) -> Result<String, ToolError> {
    let options = ["option1", "option2", "option3"];
    let titled = json!([
        { "const": "value1", "title": "First Option" },
        { "const": "value2", "title": "Second Option" },
        { "const": "value3", "title": "Third Option" },
    ]);
    let schema = json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": options },
            "titledSingle": { "type": "string", "oneOf": titled },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled } },
        },
        "required": [],
    });
    asked(
        cx,
        Elicitation::form("Please select options from the enum fields", schema),
    )
    .await
}

async fn asked(cx: &ToolContext, form: Elicitation) -> Result<String, ToolError> {
    Ok(match cx.client().elicit(&form).await? {
        ElicitationResult::Accept(values) => {
            let values = Value::Object(values);
            format!("User response: action=accept, content={values}")
        }
        ElicitationResult::Decline => "User response: action=decline".to_owned(),
        _ => "User response: action=cancel".to_owned(),
    })
}
