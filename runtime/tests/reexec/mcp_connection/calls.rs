//! Calls: their results, their progress, their deadlines and their cancellation.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use helve_runtime::tool::ToolContext;
use libtest_mimic::Trial;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::mcp_connection::script::{
    Flow, Outbox, ServerScript, legacy_server, modern_server, text_result,
};
use crate::mcp_connection::support::{
    config, context, error_text, object, paused_time_trial, scripted, text, timeouts,
};

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        paused_time_trial("a call has its result", result),
        paused_time_trial("a result without content is one", without_content),
        paused_time_trial("a refusal is told", refusal),
        paused_time_trial("progress is reported in order", progress),
        paused_time_trial("progress keeps a call from stalling", stall),
        paused_time_trial("a call does not take for ever, whatever it reports", total),
        paused_time_trial("a dropped call is cancelled on the server", dropped),
        paused_time_trial("a cancelled call is cancelled on the server", cancelled),
        paused_time_trial(
            "a cancelled call does not wait for the connection",
            cancelled_before,
        ),
        paused_time_trial("an answer to another request is none to this", wrong_id),
        paused_time_trial("an answer that is no answer is told", unusable),
        paused_time_trial("noise between messages is passed over", noise),
        paused_time_trial("a flood of reports harms nobody", flood),
    ]
}

