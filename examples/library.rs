//! An agent inside a program of one's own: a model by its name, a tool, somebody who approves, somebody who reads along.
//!
//! `cargo run --example library` plays a recording; with the key of a provider in the environment,
//! `HELVE_MODEL=provider/model cargo run --example library` asks a real one.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt;
use futures_util::future::{BoxFuture, FutureExt};
use helve::agent::{Agent, EventKind, Events};
use helve::model::{Model, Providers, Recording, ReplayModel};
use helve::permission::{Answer, Approver, Decision, Question};
use helve::prelude::*;
use helve::tool::State;
use helve::transcript::Message;

#[derive(Default)]
struct List(Mutex<Vec<String>>);

/// Writes a line on the user's list, and tells how many lines there are.
#[tool]
fn write_down(
    /// What to write.
    line: String,
    list: &List,
) -> usize {
    let mut lines = list.0.lock().unwrap_or_else(PoisonError::into_inner);
    lines.push(line);
    lines.len()
}

/// Approves what is about the list; it could as well ask somebody over a network, and wait for the answer.
struct Housekeeper;

impl Approver for Housekeeper {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        async move {
            match question.tool.as_str() {
                "write_down" => Decision::allow_once().into(),
                _ => Decision::reject_with_message("only the list may be written").into(),
            }
        }
        .boxed()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let model: Arc<dyn Model> = match std::env::var("HELVE_MODEL") {
        Ok(name) => Providers::new().model_with_fallbacks(&name.parse()?, &[])?,
        Err(_) => Arc::new(ReplayModel::new(Recording::parse(include_str!(
            "library.jsonl"
        ))?)),
    };
    let agent = Agent::with_model("keeper", model)
        .instructions("You keep the user's list. Write down what they want to remember.")
        .toolset(toolset![write_down])
        .approver(Housekeeper);
    let mut state = State::new();
    state.insert(List::default());
    let context = ToolContext::builder().app(Arc::new(state)).build();
    let events = Events::new();
    let mut reader = events.reader();
    let reading = tokio::spawn(async move {
        while let Some(event) = reader.next().await {
            match event.kind {
                EventKind::MessageDelta { text } => print!("{text}"),
                EventKind::ToolCall {
                    name, arguments, ..
                } => println!("→ {name} {arguments}"),
                _ => {}
            }
        }
    });
    let asked = vec![Message::user("Remind me to buy milk.")];
    let report = agent.run(asked, &context, events.sink()).await;
    drop((agent, events));
    reading.await?;
    println!("({} tokens)", report.totals.tokens());
    Ok(())
}
