//! Calls that go on after their request was answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use helve::capability::{Elicitation, ElicitationResult, LogLevel};
use helve::permission::{Mode, Policy};
use helve::prelude::*;
use helve::serve::{Server, TaskPolicy};
use helve::tool::{Principal, State};
use serde_json::{Value, json};

use crate::serve_more::wire::{WireClient, text};

/// Told when a call was dropped before its end.
#[derive(Default)]
struct Dropped(AtomicBool);

/// Says that it was dropped, unless it came to its end.
struct Guard<'a>(&'a Dropped, bool);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if !self.1 {
            self.0.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Takes as many seconds as it is told.
#[tool(read_only)]
async fn wait(
    dropped: &Dropped,
    /// How long.
    seconds: u64,
) -> String {
    let mut guard = Guard(dropped, false);
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    guard.1 = true;
    format!("waited {seconds} s")
}

/// Asks for two words at once.
#[tool(read_only)]
async fn ask_twice(cx: &ToolContext) -> Result<String, ToolError> {
    let word = |key: &'static str| async move {
        let schema = json!({
            "type": "object",
            "properties": { "word": { "type": "string" } },
            "required": ["word"],
        });
        let form = Elicitation::form(format!("Which {key}?"), schema).with_key(key);
        let elicited = cx.client().elicit(&form).await;
        elicited.map(|elicited| match elicited {
            ElicitationResult::Accept(values) => {
                values["word"].as_str().unwrap_or_default().to_owned()
            }
            _ => "nothing".to_owned(),
        })
    };
    let (one, two) = tokio::join!(word("first"), word("second"));
    Ok(format!("{} {}", one?, two?))
}

/// A log message that no buffer between the server and its client holds.
fn long_message() -> Value {
    json!("x".repeat(1 << 20))
}

/// Logs a long message.
#[tool(read_only)]
fn log_much(cx: &ToolContext) -> &'static str {
    cx.client().log(LogLevel::Error, None, &long_message());
    "logged"
}

/// Asks a question, and logs a long message.
#[tool(read_only)]
async fn ask_and_log(cx: &ToolContext) -> Result<&'static str, ToolError> {
    let client = cx.client();
    let form = json!({ "type": "object", "properties": {} });
    let form = Elicitation::form("Well?", form).with_key("well");
    let log = async { client.log(LogLevel::Error, None, &long_message()) };
    let (elicited, ()) = tokio::join!(client.elicit(&form), log);
    elicited?;
    Ok("answered")
}

/// Asks a question while no other tool runs, then works for some seconds.
#[tool(read_only, concurrency = "exclusive")]
async fn ask_alone(
    cx: &ToolContext,
    /// How long.
    seconds: u64,
) -> Result<&'static str, ToolError> {
    let form = json!({ "type": "object", "properties": {} });
    let form = Elicitation::form("Well?", form).with_key("well");
    cx.client().elicit(&form).await?;
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    Ok("answered")
}

fn server(policy: TaskPolicy) -> (Server, Arc<Dropped>) {
    let dropped = Arc::<Dropped>::default();
    let mut state = State::new();
    state.insert_arc(dropped.clone());
    let context = ToolContext::builder().app(Arc::new(state)).build();
    let server = Server::builder("tasks", "1")
        .tools(toolset![wait, ask_twice, log_much, ask_and_log, ask_alone])
        .context(context)
        .policy(Policy::new(Mode::Bypass))
        .tasks(policy);
    (server.build(), dropped)
}

fn taking_tasks() -> Value {
    json!({ "elicitation": {}, "extensions": { "io.modelcontextprotocol/tasks": {} } })
}

