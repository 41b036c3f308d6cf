//! Turns of a session: what is written when, what happens when it cannot be, and how it goes on.

use helve::agent::TurnStatus;
use helve::agent::session::Sessions;
use helve::permission::{Policy, Rules};

use super::support::{Log, ObservedStore, assert_valid, begin, reload, resume, say};
use super::*;

/// Leaves a mark.
#[tool(destructive)]
fn mark(
    /// Which.
    what: &str,
    log: &Log,
) -> &'static str {
    log.add(format!("ran: {what}"));
    "marked"
}

/// Begins, and never ends.
#[tool(destructive)]
async fn linger(begun: &Notify, log: &Log) {
    log.add("ran: linger");
    begun.notify_one();
    std::future::pending().await
}

/// Says when it is asked.
struct Telling(ScriptedModel, Log);

impl Model for Telling {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxStream<'a, Result<ModelEvent, ModelError>> {
        self.1.add("the model is asked");
        self.0.reply(request)
    }
}

fn agent(script: ScriptedModel, log: &Log) -> Agent {
    Agent::new("main", Telling(script, log.clone()))
        .toolset(toolset![mark, linger])
        .approver(FixedApprover(Decision::allow_once()))
}

fn marks() -> ScriptedModel {
    let mark = |what: &str| ("mark", json!({ "what": what }));
    let calls = [mark("a"), mark("b")];
    ScriptedModel::new()
        .calls(calls)
        .call("mark", json!({ "what": "c" }))
        .say("Done.")
}

