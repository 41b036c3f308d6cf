//! A turn's own cost: a scripted model that makes one tool call, no input or output.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use helve::agent::Agent;
use helve::agent::turn::{Bounds, Outcome, Plan, Purpose, Record, Step, Turn};
use helve::model::{Assembler, Model, ModelRequest, OfferedTool, Reply, ScriptedModel, StopReason};
use helve::permission::Verdict;
use helve::prelude::*;
use helve::transcript::{
    AssistantMessage, CallKey, Content, Message, MessagePart, Origin, ToolCall,
    ToolCallResult as Answer, Usage,
};
use serde::Deserialize;

use crate::allocations::count;
use crate::dispatch::runtime;
use crate::harness::{Bar, Row, measure_alternately, nanos, nanos_per_run};

const ROUNDS: usize = 60;
const COUNTED: usize = 3;
const RUNS: u32 = 300;

/// How many times a turn may allocate at most. A count is the same on a busy machine.
const ALLOCATIONS: u32 = 58;

/// Adds two numbers.
#[tool(read_only)]
fn add(
    /// The first.
    a: i64,
    /// The second.
    b: i64,
) -> i64 {
    a + b
}

#[derive(Deserialize)]
struct AddArguments {
    a: i64,
    b: i64,
}

pub(crate) fn rows() -> Vec<Row> {
    let runtime = runtime();
    let driven = measure_alternately(
        ROUNDS,
        || {
            let agents: Vec<Agent> = (0..RUNS)
                .map(|_| Agent::new("main", script()).toolset(toolset![add]))
                .collect();
            let context = ToolContext::new();
            let begun = Instant::now();
            runtime.block_on(async {
                for agent in &agents {
                    black_box(agent.run(question(), &context, |_| {}).await);
                }
            });
            nanos(begun.elapsed()) / f64::from(RUNS)
        },
        || {
            let models: Vec<ScriptedModel> = (0..RUNS).map(|_| script()).collect();
            let tools = offered();
            let begun = Instant::now();
            runtime.block_on(async {
                for model in &models {
                    black_box(handwritten_loop(model, &tools).await);
                }
            });
            nanos(begun.elapsed()) / f64::from(RUNS)
        },
    );
    let records = records();
    let folded = measure_alternately(
        ROUNDS,
        || nanos_per_run(RUNS, || fold(&records)),
        || nanos_per_run(RUNS, || push(&records)),
    );
    vec![
        Row {
            what: "a turn with one tool call",
            against: "a loop by hand",
            bar: Bar::Ratio(6.0),
            rounds: driven,
        },
        Row {
            what: "its allocations",
            against: "those of the loop",
            bar: Bar::Count(ALLOCATIONS),
            rounds: allocations(&runtime),
        },
        Row {
            what: "the fold of its records alone",
            against: "cloning its messages",
            bar: Bar::Time(Duration::from_micros(10)),
            rounds: folded,
        },
    ]
}

/// Counts what a turn of an agent allocates, and what the loop does.
fn allocations(runtime: &tokio::runtime::Runtime) -> Vec<(f64, f64)> {
    let (context, tools) = (ToolContext::new(), offered());
    measure_alternately(
        COUNTED,
        || {
            let agent = Agent::new("main", script()).toolset(toolset![add]);
            let turn = agent.run(question(), &context, |_| {});
            count(|| drop(black_box(runtime.block_on(turn)))).into()
        },
        || {
            let model = script();
            let by_hand = handwritten_loop(&model, &tools);
            count(|| drop(black_box(runtime.block_on(by_hand)))).into()
        },
    )
}

fn script() -> ScriptedModel {
    ScriptedModel::new()
        .call("add", serde_json::json!({ "a": 2, "b": 3 }))
        .say("It is 5.")
}

fn question() -> Vec<Message> {
    vec![Message::user("What is 2 + 3?")]
}

fn offered() -> Arc<[OfferedTool]> {
    let tool = toolset![add].get("add").unwrap();
    let spec = tool.spec();
    let schema = spec.input_schema.clone();
    [OfferedTool::new(
        &*spec.name,
        spec.description.clone(),
        schema,
    )]
    .into()
}

/// The loop of a program with one tool, without permissions, events, bounds and records.
async fn handwritten_loop(model: &ScriptedModel, tools: &Arc<[OfferedTool]>) -> Vec<Message> {
    let mut request = ModelRequest::new(question()).tools(tools.clone());
    loop {
        let mut assembler = Assembler::new();
        let mut events = model.reply(&request);
        while let Some(event) = events.next().await {
            assembler.push(event.unwrap()).unwrap();
        }
        drop(events);
        let reply = assembler.finish().unwrap();
        let results: Vec<Answer> = reply.message.calls().map(answer).collect();
        request.messages.push(Message::Assistant(reply.message));
        if results.is_empty() {
            return request.messages;
        }
        request.messages.push(Message::Tool { content: results });
    }
}

fn answer(call: &ToolCall) -> Answer {
    let given: AddArguments = serde_json::from_str(&call.arguments).unwrap();
    let text = serde_json::to_string(&add(given.a, given.b)).unwrap();
    Answer {
        call_id: call.id.clone(),
        content: Content::text(text),
        is_error: false,
    }
}

/// What happens in such a turn.
fn records() -> Vec<Record> {
    let reply = |part, stop| Reply {
        message: AssistantMessage::new(vec![part]),
        stop,
        usage: Usage::default(),
    };
    let call = CallKey::new(1, 0);
    let wants = MessagePart::ToolCall(ToolCall::new("c1", "add", r#"{"a":2,"b":3}"#));
    let says = MessagePart::Text {
        text: "It is 5.".into(),
    };
    vec![
        Record::ModelStarted {
            round: 1,
            purpose: Purpose::Reply,
        },
        Record::model_done(1, reply(wants, StopReason::ToolUse)),
        Record::Planned {
            call,
            plan: Plan {
                exclusive: false,
                idempotent: true,
                ..Plan::new(Verdict::Allow)
            },
        },
        Record::Started { calls: vec![call] },
        Record::Finished {
            call,
            outcome: Outcome::ok(Content::text("5")),
        },
        Record::ModelStarted {
            round: 2,
            purpose: Purpose::Reply,
        },
        Record::model_done(2, reply(says, StopReason::EndTurn)),
    ]
}

/// Folds the records as a driver does: asks what is possible before each.
fn fold(records: &[Record]) {
    let mut turn = Turn::new(Origin::new("main", "t1"), Bounds::new(10));
    let mut messages = question();
    for record in records {
        black_box(turn.next());
        turn.apply_to(record, &mut messages).unwrap();
    }
    assert!(matches!(turn.next()[..], [Step::End { .. }]));
    black_box(messages);
}

/// Puts the same messages together without a turn around them.
fn push(records: &[Record]) {
    let mut messages = question();
    for record in records {
        match record {
            Record::ModelDone { reply, .. } => {
                messages.push(Message::Assistant(reply.message.clone()));
            }
            Record::Finished { outcome, .. } => messages.push(Message::Tool {
                content: vec![Answer {
                    call_id: "c1".into(),
                    content: outcome.content.clone(),
                    is_error: outcome.is_error,
                }],
            }),
            _ => {}
        }
    }
    black_box(messages);
}
