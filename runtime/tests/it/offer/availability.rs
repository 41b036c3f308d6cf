//! Tools that are of no use here, and those that lack a setting.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use helve::agent::Agent;
use helve::prelude::*;
use helve::transcript::Message;
use serde_json::json;

use crate::offer::{answers, calling, offered};

/// What the host knows of the machine.
struct Machine {
    has_scanner: AtomicBool,
}

fn has_scanner(cx: &ToolContext) -> bool {
    let machine = cx.state::<Machine>();
    machine.is_some_and(|machine| machine.has_scanner.load(Ordering::Relaxed))
}

fn has_key(_: &ToolContext) -> Result<(), String> {
    Err("set `SEARCH_KEY` in the environment".to_owned())
}

fn breaks(_: &ToolContext) -> bool {
    panic!("nobody thought of this")
}

/// Scans a page.
#[tool(read_only, available_if = has_scanner)]
fn scan() -> &'static str {
    "a page"
}

/// Searches the web.
#[tool(read_only, config_check = has_key)]
fn search_web() -> &'static str {
    "nothing"
}

/// Cannot say whether it is there.
#[tool(read_only, available_if = breaks)]
fn broken() {}

#[tokio::test]
async fn what_is_not_there_is_not_seen_and_what_lacks_a_setting_says_so() {
    let machine = Arc::new(Machine {
        has_scanner: AtomicBool::new(false),
    });
    let context = ToolContext::builder();
    let mut state = helve::State::new();
    state.insert_arc(Arc::clone(&machine));
    let context = context.app(Arc::new(state)).build();

    let model = calling([("scan", json!({})), ("broken", json!({}))]);
    let agent =
        Agent::with_model("main", model.clone()).toolset(toolset![scan, search_web, broken]);
    let report = agent
        .run(vec![Message::user("Scan it.")], &context, |_| {})
        .await;
    insta::assert_snapshot!(answers(&report), @r#"
    error: `scan` is not available here
    error: `broken` is not available here
    "#);
    let requests = model.requests();
    assert_eq!(offered(&requests[0]), ["search_web"]);
    insta::assert_snapshot!(requests[0].tools[0].description, @r#"
    [NOT CONFIGURED] set `SEARCH_KEY` in the environment

    Searches the web.
    "#);

    machine.has_scanner.store(true, Ordering::Relaxed);
    let model = calling([("scan", json!({}))]);
    let agent =
        Agent::with_model("main", model.clone()).toolset(toolset![scan, search_web, broken]);
    let report = agent
        .run(vec![Message::user("Scan it.")], &context, |_| {})
        .await;
    assert_eq!(answers(&report), "a page\n");
}
