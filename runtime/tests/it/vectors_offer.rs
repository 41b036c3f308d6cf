//! How other systems show a model its tools, held against helve; see `support/vectors.rs`.

#![allow(
    unsafe_code,
    clippy::unwrap_used,
    reason = "tests panic, and linkme blames its sections on the crate that declares the slice"
)]

// The tools of these tests are written with the public macro, whose expansion says `::helve::…`.
use crate::support::vectors;

mod expand;
mod filter;
#[cfg(feature = "mcp")]
mod plugins;
mod proxy;
mod reducers;
mod reset;
#[cfg(feature = "skills")]
mod toolkit;

use std::sync::Arc;

use helve_runtime::agent::{Agent, TurnReport};
use helve_runtime::model::{ModelRequest, ScriptedModel};
use helve_runtime::toolset::DynamicTool;
use helve_runtime::transcript::{ContentBlock, Message};
use helve_runtime::{Tool, ToolContext, ToolOutput, Toolset};
use serde_json::{Value, json};
use vectors::Case;

/// Makes tools that do nothing.
fn tools<'n>(names: impl IntoIterator<Item = &'n str>) -> Toolset {
    let tool = |name: &str| {
        let schema = json!({ "type": "object" });
        let tool = DynamicTool::new(name, "Does something.", schema, |_, _| {
            Box::pin(async { Ok(ToolOutput::plain("done")) })
        });
        Arc::new(tool.unwrap()) as Arc<dyn Tool>
    };
    Toolset::from_tools(names.into_iter().map(tool))
}

/// Has a model make one call, and returns what the call answered and the requests before and after it.
async fn one_call(
    agent: impl FnOnce(Agent) -> Agent,
    tool: &str,
    arguments: &Value,
) -> (String, Vec<ModelRequest>) {
    let model = Arc::new(
        ScriptedModel::new()
            .call(tool, arguments.clone())
            .say("Done."),
    );
    let agent = agent(Agent::with_model("main", model.clone()));
    let prompt = vec![Message::user("Hello.")];
    let report = agent.run(prompt, &ToolContext::new(), |_| {}).await;
    (answer(&report), model.requests())
}

fn answer(report: &TurnReport) -> String {
    let results = report.messages.iter().find_map(|message| match message {
        Message::Tool { content } => content.first(),
        _ => None,
    });
    let blocks = results.unwrap().content.iter();
    blocks.filter_map(ContentBlock::as_text).collect()
}

/// Returns the names in a request.
fn offered(request: &ModelRequest) -> Vec<String> {
    let names = request.tools.iter().map(|tool| tool.name.to_string());
    names.collect()
}

/// Takes out the cases that are about what helve does not have, and says so of each.
fn shared(cases: Vec<Case>, not_shared: &[(&str, &str)]) -> Vec<Case> {
    let mut shared = Vec::new();
    for case in cases {
        match not_shared.iter().find(|(id, _)| *id == case.id) {
            Some((id, why)) => println!("  {id}: not shared: {why}"),
            None => shared.push(case),
        }
    }
    shared
}

/// Reads a list of texts; a text alone is a list of one.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        value => value
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
    }
}