async fn result() {
    for connection in [
        scripted(config(), legacy_server(echo)),
        scripted(config(), modern_server(echo)),
    ] {
        let arguments = object(json!({ "text": "hello" }));
        let cx = ToolContext::new();
        let called = connection.call("echo", arguments, &cx, false).await;
        assert_eq!(text(&called.unwrap()), r#"echo {"text":"hello"}"#);
    }
}

fn echo(message: &Value, out: &Outbox) -> Flow {
    let params = &message["params"];
    let told = format!(
        "{} {}",
        params["name"].as_str().unwrap(),
        params["arguments"]
    );
    out.reply(message, text_result(&told))
}

async fn without_content() {
    for answer in [
        json!({}),
        json!({ "_meta": { "a": 1 } }),
        json!({ "isError": true }),
    ] {
        let is_error = answer.get("isError").is_some();
        let script =
            legacy_server(move |message: &Value, out: &Outbox| out.reply(message, answer.clone()));
        let connection = scripted(config(), script);
        let called = crate::mcp_connection::support::call(&connection, "a", false);
        let called = called.await.unwrap();
        assert!(called.content.is_empty());
        assert_eq!(called.is_error == Some(true), is_error);
    }
}

async fn refusal() {
    let script = legacy_server(|message: &Value, out: &Outbox| {
        out.refuse(message, -32602, "No\n such\x07 tool")
    });
    let connection = scripted(config(), script);
    let called = crate::mcp_connection::support::call(&connection, "a`b\n", true);
    insta::assert_snapshot!(error_text(called.await), @"the MCP server `test` refused `a`b`: No such tool (code -32602)");
}

async fn progress() {
    let script = legacy_server(|message: &Value, out: &Outbox| {
        let token = &message["params"]["_meta"]["progressToken"];
        for (step, message) in [
            (1.0, "one"),
            (2.0, "two\x1b[1m"),
            (2.0, "again"),
            (1.0, "back"),
        ] {
            let report =
                json!({ "progressToken": token, "progress": step, "total": 3, "message": message });
            out.notify("notifications/progress", report);
        }
        out.notify(
            "notifications/progress",
            json!({ "progressToken": "another", "progress": 9 }),
        );
        out.reply(message, text_result("done"))
    });
    let connection = scripted(config(), script);
    let (cx, reports) = context(None);
    connection.call("a", Map::new(), &cx, false).await.unwrap();
    insta::assert_snapshot!(reports.lock().unwrap().join("\n"), @r#"
    Some(1.0)/Some(3.0) Some("one")
    Some(2.0)/Some(3.0) Some("two")
    "#);
}

/// Reports every so many seconds for so long, then answers.
fn reporting(every: u64, times: u32, answers: bool) -> impl ServerScript {
    legacy_server(move |message: &Value, out: &Outbox| {
        let (message, out) = (message.clone(), out.clone());
        tokio::spawn(async move {
            for step in 1..=times {
                tokio::time::sleep(Duration::from_secs(every)).await;
                let token = &message["params"]["_meta"]["progressToken"];
                let report = json!({ "progressToken": token, "progress": step });
                out.notify("notifications/progress", report);
            }
            if answers {
                let _ = out.reply(&message, text_result("done"));
            }
        });
        Flow::Continue(())
    })
}

async fn stall() {
    let patient = config().with_timeouts(timeouts([30, 30, 600, 10]));
    let connection = scripted(patient.clone(), reporting(8, 5, true));
    let called = crate::mcp_connection::support::call(&connection, "a", false);
    assert_eq!(text(&called.await.unwrap()), "done");
    let connection = scripted(patient, reporting(8, 2, false));
    let called = crate::mcp_connection::support::call(&connection, "a", true);
    insta::assert_snapshot!(error_text(called.await), @"the MCP server `test` said nothing for 10 s while it worked on `a`; the call was cancelled, and whether it took effect is not known");
}

async fn total() {
    let patient = config().with_timeouts(timeouts([30, 30, 60, 10]));
    let connection = scripted(patient, reporting(8, 100, true));
    let called = crate::mcp_connection::support::call(&connection, "a", true);
    insta::assert_snapshot!(error_text(called.await), @"the MCP server `test` took longer than 60 s for `a`; the call was cancelled, and whether it took effect is not known");
}

/// Never answers calls; keeps the ids of those that begin and those that are cancelled.
fn keeping(
    calls: &Arc<Mutex<Vec<Value>>>,
    cancelled: &Arc<Mutex<Vec<Value>>>,
) -> impl ServerScript {
    let (calls, cancelled) = (Arc::clone(calls), Arc::clone(cancelled));
    let greet = legacy_server(|_: &Value, _: &Outbox| Flow::Continue(()));
    move |message: &Value, out: &Outbox| {
        match message["method"].as_str() {
            Some("tools/call") => calls.lock().unwrap().push(message["id"].clone()),
            Some("notifications/cancelled") => {
                let id = message["params"]["requestId"].clone();
                cancelled.lock().unwrap().push(id);
            }
            _ => {}
        }
        greet.handle(message, out)
    }
}

async fn dropped() {
    let (calls, gone) = (Arc::default(), Arc::default());
    let connection = scripted(config(), keeping(&calls, &gone));
    let cx = ToolContext::new();
    let call = connection.call("a", Map::new(), &cx, false);
    let ended = tokio::time::timeout(Duration::from_secs(1), call).await;
    assert!(ended.is_err());
    crate::mcp_connection::support::until(|| !gone.lock().unwrap().is_empty()).await;
    assert_eq!(*calls.lock().unwrap(), *gone.lock().unwrap());
}

async fn cancelled() {
    let (calls, gone) = (Arc::default(), Arc::default());
    let connection = scripted(config(), keeping(&calls, &gone));
    let stop = CancellationToken::new();
    let cx = ToolContext::builder().cancellation(stop.clone()).build();
    let stopping = async {
        crate::mcp_connection::support::until(|| !calls.lock().unwrap().is_empty()).await;
        stop.cancel();
    };
    let (called, ()) = tokio::join!(connection.call("a", Map::new(), &cx, true), stopping);
    insta::assert_snapshot!(error_text(called), @"`a` of the MCP server `test` was cancelled");
    crate::mcp_connection::support::until(|| !gone.lock().unwrap().is_empty()).await;
    assert_eq!(*calls.lock().unwrap(), *gone.lock().unwrap());
}

async fn cancelled_before() {
    let connection = scripted(config(), |_: &Value, _: &Outbox| Flow::Continue(()));
    let stop = CancellationToken::new();
    stop.cancel();
    let cx = ToolContext::builder().cancellation(stop).build();
    let called = connection.call("a", Map::new(), &cx, true).await;
    insta::assert_snapshot!(error_text(called), @"`a` of the MCP server `test` was cancelled");
}

async fn wrong_id() {
    let script = legacy_server(|message: &Value, out: &Outbox| {
        out.send(&json!({ "jsonrpc": "2.0", "id": 4711, "result": text_result("not yours") }));
        out.send(&json!({ "jsonrpc": "2.0", "id": "x", "result": text_result("nor yours") }));
        out.reply(message, text_result("yours"))
    });
    let connection = scripted(config(), script);
    let called = crate::mcp_connection::support::call(&connection, "a", false);
    assert_eq!(text(&called.await.unwrap()), "yours");
}

async fn unusable() {
    for answer in [
        json!({ "content": [{ "type": "smell" }] }),
        json!({ "tools": [] }),
        json!([1]),
    ] {
        let script =
            legacy_server(move |message: &Value, out: &Outbox| out.reply(message, answer.clone()));
        let connection = scripted(config(), script);
        let called = crate::mcp_connection::support::call(&connection, "a", true);
        let error = error_text(called.await);
        assert!(
            error.starts_with("the answer of the MCP server `test` to `a` cannot be used: "),
            "{error}"
        );
    }
    let script = legacy_server(|message: &Value, out: &Outbox| {
        out.raw(format!(r#"{{"id":{},"result":{{}}}}"#, message["id"]));
        Flow::Continue(())
    });
    let connection = scripted(config(), script);
    let called = crate::mcp_connection::support::call(&connection, "a", true);
    insta::assert_snapshot!(error_text(called.await), @r#"the MCP server `test` refused `a`: the answer is no JSON-RPC message: {"id":3,"result":{}} (code -32603)"#);
}

async fn noise() {
    let script = legacy_server(|message: &Value, out: &Outbox| {
        out.raw("Server ready.");
        out.raw("");
        out.raw("{ not json");
        out.raw("[]\r");
        out.reply(message, text_result("done"))
    });
    let connection = scripted(config(), script);
    let called = crate::mcp_connection::support::call(&connection, "a", false);
    assert_eq!(text(&called.await.unwrap()), "done");
}

async fn flood() {
    let script = legacy_server(|message: &Value, out: &Outbox| {
        for number in 0..5_000 {
            out.notify(
                "notifications/progress",
                json!({ "progressToken": number, "progress": number }),
            );
            out.notify("notifications/tools/list_changed", json!({}));
        }
        out.reply(message, text_result("done"))
    });
    let connection = scripted(config(), script);
    let (cx, _) = context(None);
    let called = connection.call("a", Map::new(), &cx, false);
    assert_eq!(text(&called.await.unwrap()), "done");
}
