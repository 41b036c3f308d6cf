//! A conversation that fills the context is summed up, and what helve knows itself is kept.

use helve::agent::exposure::{ToolExposure, ToolGroup};
use helve::agent::session::Entry;
use helve::agent::turn::{Purpose, Record};
use helve::model::ScriptedModel;
use helve::prelude::*;
use helve::transcript::{Message, SessionId};
use serde_json::json;
use std::sync::Arc;

use crate::context::{Place, agent, bytes, calling, model, say, saying, told, written};
use crate::context::{change, fetch, load_skill, look};

/// Reads a file and changes another one, until the context is full, and goes on.
fn script() -> ScriptedModel {
    ScriptedModel::new()
        .reply_with(calling("look", "c1", &json!({ "path": "a.txt" }), 2_000))
        .reply_with(calling("look", "c2", &json!({ "path": "gone.txt" }), 2_500))
        .reply_with(calling("change", "c3", &json!({ "path": "b.txt" }), 3_000))
        .reply_with(calling("look", "c4", &json!({ "path": "c.txt" }), 8_500))
        .say("The user wants b.txt mended; a.txt was read.")
        .reply_with(saying("It is mended.", 1_000))
}

#[tokio::test]
async fn the_summary_is_followed_by_what_was_done() {
    let (place, model) = (Place::new(), Arc::new(script()));
    let mut conversation = place.begin().await;
    let (report, told) = told(&agent(&model), &mut conversation, "Mend b.txt.").await;
    assert_eq!(report.text(), "It is mended.");
    assert_eq!(told, ["compacted"]);
    let requests = model.requests();
    insta::assert_snapshot!(written(&requests[4]), @r#"
    system: You help.
    tools: 
    user: Mend b.txt.
    call c1: look {"path":"a.txt"}
    result c1: a.txt says: word word word word word wor … (1012 bytes)
    call c2: look {"path":"gone.txt"}
    result c2 (error): there is no such file
    call c3: change {"path":"b.txt"}
    result c3: b.txt is changed
    call c4: look {"path":"c.txt"}
    result c4: c.txt says: word word word word word wor … (1012 bytes)
    user: Sum up this conversation so that you can go on from the summary alone: what the user wants and has decided, what was found out, which files were read or changed and how, what is done, and which tasks are still open. Keep names, paths, numbers and error messages exactly. Write the summary only.
    "#);
    insta::assert_snapshot!(written(&requests[5]), @r#"
    system: You help.
    tools: change fetch look send
    user: The conversation so far, summed up:

    The user wants b.txt mended; a.txt was read.

    From the records, independent of the summary:
    - Files changed: `b.txt`
    - Files read: `a.txt`, `c.txt`
    user: Mend b.txt.
    call c4: look {"path":"c.txt"}
    result c4: c.txt says: word word word word word wor … (1012 bytes)
    "#);
}

#[tokio::test]
async fn the_small_model_writes_the_summary() {
    let (place, small) = (Place::new(), Arc::new(ScriptedModel::new().say("b.txt.")));
    let main = ScriptedModel::new()
        .reply_with(calling("look", "c1", &json!({ "path": "a.txt" }), 2_000))
        .reply_with(calling("look", "c2", &json!({ "path": "c.txt" }), 8_500))
        .reply_with(saying("It is mended.", 1_000));
    let main = Arc::new(main);
    let agent = agent(&main).small_model(Arc::clone(&small));
    let mut conversation = place.begin().await;
    let (report, told) = told(&agent, &mut conversation, "Mend b.txt.").await;
    assert_eq!(report.text(), "It is mended.");
    assert_eq!(told, ["compacted"]);
    assert_eq!((main.remaining(), small.remaining()), (0, 0));
    let asked = written(&small.requests()[0]);
    assert!(asked.contains("user: Sum up this conversation"), "{asked}");
    let next = written(&main.requests()[2]);
    assert!(next.contains("summed up:\n\nb.txt."), "{next}");
}

#[tokio::test]
async fn a_reload_goes_on_with_the_same_bytes() {
    let mut after = Vec::new();
    for reloads in [false, true] {
        let place = Place::new();
        let model = Arc::new(script().say("Yes, mended."));
        let agent = agent(&model);
        let mut conversation = place.begin().await;
        say(&agent, &mut conversation, "Mend b.txt.").await;
        if reloads {
            conversation = place.reload(conversation).await;
        }
        say(&agent, &mut conversation, "Is it?").await;
        after.push(bytes(model.requests().last().unwrap()));
    }
    assert!(after[0].contains("Files changed: `b.txt`"), "{}", after[0]);
    assert_eq!(after[0], after[1]);
}

#[tokio::test]
async fn the_journal_keeps_everything() {
    let (place, model) = (Place::new(), Arc::new(script()));
    let mut conversation = place.begin().await;
    say(&agent(&model), &mut conversation, "Mend b.txt.").await;
    let live = conversation.messages().to_vec();
    let conversation = place.reload(conversation).await;
    assert_eq!(conversation.messages(), live);
    let (mut said, mut compacted) = (String::new(), 0);
    let id = SessionId::new("s1");
    let read = place
        .sessions
        .visit(&id, u64::MAX, |line| match &line.entry {
            Entry::TurnStarted(started) => said.push_str(&format!("{:?}", started.prompt)),
            Entry::Record(recorded) => match &recorded.record {
                Record::Finished { outcome, .. } => {
                    said.push_str(&format!("{:?}", outcome.content))
                }
                Record::ModelDone { reply, purpose, .. } if *purpose == Purpose::Reply => {
                    said.push_str(&format!("{:?}", reply.message));
                }
                Record::Compacted { .. } => compacted += 1,
                _ => {}
            },
            _ => {}
        });
    read.await.unwrap();
    assert_eq!(compacted, 1);
    for words in [
        "Mend b.txt.",
        "a.txt says: word",
        "there is no such file",
        "b.txt is changed",
        "c.txt says",
        "It is mended.",
    ] {
        assert!(said.contains(words), "{words} is gone");
    }
}

#[tokio::test]
async fn what_was_kept_once_is_kept_by_the_next_summary() {
    let place = Place::new();
    let model = Arc::new(
        script()
            .reply_with(calling("look", "d1", &json!({ "path": "d.txt" }), 2_000))
            .reply_with(calling("change", "d2", &json!({ "path": "a.txt" }), 9_000))
            .say("Two files were mended.")
            .reply_with(saying("All is mended.", 1_000)),
    );
    let agent = agent(&model);
    let mut conversation = place.begin().await;
    say(&agent, &mut conversation, "Mend b.txt.").await;
    let mut conversation = place.reload(conversation).await;
    say(&agent, &mut conversation, "And a.txt.").await;
    insta::assert_snapshot!(written(model.requests().last().unwrap()), @r#"
    system: You help.
    tools: change fetch look send
    user: The conversation so far, summed up:

    Two files were mended.

    From the records, independent of the summary:
    - Files changed: `b.txt`, `a.txt`
    - Files read: `c.txt`, `d.txt`
    user: And a.txt.
    call d2: change {"path":"a.txt"}
    result d2: a.txt is changed
    "#);
}

#[tokio::test]
async fn a_second_summary_in_one_turn_takes_the_place_of_the_first() {
    let place = Place::new();
    let model = Arc::new(
        ScriptedModel::new()
            .reply_with(calling("look", "c1", &json!({ "path": "a.txt" }), 2_000))
            .reply_with(calling("look", "c2", &json!({ "path": "b.txt" }), 8_500))
            .say("First summary.")
            .reply_with(calling("look", "c3", &json!({ "path": "c.txt" }), 2_000))
            .reply_with(calling("look", "c4", &json!({ "path": "d.txt" }), 8_500))
            .say("Second summary.")
            .reply_with(saying("Done.", 1_000)),
    );
    let mut conversation = place.begin().await;
    say(&agent(&model), &mut conversation, "Read them.").await;
    insta::assert_snapshot!(written(model.requests().last().unwrap()), @r#"
    system: You help.
    tools: change fetch look send
    user: The conversation so far, summed up:

    Second summary.

    From the records, independent of the summary:
    - Files read: `a.txt`, `b.txt`, `c.txt`, `d.txt`
    user: Read them.
    call c4: look {"path":"d.txt"}
    result c4: d.txt says: word word word word word wor … (1012 bytes)
    "#);
    let live = conversation.messages().to_vec();
    assert_eq!(place.reload(conversation).await.messages(), live);
}

#[tokio::test]
async fn skills_and_switches_are_kept() {
    let shop = ToolGroup::new("shop", "The shop.")
        .tools(toolset![change])
        .off();
    let attic = ToolGroup::new("attic", "The attic.").tools(toolset![fetch]);
    let offering = ToolExposure::new()
        .group(shop)
        .unwrap()
        .group(attic)
        .unwrap();
    let place = Place::new();
    let model = model(&[
        calling("load_skill", "c1", &json!({ "name": "pdf\nforms" }), 1_000),
        calling("reset_tools", "c2", &json!({ "shop": true }), 2_000),
        calling("look", "c3", &json!({ "path": "a.txt" }), 9_000),
        saying("A summary.", 100),
        saying("Done.", 100),
    ]);
    let agent = agent(&model)
        .toolset(toolset![look, load_skill])
        .tool_exposure(offering);
    let mut conversation = place.begin().await;
    say(&agent, &mut conversation, "Go.").await;
    let told = written(model.requests().last().unwrap());
    insta::assert_snapshot!(told, @r#"
    system: You help.
    tools: change load_skill look reset_tools
    user: The conversation so far, summed up:

    A summary.

    From the records, independent of the summary:
    - Files read: `a.txt`
    - Skills in use: `pdf forms`; `load_skill` gives their instructions again
    - Groups of tools switched on: `shop`
    - Groups of tools switched off: `attic`
    user: Go.
    call c3: look {"path":"a.txt"}
    result c3: a.txt says: word word word word word wor … (1012 bytes)
    "#);
    let kept = &conversation.session().state().retained_facts;
    assert_eq!(kept.skills, ["pdf forms"]);
}

#[tokio::test]
async fn a_round_that_is_all_there_is_is_summed_up_too() {
    let place = Place::new();
    let model = model(&[
        calling("look", "c1", &json!({ "path": "a.txt" }), 9_000),
        saying("A word was read.", 100),
        saying("Done.", 100),
    ]);
    let mut conversation = place.begin().await;
    say(&agent(&model), &mut conversation, "Go.").await;
    insta::assert_snapshot!(written(model.requests().last().unwrap()), @"
    system: You help.
    tools: change fetch look send
    user: The conversation so far, summed up:

    A word was read.

    From the records, independent of the summary:
    - Files read: `a.txt`
    user: Go.
    ");
}

#[tokio::test]
async fn what_does_not_fit_even_to_be_summed_up_is_cut_first() {
    let place = Place::new();
    let filler = "word ".repeat(1_500);
    let model = ScriptedModel::new();
    let model = (0..8).fold(model, |model, number| {
        let arguments = json!({ "path": format!("{number}.txt") });
        model.reply_with(calling("look", &format!("c{number}"), &arguments, 100))
    });
    let model = Arc::new(
        model
            .reply_with(calling("look", "last", &json!({ "path": "z" }), 900))
            .say("A summary.")
            .reply_with(saying("Done.", 100)),
    );
    let agent = agent(&model).context_window(1_000);
    let mut conversation = place.begin().await;
    let says = format!("Read them all. {filler}");
    let report = say(&agent, &mut conversation, &says).await;
    assert_eq!(report.text(), "Done.");
    let requests = model.requests();
    let asked = &requests[requests.len() - 2];
    assert!(asked.tools.is_empty());
    assert!(
        asked.estimated_tokens() <= 900,
        "{}",
        asked.estimated_tokens()
    );
    let last = requests.last().unwrap();
    assert!(
        matches!(&last.messages[0], Message::User { content } if content[1].as_text() == Some(&says))
    );
}
