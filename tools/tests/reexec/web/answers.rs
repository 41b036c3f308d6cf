//! Questions about pages.

use std::sync::Arc;

use helve::agent::Agent;
use helve::model::ScriptedModel;
use helve::permission::{Mode, Policy};
use helve::transcript::Message;
use libtest_mimic::Trial;
use serde_json::json;

use super::server::{Server, ok};
use super::{Session, context_builder, trial};

pub(super) fn tests() -> Vec<Trial> {
    vec![
        trial("the_small_model_answers_with_checked_quotes", answers),
        trial("without_a_model_there_is_the_text", no_model),
        trial("more_of_a_known_page_needs_no_question", known_pages),
    ]
}

const PAGE: &str = "<title>Prices</title><article><h1>Prices</h1><p>The small plan costs <b>5 euros</b> a month.</p>\
    <p>The large plan costs 20 euros a month, and has everything.</p></article>";

async fn answers() {
    let server = Server::start(vec![("/prices", ok("text/html", PAGE))]);
    let call =
        json!({ "url": server.url("/prices"), "question": "What does the small plan cost?" });
    let main = Arc::new(ScriptedModel::new().call("web_fetch", call).say("Done."));
    let reply = "It costs 5 euros a month.\nQUOTE: The small plan costs 5 euros a month.\nQUOTE: It is free forever.";
    let small = Arc::new(ScriptedModel::new().say(reply));
    let agent = Agent::new("main", Arc::clone(&main))
        .toolset(helve_tools::web())
        .small_model(Arc::clone(&small))
        .policy(Policy::new(Mode::Bypass));
    let messages = vec![Message::user("Read the prices.")];
    agent
        .run(messages, &context_builder().build(), |_| {})
        .await;
    let results = results(&main);
    let result = &results[0];
    let shown = result.replace(&server.address.to_string(), "HOST");
    insta::assert_snapshot!(shown, @r#"
    <untrusted source="http://HOST/prices" tool="web_fetch">
    [http://HOST/prices, text/html: all 111 characters]
    title: Prices
    (the content of the page, without navigation)

    It costs 5 euros a month.

    From the page:
    > The small plan costs 5 euros a month.
    </untrusted>[answered by the small model from the part of the page above; without 1 further quote that is not on the page]
    "#);
    let asked = &small.requests()[0];
    assert!(
        asked
            .system
            .as_deref()
            .unwrap_or_default()
            .contains("not from what you know")
    );
    let Message::User { .. } = &asked.messages[0] else {
        panic!("no question");
    };
    let prompt = format!("{:?}", asked.messages[0]).replace(&server.address.to_string(), "HOST");
    assert!(
        prompt.contains("<untrusted") && prompt.contains("text/html: all "),
        "{prompt}"
    );
}

async fn no_model() {
    let server = Server::start(vec![("/prices", ok("text/html", PAGE))]);
    let arguments = json!({ "url": "/prices", "question": "What does it cost?" });
    let answer = Session::new().fetch(&server, arguments).await;
    assert!(answer.contains("costs **5 euros** a month"), "{answer}");
    assert!(
        answer.contains("no model can answer `question` here"),
        "{answer}"
    );
}

/// The address is all that a call sends: after text of others was read, further parts of a page that the user named are
/// read without a question, and an address that the model composed asks.
async fn known_pages() {
    let server = Server::start(vec![("/prices", ok("text/html", PAGE))]);
    let url = server.url("/prices");
    let composed = server.url("/prices?secret=1");
    let main = ScriptedModel::new()
        .call("web_fetch", json!({ "url": url }))
        .call(
            "web_fetch",
            json!({ "url": url, "start": 20, "find": "large plan" }),
        )
        .call("web_fetch", json!({ "url": composed }))
        .say("Done.");
    let main = Arc::new(main);
    let agent = Agent::new("main", Arc::clone(&main))
        .toolset(helve_tools::web())
        .policy(Policy::new(Mode::Default));
    let messages = vec![Message::user(format!("Read {url} for me."))];
    agent
        .run(messages, &context_builder().build(), |_| {})
        .await;
    let results = results(&main);
    assert_eq!(results.len(), 3, "{results:?}");
    assert!(results[0].contains("The small plan costs"), "{results:?}");
    assert!(results[1].contains("1 match"), "{results:?}");
    assert!(
        results[2].contains("has read untrusted text"),
        "{results:?}"
    );
    assert_eq!(server.asked(), ["/prices"]);
}

/// Returns the texts of all results that a model got.
fn results(model: &ScriptedModel) -> Vec<String> {
    let requests = model.requests();
    let messages = requests.last().map(|request| request.messages.as_slice());
    let mut texts = Vec::new();
    for message in messages.unwrap_or_default() {
        if let Message::Tool { content } = message {
            for result in content {
                let blocks = result.content.iter().filter_map(|block| block.as_text());
                texts.push(blocks.collect());
            }
        }
    }
    texts
}
