//! What a server asks while it works: elicitation, sampling, roots; and what it logs.

use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use helve_runtime::mcp::{ServerConfig, ServerTrust};
use libtest_mimic::Trial;
use serde_json::{Map, Value, json};

use crate::mcp_connection::script::{
    Flow, Outbox, ServerScript, legacy_server, modern_server, text_result,
};
use crate::mcp_connection::support::{
    TestUser, config, context, paused_time_trial, scripted, text, timeouts, until,
};

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        paused_time_trial("a form is asked for", form),
        paused_time_trial("a visit is asked for", visit),
        paused_time_trial("nobody is there to be asked", nobody),
        paused_time_trial("nobody is asked outside of a call", outside),
        paused_time_trial("whoever thinks does not make a call stall", thinks),
        paused_time_trial("the model is lent where the server is trusted", sampling),
        paused_time_trial("the model is lent to no other server", no_sampling),
        paused_time_trial("the places to work in are told", roots),
        paused_time_trial("logs are handed on", logs),
        paused_time_trial("a new server asks by its answer", rounds),
        paused_time_trial("a new server does not ask for ever", endless_rounds),
    ]
}

/// Asks something in each call, and answers the call with what it hears.
fn asking(method: &'static str, params: Value) -> impl ServerScript {
    let waiting: Mutex<Vec<Value>> = Mutex::default();
    let greet = legacy_server(|_: &Value, _: &Outbox| Flow::Continue(()));
    move |message: &Value, out: &Outbox| {
        if message["method"] == "tools/call" {
            waiting.lock().unwrap().push(message.clone());
            let question =
                json!({ "jsonrpc": "2.0", "id": "q", "method": method, "params": params });
            out.send(&question);
            return Flow::Continue(());
        }
        if message["id"] == "q" {
            let heard = message.get("result").or(message.get("error")).unwrap();
            let call = waiting.lock().unwrap().pop().unwrap();
            return out.reply(&call, text_result(&heard.to_string()));
        }
        greet.handle(message, out)
    }
}

fn a_form() -> Value {
    let name = json!({ "type": "string" });
    let depth = json!({ "type": "integer", "default": 3 });
    let schema = json!({ "type": "object", "properties": { "name": name, "depth": depth }, "required": ["name"] });
    json!({ "mode": "form", "message": "Which branch?", "requestedSchema": schema })
}

/// Returns what the server hears, and what the person was asked.
async fn ask(
    config: ServerConfig,
    script: impl ServerScript,
    person: TestUser,
) -> (String, String) {
    let connection = scripted(config, script);
    let person = Arc::new(person);
    let (cx, _) = context(Some(Arc::clone(&person)));
    let called = connection.call("a", Map::new(), &cx, false).await.unwrap();
    let asked = person.questions.lock().unwrap().join("\n");
    (text(&called), asked)
}

