//! Spans in the names of OpenTelemetry: which there are, in which one another, and what they say.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use futures_core::stream::BoxStream;
use helve::agent::Agent;
use helve::model::{
    Model, ModelError, ModelEvent, ModelName, ModelRequest, ScriptedModel, StopReason,
};
use helve::prelude::*;
use helve::transcript::{Message, ReplySource, SessionId, Usage};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// One span.
#[derive(Default)]
struct Seen {
    name: &'static str,
    parent: Option<usize>,
    fields: BTreeMap<&'static str, String>,
}

/// Keeps all spans; for one thread.
#[derive(Clone, Default)]
struct Capture(Arc<Mutex<Captured>>);

#[derive(Default)]
struct Captured {
    spans: Vec<Seen>,
    entered: Vec<usize>,
}

struct Fields<'f>(&'f mut BTreeMap<&'static str, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

fn place(id: &Id) -> usize {
    usize::try_from(id.into_u64()).unwrap() - 1
}

impl Subscriber for Capture {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span()
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut captured = self.0.lock().unwrap();
        let mut seen = Seen {
            name: attributes.metadata().name(),
            parent: captured.entered.last().copied(),
            ..Seen::default()
        };
        attributes.record(&mut Fields(&mut seen.fields));
        captured.spans.push(seen);
        Id::from_u64(captured.spans.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut captured = self.0.lock().unwrap();
        values.record(&mut Fields(&mut captured.spans[place(span)].fields));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, span: &Id) {
        self.0.lock().unwrap().entered.push(place(span));
    }

    fn exit(&self, span: &Id) {
        let left = self.0.lock().unwrap().entered.pop();
        assert_eq!(left, Some(place(span)));
    }
}

impl Capture {
    /// Writes the spans as a tree.
    fn tree(&self) -> String {
        let captured = self.0.lock().unwrap();
        assert!(captured.entered.is_empty());
        let mut text = String::new();
        write(&captured.spans, None, 0, &mut text);
        text
    }
}

fn write(spans: &[Seen], parent: Option<usize>, depth: usize, text: &mut String) {
    for (place, span) in spans.iter().enumerate() {
        if span.parent != parent {
            continue;
        }
        let indent = "  ".repeat(depth);
        text.push_str(&format!("{indent}{}\n", span.name));
        for (field, value) in &span.fields {
            text.push_str(&format!("{indent}  | {field} = {value}\n"));
        }
        write(spans, Some(place), depth + 1, text);
    }
}

/// A scripted model that has a name.
struct Named(ScriptedModel, ModelName);

impl Model for Named {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxStream<'a, Result<ModelEvent, ModelError>> {
        self.0.reply(request)
    }

    fn name(&self) -> Option<&ModelName> {
        Some(&self.1)
    }
}

/// Adds two numbers, after a moment.
#[tool(read_only)]
async fn add(
    /// The first.
    a: i64,
    /// The second.
    b: i64,
) -> i64 {
    // Both calls are at work at once.
    tokio::task::yield_now().await;
    let _inside = tracing::info_span!("inside").entered();
    a + b
}

/// Fails.
#[tool(read_only)]
async fn fail() -> Result<String, std::io::Error> {
    tokio::task::yield_now().await;
    Err(std::io::Error::other("the secret is 42"))
}