/// Asks for a task until it is in a state.
async fn until(wire: &mut WireClient, id: &Value, status: &str) -> Value {
    loop {
        let task = get(wire, id).await;
        if task["status"] == status {
            return task;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn get(wire: &mut WireClient, id: &Value) -> Value {
    wire.request("tasks/get", json!({ "taskId": id })).await
}

#[tokio::test(start_paused = true)]
async fn a_long_call_becomes_a_task_whose_result_outlives_its_connection() {
    let (server, _) = server(TaskPolicy::new());
    let mut wire = WireClient::connect_modern(&server, taking_tasks());
    let short = wire.call("wait", json!({ "seconds": 1 })).await;
    assert_eq!(short["resultType"], "complete", "{short}");
    let task = wire.call("wait", json!({ "seconds": 60 })).await;
    assert_eq!(task["resultType"], "task", "{task}");
    assert_eq!(task["status"], "working", "{task}");
    let id = task["taskId"].clone();
    drop(wire);

    let mut other = WireClient::connect_modern(&server, taking_tasks());
    let done = until(&mut other, &id, "completed").await;
    assert_eq!(
        done["result"]["content"][0]["text"], "waited 60 s",
        "{done}"
    );

    // Nobody else finds it, and it is not kept for ever.
    let mut stranger =
        WireClient::connect_modern_as(&server, taking_tasks(), Principal::user("eve"));
    for method in ["tasks/get", "tasks/cancel"] {
        let refused = stranger.request(method, json!({ "taskId": id })).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    tokio::time::sleep(Duration::from_secs(3_601)).await;
    assert_eq!(get(&mut other, &id).await["error"]["code"], -32602);
}

#[tokio::test(start_paused = true)]
async fn who_takes_no_tasks_waits_and_is_refused_what_needs_one() {
    let policy = TaskPolicy::new().required(["ask_twice"]);
    let (server, _) = server(policy);
    let mut wire = WireClient::connect_modern(&server, json!({ "elicitation": {} }));
    let waited = wire.call("wait", json!({ "seconds": 60 })).await;
    assert_eq!(waited["content"][0]["text"], "waited 60 s", "{waited}");
    let refused = wire.call("ask_twice", json!({})).await;
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
    let needed = &refused["error"]["data"]["requiredCapabilities"]["extensions"];
    assert!(
        needed.get("io.modelcontextprotocol/tasks").is_some(),
        "{refused}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_task_asks_by_itself_and_takes_answers_one_by_one() {
    let (server, _) = server(TaskPolicy::new().at_once(["ask_twice"]));
    let mut wire = WireClient::connect_modern(&server, taking_tasks());
    let id = wire.call("ask_twice", json!({})).await["taskId"].clone();
    let asked = until(&mut wire, &id, "input_required").await;
    let keys: Vec<_> = asked["inputRequests"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["first", "second"]);
    let answer = |key: &str, word: &str| {
        let answer = json!({ "action": "accept", "content": { "word": word } });
        json!({ "taskId": id, "inputResponses": { key: answer } })
    };
    wire.request("tasks/update", answer("second", "there"))
        .await;
    wire.request("tasks/update", answer("nobody", "asked"))
        .await;
    let left = get(&mut wire, &id).await;
    assert_eq!(left["status"], "input_required", "{left}");
    assert_eq!(
        left["inputRequests"].as_object().unwrap().len(),
        1,
        "{left}"
    );
    wire.request("tasks/update", answer("first", "hello")).await;
    let done = until(&mut wire, &id, "completed").await;
    assert_eq!(
        done["result"]["content"][0]["text"], "hello there",
        "{done}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_task_stops_its_call() {
    let (server, dropped) = server(TaskPolicy::new());
    let mut wire = WireClient::connect_modern(&server, taking_tasks());
    let id = wire.call("wait", json!({ "seconds": 600 })).await["taskId"].clone();
    wire.request("tasks/cancel", json!({ "taskId": id })).await;
    let task = until(&mut wire, &id, "cancelled").await;
    assert_eq!(task.get("result"), None, "{task}");
    assert!(dropped.0.load(Ordering::Relaxed));
    // One that has ended stays as it is.
    wire.request("tasks/cancel", json!({ "taskId": id })).await;
    assert_eq!(get(&mut wire, &id).await["status"], "cancelled");
}

#[tokio::test(start_paused = true)]
async fn a_task_that_takes_too_long_fails_and_there_are_only_so_many() {
    let policy = TaskPolicy::new()
        .max_tasks(1)
        .lifetime(Duration::from_secs(100));
    let (server, dropped) = server(policy);
    let mut wire = WireClient::connect_modern(&server, taking_tasks());
    let first = wire.call("wait", json!({ "seconds": 600 })).await["taskId"].clone();
    // There is no room for a second one, so that its client waits.
    let second = wire.call("wait", json!({ "seconds": 20 })).await;
    assert_eq!(second["content"][0]["text"], "waited 20 s", "{second}");
    let failed = until(&mut wire, &first, "failed").await;
    let said = failed["error"]["message"].as_str().unwrap();
    assert!(said.contains("took too long"), "{said}");
    assert!(dropped.0.load(Ordering::Relaxed));
    // One that has ended gives way.
    let third = wire.call("wait", json!({ "seconds": 20 })).await;
    assert_eq!(third["resultType"], "task", "{third}");
    assert_eq!(get(&mut wire, &first).await["error"]["code"], -32602);
}

/// Returns a client that receives log messages.
fn logging_client(server: &Server) -> WireClient {
    let wire = WireClient::connect_modern(server, taking_tasks());
    wire.with_meta("io.modelcontextprotocol/logLevel", json!("error"))
}

/// Starts a call, and reads nothing until the call is a task.
async fn start_unread(wire: &mut WireClient, tool: &str) -> Value {
    let id = wire.start_call(tool, json!({})).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    let task = wire.wait_response(id).await;
    assert_eq!(task["resultType"], "task", "{task}");
    task["taskId"].clone()
}

async fn within_a_minute<T>(work: impl Future<Output = T>) -> T {
    let work = tokio::time::timeout(Duration::from_secs(60), work);
    work.await.expect("it does not take a minute")
}

#[tokio::test(start_paused = true)]
async fn a_finished_call_whose_notifications_are_read_slowly_becomes_a_task_with_a_result() {
    let (server, _) = server(TaskPolicy::new());
    let mut wire = logging_client(&server);
    let id = start_unread(&mut wire, "log_much").await;
    let done = within_a_minute(until(&mut wire, &id, "completed")).await;
    assert_eq!(text(&done["result"]), "logged", "{done}");
}

#[tokio::test(start_paused = true)]
async fn a_question_that_waits_for_slow_notifications_is_asked_by_the_task() {
    let (server, _) = server(TaskPolicy::new());
    let mut wire = logging_client(&server);
    let id = start_unread(&mut wire, "ask_and_log").await;
    within_a_minute(until(&mut wire, &id, "input_required")).await;
    let answers = json!({ "well": { "action": "decline" } });
    wire.request(
        "tasks/update",
        json!({ "taskId": id, "inputResponses": answers }),
    )
    .await;
    let done = within_a_minute(until(&mut wire, &id, "completed")).await;
    assert_eq!(text(&done["result"]), "answered", "{done}");
}

#[tokio::test(start_paused = true)]
async fn no_call_waits_for_long_behind_a_task_that_waits_for_an_answer() {
    let (server, _) = server(TaskPolicy::new().at_once(["ask_alone"]));
    let mut wire = WireClient::connect_modern(&server, taking_tasks());
    let id = wire.call("ask_alone", json!({ "seconds": 200 })).await["taskId"].clone();
    until(&mut wire, &id, "input_required").await;
    let mut other = WireClient::connect_modern(&server, json!({ "elicitation": {} }));
    let begun = tokio::time::Instant::now();
    let refused = other.call("wait", json!({ "seconds": 1 })).await;
    let said = text(&refused);
    assert!(said.contains("waits for an answer of the client"), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(60));

    // A task that has its answer ends by itself, so that calls wait for the task.
    let answers = json!({ "well": { "action": "decline" } });
    wire.request(
        "tasks/update",
        json!({ "taskId": id, "inputResponses": answers }),
    )
    .await;
    let waited = other.call("wait", json!({ "seconds": 1 })).await;
    assert_eq!(text(&waited), "waited 1 s");
    assert!(begun.elapsed() > Duration::from_secs(200));
}
