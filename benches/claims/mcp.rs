//! MCP both ways: what a call and a list cost more than with rmcp alone, and how soon a server that went away is back.

mod bare;
mod client;
mod lines;
mod reconnect;

use std::hint::black_box;
use std::sync::Arc;

use helve::prelude::*;
use helve::serve::Server;
use helve::tool::Annotations;
use helve::toolset::DynamicTool;
use serde_json::json;

use crate::dispatch::runtime;
use crate::harness::{Bar, Row, measure_alternately, nanos_per_run};
use bare::BareServer;
use lines::LineClient;

/// The argument that makes this binary a stdio server.
pub(crate) const SERVER_ARGUMENT: &str = "mcp-server";
pub(crate) use reconnect::serve;

const ROUNDS: usize = 40;
/// How many tools a long list has.
const TOOLS: usize = 1_000;

/// Greets a person.
#[tool(read_only)]
fn greet(
    /// Who is greeted.
    name: &str,
    /// How often.
    times: u32,
) -> String {
    greeting(name, times)
}

fn greeting(name: &str, times: u32) -> String {
    format!("{times} greetings for {name}")
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = vec![call(), list()];
    rows.extend(client::rows());
    rows.extend(reconnect::rows());
    rows
}

/// One call, from the client's line to the server's, in a process that has both.
fn call() -> Row {
    let runtime = runtime();
    let ours = Server::builder("ours", "1").tools(toolset![greet]).build();
    let (mut ours, mut direct) = runtime.block_on(async {
        let mut ours = lines::to_ours(ours).await;
        let mut direct = lines::to_bare(BareServer::new(bare::greet())).await;
        assert_eq!(
            response_text(&mut ours).await,
            response_text(&mut direct).await
        );
        (ours, direct)
    });
    let each_call = |lines: &mut LineClient| {
        nanos_per_run(1, || {
            runtime.block_on(async {
                for _ in 0..1_000 {
                    black_box(greet_over(lines).await);
                }
            });
        }) / 1_000.0
    };
    Row {
        what: "a call through the server",
        against: "a server of rmcp alone",
        bar: Bar::Ratio(1.1),
        rounds: measure_alternately(ROUNDS, || each_call(&mut ours), || each_call(&mut direct)),
    }
}

async fn greet_over(lines: &mut LineClient) -> String {
    let params = r#"{"name":"greet","arguments":{"name":"Ishmael","times":3}}"#;
    lines.ask("tools/call", params).await
}

/// Returns the text of the answer: both servers have to say the same.
async fn response_text(lines: &mut LineClient) -> String {
    let answer: serde_json::Value = serde_json::from_str(&greet_over(lines).await).unwrap();
    answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// A thousand tools on pages of a hundred, from the client's first line to the server's last.
fn list() -> Row {
    let runtime = runtime();
    let server = Server::builder("ours", "1").tools(thousand_tools()).build();
    let (mut ours, mut direct) = runtime.block_on(async {
        let mut ours = lines::to_ours(server).await;
        let mut direct = lines::to_bare(BareServer::new(bare::thousand())).await;
        assert_eq!(ours.list().await, TOOLS);
        assert_eq!(direct.list().await, TOOLS);
        (ours, direct)
    });
    let each_list = |lines: &mut LineClient| {
        nanos_per_run(5, || {
            black_box(runtime.block_on(lines.list()));
        })
    };
    Row {
        what: "1,000 tools listed by the server",
        against: "a server of rmcp alone, with pages of 100",
        bar: Bar::Ratio(1.5),
        rounds: measure_alternately(ROUNDS, || each_list(&mut ours), || each_list(&mut direct)),
    }
}

/// Makes a thousand tools that are known at run time only.
fn thousand_tools() -> Toolset {
    Toolset::from_tools((0..TOOLS).map(|number| {
        let (name, description, schema) = described(number);
        let tool = DynamicTool::new(name, description, schema, |_, _| {
            Box::pin(async { Ok(ToolOutput::plain("")) })
        });
        Arc::new(tool.unwrap().with_annotations(Annotations::NONE)) as Arc<dyn helve::Tool>
    }))
}

/// Says what the tool of this number is, in either server.
fn described(number: usize) -> (String, String, serde_json::Value) {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": { "type": "string", "description": "The file, from the folder that is worked in." },
            "limit": { "type": "integer", "minimum": 1, "maximum": 1000, "description": "How much at most." },
        },
        "required": ["path"],
    });
    let name = format!("measure_{number:04}");
    (
        name,
        format!("Measures a file in the way of number {number}."),
        schema,
    )
}
