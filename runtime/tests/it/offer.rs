//! What a model is shown of its tools, as the model sees it: through the requests of an agent, and what its calls answer.

#![allow(
    unsafe_code,
    clippy::unwrap_used,
    reason = "tests panic, and linkme blames its sections on the crate that declares the slice"
)]

// The tools of these tests are written with the public macro, whose expansion says `::helve::…`.
mod availability;
mod expanding;
mod filters;
mod groups;
mod properties;
mod searching;
mod sessions;
#[cfg(feature = "skills")]
mod skills;
mod suggesting;

use std::sync::{Arc, Mutex};

use helve::agent::{Agent, TurnReport};
use helve::model::{ModelRequest, ScriptedModel};
use helve::prelude::*;
use helve::tool::Annotations;
use helve::toolset::DynamicTool;
use helve::transcript::Message;
use serde_json::json;

/// The names of the tools that ran, in order.
#[derive(Clone, Default)]
struct ToolCallLog(Arc<Mutex<Vec<String>>>);

impl ToolCallLog {
    fn names(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// Makes a tool that only says that it ran.
    fn tool(&self, name: &str, description: &str) -> Toolset {
        let (ran, own) = (self.clone(), name.to_owned());
        let schema = json!({ "type": "object", "properties": { "word": { "type": "string", "description": "Any word." } } });
        let tool = DynamicTool::new(name, description, schema, move |_, _| {
            ran.0.lock().unwrap().push(own.clone());
            Box::pin(async { Ok(ToolOutput::plain("done")) })
        });
        let reads = Annotations::new(Some(true), None, None, None);
        Toolset::from_tools([Arc::new(tool.unwrap().with_annotations(reads)) as Arc<dyn Tool>])
    }

    /// Makes a toolset of as many tools as there are names, each described by its name.
    fn tools<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Toolset {
        names.into_iter().fold(Toolset::empty(), |all, name| {
            let words = name.replace('_', " ");
            all.layered(&self.tool(name, &format!("Does {words}.")))
        })
    }
}

use helve::Tool;

/// Names `tool_01` and so on.
fn numbered(count: usize) -> Vec<String> {
    (1..=count)
        .map(|number| format!("tool_{number:02}"))
        .collect()
}

async fn run(agent: &Agent, says: &str) -> TurnReport {
    let prompt = vec![Message::user(says)];
    agent.run(prompt, &ToolContext::new(), |_| {}).await
}

/// Writes down which tools a request has.
fn offered(request: &ModelRequest) -> Vec<&str> {
    request
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect()
}

/// Writes down what the calls of a turn answered, each on lines of its own.
fn answers(report: &TurnReport) -> String {
    let mut answers = String::new();
    for message in &report.messages {
        if let Message::Tool { content: results } = message {
            for result in results {
                let mark = if result.is_error { "error: " } else { "" };
                answers.push_str(&format!(
                    "{mark}{}\n",
                    result
                        .content
                        .iter()
                        .filter_map(helve::transcript::ContentBlock::as_text)
                        .collect::<String>()
                ));
            }
        }
    }
    answers
}

/// A model that makes these calls, one a reply, and then says that it is done.
fn calling<'t>(
    calls: impl IntoIterator<Item = (&'t str, serde_json::Value)>,
) -> Arc<ScriptedModel> {
    let model = ScriptedModel::new();
    let model = calls.into_iter().fold(model, |model, (tool, arguments)| {
        model.call(tool, arguments)
    });
    Arc::new(model.say("Done."))
}
