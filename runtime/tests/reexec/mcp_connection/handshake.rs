//! Which protocol is spoken, and what is said where there is none.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use helve_runtime::mcp::connection::ConnectionState;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::mcp_connection::script::{
    Flow, Outbox, discover_result, initialize_result, legacy_server, modern_server, tool,
};
use crate::mcp_connection::support::{config, error_text, paused_time_trial, scripted, timeouts};

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        paused_time_trial("a new server is greeted anew", new_server),
        paused_time_trial("an old server is greeted of old", old_server),
        paused_time_trial("every old protocol is spoken", every_old_protocol),
        paused_time_trial(
            "a server that answers but is old is greeted of old",
            answers_but_old,
        ),
        paused_time_trial(
            "a server that ignores the question is greeted of old",
            ignores,
        ),
        paused_time_trial(
            "a late answer is not taken for that of the handshake",
            late_answer,
        ),
        paused_time_trial(
            "a server that the question kills is greeted of old",
            killed_by_question,
        ),
        paused_time_trial("a server that never answers times out", never_answers),
        paused_time_trial("a handshake that is refused is told", refused),
        paused_time_trial("a protocol that nobody knows is told", unknown_protocol),
        paused_time_trial("a server that closes at once is told", closes),
        paused_time_trial("whoever waits waits for one attempt", one_attempt),
    ]
}

fn nothing(_: &Value, _: &Outbox) -> Flow {
    Flow::Continue(())
}

async fn new_server() {
    let connection = scripted(config(), modern_server(nothing));
    assert_eq!(connection.status().state, ConnectionState::Idle);
    connection.connect().await.unwrap();
    let status = connection.status();
    assert_eq!(status.state, ConnectionState::Ready);
    assert_eq!(status.protocol_version.as_deref(), Some("2026-07-28"));
}

async fn old_server() {
    let connection = scripted(config(), legacy_server(nothing));
    connection.connect().await.unwrap();
    let status = connection.status();
    assert_eq!(status.protocol_version.as_deref(), Some("2025-11-25"));
    assert_eq!(status.server.unwrap().name, "scripted");
    assert_eq!(status.instructions.as_deref(), Some("Be brief."));
    assert!(status.capabilities.unwrap().tools.is_some());
    connection.close().await;
    assert_eq!(connection.status().state, ConnectionState::Closed);
    insta::assert_snapshot!(error_text(connection.connect().await), @"the connection to the MCP server `test` is closed");
}

async fn every_old_protocol() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let connection =
            scripted(
                config(),
                move |message: &Value, out: &Outbox| match message["method"].as_str() {
                    Some("initialize") => out.reply(message, initialize_result(version)),
                    Some("tools/list") => out.reply(message, json!({ "tools": [tool(version)] })),
                    Some(_) if message.get("id").is_some() => out.refuse(message, -32601, "no"),
                    _ => Flow::Continue(()),
                },
            );
        assert_eq!(connection.tools().await.unwrap().tools[0].name, version);
        assert_eq!(
            connection.status().protocol_version.as_deref(),
            Some(version)
        );
    }
}

async fn answers_but_old() {
    for answer in [discover_result(&["2025-11-25", "2025-06-18"]), json!({})] {
        let connection =
            scripted(
                config(),
                move |message: &Value, out: &Outbox| match message["method"].as_str() {
                    Some("server/discover") => out.reply(message, answer.clone()),
                    Some("initialize") => out.reply(message, initialize_result("2025-11-25")),
                    Some("tools/list") => out.reply(message, json!({ "tools": [] })),
                    _ => Flow::Continue(()),
                },
            );
        connection.connect().await.unwrap();
        let status = connection.status();
        assert_eq!(status.protocol_version.as_deref(), Some("2025-11-25"));
    }
}

async fn ignores() {
    let connection = scripted(
        config().with_timeouts(timeouts([9, 30, 60, 30])),
        |message: &Value, out: &Outbox| match message["method"].as_str() {
            Some("initialize") => out.reply(message, initialize_result("2025-03-26")),
            _ => Flow::Continue(()),
        },
    );
    connection.connect().await.unwrap();
    let status = connection.status();
    assert_eq!(status.protocol_version.as_deref(), Some("2025-03-26"));
}

async fn late_answer() {
    let question = std::sync::Mutex::new(Value::Null);
    let connection = scripted(
        config(),
        move |message: &Value, out: &Outbox| match message["method"].as_str() {
            Some("server/discover") => {
                *question.lock().unwrap() = message.clone();
                Flow::Continue(())
            }
            Some("initialize") => {
                let _ = out.refuse(&question.lock().unwrap(), -32601, "Method not found");
                out.reply(message, initialize_result("2025-06-18"))
            }
            _ => Flow::Continue(()),
        },
    );
    connection.connect().await.unwrap();
    let status = connection.status();
    assert_eq!(status.protocol_version.as_deref(), Some("2025-06-18"));
}

async fn killed_by_question() {
    let connection = scripted(
        config(),
        |message: &Value, out: &Outbox| match message["method"].as_str() {
            Some("server/discover") => Flow::Break(()),
            Some("initialize") => out.reply(message, initialize_result("2024-11-05")),
            _ => Flow::Continue(()),
        },
    );
    connection.connect().await.unwrap();
    let status = connection.status();
    assert_eq!(status.protocol_version.as_deref(), Some("2024-11-05"));
}

async fn never_answers() {
    let connection = scripted(config(), nothing);
    insta::assert_snapshot!(error_text(connection.connect().await), @"the MCP server `test` did not finish connecting within 30 s: see whether it is the right program or address, or allow it more time (its connect timeout)");
    insta::assert_snapshot!(connection.status().last_error.unwrap(), @"the MCP server `test` did not finish connecting within 30 s: see whether it is the right program or address, or allow it more time (its connect timeout)");
}

async fn refused() {
    let connection = scripted(config(), |message: &Value, out: &Outbox| {
        out.refuse(message, -32000, "Go\x1b[2J\naway")
    });
    insta::assert_snapshot!(error_text(connection.connect().await), @"the MCP server `test` cannot be understood: it refused the handshake: Go away (code -32000)");
}

async fn unknown_protocol() {
    let connection = scripted(
        config(),
        |message: &Value, out: &Outbox| match message["method"].as_str() {
            Some("initialize") => out.reply(message, initialize_result("1999-01-01")),
            Some("server/discover") => out.refuse(message, -32601, "no"),
            _ => Flow::Continue(()),
        },
    );
    insta::assert_snapshot!(error_text(connection.connect().await), @"the MCP server `test` cannot be understood: it speaks the protocol `1999-01-01`, and this program those from 2024-11-05 to 2026-07-28");
}

async fn closes() {
    let connection = scripted(config(), |_: &Value, _: &Outbox| Flow::Break(()));
    insta::assert_snapshot!(error_text(connection.connect().await), @"the MCP server `test` ended before it was ready: it closed the connection");
}

async fn one_attempt() {
    let greetings = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&greetings);
    let connection = scripted(
        config(),
        move |message: &Value, out: &Outbox| match message["method"].as_str() {
            Some("server/discover") => {
                counted.fetch_add(1, Ordering::SeqCst);
                out.reply(message, discover_result(&["2026-07-28"]))
            }
            Some("tools/list") => out.reply(message, json!({ "tools": [] })),
            _ => Flow::Continue(()),
        },
    );
    let all = (0..10).map(|_| connection.connect());
    for connected in futures_util::future::join_all(all).await {
        connected.unwrap();
    }
    assert_eq!(greetings.load(Ordering::SeqCst), 1);
}
