//! Lists: within bounds, followed when they change, and kept when they fail; and what there is beside tools.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use helve_runtime::tool::ToolContext;
use libtest_mimic::Trial;
use serde_json::{Map, Value, json};

use crate::mcp_connection::script::{
    Flow, Outbox, ServerScript, discover_result, initialize_result, text_result, tool,
};
use crate::mcp_connection::support::{config, error_text, paused_time_trial, scripted, timeouts};

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        paused_time_trial("pages are read to the end", pages),
        paused_time_trial("pages that lead back end", same_cursor),
        paused_time_trial("there are not endless pages", endless),
        paused_time_trial("there are not endless tools", many),
        paused_time_trial(
            "a name is there once, and a description is not endless",
            tidied,
        ),
        paused_time_trial("a changed list is read again", changed),
        paused_time_trial("a new server is asked to tell of changes", subscribed),
        paused_time_trial("a list that fails later is the old one", kept),
        paused_time_trial("a list that never went well is an error", never),
        paused_time_trial("a list that does not end in time is an error", slow),
        paused_time_trial("a server without tools is not asked for any", without_tools),
        paused_time_trial("resources and prompts are read", catalog),
    ]
}

/// A server of old whose lists are made by `list`.
fn listing(list: impl Fn(&Value, &Outbox) -> Flow + Send + Sync + 'static) -> impl ServerScript {
    move |message: &Value, out: &Outbox| match message["method"].as_str() {
        Some("server/discover") => out.refuse(message, -32601, "no"),
        Some("initialize") => out.reply(message, initialize_result("2025-11-25")),
        Some("tools/list" | "tools/call") => list(message, out),
        _ => Flow::Continue(()),
    }
}

/// Makes a page of tools; those after `next` follow.
fn page(tools: impl IntoIterator<Item = String>, next: Option<&str>) -> Value {
    let tools: Vec<Value> = tools.into_iter().map(|name| tool(&name)).collect();
    json!({ "tools": tools, "nextCursor": next })
}

async fn pages() {
    let connection = scripted(
        config(),
        listing(|message: &Value, out: &Outbox| {
            let next = match message["params"]["cursor"].as_str() {
                None => page(["a".to_owned()], Some("2")),
                Some("2") => page(["b".to_owned()], Some("3")),
                Some("3") => page(["c".to_owned()], None),
                other => panic!("{other:?}"),
            };
            out.reply(message, next)
        }),
    );
    let offer = connection.tools().await.unwrap();
    let names: Vec<&str> = offer.tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!((offer.revision, offer.notes.len()), (1, 0));
    assert!(Arc::ptr_eq(&offer, &connection.tools_now()));
}

