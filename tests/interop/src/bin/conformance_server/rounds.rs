//! Tools that have to know something before they can answer, once or several times.

use helve::capability::{Elicitation, ElicitationResult, SamplingRequest};
use helve::prelude::*;
use serde_json::{Value, json};

/// Makes a question for one value.
pub(crate) fn question(key: &str, message: &str, value: &str, kind: &str) -> Elicitation {
    let schema = json!({
        "type": "object",
        "properties": { value: { "type": kind } },
        "required": [value],
    });
    Elicitation::form(message, schema).with_key(key)
}

/// Asks, and returns the value as text.
pub(crate) async fn answer(
    cx: &ToolContext,
    key: &str,
    message: &str,
    value: &str,
    kind: &str,
) -> Result<String, ToolError> {
    let question = question(key, message, value, kind);
    match cx.client().elicit(&question).await? {
        ElicitationResult::Accept(values) => Ok(match values.get(value) {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        }),
        _ => Err(ToolError::failed("the person did not answer")),
    }
}

/// Asks for a name.
#[tool(read_only)]
async fn test_input_required_result_elicitation(cx: &ToolContext) -> Result<String, ToolError> {
    let name = answer(cx, "user_name", "What is your name?", "name", "string").await?;
    Ok(format!("Hello, {name}!"))
}

/// Asks for a value, where requests of the server's own must not be seen.
#[tool(read_only)]
async fn test_streaming_elicitation(cx: &ToolContext) -> Result<String, ToolError> {
    answer(cx, "value", "Give a value", "value", "string").await
}

/// Asks the client's model.
#[tool(read_only)]
async fn test_input_required_result_sampling(cx: &ToolContext) -> Result<String, ToolError> {
    let sampling = SamplingRequest::from_text("What is the capital of France?", 100);
    let sampled = cx.client().sample(&sampling).await?;
    Ok(format!("Sampling response: {}", sampled.text()))
}

/// Asks where it may work.
#[tool(read_only)]
async fn test_input_required_result_list_roots(cx: &ToolContext) -> Result<String, ToolError> {
    let roots = cx.client().roots().await?;
    let uris: Vec<_> = roots.iter().map(|root| root.uri.as_str()).collect();
    Ok(format!("Client roots: [{}]", uris.join(", ")))
}

/// Asks for a confirmation, whose state comes back.
#[tool(read_only)]
async fn test_input_required_result_request_state(cx: &ToolContext) -> Result<String, ToolError> {
    let ok = answer(cx, "confirm", "Please confirm", "ok", "boolean").await?;
    Ok(format!("state-ok: {ok}"))
}

/// Asks for a confirmation, whose state somebody will change.
#[tool(read_only)]
async fn test_input_required_result_tampered_state(cx: &ToolContext) -> Result<String, ToolError> {
    answer(cx, "confirm", "Please confirm", "ok", "boolean").await
}

/// Asks three things at once.
#[tool(read_only)]
async fn test_input_required_result_multiple_inputs(cx: &ToolContext) -> Result<String, ToolError> {
    let client = cx.client();
    let sampling = SamplingRequest::from_text("Generate a greeting", 50);
    let (name, greeting, roots) = tokio::join!(
        answer(cx, "user_name", "What is your name?", "name", "string"),
        client.sample(&sampling),
        client.roots(),
    );
    let (name, greeting, roots) = (name?, greeting?.text(), roots?.len());
    Ok(format!("{name}: {greeting} ({roots} roots)"))
}

/// Asks twice, one after the other.
#[tool(read_only)]
async fn test_input_required_result_multi_round(cx: &ToolContext) -> Result<String, ToolError> {
    let name = answer(cx, "step1", "Step 1: What is your name?", "name", "string").await?;
    let step = "Step 2: What is your favorite color?";
    let color = answer(cx, "step2", step, "color", "string").await?;
    Ok(format!("{name} likes {color}"))
}

/// Asks for whatever the client can be asked for.
#[tool(read_only)]
async fn test_input_required_result_capabilities(cx: &ToolContext) -> String {
    let client = cx.client();
    let sampling = SamplingRequest::from_text("Generate a greeting", 50);
    let (name, greeting, roots) = tokio::join!(
        answer(cx, "user_name", "What is your name?", "name", "string"),
        client.sample(&sampling),
        client.roots(),
    );
    let said = [
        name.ok(),
        greeting.ok().map(|greeting| greeting.text()),
        roots.ok().map(|roots| roots.len().to_string()),
    ];
    let said: Vec<_> = said.into_iter().flatten().collect();
    format!("The client said: {}", said.join(", "))
}
