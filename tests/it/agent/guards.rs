//! Guards: what they check, what they may change, and that they fail closed.

use std::time::Duration;

use helve::agent::session::Sessions;
use helve::agent::turn::Review;
use helve::agent::{Guard, GuardError, GuardInput, GuardPoint};

use super::support::{Log, ObservedStore, assert_valid, begin, reload, resume, say};
use super::*;

type CheckFn = Box<dyn Fn(&GuardInput<'_>) -> Result<Review, GuardError> + Send + Sync>;

/// A guard that is a function, and says what it was asked.
struct TestGuard {
    name: &'static str,
    point: GuardPoint,
    log: Log,
    check: CheckFn,
    is_inherited: bool,
}

fn guard(
    name: &'static str,
    point: GuardPoint,
    check: impl Fn(&str) -> Review + Send + Sync + 'static,
) -> TestGuard {
    TestGuard {
        name,
        point,
        log: Log::default(),
        check: Box::new(move |input| Ok(check(input.text))),
        is_inherited: true,
    }
}

impl Guard for TestGuard {
    fn name(&self) -> &str {
        self.name
    }

    fn checks(&self, point: GuardPoint) -> bool {
        point == self.point
    }

    fn check<'a>(&'a self, input: &'a GuardInput<'a>) -> BoxFuture<'a, Result<Review, GuardError>> {
        let call = input.call.map_or("", |call| &*call.name);
        let asked = format!("{} {} {call} {}", self.name, input.origin.turn, input.text);
        self.log
            .add(asked.split_whitespace().collect::<Vec<_>>().join(" "));
        async move { (self.check)(input) }.boxed()
    }

    fn holds_in_delegates(&self) -> bool {
        self.is_inherited
    }
}

/// Demands another reply until the text has this word.
fn demanding(word: &'static str) -> TestGuard {
    guard("demanding", GuardPoint::Reply, move |text| {
        match text.contains(word) {
            true => Review::Pass,
            false => Review::again(format!("Say {word}.")),
        }
    })
}

/// Lists the reviews and notes that a turn tells.
fn reviews(events: &[AgentEvent]) -> Vec<String> {
    let told = events.iter().filter_map(|event| match &event.kind {
        EventKind::Reviewed { round, by, review } => Some(format!(
            "{round} {by}: {}",
            serde_json::to_string(review).unwrap()
        )),
        EventKind::Note { name, text, .. } => Some(format!("note of {name}: {text}")),
        _ => None,
    });
    told.collect()
}

async fn run(agent: &Agent) -> (helve::agent::TurnReport, Vec<String>) {
    let events: Arc<Mutex<Vec<AgentEvent>>> = Arc::default();
    let heard = Arc::clone(&events);
    let listener = move |event| heard.lock().unwrap().push(event);
    let report = agent
        .run(vec![Message::user("go")], &ToolContext::new(), listener)
        .await;
    let told = reviews(&events.lock().unwrap());
    (report, told)
}

