//! Servers that run for one call, and servers that were idle for a while.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use helve_runtime::mcp::ServerLifetime;
use helve_runtime::mcp::connection::{Connection, ConnectionDeps, ConnectionState};
use libtest_mimic::Trial;
use serde_json::Value;

use crate::mcp_connection::script::{
    self, Flow, Outbox, legacy_server, modern_server, text_result,
};
use crate::mcp_connection::support::{
    call, config, error_text, paused_time_trial, scripted, text, timeouts, until,
};

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        paused_time_trial(
            "a server of one call is started and ended by each",
            each_call,
        ),
        paused_time_trial("no two servers of one call run at once", one_at_a_time),
        paused_time_trial("a server that dies in its only call is told", dies_in_call),
        paused_time_trial(
            "a server of one call ends with a call that is dropped",
            dropped,
        ),
        paused_time_trial("a server that was idle is pinged before a call", pinged),
        paused_time_trial("a server that refuses a ping is used", refuses_ping),
        paused_time_trial("a server that answers no ping is started anew", silent),
        paused_time_trial("a server that dies of a ping is started anew", dies_of_ping),
    ]
}

/// The servers that were started, and those that run.
#[derive(Default)]
struct Census {
    started: AtomicUsize,
    running: AtomicUsize,
    most: AtomicUsize,
}

impl Census {
    fn numbers(&self) -> [usize; 3] {
        [&self.started, &self.running, &self.most].map(|number| number.load(Ordering::SeqCst))
    }
}

/// A connection to servers of one call, whose calls are handled by `answer`.
fn per_call(
    answer: impl Fn(&Value, &Outbox) -> Flow + Send + Sync + 'static,
) -> (Connection, Arc<Census>) {
    let census = Arc::new(Census::default());
    let (counted, script) = (Arc::clone(&census), Arc::new(legacy_server(answer)));
    let deps = ConnectionDeps::new().with_dial(move || {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let (census, script) = (Arc::clone(&counted), Arc::clone(&script));
        census.started.fetch_add(1, Ordering::SeqCst);
        let running = 1 + census.running.fetch_add(1, Ordering::SeqCst);
        census.most.fetch_max(running, Ordering::SeqCst);
        tokio::spawn(async move {
            script::run_script(theirs, script).await;
            census.running.fetch_sub(1, Ordering::SeqCst);
        });
        Ok(ours)
    });
    let config = config().with_lifetime(ServerLifetime::Call);
    (Connection::new(config, deps), census)
}

/// Answers a call with its number.
fn counting(calls: &Arc<AtomicUsize>) -> impl Fn(&Value, &Outbox) -> Flow + Send + Sync + 'static {
    let calls = Arc::clone(calls);
    move |message: &Value, out: &Outbox| {
        let number = 1 + calls.fetch_add(1, Ordering::SeqCst);
        out.reply(message, text_result(&format!("call {number}")))
    }
}

async fn each_call() {
    let (connection, census) = per_call(counting(&Arc::default()));
    assert_eq!(connection.tools().await.unwrap().tools.len(), 1);
    until(|| census.numbers() == [1, 0, 1]).await;
    // The list is known, and so is what the server can do.
    connection.connect().await.unwrap();
    assert_eq!(connection.tools().await.unwrap().tools.len(), 1);
    let status = connection.status();
    assert_eq!(status.state, ConnectionState::Ready);
    assert!(status.capabilities.is_some());
    assert_eq!(census.numbers()[0], 1);
    for number in 1..=3 {
        let called = call(&connection, "echo", false).await.unwrap();
        assert_eq!(text(&called), format!("call {number}"));
    }
    until(|| census.numbers() == [4, 0, 1]).await;
    connection.close().await;
    assert_eq!(connection.status().state, ConnectionState::Closed);
    insta::assert_snapshot!(error_text(call(&connection, "echo", false).await), @"the connection to the MCP server `test` is closed");
}

async fn one_at_a_time() {
    let (connection, census) = per_call(counting(&Arc::default()));
    let calls = (0..4).map(|_| call(&connection, "echo", false));
    let called = futures_util::future::join_all(calls).await;
    assert!(called.iter().all(Result::is_ok), "{called:?}");
    until(|| census.numbers()[1] == 0).await;
    assert_eq!(census.numbers(), [4, 0, 1]);
}

