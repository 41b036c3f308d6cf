//! Servers that die: what becomes of their calls, and when they are started anew.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use helve_runtime::mcp::connection::{Connection, ConnectionDeps, ConnectionState};
use helve_runtime::tool::ToolContext;
use libtest_mimic::Trial;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::mcp_connection::script::{self, Flow, Out, Script, old, said, welcome};
use crate::mcp_connection::support::{config, scripted, text, timeless, told, until};

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        timeless("a call that was lost is told and not repeated", lost),
        timeless("a call that may be repeated is, once", repeated),
        timeless("a server that died is started anew, unasked", anew),
        timeless("a server that dies again and again is let be", backs_off),
        timeless(
            "a server that was never there is tried when asked",
            when_asked,
        ),
        timeless("a message that is no JSON ends the connection", malformed),
        timeless("a message that is too long ends the connection", too_long),
        timeless("a list that dies with its server is an error", list_dies),
        timeless("the last clone takes the server along", last_clone),
        timeless("a closed connection ends its calls", closed),
        timeless(
            "a runtime that went away is not waited for",
            another_runtime,
        ),
    ]
}

/// Dies in the first `deaths` calls, and answers the others with their number.
fn mortal(deaths: usize, calls: &Arc<AtomicUsize>) -> impl Script {
    let calls = Arc::clone(calls);
    old(move |message: &Value, out: &Out| {
        let number = 1 + calls.fetch_add(1, Ordering::SeqCst);
        if number <= deaths {
            return Flow::Break(());
        }
        out.reply(message, said(&format!("call {number}")))
    })
}

async fn lost() {
    let calls = Arc::new(AtomicUsize::new(0));
    let connection = scripted(config(), mortal(1, &calls));
    let cx = ToolContext::new();
    insta::assert_snapshot!(told(connection.call("pay", Map::new(), &cx, false).await), @"the MCP server `test` stopped while it worked on `pay`: it closed the connection; whether it took effect is not known");
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    let called = connection.call("pay", Map::new(), &cx, false).await;
    assert_eq!(text(&called.unwrap()), "call 2");
    let status = connection.status();
    assert_eq!((status.state, status.restarts), (ConnectionState::Ready, 1));
    insta::assert_snapshot!(status.last_error.unwrap(), @"the MCP server `test` ended: it closed the connection");
}

async fn repeated() {
    let calls = Arc::new(AtomicUsize::new(0));
    let connection = scripted(config(), mortal(1, &calls));
    let cx = ToolContext::new();
    let called = connection.call("look", Map::new(), &cx, true).await;
    assert_eq!(text(&called.unwrap()), "call 2");

    let calls = Arc::new(AtomicUsize::new(0));
    let connection = scripted(config(), mortal(9, &calls));
    let error = told(connection.call("look", Map::new(), &cx, true).await);
    assert!(error.contains("stopped while it worked"), "{error}");
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}

/// Notes when connections are made; each server does as `script` says.
fn noting(script: impl Script) -> (Connection, Arc<Mutex<Vec<Instant>>>) {
    let times: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let (noted, script) = (Arc::clone(&times), Arc::new(script));
    let deps = ConnectionDeps::new().with_dial(move || {
        noted.lock().unwrap().push(Instant::now());
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        tokio::spawn(script::play(theirs, Arc::clone(&script)));
        Ok(ours)
    });
    (Connection::new(config(), deps), times)
}

async fn anew() {
    let calls = Arc::new(AtomicUsize::new(0));
    let (connection, times) = noting(mortal(1, &calls));
    let cx = ToolContext::new();
    let _ = told(connection.call("a", Map::new(), &cx, false).await);
    until(|| connection.status().state == ConnectionState::Ready).await;
    assert_eq!(times.lock().unwrap().len(), 2);
}

async fn backs_off() {
    // It is up for a moment, each time.
    let (connection, times) =
        noting(
            |message: &Value, out: &Out| match message["method"].as_str() {
                Some("server/discover") => out.refuse(message, -32601, "no"),
                Some("initialize") => out.reply(message, welcome("2025-11-25")),
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
    let (connection, times) = noting(|_: &Value, _: &Out| Flow::Break(()));
    let _ = told(connection.connect().await);
    let before = times.lock().unwrap().len();
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(times.lock().unwrap().len(), before);
    let _ = told(connection.connect().await);
    assert!(times.lock().unwrap().len() > before);
}

async fn malformed() {
    let script = old(|message: &Value, out: &Out| {
        out.raw(format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"#,
            message["id"]
        ));
        Flow::Continue(())
    });
    let connection = scripted(config(), script);
    let called = crate::mcp_connection::support::call(&connection, "a", false);
    insta::assert_snapshot!(told(called.await), @r#"the MCP server `test` stopped while it worked on `a`: it sent a message that is no JSON: {"jsonrpc":"2.0","id":3,"result":{; whether it took effect is not known"#);
}

async fn too_long() {
    let script = old(|message: &Value, out: &Out| {
        let text = "a".repeat(17 << 20);
        out.reply(message, said(&text))
    });
    let connection = scripted(config(), script);
    let called = crate::mcp_connection::support::call(&connection, "a", false);
    insta::assert_snapshot!(told(called.await), @"the MCP server `test` stopped while it worked on `a`: it sent a message of more than 16 MiB; whether it took effect is not known");
}

async fn list_dies() {
    let connection = scripted(
        config(),
        |message: &Value, out: &Out| match message["method"].as_str() {
            Some("server/discover") => out.refuse(message, -32601, "no"),
            Some("initialize") => out.reply(message, welcome("2025-11-25")),
            Some("tools/list") => Flow::Break(()),
            _ => Flow::Continue(()),
        },
    );
    insta::assert_snapshot!(told(connection.tools().await), @"the MCP server `test` ended: it closed the connection");
}

async fn last_clone() {
    let alive = Arc::new(());
    let watched = Arc::downgrade(&alive);
    let connection = scripted(
        config(),
        old(move |_: &Value, _: &Out| {
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
    let connection = scripted(config(), old(|_: &Value, _: &Out| Flow::Continue(())));
    connection.connect().await.unwrap();
    let cx = ToolContext::new();
    let closing = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        connection.close().await;
    };
    let (called, ()) = tokio::join!(connection.call("a", Map::new(), &cx, true), closing);
    insta::assert_snapshot!(told(called), @"the connection to the MCP server `test` is closed");
}

async fn another_runtime() {
    let connection = scripted(
        config(),
        old(|message: &Value, out: &Out| out.reply(message, json!({}))),
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