fn model() -> Named {
    let mut source = ReplySource::default();
    source.provider = "anthropic".into();
    source.model = "claude-x-20260101".into();
    source.id = Some("msg_1".into());
    let mut usage = Usage::new(100, 20);
    usage.cache_read_input_tokens = 80;
    usage.reasoning_output_tokens = 5;
    let call = |id: &str, name: &str, arguments: &str| {
        [
            ModelEvent::ToolCallStart {
                id: id.into(),
                name: name.into(),
            },
            ModelEvent::ToolCallDelta {
                id: id.into(),
                arguments: arguments.into(),
            },
        ]
    };
    let mut reply = vec![ModelEvent::ReplyStarted(source)];
    reply.extend(call("c1", "add", r#"{"a":1,"b":2}"#));
    reply.extend(call("c2", "fail", "{}"));
    reply.push(ModelEvent::Usage(usage));
    reply.push(ModelEvent::Stop {
        reason: StopReason::ToolUse,
    });
    let script = ScriptedModel::new().reply_with(reply).say("Three.");
    Named(script, ModelName::new("anthropic", "claude-x"))
}

async fn spans_of(agent: Agent) -> String {
    let capture = Capture::default();
    let _listening = tracing::subscriber::set_default(capture.clone());
    let context = ToolContext::builder()
        .session(SessionId::from("s1"))
        .build();
    agent
        .run(vec![Message::user("1 + 2?")], &context, |_| {})
        .await;
    capture.tree()
}

fn agent(model: impl Model + 'static) -> Agent {
    Agent::new("main", model)
        .instructions("Add.")
        .toolset(toolset![add, fail])
}

#[tokio::test(start_paused = true)]
async fn a_turn_with_two_calls_side_by_side_of_which_one_fails() {
    insta::assert_snapshot!(spans_of(agent(model())).await, @r#"
    invoke_agent
      | gen_ai.agent.id = main
      | gen_ai.agent.name = main
      | gen_ai.conversation.id = s1
      | gen_ai.operation.name = invoke_agent
      | gen_ai.usage.cache_read.input_tokens = 80
      | gen_ai.usage.input_tokens = 100
      | gen_ai.usage.output_tokens = 20
      | gen_ai.usage.reasoning.output_tokens = 5
      | helve.end_reason = finished
      | helve.turn = t1
      | otel.kind = internal
      | otel.name = invoke_agent main
      chat
        | gen_ai.operation.name = chat
        | gen_ai.provider.name = anthropic
        | gen_ai.request.model = claude-x
        | gen_ai.response.finish_reasons = ["tool_use"]
        | gen_ai.response.id = msg_1
        | gen_ai.response.model = claude-x-20260101
        | gen_ai.response.time_to_first_chunk = 0.0
        | gen_ai.usage.cache_read.input_tokens = 80
        | gen_ai.usage.input_tokens = 100
        | gen_ai.usage.output_tokens = 20
        | gen_ai.usage.reasoning.output_tokens = 5
        | otel.kind = client
        | otel.name = chat claude-x
      execute_tool
        | gen_ai.operation.name = execute_tool
        | gen_ai.tool.call.id = c1
        | gen_ai.tool.name = add
        | gen_ai.tool.type = function
        | helve.call = t1/1.0
        | otel.kind = internal
        | otel.name = execute_tool add
        inside
      execute_tool
        | error.type = failed
        | gen_ai.operation.name = execute_tool
        | gen_ai.tool.call.id = c2
        | gen_ai.tool.name = fail
        | gen_ai.tool.type = function
        | helve.call = t1/1.1
        | otel.kind = internal
        | otel.name = execute_tool fail
        | otel.status_code = ERROR
      chat
        | gen_ai.operation.name = chat
        | gen_ai.provider.name = anthropic
        | gen_ai.request.model = claude-x
        | gen_ai.response.finish_reasons = ["end_turn"]
        | gen_ai.response.time_to_first_chunk = 0.0
        | gen_ai.usage.input_tokens = 0
        | gen_ai.usage.output_tokens = 0
        | otel.kind = client
        | otel.name = chat claude-x
    "#);
}

#[tokio::test(start_paused = true)]
async fn what_is_said_is_in_them_only_where_that_is_asked_for() {
    let without = spans_of(agent(model())).await;
    for said in ["1 + 2?", "Three.", "Add.", "\"b\":2", "42"] {
        assert!(!without.contains(said), "{said}: {without}");
    }
    let with = spans_of(agent(model()).record_content(true)).await;
    for said in ["1 + 2?", "Three.", "Add.", "\"b\":2", "42"] {
        assert!(with.contains(said), "{said}: {with}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_delegate_is_inside_the_call_that_it_works_for() {
    let helper = Agent::new("helper", ScriptedModel::new().fail("overloaded")).description("helps");
    let task = json!({ "agent": "helper", "prompt": "help" });
    let script = ScriptedModel::new().call("task", task).say("It failed.");
    let tree = spans_of(agent(script).delegate(helper)).await;
    let names: Vec<&str> = tree
        .lines()
        .filter(|line| {
            !line.contains(" | ") || line.contains("error.type") || line.contains("otel.name")
        })
        .collect();
    insta::assert_snapshot!(names.join("\n"), @r"
    invoke_agent
      | otel.name = invoke_agent main
      chat
        | otel.name = chat
      execute_tool
        | otel.name = execute_tool task
        invoke_agent
          | error.type = model_failed
          | otel.name = invoke_agent helper
          chat
            | error.type = provider
            | otel.name = chat
      chat
        | otel.name = chat
    ");
}

#[cfg(feature = "skills")]
#[tokio::test]
async fn a_skill_is_loaded_inside_the_call_that_asks_for_it() {
    let skills = helve::skill::SkillCatalog::for_packages(&["none"]).unwrap();
    let script = ScriptedModel::new()
        .call("load_skill", json!({ "name": "cook" }))
        .say("No.");
    let library = Arc::new(helve::skill::SkillLibrary::new(skills));
    let agent = Agent::new("main", script).toolset(helve::skill::SkillLibrary::tools(&library));
    let tree = spans_of(agent).await;
    let call = tree.split("  execute_tool\n").nth(1).unwrap();
    let skill = call.split("    load_skill\n").nth(1).unwrap();
    let skill: Vec<&str> = skill
        .lines()
        .take_while(|line| line.starts_with("      |"))
        .collect();
    insta::assert_snapshot!(skill.join("\n"), @r"
    | error.type = not_found
    | gen_ai.operation.name = load_skill
    | gen_ai.skill.name = cook
    | otel.name = load_skill cook
    | otel.status_code = ERROR
    ");
}
