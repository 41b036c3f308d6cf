//! The server that other people's clients talk to: an app with a few tools and a skill, nothing else.

use std::time::Duration;

use helve::capability::{Elicitation, ElicitationResult};
use helve::prelude::*;
use serde_json::json;

helve::include_skills!("peer-skills");

/// A sum, and what it was made of.
#[helve::data]
struct Sum {
    /// The sum.
    sum: i64,
    /// How many numbers there were.
    count: usize,
}

/// Adds numbers.
#[tool(read_only, title = "Add numbers")]
fn add(
    /// The numbers.
    #[arg(min_len = 1)]
    numbers: &[i64],
) -> Sum {
    Sum {
        sum: numbers.iter().sum(),
        count: numbers.len(),
    }
}

/// Counts to a number, and reports each step.
#[tool(read_only)]
async fn count(
    cx: &ToolContext,
    /// The number.
    #[arg(min = 1, max = 1000)]
    to: u32,
) -> String {
    for step in 1..=to {
        cx.progress().step(f64::from(step), f64::from(to));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    format!("counted to {to}")
}

/// Asks the user for their name and greets them.
#[tool(read_only)]
async fn greet(cx: &ToolContext) -> Result<String, ToolError> {
    let schema = json!({
        "type": "object",
        "properties": { "name": { "type": "string", "title": "Name" } },
        "required": ["name"],
    });
    let answer = cx
        .client()
        .elicit(&Elicitation::form("What is your name?", schema))
        .await?;
    Ok(match answer {
        ElicitationResult::Accept(values) => format!(
            "Good day, {}.",
            values["name"].as_str().unwrap_or("stranger")
        ),
        _ => "Good day, stranger.".to_owned(),
    })
}

/// Waits until it is stopped.
#[tool(read_only)]
async fn wait(cx: &ToolContext) -> String {
    cx.progress().message("waiting");
    cx.cancellation().cancelled().await;
    "stopped".to_owned()
}

/// Fails.
#[tool(read_only)]
fn fail() -> Result<String, ToolError> {
    Err(ToolError::failed("the well is dry"))
}

/// Forgets everything.
#[tool(destructive)]
fn forget() -> String {
    "forgotten".to_owned()
}

fn main() -> std::process::ExitCode {
    helve::app!()
        .instructions("Sums, and little else.")
        .embedded_skills_only()
        .main()
}