async fn dies_in_call() {
    let (connection, census) = per_call(|_, _| Flow::Break(()));
    insta::assert_snapshot!(error_text(call(&connection, "pay", false).await), @"the MCP server `test` stopped while it worked on `pay`: it closed the connection; whether it took effect is not known");
    assert_eq!(census.numbers()[0], 1);
    // A call without an effect is repeated once.
    assert!(call(&connection, "look", true).await.is_err());
    assert_eq!(census.numbers()[0], 3);
    until(|| census.numbers()[1] == 0).await;
}

async fn dropped() {
    let (connection, census) = per_call(|_, _| Flow::Continue(()));
    let waited = Duration::from_secs(5);
    let called = tokio::time::timeout(waited, call(&connection, "echo", false)).await;
    assert!(called.is_err());
    until(|| census.numbers() == [1, 0, 1]).await;
}

/// Notes the methods of the requests that a server gets besides the handshake.
fn noting(
    noted: &Arc<Mutex<Vec<String>>>,
    answer: impl Fn(&Value, &Outbox) -> Flow + Send + Sync + 'static,
) -> impl Fn(&Value, &Outbox) -> Flow + Send + Sync + 'static {
    let noted = Arc::clone(noted);
    move |message: &Value, out: &Outbox| {
        let method = message["method"].as_str().unwrap().to_owned();
        noted.lock().unwrap().push(method);
        answer(message, out)
    }
}

fn is_ping(message: &Value) -> bool {
    message["method"] == "ping"
}

async fn pinged() {
    let noted = Arc::default();
    let answer = noting(&noted, |message: &Value, out: &Outbox| {
        if is_ping(message) {
            return out.reply(message, serde_json::json!({}));
        }
        out.reply(message, text_result("done"))
    });
    let connection = scripted(config(), legacy_server(answer));
    for idle in [0, 59, 61, 1] {
        tokio::time::sleep(Duration::from_secs(idle)).await;
        call(&connection, "echo", false).await.unwrap();
    }
    let expected = [
        "tools/call",
        "tools/call",
        "ping",
        "tools/call",
        "tools/call",
    ];
    assert_eq!(*noted.lock().unwrap(), expected);
    assert_eq!(connection.status().restarts, 0);
}

async fn refuses_ping() {
    let noted = Arc::default();
    let answer = noting(&noted, |message: &Value, out: &Outbox| {
        if is_ping(message) {
            return out.refuse(message, -32601, "Method not found");
        }
        out.reply(message, text_result("done"))
    });
    let connection = scripted(config(), modern_server(answer));
    call(&connection, "echo", false).await.unwrap();
    tokio::time::sleep(Duration::from_secs(61)).await;
    call(&connection, "echo", false).await.unwrap();
    assert_eq!(*noted.lock().unwrap(), ["tools/call", "ping", "tools/call"]);
    assert_eq!(connection.status().restarts, 0);
}

/// Has a server answer its first ping in its own way, and returns the requests and the number of restarts.
async fn with_first_ping(answer: fn() -> Flow) -> (Vec<String>, u32) {
    let (noted, pings) = (Arc::default(), AtomicUsize::new(0));
    let answer = noting(&noted, move |message: &Value, out: &Outbox| {
        if !is_ping(message) {
            return out.reply(message, text_result("done"));
        }
        if pings.fetch_add(1, Ordering::SeqCst) == 0 {
            return answer();
        }
        out.reply(message, serde_json::json!({}))
    });
    let config = config().with_timeouts(timeouts([30, 30, 600, 120]));
    let connection = scripted(config, legacy_server(answer));
    call(&connection, "pay", false).await.unwrap();
    tokio::time::sleep(Duration::from_secs(61)).await;
    call(&connection, "pay", false).await.unwrap();
    let noted = noted.lock().unwrap().clone();
    (noted, connection.status().restarts)
}

async fn silent() {
    let (noted, restarts) = with_first_ping(|| Flow::Continue(())).await;
    // Each call was sent once.
    assert_eq!(noted, ["tools/call", "ping", "tools/call"]);
    assert_eq!(restarts, 1);
}

async fn dies_of_ping() {
    let (noted, restarts) = with_first_ping(|| Flow::Break(())).await;
    assert_eq!(noted, ["tools/call", "ping", "tools/call"]);
    assert_eq!(restarts, 1);
}
