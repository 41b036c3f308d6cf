//! Servers that die: what becomes of their calls, and when they are started anew.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use helve_runtime::mcp::connection::{Connection, ConnectionDeps, ConnectionState};
use helve_runtime::tool::ToolContext;
use libtest_mimic::Trial;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::mcp_connection::script::{
    self, Flow, Outbox, ServerScript, initialize_result, legacy_server, text_result,
};
use crate::mcp_connection::support::{
    config, error_text, paused_time_trial, scripted, text, until,
};

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        paused_time_trial("a call that was lost is told and not repeated", lost),
        paused_time_trial("a call that may be repeated is, once", repeated),
        paused_time_trial("a server that died is started anew, unasked", anew),
        paused_time_trial("a server that dies again and again is let be", backs_off),
        paused_time_trial(
            "a server that was never there is tried when asked",
            when_asked,
        ),
        paused_time_trial("a message that is no JSON ends the connection", malformed),
        paused_time_trial("a message that is too long ends the connection", too_long),
        paused_time_trial("a list that dies with its server is an error", list_dies),
        paused_time_trial("the last clone takes the server along", last_clone),
        paused_time_trial("a closed connection ends its calls", closed),
        paused_time_trial(
            "a runtime that went away is not waited for",
            another_runtime,
        ),
    ]
}

/// Dies in the first `deaths` calls, and answers the others with their number.
fn dying_server(deaths: usize, calls: &Arc<AtomicUsize>) -> impl ServerScript {
    let calls = Arc::clone(calls);
    legacy_server(move |message: &Value, out: &Outbox| {
        let number = 1 + calls.fetch_add(1, Ordering::SeqCst);
        if number <= deaths {
            return Flow::Break(());
        }
        out.reply(message, text_result(&format!("call {number}")))
    })
}

async fn lost() {
    let calls = Arc::new(AtomicUsize::new(0));
    let connection = scripted(config(), dying_server(1, &calls));
    let cx = ToolContext::new();
    insta::assert_snapshot!(error_text(connection.call("pay", Map::new(), &cx, false).await), @"the MCP server `test` stopped while it worked on `pay`: it closed the connection; whether it took effect is not known");
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    let called = connection.call("pay", Map::new(), &cx, false).await;
    assert_eq!(text(&called.unwrap()), "call 2");
    let status = connection.status();
    assert_eq!((status.state, status.restarts), (ConnectionState::Ready, 1));
    insta::assert_snapshot!(status.last_error.unwrap(), @"the MCP server `test` ended: it closed the connection");
}

async fn repeated() {
    let calls = Arc::new(AtomicUsize::new(0));
    let connection = scripted(config(), dying_server(1, &calls));
    let cx = ToolContext::new();
    let called = connection.call("look", Map::new(), &cx, true).await;
    assert_eq!(text(&called.unwrap()), "call 2");

    let calls = Arc::new(AtomicUsize::new(0));
    let connection = scripted(config(), dying_server(9, &calls));
    let error = error_text(connection.call("look", Map::new(), &cx, true).await);
    assert!(error.contains("stopped while it worked"), "{error}");
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}

/// Notes when connections are made; each server does as `script` says.
fn with_connection_times(script: impl ServerScript) -> (Connection, Arc<Mutex<Vec<Instant>>>) {
    let times: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let (noted, script) = (Arc::clone(&times), Arc::new(script));
    let deps = ConnectionDeps::new().with_dial(move || {
        noted.lock().unwrap().push(Instant::now());
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        tokio::spawn(script::run_script(theirs, Arc::clone(&script)));
        Ok(ours)
    });
    (Connection::new(config(), deps), times)
}

async fn anew() {
    let calls = Arc::new(AtomicUsize::new(0));
    let (connection, times) = with_connection_times(dying_server(1, &calls));
    let cx = ToolContext::new();
    let _ = error_text(connection.call("a", Map::new(), &cx, false).await);
    until(|| connection.status().state == ConnectionState::Ready).await;
    assert_eq!(times.lock().unwrap().len(), 2);
}

