//! Questions about hosts that no rule allows: answers of other processes, of delegates, and of a mode without questions.

use helve::permission::RuleScope;

use super::*;

/// A process whose sandbox asks about blocked hosts.
fn asking() -> ToolContext {
    let gate = EgressGate::asking();
    context(LazySandbox::from_opened(Gated::behind(&gate)), &gate)
}

fn always(scope: RuleScope) -> Decision {
    Decision::AllowAlways {
        rules: Vec::new(),
        scope,
        message: None,
    }
}

/// Defers every question, and reports it.
struct Deferring(Arc<Notify>);

impl Approver for Deferring {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        assert!(question.blocked.is_some() && question.offers_lasting_access());
        self.0.notify_one();
        std::future::ready(Answer::Deferred).boxed()
    }
}

#[tokio::test]
async fn another_process_answers_a_question_about_a_blocked_host() {
    let store = ObservedStore::default();
    let sessions = Sessions::new(store.clone());
    let mut conversation = begin(&sessions).await;
    let asked = Arc::new(Notify::new());
    let script = calling([
        ("reach", host("one.example")),
        ("reach", host("one.example")),
    ]);
    let main = agent("main", script, Deferring(Arc::clone(&asked)));
    let context = asking();
    let answer = || Posting::answer(address("t1/1.0"), always(RuleScope::Session));
    let post = async {
        asked.notified().await;
        // The question is on disk before it is asked.
        let asked = store.log.lines();
        assert!(
            asked
                .iter()
                .any(|line| line == "written: connection_asked t1/1.0"),
            "{asked:?}"
        );
        sessions.post(&session(), answer()).await.unwrap();
    };
    let prompt = Message::user("Reach it.");
    let run = main.run_in(&mut conversation, prompt, &context, |_| {});
    let (report, ()) = tokio::join!(run, post);
    assert_eq!(
        results(&report.unwrap().messages),
        ["connected to one.example", "connected to one.example"]
    );
    let written = store.log.lines();
    let written: Vec<_> = written
        .iter()
        .filter(|line| line.contains("connection"))
        .collect();
    assert_eq!(
        written,
        [
            "written: connection_asked t1/1.0",
            "written: connection_answered t1/1.0"
        ]
    );
    sessions.post(&session(), answer()).await.unwrap_err();
}

/// Allows everything for the session, and records the questions.
struct AllowingAlways(Log);

impl Approver for AllowingAlways {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let agent = &question.origin.agent;
        let lasting = question.offers_lasting_access();
        self.0.add(format!("{agent} {lasting}"));
        std::future::ready(always(RuleScope::Session).into()).boxed()
    }
}

#[tokio::test]
async fn a_delegate_gets_a_blocked_host_for_one_command() {
    let log = Log::default();
    let twice = || {
        calling([
            ("reach", host("one.example")),
            ("reach", host("one.example")),
        ])
    };
    let helper = agent("helper", twice(), AllowingAlways(log.clone()));
    let task = json!({ "agent": "helper", "prompt": "Reach it." });
    let script = calling([
        ("task", task.clone()),
        ("reach", host("one.example")),
        ("reach", host("one.example")),
    ]);
    let main = agent("main", script, AllowingAlways(log.clone())).delegate(helper);
    say(&main, &asking()).await;
    assert_eq!(log.lines(), ["helper false", "helper false", "main true"]);
}

#[tokio::test]
async fn a_mode_without_questions_asks_about_no_blocked_host() {
    let log = Log::default();
    let script = calling([("reach", host("one.example"))]);
    let quiet = Policy::new(Mode::DontAsk).rules(Rules::new().allow("*".parse().unwrap()));
    let main = agent("main", script, AllowingAlways(log.clone())).policy(quiet);
    let report = say(&main, &asking()).await;
    let result = &results(&report.messages)[0];
    assert!(
        result.contains("the mode `dont_ask` asks no questions"),
        "{result}"
    );
    assert_eq!(log.lines(), [""; 0]);
}
