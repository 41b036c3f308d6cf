//! `compress_history`: the model asks for a summary itself.

use std::sync::Arc;

use helve::model::{ModelRequest, ScriptedModel};
use helve::transcript::Message;
use serde_json::json;

use crate::context::{
    Place, Replies, agent, bytes, calling, dying, lines, model, say, saying, told, written,
};

fn offers(request: &ModelRequest) -> bool {
    let mut tools = request.tools.iter();
    tools.any(|tool| tool.name == "compress_history")
}

/// Reads two files, the second time with the context half full, and asks for a summary.
fn script() -> Replies {
    vec![
        calling("look", "c1", &json!({ "path": "a.txt" }), 1_000),
        calling("look", "c2", &json!({ "path": "b.txt" }), 5_500),
        calling(
            "compress_history",
            "c3",
            &json!({ "keep": "the words of b.txt" }),
            5_600,
        ),
        saying("Both were read; b.txt says word.", 700),
        saying("Done.", 900),
    ]
}

#[tokio::test]
async fn it_is_offered_where_there_is_something_to_gain() {
    let (place, model) = (Place::new(), model(&script()));
    let mut conversation = place.begin().await;
    let (_, told) = told(&agent(&model), &mut conversation, "Read them.").await;
    assert_eq!(told, ["compacted"]);
    let requests = model.requests();
    let offered: Vec<bool> = requests.iter().map(offers).collect();
    assert_eq!(offered, [false, false, true, false, false]);
    let Some(Message::User { content }) = requests[3].messages.last() else {
        panic!("nothing is asked");
    };
    let asks = content[0].as_text().unwrap();
    assert!(
        asks.ends_with("Above all, keep this: the words of b.txt"),
        "{asks}"
    );
    insta::assert_snapshot!(written(&requests[4]), @r#"
    system: You help.
    tools: change fetch look send
    user: The conversation so far, summed up:

    Both were read; b.txt says word.

    From the records, independent of the summary:
    - Files read: `a.txt`, `b.txt`
    user: Read them.
    call c3: compress_history {"keep":"the words of b.txt"}
    result c3: The conversation was summarized: about 608 tokens became 72.
    "#);
}

#[tokio::test]
async fn without_a_window_nobody_is_asked() {
    let place = Place::new();
    let model = Arc::new(
        ScriptedModel::new()
            .reply_with(calling("look", "c1", &json!({ "path": "a.txt" }), 900_000))
            .reply_with(saying("Done.", 1_000_000)),
    );
    let mut agent = agent(&model);
    agent = agent.context_window(u64::MAX);
    let mut conversation = place.begin().await;
    say(&agent, &mut conversation, "Read.").await;
    assert!(!model.requests().iter().any(offers));
}

#[tokio::test]
async fn what_was_offered_once_stays_until_it_was_used() {
    let place = Place::new();
    let model = Arc::new(
        ScriptedModel::new()
            .reply_with(calling("look", "c1", &json!({ "path": "a.txt" }), 5_500))
            .reply_with(saying("Read.", 4_000))
            .reply_with(saying("Yes.", 4_000)),
    );
    let agent = agent(&model);
    let mut conversation = place.begin().await;
    say(&agent, &mut conversation, "Read a.txt.").await;
    let mut conversation = place.reload(conversation).await;
    say(&agent, &mut conversation, "Did you?").await;
    let offered: Vec<bool> = model.requests().iter().map(offers).collect();
    assert_eq!(offered, [false, true, true]);
}

#[tokio::test]
async fn where_nothing_is_saved_its_result_says_so() {
    let (place, filler) = (Place::new(), "word ".repeat(2_000));
    let model = Arc::new(
        ScriptedModel::new()
            .reply_with(calling("look", "c1", &json!({ "path": "a.txt" }), 5_500))
            .reply_with(calling("compress_history", "c2", &json!({}), 5_600))
            .say(filler)
            .reply_with(calling("look", "c3", &json!({ "path": "b.txt" }), 5_700))
            .reply_with(saying("Done.", 5_800)),
    );
    let agent = agent(&model);
    let mut conversation = place.begin().await;
    let report = say(&agent, &mut conversation, "Read.").await;
    assert_eq!(report.text(), "Done.");
    let said: String = report.messages.iter().map(lines).collect();
    insta::assert_snapshot!(said, @r#"
    user: Read.
    call c1: look {"path":"a.txt"}
    result c1: a.txt says: word word word word word wor … (1012 bytes)
    call c2: compress_history {}
    result c2 (error): The conversation was not summarized: the summary is not shorter than the conversation: about 2852 tokens instead of 311.
    call c3: look {"path":"b.txt"}
    result c3: b.txt says: word word word word word wor … (1012 bytes)
    model: Done.
    "#);
    let live = conversation.messages().to_vec();
    assert_eq!(place.reload(conversation).await.messages(), live);
}

#[tokio::test]
async fn a_process_that_dies_at_any_point_comes_to_the_same_request() {
    let came = dying(&script(), agent, "Read them.").await;
    let whole = bytes(&came[0].1);
    for (report, last) in &came {
        assert_eq!(report.text(), "Done.");
        assert_eq!(bytes(last), whole);
    }
}