#[tokio::test]
async fn a_reply_that_does_not_pass_is_demanded_again() {
    let model = Arc::new(ScriptedModel::new().say("No.").say("Yes, please."));
    let agent = Agent::with_model("main", model.clone()).guard(demanding("please"));
    let (report, told) = run(&agent).await;
    assert_eq!(report.end(), Some(EndReason::Finished));
    assert_eq!(report.text(), "Yes, please.");
    insta::assert_snapshot!(told.join("\n"), @r#"
    1 demanding: {"type":"again","note":"Say please."}
    2 demanding: {"type":"pass"}
    "#);
    let Some(Message::Note(note)) = model.requests()[1].messages.last().cloned() else {
        panic!("no note");
    };
    assert_eq!(
        helve::model::render_note(&note),
        "<note from=\"guard demanding, not the user\">\nSay please.\n</note>"
    );
}

#[tokio::test]
async fn the_bound_on_reviews_keeps_the_last_text_and_says_why() {
    for (most, replies) in [(None, 4), (Some(0), 1), (Some(1), 2)] {
        let model = (1..=replies).fold(ScriptedModel::new(), |model, number| {
            model.say(format!("No {number}."))
        });
        let bounds = Bounds::new(20).reviews(most);
        let agent = Agent::new("main", model)
            .bounds(bounds)
            .guard(demanding("yes"));
        let (report, _) = run(&agent).await;
        assert_eq!(report.end(), Some(EndReason::Reviews));
        assert_eq!(report.text(), format!("No {replies}."));
        let error = report.error.unwrap();
        assert_eq!(
            error,
            "the guard `demanding` demanded another reply: Say yes."
        );
    }
}

#[tokio::test]
async fn a_demand_beyond_another_bound_ends_the_turn_by_that_bound() {
    let model = ScriptedModel::new().say("No.");
    let agent = Agent::new("main", model)
        .bounds(Bounds::new(1))
        .guard(demanding("yes"));
    let (report, _) = run(&agent).await;
    assert_eq!(report.end(), Some(EndReason::ModelCalls));
    assert_eq!(report.text(), "No.");
}

#[tokio::test]
async fn replies_are_replaced_and_withheld() {
    let masks = || {
        guard("mask", GuardPoint::Reply, |text| match text.contains("7") {
            true => Review::replace(text.replace('7', "#")),
            false => Review::Pass,
        })
    };
    let agent = Agent::new("main", ScriptedModel::new().say("It is 7.")).guard(masks());
    let (report, told) = run(&agent).await;
    assert_eq!(
        (report.end(), &*report.text()),
        (Some(EndReason::Finished), "It is #.")
    );
    insta::assert_snapshot!(told.join("\n"), @r#"
    1 mask: {"type":"replace","text":"It is #."}
    1 mask: {"type":"pass"}
    "#);

    let blocks = guard("block", GuardPoint::Reply, |text| {
        // The guard sees what the one before it has left.
        Review::block(format!("not `{text}`"))
    });
    let agent = Agent::new("main", ScriptedModel::new().say("It is 7."))
        .guard(masks())
        .guard(blocks);
    let (report, _) = run(&agent).await;
    assert_eq!(report.end(), Some(EndReason::Blocked));
    assert_eq!(report.text(), "(The reply was withheld: not `It is #.`)");
    assert_eq!(
        report.error.unwrap(),
        "the guard `block` blocked: not `It is #.`"
    );
}

#[tokio::test]
async fn a_guard_that_fails_blocks() {
    let failing = |what: &'static str| TestGuard {
        check: Box::new(move |_| match what {
            "panics" => panic!("no idea"),
            _ => Err("the list is missing".into()),
        }),
        ..guard("failing", GuardPoint::Reply, |_| Review::Pass)
    };
    for (what, why) in [
        ("panics", "the guard `failing` failed: it panicked: no idea"),
        ("fails", "the guard `failing` failed: the list is missing"),
    ] {
        let agent = Agent::new("main", ScriptedModel::new().say("Secret.")).guard(failing(what));
        let (report, _) = run(&agent).await;
        assert_eq!(report.end(), Some(EndReason::Blocked));
        assert_eq!(report.text(), format!("(The reply was withheld: {why})"));
    }
}

/// A guard that never answers.
struct Silent;

impl Guard for Silent {
    fn name(&self) -> &str {
        "silent"
    }

    fn checks(&self, point: GuardPoint) -> bool {
        point == GuardPoint::Reply
    }

    fn check<'a>(
        &'a self,
        _input: &'a GuardInput<'a>,
    ) -> BoxFuture<'a, Result<Review, GuardError>> {
        std::future::pending().boxed()
    }

    fn time_limit(&self) -> Duration {
        Duration::from_secs(5)
    }
}

#[tokio::test(start_paused = true)]
async fn a_guard_that_hangs_blocks_unless_the_turn_ends_before() {
    let agent = |bounds| {
        let model = ScriptedModel::new().say("Secret.");
        Agent::new("main", model).bounds(bounds).guard(Silent)
    };
    let (report, _) = run(&agent(Bounds::new(9))).await;
    assert_eq!(report.end(), Some(EndReason::Blocked));
    assert_eq!(
        report.text(),
        "(The reply was withheld: the guard `silent` failed: it did not finish within 5s)"
    );
    let (report, _) = run(&agent(Bounds::new(9).wall_time(Duration::from_secs(2)))).await;
    assert_eq!(report.end(), Some(EndReason::WallTime));

    let context = ToolContext::new();
    let stop = context.cancellation().clone();
    let listener = move |event: AgentEvent| {
        if matches!(event.kind, EventKind::Usage { .. }) {
            stop.cancel();
        }
    };
    let agent = agent(Bounds::new(9));
    let report = agent.run(vec![Message::user("go")], &context, listener);
    assert_eq!(report.await.end(), Some(EndReason::Interrupted));
}