async fn form() {
    let script = asking("elicitation/create", a_form());
    let (heard, asked) = ask(config(), script, TestUser::default()).await;
    insta::assert_snapshot!(heard, @r#"{"action":"accept","content":{"name":"main","depth":3}}"#);
    insta::assert_snapshot!(asked, @r#"test: Which branch? Form { schema: Object {"type": String("object"), "properties": Object {"name": Object {"type": String("string")}, "depth": Object {"type": String("integer"), "default": Number(3)}}, "required": Array [String("name")]} }"#);
}

async fn visit() {
    let params = json!({ "mode": "url", "message": "Pay", "url": "https://a.example", "elicitationId": "7" });
    let (heard, asked) = ask(
        config(),
        asking("elicitation/create", params),
        TestUser::default(),
    )
    .await;
    insta::assert_snapshot!(heard, @r#"{"action":"accept"}"#);
    insta::assert_snapshot!(asked, @r#"test: Pay Url { url: "https://a.example", id: "7" }"#);
}

async fn nobody() {
    let connection = scripted(config(), asking("elicitation/create", a_form()));
    let called = crate::mcp_connection::support::call(&connection, "a", false);
    insta::assert_snapshot!(text(&called.await.unwrap()), @r#"{"action":"decline"}"#);
}

async fn outside() {
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&heard);
    let greet = legacy_server(|_: &Value, _: &Outbox| Flow::Continue(()));
    let connection = scripted(config(), move |message: &Value, out: &Outbox| {
        if message["id"] == "q" {
            let result = message.get("result").or(message.get("error")).unwrap();
            kept.lock().unwrap().push(result.to_string());
            return Flow::Continue(());
        }
        if message["method"] == "notifications/initialized" {
            out.send(&json!({ "jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": a_form() }));
        }
        greet.handle(message, out)
    });
    connection.connect().await.unwrap();
    until(|| !heard.lock().unwrap().is_empty()).await;
    insta::assert_snapshot!(heard.lock().unwrap().join("\n"), @r#"{"action":"decline"}"#);
}

async fn thinks() {
    let person = TestUser {
        delay: Duration::from_secs(300),
        ..TestUser::default()
    };
    let patient = config().with_timeouts(timeouts([30, 30, 600, 10]));
    let (heard, _) = ask(patient, asking("elicitation/create", a_form()), person).await;
    assert!(heard.contains("accept"), "{heard}");
}

fn a_sampling() -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": "Say it." } });
    json!({ "messages": [message], "maxTokens": 10, "systemPrompt": "Be kind." })
}

async fn sampling() {
    let mut trust = ServerTrust::default();
    trust.sampling = true;
    let trusted = config().with_trust(trust);
    let script = asking("sampling/createMessage", a_sampling());
    let (heard, asked) = ask(trusted, script, TestUser::default()).await;
    insta::assert_snapshot!(heard, @r#"{"model":"a-model","stopReason":"endTurn","role":"assistant","content":{"type":"text","text":"words"}}"#);
    insta::assert_snapshot!(asked, @r#"Some("test"): [SamplingMessage { role: User, content: [Text { text: "Say it." }] }]"#);
}

async fn no_sampling() {
    let script = asking("sampling/createMessage", a_sampling());
    let (heard, asked) = ask(config(), script, TestUser::default()).await;
    insta::assert_snapshot!(heard, @r#"{"code":-32600,"message":"this client does not lend its model to this server"}"#);
    assert_eq!(asked, "");
}

async fn roots() {
    let (heard, _) = ask(
        config(),
        asking("roots/list", json!({})),
        TestUser::default(),
    )
    .await;
    insta::assert_snapshot!(heard, @r#"{"roots":[{"uri":"file:///work","name":"work"}]}"#);
    let connection = scripted(config(), asking("roots/list", json!({})));
    let called = crate::mcp_connection::support::call(&connection, "a", false);
    insta::assert_snapshot!(text(&called.await.unwrap()), @r#"{"roots":[]}"#);
}

async fn logs() {
    let script = legacy_server(|message: &Value, out: &Outbox| {
        let line = json!({ "level": "warning", "logger": "db", "data": { "rows": 3 } });
        out.notify("notifications/message", line);
        out.reply(message, text_result("done"))
    });
    let connection = scripted(config(), script);
    let person = Arc::new(TestUser::default());
    let (cx, _) = context(Some(Arc::clone(&person)));
    connection.call("a", Map::new(), &cx, false).await.unwrap();
    insta::assert_snapshot!(person.logs.lock().unwrap().join("\n"), @r#"warning Some("db") {"rows":3}"#);
}

async fn rounds() {
    let script = modern_server(|message: &Value, out: &Outbox| {
        let params = &message["params"];
        if message["method"] != "tools/call" {
            return Flow::Continue(());
        }
        if params["requestState"] == "sealed" {
            return out.reply(message, text_result(&params["inputResponses"].to_string()));
        }
        let question = json!({ "method": "elicitation/create", "params": a_form() });
        let roots = json!({ "method": "roots/list" });
        let asked = json!({ "branch": question, "places": roots });
        let required = json!({ "resultType": "input_required", "inputRequests": asked, "requestState": "sealed" });
        out.reply(message, required)
    });
    let (heard, asked) = ask(config(), script, TestUser::default()).await;
    insta::assert_snapshot!(heard, @r#"{"branch":{"action":"accept","content":{"name":"main","depth":3}},"places":{"roots":[{"uri":"file:///work","name":"work"}]}}"#);
    assert!(asked.starts_with("test: Which branch?"), "{asked}");
}

async fn endless_rounds() {
    let script = modern_server(|message: &Value, out: &Outbox| {
        if message["method"] != "tools/call" {
            return Flow::Continue(());
        }
        let required = json!({ "resultType": "input_required", "requestState": "more" });
        out.reply(message, required)
    });
    let connection = scripted(config(), script);
    let called = crate::mcp_connection::support::call(&connection, "a", true);
    insta::assert_snapshot!(crate::mcp_connection::support::error_text(called.await), @"the answer of the MCP server `test` to `a` cannot be used: it asked for more input 10 times over");
}