async fn backs_off() {
    // It is up for a moment, each time.
    let (connection, times) =
        with_connection_times(
            |message: &Value, out: &Outbox| match message["method"].as_str() {
                Some("server/discover") => out.refuse(message, -32601, "no"),
                Some("initialize") => out.reply(message, initialize_result("2025-11-25")),
                _ => Flow::Break(()),
            },
        );
    let _ = connection.connect().await;
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    let times: Vec<Instant> = times.lock().unwrap().clone();
    let waits: Vec<Duration> = times.windows(2).map(|two| two[1] - two[0]).collect();
    // An hour at no more than a start each half a minute, once it has grown so far.
    assert!((60..=140).contains(&times.len()), "{} starts", times.len());
    assert!(waits[0] >= Duration::from_millis(100), "{waits:?}");
    assert!(waits[0] <= Duration::from_secs(5), "{waits:?}");
    assert!(waits[20] >= Duration::from_secs(29), "{waits:?}");
    assert!(
        waits.iter().all(|wait| *wait <= Duration::from_secs(40)),
        "{waits:?}"
    );
}

async fn when_asked() {
    let (connection, times) = with_connection_times(|_: &Value, _: &Outbox| Flow::Break(()));
    let _ = error_text(connection.connect().await);
    let before = times.lock().unwrap().len();
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(times.lock().unwrap().len(), before);
    let _ = error_text(connection.connect().await);
    assert!(times.lock().unwrap().len() > before);
}

async fn malformed() {
    let script = legacy_server(|message: &Value, out: &Outbox| {
        out.raw(format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"#,
            message["id"]
        ));
        Flow::Continue(())
    });
    let connection = scripted(config(), script);
    let called = crate::mcp_connection::support::call(&connection, "a", false);
    insta::assert_snapshot!(error_text(called.await), @r#"the MCP server `test` stopped while it worked on `a`: it sent a message that is no JSON: {"jsonrpc":"2.0","id":3,"result":{; whether it took effect is not known"#);
}

async fn too_long() {
    let script = legacy_server(|message: &Value, out: &Outbox| {
        let text = "a".repeat(17 << 20);
        out.reply(message, text_result(&text))
    });
    let connection = scripted(config(), script);
    let called = crate::mcp_connection::support::call(&connection, "a", false);
    insta::assert_snapshot!(error_text(called.await), @"the MCP server `test` stopped while it worked on `a`: it sent a message of more than 16 MiB; whether it took effect is not known");
}

async fn list_dies() {
    let connection = scripted(
        config(),
        |message: &Value, out: &Outbox| match message["method"].as_str() {
            Some("server/discover") => out.refuse(message, -32601, "no"),
            Some("initialize") => out.reply(message, initialize_result("2025-11-25")),
            Some("tools/list") => Flow::Break(()),
            _ => Flow::Continue(()),
        },
    );
    insta::assert_snapshot!(error_text(connection.tools().await), @"the MCP server `test` ended: it closed the connection");
}

async fn last_clone() {
    let alive = Arc::new(());
    let watched = Arc::downgrade(&alive);
    let connection = scripted(
        config(),
        legacy_server(move |_: &Value, _: &Outbox| {
            let _ = &alive;
            Flow::Continue(())
        }),
    );
    connection.connect().await.unwrap();
    let another = connection.clone();
    drop(connection);
    another.connect().await.unwrap();
    drop(another);
    until(|| watched.strong_count() == 0).await;
}

async fn closed() {
    let connection = scripted(
        config(),
        legacy_server(|_: &Value, _: &Outbox| Flow::Continue(())),
    );
    connection.connect().await.unwrap();
    let cx = ToolContext::new();
    let closing = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        connection.close().await;
    };
    let (called, ()) = tokio::join!(connection.call("a", Map::new(), &cx, true), closing);
    insta::assert_snapshot!(error_text(called), @"the connection to the MCP server `test` is closed");
}

async fn another_runtime() {
    let connection = scripted(
        config(),
        legacy_server(|message: &Value, out: &Outbox| out.reply(message, json!({}))),
    );
    let first = connection.clone();
    let connected = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(first.connect())
    });
    connected.join().unwrap().unwrap();
    connection.connect().await.unwrap();
}