async fn same_cursor() {
    let connection = scripted(
        config(),
        listing(|message: &Value, out: &Outbox| {
            out.reply(message, page(["a".to_owned()], Some("again")))
        }),
    );
    let offer = connection.tools().await.unwrap();
    assert_eq!(offer.tools.len(), 1);
    insta::assert_snapshot!(offer.notes.join("\n"), @r#"
    the list of its tools has a page that leads back to itself: it ends there
    `a` is listed twice: the second is left out
    "#);
}

async fn endless() {
    let pages = AtomicUsize::new(0);
    let connection = scripted(
        config(),
        listing(move |message: &Value, out: &Outbox| {
            let number = pages.fetch_add(1, Ordering::SeqCst);
            out.reply(
                message,
                page([format!("tool-{number}")], Some(&number.to_string())),
            )
        }),
    );
    let offer = connection.tools().await.unwrap();
    assert_eq!(offer.tools.len(), 100);
    insta::assert_snapshot!(offer.notes.join("\n"), @"the list of its tools has more than 100 pages: the rest is left out");
}

async fn many() {
    let connection = scripted(
        config(),
        listing(|message: &Value, out: &Outbox| {
            out.reply(
                message,
                page((0..10_001).map(|number| format!("tool-{number}")), None),
            )
        }),
    );
    let offer = connection.tools().await.unwrap();
    assert_eq!(offer.tools.len(), 10_000);
    insta::assert_snapshot!(offer.notes.join("\n"), @"the list of its tools is longer than 10000 entries: the rest is left out");
}

async fn tidied() {
    let connection = scripted(
        config(),
        listing(|message: &Value, out: &Outbox| {
            let mut long = tool("long");
            long["description"] = json!("ä".repeat(50_000));
            let tools = json!({ "tools": [tool("a"), tool("a"), tool(""), long] });
            out.reply(message, tools)
        }),
    );
    let offer = connection.tools().await.unwrap();
    assert_eq!(offer.tools.len(), 2);
    assert_eq!(
        offer.tools[1].description.as_ref().unwrap().chars().count(),
        32_769
    );
    insta::assert_snapshot!(offer.notes.join("\n"), @r#"
    `a` is listed twice: the second is left out
    a tool without a name is left out
    the description of `long` is longer than 64 KiB and is cut
    "#);
}

/// Lists one tool more each time, and says so after each call.
fn growing(fails_from: usize) -> impl Fn(&Value, &Outbox) -> Flow + Send + Sync + 'static {
    let lists = AtomicUsize::new(0);
    move |message: &Value, out: &Outbox| {
        if message["method"] == "tools/call" {
            out.notify("notifications/tools/list_changed", json!({}));
            return out.reply(message, text_result("done"));
        }
        let number = 1 + lists.fetch_add(1, Ordering::SeqCst);
        if number >= fails_from {
            return out.refuse(message, -32603, "no more");
        }
        out.reply(
            message,
            page((0..number).map(|number| format!("tool-{number}")), None),
        )
    }
}

async fn changed() {
    let connection = scripted(config(), listing(growing(99)));
    assert_eq!(connection.tools().await.unwrap().tools.len(), 1);
    let mut changed = connection.changed();
    assert_eq!(*changed.borrow_and_update(), 1);
    let cx = ToolContext::new();
    connection.call("a", Map::new(), &cx, false).await.unwrap();
    changed.changed().await.unwrap();
    assert_eq!(*changed.borrow_and_update(), 2);
    let offer = connection.tools().await.unwrap();
    assert_eq!((offer.tools.len(), offer.revision), (2, 2));
}

async fn subscribed() {
    let lists = AtomicUsize::new(0);
    let connection = scripted(
        config(),
        move |message: &Value, out: &Outbox| match message["method"].as_str() {
            Some("server/discover") => out.reply(message, discover_result(&["2026-07-28"])),
            Some("tools/list") => {
                let number = 1 + lists.fetch_add(1, Ordering::SeqCst);
                let mut list = page((0..number).map(|number| format!("tool-{number}")), None);
                list["resultType"] = json!("complete");
                out.reply(message, list)
            }
            Some("subscriptions/listen") => {
                let meta = json!({ "io.modelcontextprotocol/subscriptionId": message["id"] });
                let wanted = message["params"]["notifications"].clone();
                out.notify(
                    "notifications/subscriptions/acknowledged",
                    json!({ "_meta": meta, "notifications": wanted }),
                );
                out.notify("notifications/tools/list_changed", json!({ "_meta": meta }));
                Flow::Continue(())
            }
            _ => Flow::Continue(()),
        },
    );
    let mut changed = connection.changed();
    connection.connect().await.unwrap();
    changed.wait_for(|revision| *revision == 2).await.unwrap();
    assert_eq!(connection.tools_now().tools.len(), 2);
}

async fn kept() {
    let connection = scripted(config(), listing(growing(2)));
    assert_eq!(connection.tools().await.unwrap().tools.len(), 1);
    let cx = ToolContext::new();
    connection.call("a", Map::new(), &cx, false).await.unwrap();
    for _ in 0..100 {
        let offer = connection.tools().await.unwrap();
        assert_eq!((offer.tools.len(), offer.revision), (1, 1));
        if !offer.notes.is_empty() {
            insta::assert_snapshot!(offer.notes.join("\n"), @"this list is an old one: the MCP server `test` refused the list of its tools: no more (code -32603)");
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("nobody said that the list is an old one");
}

async fn never() {
    let connection = scripted(config(), listing(growing(1)));
    insta::assert_snapshot!(error_text(connection.tools().await), @"the MCP server `test` refused the list of its tools: no more (code -32603)");
}

async fn slow() {
    let connection = scripted(
        config().with_timeouts(timeouts([30, 5, 60, 60])),
        listing(|_: &Value, _: &Outbox| Flow::Continue(())),
    );
    insta::assert_snapshot!(error_text(connection.tools().await), @"the MCP server `test` took longer than 5 s for the list of its tools; the request was cancelled");
}

async fn without_tools() {
    let connection = scripted(
        config(),
        |message: &Value, out: &Outbox| match message["method"].as_str() {
            Some("server/discover") => out.refuse(message, -32601, "no"),
            Some("initialize") => {
                let mut welcome = initialize_result("2025-11-25");
                welcome["capabilities"] = json!({});
                out.reply(message, welcome)
            }
            Some("notifications/initialized") => Flow::Continue(()),
            other => panic!("{other:?} was asked"),
        },
    );
    assert!(connection.tools().await.unwrap().tools.is_empty());
    let cx = ToolContext::new();
    assert!(connection.resources(&cx).await.unwrap().is_empty());
    assert!(connection.prompts(&cx).await.unwrap().is_empty());
    assert!(connection.skills(&cx).await.unwrap().is_empty());
    insta::assert_snapshot!(error_text(connection.skill("skill://a", &cx).await), @"the answer of the MCP server `test` to the skill `skill://a` cannot be used: it says that it has no skills");
}

async fn catalog() {
    let connection = scripted(config(), |message: &Value, out: &Outbox| {
        let result = match message["method"].as_str() {
            Some("server/discover") => return out.refuse(message, -32601, "no"),
            Some("initialize") => {
                let mut welcome = initialize_result("2025-11-25");
                welcome["capabilities"] = json!({ "resources": {}, "prompts": {} });
                welcome
            }
            Some("resources/list") => json!({ "resources": [{ "uri": "a://b", "name": "b" }] }),
            Some("resources/templates/list") => {
                json!({ "resourceTemplates": [{ "uriTemplate": "a://{b}", "name": "b" }] })
            }
            Some("resources/read") if message["params"]["uri"] == "a://b" => {
                json!({ "contents": [{ "uri": "a://b", "text": "the text" }] })
            }
            Some("resources/read") => return out.refuse(message, -32002, "not there"),
            Some("prompts/list") => json!({ "prompts": [{ "name": "p" }] }),
            Some("prompts/get") => {
                let text = message["params"]["arguments"]["who"].as_str().unwrap();
                let content = json!({ "type": "text", "text": text });
                json!({ "messages": [{ "role": "user", "content": content }] })
            }
            _ => return Flow::Continue(()),
        };
        out.reply(message, result)
    });
    let cx = ToolContext::new();
    assert_eq!(connection.resources(&cx).await.unwrap()[0].uri, "a://b");
    let templates = connection.resource_templates(&cx).await.unwrap();
    assert_eq!(templates[0].uri_template, "a://{b}");
    let read = connection.read_resource("a://b", &cx).await.unwrap();
    assert!(format!("{read:?}").contains("the text"));
    assert_eq!(connection.prompts(&cx).await.unwrap()[0].name, "p");
    let arguments = crate::mcp_connection::support::object(json!({ "who": "me" }));
    let prompt = connection.prompt("p", arguments, &cx).await.unwrap();
    assert!(format!("{prompt:?}").contains("\"me\""));
    insta::assert_snapshot!(error_text(connection.read_resource("a://c", &cx).await), @"the MCP server `test` refused the resource `a://c`: not there (code -32002)");
}