#[tokio::test]
async fn a_prompt_is_checked_before_the_model_is_called() {
    let model = Arc::new(ScriptedModel::new().say("Done."));
    let agent = Agent::with_model("main", model.clone())
        .guard(guard("names", GuardPoint::Prompt, |text| {
            Review::replace(format!("{text}, X"))
        }))
        .guard(guard("context", GuardPoint::Prompt, |_| {
            Review::again("It is Monday.")
        }));
    let sessions = Sessions::new(ObservedStore::default());
    let mut conversation = begin(&sessions).await;
    let report = say(&agent, &mut conversation, &ToolContext::new()).await;
    assert_valid(&sessions, &report.messages).await;
    let [Message::User { content }, Message::Note(note)] = &model.requests()[0].messages[..] else {
        panic!("{:?}", model.requests()[0].messages);
    };
    assert_eq!(content[0].as_text(), Some("go, X"));
    assert_eq!((&*note.name, &*note.text), ("context", "It is Monday."));

    let agent =
        Agent::new("main", ScriptedModel::new()).guard(guard("closed", GuardPoint::Prompt, |_| {
            Review::block("come back later")
        }));
    let (report, _) = run(&agent).await;
    assert_eq!(report.end(), Some(EndReason::Blocked));
    assert_eq!(report.totals.model_calls, 0);
    assert_eq!(report.text(), "(The turn ended here: a guard blocked it.)");
    assert_eq!(
        report.error.unwrap(),
        "the guard `closed` blocked: come back later"
    );
}

