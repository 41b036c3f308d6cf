//! Who answers, how long there is, and what the model is told.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{self, BoxFuture, FutureExt as _};
use helve_runtime::permission::{
    Answer, Approver, Decision, DeferAll, DenyAll, Question, RuleScope, TimeLimitedApprover,
};
use helve_runtime::tool::Principal;
use helve_runtime::transcript::{CallKey, Origin, SessionId, ToolCall};
use tokio::time::Instant;

use crate::permission::fixture::rule;

fn question() -> Question {
    let call = ToolCall::new("call_1", "bash", r#"{"command":"npm install"}"#);
    Question::new(
        Origin::new("main", "t1"),
        CallKey::new(2, 0),
        &call,
        "it may destroy something that cannot be brought back (high risk)",
    )
    .with_session(SessionId::new("s1"), Principal::user("ada"))
    .with_suggestions(false, vec![rule("bash(npm install:*)")])
    .with_part(Some("npm install".into()))
}

/// Never answers.
struct Silent;

impl Approver for Silent {
    fn ask<'a>(&'a self, _: &'a Question) -> BoxFuture<'a, Answer> {
        future::pending().boxed()
    }
}

/// Answers after a while.
struct After(Duration);

impl Approver for After {
    fn ask<'a>(&'a self, _: &'a Question) -> BoxFuture<'a, Answer> {
        async move {
            tokio::time::sleep(self.0).await;
            Decision::allow_once().into()
        }
        .boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn after_two_minutes_without_an_answer_the_call_is_rejected() {
    let started = Instant::now();
    let Answer::Decided(decision) = TimeLimitedApprover::new(Silent).ask(&question()).await else {
        panic!("it has to decide");
    };
    assert_eq!(started.elapsed(), Duration::from_secs(120));
    assert!(!decision.is_allowed());
    assert_eq!(
        decision.refusal().as_deref(),
        Some("Tool call rejected by user: no answer within 2 minutes")
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_in_time_stands() {
    let approver = TimeLimitedApprover::new(After(Duration::from_secs(119)));
    assert_eq!(
        approver.ask(&question()).await,
        Decision::allow_once().into()
    );
    let approver = TimeLimitedApprover::with_limit(
        Arc::new(After(Duration::from_secs(31))),
        Duration::from_secs(30),
    );
    let Answer::Decided(decision) = approver.ask(&question()).await else {
        panic!("it has to decide");
    };
    assert_eq!(
        decision.refusal().as_deref(),
        Some("Tool call rejected by user: no answer within 30 seconds")
    );
}

#[tokio::test(start_paused = true)]
async fn a_deferred_answer_sets_no_timer() {
    let started = Instant::now();
    assert_eq!(DeferAll.ask(&question()).await, Answer::Deferred);
    assert_eq!(
        TimeLimitedApprover::new(DeferAll).ask(&question()).await,
        Answer::Deferred
    );
    assert_eq!(started.elapsed(), Duration::ZERO);
}

#[tokio::test]
async fn without_an_approver_nothing_is_allowed() {
    let Answer::Decided(decision) = DenyAll.ask(&question()).await else {
        panic!("it has to decide");
    };
    assert_eq!(
        decision.refusal().as_deref(),
        Some("Tool call denied: it needs approval, and no approver is attached")
    );
}

#[test]
fn each_decision_has_its_words() {
    let rules = vec![rule("bash(npm install:*)")];
    let scope = RuleScope::Project;
    let why = Some("use pnpm".to_owned());
    let told = |decision: Decision| (decision.refusal(), decision.remark().map(str::to_owned));
    let decisions = [
        Decision::allow_once(),
        Decision::AllowAlways {
            rules: rules.clone(),
            scope,
            message: why.clone(),
        },
        Decision::reject_once(),
        Decision::reject_with_message("not now"),
        Decision::RejectAlways {
            rules,
            scope,
            message: why,
        },
    ];
    insta::assert_debug_snapshot!(decisions.map(told), @r#"
        [
            (
                None,
                None,
            ),
            (
                None,
                Some(
                    "use pnpm",
                ),
            ),
            (
                Some(
                    "Tool call rejected by user",
                ),
                None,
            ),
            (
                Some(
                    "Tool call rejected by user: not now",
                ),
                None,
            ),
            (
                Some(
                    "Tool call rejected by user: use pnpm",
                ),
                None,
            ),
        ]
        "#);
}

#[test]
fn a_question_says_all_that_an_answer_needs() {
    let text = serde_json::to_string_pretty(&question()).unwrap();
    assert_eq!(serde_json::from_str::<Question>(&text).unwrap(), question());
    insta::assert_snapshot!(text, @r#"
        {
          "session": "s1",
          "principal": {
            "user": "ada"
          },
          "origin": {
            "agent": "main",
            "turn": "t1"
          },
          "address": "t1/2.0",
          "call": "call_1",
          "tool": "bash",
          "arguments": "{\"command\":\"npm install\"}",
          "reason": "it may destroy something that cannot be brought back (high risk)",
          "suggestions": [
            "bash(npm install:*)"
          ],
          "part": "npm install"
        }
        "#);
}
