//! Tools that take long, for the extension of tasks.

use std::time::Duration;

use helve::prelude::*;
use helve::tool::FatalError;

use crate::rounds::answer;

/// Greets at once.
#[tool(read_only)]
fn greet(
    /// Who is greeted.
    name: &str,
) -> String {
    format!("Hello, {name}!")
}

/// Takes as many seconds as it is told.
#[tool(read_only)]
async fn slow_compute(
    /// How long it takes.
    seconds: Option<f64>,
    /// What it is called.
    label: Option<&str>,
) -> String {
    let seconds = seconds.unwrap_or(1.0).clamp(0.0, 120.0);
    tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
    format!("{}: done after {seconds} s", label.unwrap_or("compute"))
}

/// Fails, after a while.
#[tool(read_only)]
async fn failing_job() -> Result<String, ToolError> {
    tokio::time::sleep(Duration::from_secs(1)).await;
    Err(ToolError::failed("failing_job: it fails on purpose"))
}

/// Fails so that nothing can go on, after a while.
#[tool(read_only)]
async fn protocol_error_job() -> Result<String, FatalError> {
    tokio::time::sleep(Duration::from_millis(300)).await;
    Err(FatalError {
        message: "protocol_error_job: nothing can go on, on purpose".into(),
    })
}

/// Asks before it would delete a file.
#[tool(read_only)]
async fn confirm_delete(
    cx: &ToolContext,
    /// The file.
    filename: Option<&str>,
) -> Result<String, ToolError> {
    let filename = filename.unwrap_or("file.txt");
    let question = format!("Delete {filename}?");
    let confirmed = answer(cx, "confirm", &question, "confirm", "boolean").await?;
    Ok(format!("{filename}: {confirmed}"))
}

/// Asks two things at once.
#[tool(read_only)]
async fn multi_input(cx: &ToolContext) -> Result<String, ToolError> {
    let (a, b) = tokio::join!(
        answer(cx, "input-a", "Give value A", "value", "string"),
        answer(cx, "input-b", "Give value B", "value", "string"),
    );
    Ok(format!("a = {}, b = {}", a?, b?))
}

/// Asks for a name, then takes a while.
#[tool(read_only)]
async fn test_tool_with_task(cx: &ToolContext) -> Result<String, ToolError> {
    let name = answer(cx, "user_name", "What is your name?", "name", "string").await?;
    tokio::time::sleep(Duration::from_millis(300)).await;
    Ok(format!("Hello, {name}, after a while!"))
}
