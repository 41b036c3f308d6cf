//! The native clients against a mock server that others wrote: npm `@copilotkit/aimock`, on this machine.
//!
//! `HELVE_AIMOCK` names its program `llmock`; without it nothing runs. Each test starts a server of its own and asks it in
//! the words of each of the three protocols at once; the server keeps their requests apart by a header.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

mod cancelling;
mod conversation;
mod fallbacks;
mod retries;
mod server;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use helve::State;
use helve::agent::{Agent, AgentEvent, EventKind, TurnReport};
use helve::model::{Model, Retry};
use helve::prelude::*;
use helve::transcript::Message;

/// How often the tool ran.
#[derive(Default)]
struct RunCount(AtomicUsize);

/// Adds two numbers.
#[tool(read_only)]
fn add(
    /// The first.
    a: i64,
    /// The second.
    b: i64,
    ran: &RunCount,
) -> i64 {
    ran.0.fetch_add(1, Ordering::Relaxed);
    a + b
}

/// A turn that is over, and all that was told of it.
struct TurnRun {
    report: TurnReport,
    events: Vec<AgentEvent>,
    ran: usize,
}

impl TurnRun {
    /// Runs a turn of an agent that can add.
    async fn run(model: Arc<dyn Model>, prompt: &str) -> Self {
        let agent = Agent::new("main", model).toolset(toolset![add]);
        let ran = Arc::new(RunCount::default());
        let mut state = State::new();
        state.insert_arc(ran.clone());
        let context = ToolContext::builder().app(Arc::new(state)).build();
        let events = Arc::new(Mutex::new(Vec::new()));
        let listener = {
            let events = events.clone();
            move |event| events.lock().unwrap().push(event)
        };
        let report = agent.run(vec![Message::user(prompt)], &context, listener);
        let report = report.await;
        let events = std::mem::take(&mut *events.lock().unwrap());
        let ran = ran.0.load(Ordering::Relaxed);
        Self {
            report,
            events,
            ran,
        }
    }

    fn retries(&self) -> Vec<Retry> {
        let retries = self.events.iter().filter_map(|event| match &event.kind {
            EventKind::Retry(retry) => Some(retry.clone()),
            _ => None,
        });
        retries.collect()
    }

    /// Returns the text that a reader has seen before a retry, and that which it sees in the end.
    fn streamed(&self) -> (String, String) {
        let (mut before, mut text) = (String::new(), String::new());
        for event in &self.events {
            match &event.kind {
                EventKind::Retry(_) => before = std::mem::take(&mut text),
                EventKind::MessageDelta { text: more } => text.push_str(more),
                _ => {}
            }
        }
        (before, text)
    }
}