#[tokio::test]
async fn calls_are_changed_and_denied_before_they_are_judged() {
    let model = Arc::new(
        ScriptedModel::new()
            .call("add", json!({ "a": 1, "b": 2 }))
            .call("add", json!({ "a": 13, "b": 2 }))
            .say("Done."),
    );
    let log = Log::default();
    let agent = Agent::with_model("main", model.clone())
        .toolset(toolset![add])
        .guard(guard("sums", GuardPoint::Call, |text| {
            match text.contains("13") {
                true => Review::block("13 is bad luck"),
                false => Review::replace(r#"{"a":1,"b":40}"#),
            }
        }))
        .guard(TestGuard {
            log: log.clone(),
            ..guard("results", GuardPoint::Result, |_| {
                Review::again("Check it.")
            })
        });
    run(&agent).await;
    assert_eq!(
        log.lines(),
        ["results t1 add 41"],
        "a call that is denied has no result"
    );
    let results = model.requests()[2].messages.clone();
    let texts = results.iter().filter_map(|message| match message {
        Message::Tool { content } => Some(&content[0].content),
        _ => None,
    });
    let texts: Vec<_> = texts
        .flat_map(|content| content.iter().filter_map(ContentBlock::as_text))
        .collect();
    insta::assert_snapshot!(texts.join("\n"), @r#"
    41
    <note from="guard results, not the user">
    Check it.
    </note>
    Tool call denied: the guard `sums` does not allow this call: 13 is bad luck
    "#);
}

#[tokio::test]
async fn a_guard_does_not_allow_what_the_policy_denies() {
    let model = Arc::new(
        ScriptedModel::new()
            .call("delete", json!({ "path": "a" }))
            .say("Done."),
    );
    let agent = Agent::with_model("main", model.clone())
        .toolset(toolset![delete])
        .guard(guard("open", GuardPoint::Call, |_| {
            Review::replace(r#"{"path":"b"}"#)
        }));
    run(&agent).await;
    let requests = model.requests();
    let Some(Message::Tool { content }) = requests[1].messages.last() else {
        panic!("no result");
    };
    assert!(content[0].is_error);
}

#[tokio::test]
async fn results_are_replaced_and_withheld() {
    let run = async |review: Review| {
        let model = Arc::new(
            ScriptedModel::new()
                .call("add", json!({ "a": 1, "b": 2 }))
                .say("Done."),
        );
        let agent = Agent::with_model("main", model.clone())
            .toolset(toolset![add])
            .guard(guard("results", GuardPoint::Result, move |_| {
                review.clone()
            }));
        run(&agent).await;
        let requests = model.requests();
        let Some(Message::Tool { content }) = requests[1].messages.last() else {
            panic!("no result");
        };
        (
            content[0].content[0].as_text().unwrap().to_owned(),
            content[0].is_error,
        )
    };
    assert_eq!(run(Review::replace("4")).await, ("4".to_owned(), false));
    let (text, is_error) = run(Review::block("it is odd")).await;
    assert!(is_error);
    assert_eq!(
        text,
        "The call was made, and the guard `results` withholds its result: it is odd"
    );
}

#[tokio::test]
async fn guards_hold_in_delegates() {
    let log = Log::default();
    let inherited = |name, is_inherited| TestGuard {
        log: log.clone(),
        is_inherited,
        ..guard(name, GuardPoint::Reply, |_| Review::Pass)
    };
    let model = ScriptedModel::new()
        .call("task", json!({ "agent": "helper", "prompt": "Look." }))
        .say("Done.");
    let helper = Agent::new("helper", ScriptedModel::new().say("Seen."));
    let agent = Agent::new("main", model)
        .delegate(helper.guard(inherited("own", true)))
        .guard(inherited("all", true))
        .guard(inherited("root", false));
    run(&agent).await;
    insta::assert_snapshot!(log.lines().join("\n"), @"
    all t1/1.0 Seen.
    own t1/1.0 Seen.
    all t1 Done.
    root t1 Done.
    ");
}

#[tokio::test]
async fn a_turn_whose_review_a_crash_interrupted_is_reviewed_again() {
    let store = ObservedStore::default();
    let sessions = Sessions::new(store.clone());
    let mut conversation = begin(&sessions).await;
    let model = ScriptedModel::new().say("No.").say("Yes.");
    let agent = Agent::new("main", model).guard(demanding("Yes"));
    // The start of the turn, the call of the model and its reply are written; the first review is not.
    store.fail_from(4);
    let report = say(&agent, &mut conversation, &ToolContext::new()).await;
    assert_eq!(report.end(), None);
    store.fail_from(0);
    let mut conversation = reload(&sessions, conversation).await;
    let report = resume(&agent, &mut conversation, &ToolContext::new()).await;
    assert_eq!(
        (report.end(), &*report.text()),
        (Some(EndReason::Finished), "Yes.")
    );
    assert_valid(&sessions, &report.messages).await;
}

#[tokio::test]
async fn the_guards_of_a_session_check_the_replies_of_the_agent_that_goes_on_with_it() {
    for is_inherited in [true, false] {
        let call = json!({ "to": "billing", "brief": "The invoice of May is wrong." });
        let billing = Agent::new("billing", {
            let model = ScriptedModel::new().say("No.").say("Yes, please.");
            model.say("Never.").say("Well, please.")
        });
        let own = guard("own", GuardPoint::Reply, |_| Review::Pass);
        let agent = Agent::new("desk", ScriptedModel::new().call("hand_off", call.clone()))
            .guard(TestGuard {
                is_inherited,
                ..demanding("please")
            })
            .hand_off(match is_inherited {
                true => billing,
                false => billing.guard(own),
            });
        let sessions = Sessions::new(ObservedStore::default());
        let mut conversation = begin(&sessions).await;
        let context = ToolContext::new();
        let report = say(&agent, &mut conversation, &context).await;
        assert_eq!(report.text(), "Yes, please.");
        // Also with the next prompt, and where nothing is recorded.
        let report = say(&agent, &mut conversation, &context).await;
        assert_eq!(report.text(), "Well, please.");
        let billing = ScriptedModel::new().say("No.").say("Yes, please.");
        let agent = Agent::new("desk", ScriptedModel::new().call("hand_off", call))
            .guard(demanding("please"))
            .hand_off(Agent::new("billing", billing));
        assert_eq!(run(&agent).await.0.text(), "Yes, please.");
    }
}
