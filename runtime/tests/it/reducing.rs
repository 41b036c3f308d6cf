//! What makes results shorter, and what uses them again, as a model sees it: through the turns of an agent.

#![allow(
    unsafe_code,
    clippy::unwrap_used,
    reason = "tests panic, and linkme blames its sections on the crate that declares the slice"
)]

// The tools of these tests are written with the public macro, whose expansion says `::helve::…`.
mod built_in;
mod caching;
mod pipeline;
mod properties;
mod registering;
mod samples;

use std::sync::Arc;

use helve::Tool;
use helve::agent::{Agent, TurnReport};
use helve::model::ScriptedModel;
use helve::prelude::*;
use helve::results::reducer::Reducers;
use helve::results::{MemorySpill, ResultPipeline};
use helve::tool::Annotations;
use helve::toolset::DynamicTool;
use helve::transcript::{ContentBlock, Message, SessionId};
use serde_json::{Value, json};

/// Makes a tool of this name that always gives this output.
fn giving(name: &str, output: ToolOutput) -> Toolset {
    let schema = json!({ "type": "object" });
    let tool = DynamicTool::new(name, "Gives it.", schema, move |_, _| {
        let output = output.clone();
        Box::pin(async { Ok(output) })
    });
    let reads = Annotations::new(Some(true), None, None, None);
    Toolset::from_tools([Arc::new(tool.unwrap().with_annotations(reads)) as Arc<dyn Tool>])
}

/// What `bash` gives of a command that wrote this and ended with this code.
fn of_command(text: &str, code: i32) -> ToolOutput {
    ToolOutput::plain(text)
        .with_structured(&json!({ "id": "bash-1", "exit": { "code": code } }))
        .unwrap()
        .with_note(format!("[exit code {code}, after 3.2 s]"))
}

/// Makes an agent that has reducers, and keeps what they leave out.
fn agent(model: ScriptedModel, tools: Toolset, reducers: Reducers) -> Agent {
    Agent::new("main", model)
        .toolset(tools)
        .reducers(reducers)
        .results(ResultPipeline::new().spill(Arc::new(MemorySpill::new())))
}

async fn run(agent: &Agent) -> TurnReport {
    let context = ToolContext::builder().session(SessionId::new("s1")).build();
    agent
        .run(vec![Message::user("Go.")], &context, |_| {})
        .await
}

/// Returns what the model read of each call of a turn, block by block on lines of their own.
fn read_back(report: &TurnReport) -> Vec<String> {
    let results = report.messages.iter().filter_map(|message| match message {
        Message::Tool { content } => Some(content),
        _ => None,
    });
    results
        .flatten()
        .map(|result| {
            let blocks = result.content.iter().filter_map(ContentBlock::as_text);
            blocks.collect::<Vec<_>>().join("\n")
        })
        .collect()
}

/// Returns what a model reads of one call of a tool with the built-in reducers.
async fn shown(tool: &str, arguments: Value, output: ToolOutput) -> String {
    let model = ScriptedModel::new().call(tool, arguments).say("Done.");
    let report = run(&agent(model, giving(tool, output), Reducers::built_in())).await;
    read_back(&report).remove(0)
}

/// Returns what a model reads of a command.
async fn shown_of(command: &str, text: &str, code: i32) -> String {
    shown(
        "bash",
        json!({ "command": command }),
        of_command(text, code),
    )
    .await
}
