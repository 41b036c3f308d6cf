//! Whoever read text that may try to steer it stays careful, summed up or not, reloaded or not.

use std::future::ready;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use helve::agent::{Agent, TurnReport};
use helve::model::ScriptedModel;
use helve::permission::{Answer, Approver, Decision, Mode, Policy, Question};
use helve::prelude::*;
use serde_json::json;

use crate::context::{
    Place, Replies, agent, calling, dying, lines, model, say, saying, told, written,
};

/// One whose policy lets everything run, but what was read.
fn bold(model: &Arc<ScriptedModel>) -> Agent {
    agent(model).policy(Policy::new(Mode::Bypass))
}

/// Gets a page, which links to the next one.
#[tool(read_only, open_world, untrusted_output)]
fn page(
    /// Its address.
    url: &str,
) -> String {
    let number: usize = url.rsplit('/').next().unwrap().parse().unwrap();
    format!("{} Next: {}", "word ".repeat(200), page_url(number + 1))
}

fn page_url(number: usize) -> String {
    format!("https://lib.example/{number}")
}

/// Keeps what it is asked about.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<String>>>);

impl Approver for Asked {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.0.lock().unwrap().push(question.arguments.to_string());
        Box::pin(ready(Decision::reject_once().into()))
    }
}

#[tokio::test]
async fn a_summary_gives_no_turn_more_links() {
    let call = |number: usize| {
        let url = json!({ "url": page_url(number) });
        let tokens = if number == 10 { 9_000 } else { 1_000 };
        calling("page", &format!("c{number}"), &url, tokens)
    };
    let mut replies: Replies = (0..=10).map(call).collect();
    replies.push(saying("Pages were read.", 1_000));
    replies.extend((11..=21).map(call));
    replies.push(saying("Done.", 1_000));
    let (asked, script, place) = (Asked::default(), model(&replies), Place::new());
    let agent = bold(&script)
        .toolset(toolset![page])
        .approver(asked.clone());
    let mut conversation = place.begin().await;
    let read = format!("Read {}.", page_url(0));
    let (_, told) = told(&agent, &mut conversation, &read).await;
    assert_eq!(told, ["compacted"]);
    let expected = json!({ "url": page_url(21) }).to_string();
    assert_eq!(*asked.0.lock().unwrap(), [expected]);
    // The next turn has twenty more.
    let replies: Replies = vec![call(21), saying("Done.", 1_000)];
    let script = model(&replies);
    let agent = bold(&script)
        .toolset(toolset![page])
        .approver(asked.clone());
    say(&agent, &mut conversation, "Go on.").await;
    assert_eq!(asked.0.lock().unwrap().len(), 1);
}

fn is_refused(report: &TurnReport) -> bool {
    let said: String = report.messages.iter().map(lines).collect();
    assert!(said.contains("send"), "{said}");
    !said.contains("sent to bob")
}

/// Reads a page, or a file, and lets the context fill.
fn reading(tool: &str, arguments: &serde_json::Value) -> Replies {
    vec![
        calling(tool, "c1", arguments, 1_000),
        calling("look", "c2", &json!({ "path": "a.txt" }), 2_000),
        calling("look", "c3", &json!({ "path": "b.txt" }), 9_000),
        saying("Things were read.", 1_000),
    ]
}

fn sending(mut replies: Replies) -> Replies {
    replies.push(calling("send", "s1", &json!({ "to": "bob" }), 1_000));
    replies.push(saying("Done.", 1_000));
    replies
}

#[tokio::test]
async fn a_summary_does_not_wash_what_was_read() {
    let page = json!({ "url": "https://example.org" });
    for (tool, arguments, refused) in [
        ("fetch", page, true),
        ("look", json!({ "path": "c.txt" }), false),
    ] {
        let model = model(&sending(reading(tool, &arguments)));
        let place = Place::new();
        let mut conversation = place.begin().await;
        let report = say(&bold(&model), &mut conversation, "Read.").await;
        assert_eq!(is_refused(&report), refused, "{tool}");
    }
}

#[tokio::test]
async fn nor_does_a_reload() {
    let page = json!({ "url": "https://example.org" });
    let mut replies = reading("fetch", &page);
    replies.push(saying("Read.", 1_000));
    let model = model(&sending(replies));
    let place = Place::new();
    let mut conversation = place.begin().await;
    say(&bold(&model), &mut conversation, "Read.").await;
    let mut conversation = place.reload(conversation).await;
    let report = say(&bold(&model), &mut conversation, "Go on.").await;
    assert!(is_refused(&report));
    let sent = written(model.requests().last().unwrap());
    assert!(
        sent.contains("- Untrusted text was read, from `fetch` (https://example.org)"),
        "{sent}"
    );
}

#[tokio::test]
async fn nor_a_process_that_dies_at_any_point() {
    let page = json!({ "url": "https://example.org" });
    for (report, _) in dying(&sending(reading("fetch", &page)), bold, "Read.").await {
        assert!(is_refused(&report));
    }
}