#[tokio::test]
async fn a_call_is_written_before_it_runs_and_its_result_before_the_model_is_asked_again() {
    let store = ObservedStore::default();
    let sessions = Sessions::new(store.clone());
    let mut conversation = begin(&sessions).await;
    let context = helve::testing::context_with(store.log.clone());
    let script = ScriptedModel::new()
        .call("mark", json!({ "what": "a" }))
        .say("Done.");
    let report = say(&agent(script, &store.log), &mut conversation, &context).await;
    assert_eq!(report.end(), Some(EndReason::Finished));
    insta::assert_debug_snapshot!(store.log.lines(), @r#"
    [
        "written: begun t1",
        "written: model_started t1/1/reply",
        "the model is asked",
        "written: model_done t1/1/reply",
        "written: planned t1/1.0",
        "written: asked t1/1.0",
        "written: answered t1/1.0",
        "written: started t1/1.0",
        "ran: a",
        "written: finished t1/1.0",
        "written: model_started t1/2/reply",
        "the model is asked",
        "written: model_done t1/2/reply",
        "written: ended t1",
    ]
    "#);
}

#[tokio::test]
async fn a_session_goes_on_where_another_process_left_it() {
    let store = ObservedStore::default();
    let sessions = Sessions::new(store.clone());
    let mut conversation = begin(&sessions).await;
    let context = helve::testing::context_with(store.log.clone());
    say(&agent(marks(), &store.log), &mut conversation, &context).await;
    let mut conversation = reload(&sessions, conversation).await;
    let script = ScriptedModel::new().say("Again.");
    let report = say(&agent(script, &store.log), &mut conversation, &context).await;
    assert_eq!(report.text(), "Again.");
    assert_eq!(report.messages.len(), 8);
    assert_valid(&sessions, conversation.messages()).await;
}

#[tokio::test]
async fn what_cannot_be_written_is_not_done_and_what_was_is_gone_on_with() {
    // How many writings a turn has.
    let whole = ObservedStore::default();
    let mut conversation = begin(&Sessions::new(whole.clone())).await;
    let context = helve::testing::context_with(whole.log.clone());
    say(&agent(marks(), &whole.log), &mut conversation, &context).await;
    let writings = whole.writings();
    assert!(writings > 15, "{writings}");
    for full_at in 2..=writings {
        let store = ObservedStore::default();
        let sessions = Sessions::new(store.clone());
        let mut conversation = begin(&sessions).await;
        let context = helve::testing::context_with(store.log.clone());
        store.fail_from(full_at);
        let report = say(&agent(marks(), &store.log), &mut conversation, &context).await;
        if full_at < writings {
            assert_eq!(report.status, TurnStatus::Unrecorded, "full at {full_at}");
        }
        assert!(report.error.unwrap().contains("failed to write to"));
        let (started, ran) = started_and_ran(&store.log);
        assert!(
            ran <= started,
            "full at {full_at}: {ran} ran, {started} may"
        );
        store.fail_from(0);
        let used = report
            .messages
            .iter()
            .filter(|message| matches!(message, Message::Assistant(_)));
        let rest = rest_of_marks(used.count());
        let report = resume(&agent(rest, &store.log), &mut conversation, &context).await;
        assert_eq!(report.end(), Some(EndReason::Finished), "full at {full_at}");
        for what in ["ran: a", "ran: b", "ran: c"] {
            assert!(store.log.count(what) <= 1, "full at {full_at}: {what}");
        }
        assert_valid(&sessions, conversation.messages()).await;
    }
}

/// Counts the calls that may have run, and those that have.
fn started_and_ran(log: &Log) -> (usize, usize) {
    let with = |begins: &str| {
        let lines = log.lines();
        lines.iter().filter(|line| line.starts_with(begins)).count()
    };
    (with("written: started"), with("ran: "))
}

/// The script without the replies that were written down.
fn rest_of_marks(used: usize) -> ScriptedModel {
    match used {
        0 => marks(),
        1 => ScriptedModel::new()
            .call("mark", json!({ "what": "c" }))
            .say("Done."),
        _ => ScriptedModel::new().say("Done."),
    }
}

#[tokio::test]
async fn a_turn_that_nobody_waits_for_any_more_can_be_gone_on_with() {
    let store = ObservedStore::default();
    let sessions = Sessions::new(store.clone());
    let mut conversation = begin(&sessions).await;
    say(
        &agent(ScriptedModel::new().say("Hello."), &store.log),
        &mut conversation,
        &ToolContext::new(),
    )
    .await;
    let begun = Arc::new(Notify::new());
    let mut state = State::new();
    state.insert_arc(begun.clone());
    state.insert(store.log.clone());
    let context = ToolContext::builder().app(Arc::new(state)).build();
    let script = ScriptedModel::new()
        .call("linger", json!({}))
        .say("never said");
    let lingering = agent(script, &store.log);
    tokio::select! {
        _ = say(&lingering, &mut conversation, &context) => panic!("it lingers"),
        () = begun.notified() => {}
    }
    let script = ScriptedModel::new().say("I see.");
    let report = resume(&agent(script, &store.log), &mut conversation, &context).await;
    insta::assert_debug_snapshot!(results(&report.messages), @r#"
    [
        "!Interrupted while it ran: whether it took effect is unknown. Find out before you repeat it.",
    ]
    "#);
    assert_eq!(report.messages.len(), 6);
    assert_valid(&sessions, conversation.messages()).await;
}

#[tokio::test]
async fn a_turn_that_was_left_is_closed_before_the_next_one_begins() {
    let store = ObservedStore::default();
    let sessions = Sessions::new(store.clone());
    let mut conversation = begin(&sessions).await;
    let begun = Arc::new(Notify::new());
    let mut state = State::new();
    state.insert_arc(begun.clone());
    state.insert(store.log.clone());
    let context = ToolContext::builder().app(Arc::new(state)).build();
    let lingering = agent(ScriptedModel::new().call("linger", json!({})), &store.log);
    tokio::select! {
        _ = say(&lingering, &mut conversation, &context) => panic!("it lingers"),
        () = begun.notified() => {}
    }
    let next = agent(ScriptedModel::new().say("Good."), &store.log);
    let report = say(&next, &mut conversation, &context).await;
    assert_eq!(report.messages.len(), 6, "{:?}", report.messages);
    assert_valid(&sessions, conversation.messages()).await;
}

#[tokio::test]
async fn a_turn_that_is_left_before_its_first_reply_leaves_no_prompt_unanswered() {
    let store = ObservedStore::default();
    let sessions = Sessions::new(store.clone());
    let mut conversation = begin(&sessions).await;
    let context = ToolContext::new();
    // The prompt is written, and the call of the model is not.
    store.fail_from(2);
    let silent = agent(ScriptedModel::new(), &store.log);
    let report = say(&silent, &mut conversation, &context).await;
    assert_eq!(report.status, TurnStatus::Unrecorded);
    store.fail_from(0);
    let next = agent(ScriptedModel::new().say("Good."), &store.log);
    let report = say(&next, &mut conversation, &context).await;
    assert_eq!(report.messages.len(), 4, "{:?}", report.messages);
    assert_valid(&sessions, conversation.messages()).await;
}

#[tokio::test]
async fn a_call_that_was_allowed_before_a_restart_is_judged_again() {
    let denying = Rules::new().deny("mark".parse().unwrap());
    for (rules, result, ran) in [
        (Rules::new(), "marked", 1),
        (denying, "!Tool call denied: the rule `mark` denies it", 0),
    ] {
        let store = ObservedStore::default();
        let sessions = Sessions::new(store.clone());
        let mut conversation = begin(&sessions).await;
        let context = helve::testing::context_with(store.log.clone());
        // Begun, asked of the model, answered by it, planned, asked and answered can be written; that it starts cannot.
        store.fail_from(7);
        let script = ScriptedModel::new().call("mark", json!({ "what": "a" }));
        let report = say(&agent(script, &store.log), &mut conversation, &context).await;
        assert_eq!(report.status, TurnStatus::Unrecorded);
        assert_eq!(store.log.count("written: answered t1/1.0"), 1);
        assert_eq!(store.log.count("written: started t1/1.0"), 0);
        store.fail_from(0);
        let rest = agent(ScriptedModel::new().say("Done."), &store.log);
        let rest = rest.policy(Policy::default().rules(rules));
        let report = resume(&rest, &mut conversation, &context).await;
        assert_eq!(results(&report.messages), [result]);
        assert_eq!(store.log.count("ran: a"), ran);
        // Who answered once is not asked again.
        assert_eq!(store.log.count("written: asked t1/1.0"), 1);
    }
}
