//! A conversation that cannot be summed up stays as it was, and is not tried again at once.

use std::sync::Arc;

use helve::model::{ModelEvent, ScriptedModel, StopReason};
use serde_json::json;

use crate::context::{Place, agent, calling, lines, saying, told, written};

/// A round that leaves the context full.
fn full(model: ScriptedModel, id: &str) -> ScriptedModel {
    let arguments = json!({ "path": format!("{id}.txt") });
    model.reply_with(calling("look", id, &arguments, 9_000))
}

/// Fills the context, goes on as the script says, and returns what was told and what the conversation is then.
async fn after(rest: impl FnOnce(ScriptedModel) -> ScriptedModel) -> (Vec<String>, String) {
    let place = Place::new();
    let arguments = json!({ "path": "c1.txt" });
    let model = ScriptedModel::new().reply_with(calling("look", "c1", &arguments, 2_000));
    let model = Arc::new(rest(full(model, "c2")).reply_with(saying("Done.", 100)));
    let mut conversation = place.begin().await;
    let (report, told) = told(&agent(&model), &mut conversation, "Read.").await;
    assert_eq!(report.text(), "Done.", "{:?}", report.error);
    assert_eq!(report.error, None);
    assert_eq!(model.remaining(), 0);
    let live = conversation.messages().to_vec();
    assert_eq!(place.reload(conversation).await.messages(), live);
    let said = live.iter().map(lines).collect();
    (told, said)
}

/// Checks that a side step that goes wrong changes nothing, and returns what is told of it.
async fn warned(wrong: impl FnOnce(ScriptedModel) -> ScriptedModel) -> String {
    let (told, said) = after(wrong).await;
    assert!(said.starts_with("user: Read.\ncall c1: look"), "{said}");
    assert!(
        said.contains("call c2: look") && said.contains("c1.txt says"),
        "{said}"
    );
    assert_eq!(told.len(), 1);
    told[0].clone()
}

#[tokio::test]
async fn an_empty_summary_is_none() {
    let told = warned(|model| model.say("  \n")).await;
    insta::assert_snapshot!(told, @"failed to compact the conversation: the summary was empty");
}

#[tokio::test]
async fn a_summary_that_saves_nothing_is_none() {
    let told = warned(|model| model.say("word ".repeat(1_000))).await;
    insta::assert_snapshot!(told, @"failed to compact the conversation: the summary is not shorter than the conversation: about 1725 tokens instead of 581");
}

#[tokio::test]
async fn a_model_that_fails_leaves_it() {
    let told = warned(|model| model.fail("the line is dead")).await;
    insta::assert_snapshot!(told, @"failed to compact the conversation: the model could not reply: the line is dead");
}

#[tokio::test]
async fn a_model_that_refuses_leaves_it() {
    let refusal = [
        ModelEvent::TextDelta {
            text: "I will not.".into(),
        },
        ModelEvent::Stop {
            reason: StopReason::Refusal,
        },
    ];
    let told = warned(|model| model.reply_with(refusal)).await;
    insta::assert_snapshot!(told, @"failed to compact the conversation: the model refused to summarize the conversation");
}

#[tokio::test]
async fn a_model_that_calls_a_tool_instead_runs_nothing() {
    let told = warned(|model| full(model, "no")).await;
    insta::assert_snapshot!(told, @"failed to compact the conversation: the summary was empty");
}

#[tokio::test]
async fn it_is_tried_again_a_few_rounds_later() {
    let rounds = |model| (1..=4).fold(model, |model, round| full(model, &format!("d{round}")));
    let (told, said) = after(|model| rounds(model.say("")).say("A summary at last.")).await;
    assert_eq!(
        told,
        [
            "failed to compact the conversation: the summary was empty",
            "compacted"
        ]
    );
    assert!(
        said.contains("A summary at last.") && said.contains("call d4"),
        "{said}"
    );
    assert!(!said.contains("call d3"), "{said}");
}

#[tokio::test]
async fn old_results_stay_out_of_what_is_sent_meanwhile() {
    let place = Place::new();
    let model = (1..=6).fold(ScriptedModel::new(), |model, round| {
        let arguments = json!({ "path": format!("{round}.txt") });
        model.reply_with(calling("look", &format!("c{round}"), &arguments, 1_000))
    });
    let model = Arc::new(full(model, "c7").say("").reply_with(saying("Done.", 100)));
    let mut conversation = place.begin().await;
    told(&agent(&model), &mut conversation, "Read.").await;
    let sent = written(model.requests().last().unwrap());
    assert!(
        sent.contains("result c1: [cleared to save context"),
        "{sent}"
    );
    assert!(sent.contains("result c7: c7.txt says"), "{sent}");
}
