//! What binds jobs: what the user has said in the session, and what the turn has left.

use helve::agent::session::Entry;
use helve::permission::{PRESENT_PLAN, Rule, RuleScope};
use helve::transcript::Cost;

use super::*;

fn deleting() -> Agent {
    let model = ScriptedModel::new()
        .call("delete", json!({ "path": "a" }))
        .say("Done.");
    helper("worker", model)
}

/// Runs a turn in which an agent makes a call and then starts a job that deletes a file, and works on the job. Returns the
/// job's status and the results that it has read.
async fn job_after(
    call: (&str, serde_json::Value),
    mode: Mode,
    decide: impl Fn(&Question) -> Decision + Send + Sync + 'static,
) -> (JobStatus, Vec<String>) {
    let place = JobsFixture::new();
    let model = ScriptedModel::new()
        .call(call.0, call.1)
        .call("task", in_background("worker"))
        .say("Started.");
    let agent = place.agent(model, deleting()).toolset(tools());
    let agent = agent.policy(Policy::new(mode)).approve_with(decide);
    let mut conversation = begin(&place.sessions).await;
    say(&agent, &mut conversation, &ToolContext::new()).await;
    assert_eq!(place.work(&agent).await, 1);
    let job = place.jobs.list(Some(&session())).await.unwrap().remove(0);
    let history = place.sessions.read(&job.name).await.unwrap();
    (job.status, results(&history.messages))
}

#[tokio::test]
async fn what_the_user_rejected_for_the_session_is_denied_to_jobs() {
    let call = ("delete", json!({ "path": "b" }));
    let (status, read) = job_after(call, Mode::Default, |_| Decision::RejectAlways {
        rules: vec![Rule::tool("delete")],
        scope: RuleScope::Session,
        message: None,
    })
    .await;
    assert_eq!(status, JobStatus::Done);
    let denied = "!Tool call denied: the rule `delete` denies it";
    assert!(read[0].starts_with(denied), "{read:?}");
}

#[tokio::test]
async fn a_job_that_starts_after_the_approval_of_a_plan_carries_it_out() {
    let plan = || (PRESENT_PLAN, json!({ "plan": "1. Delete `a`." }));
    let (status, _) = job_after(plan(), Mode::Plan, |_| Decision::allow_once()).await;
    // The deletion asks, as in the default mode.
    assert_eq!(status, JobStatus::Waiting);
    let (status, read) = job_after(plan(), Mode::Plan, |_| Decision::reject_once()).await;
    assert_eq!(status, JobStatus::Done);
    let denied = "!Tool call denied: it does more than read, and the mode is `plan`";
    assert!(read[0].starts_with(denied), "{read:?}");
}

#[tokio::test]
async fn jobs_one_after_the_other_are_granted_no_more_than_the_turn_has_left() {
    const LEFT: u64 = 8_000;
    let place = JobsFixture::new();
    let mut model = ScriptedModel::new();
    for number in 0..12 {
        let task = json!({ "agent": "poet", "prompt": format!("{number}"), "background": true });
        let job = JobOrigin::new(
            session(),
            address(&format!("t1/{}.0", 2 * number + 1)),
            vec!["main".into(), "poet".into()],
        );
        model = model
            .call("task", task)
            .call("job_stop", json!({ "job": job.name() }));
    }
    let bounds = Bounds::new(50).tokens(LEFT).cost(Cost::from_micros(LEFT));
    let agent = place.agent(model.say("Started."), helper("poet", ScriptedModel::new()));
    let agent = agent.bounds(bounds);
    let mut conversation = begin(&place.sessions).await;
    let report = say(&agent, &mut conversation, &ToolContext::new()).await;
    let jobs = place.jobs.list(Some(&session())).await.unwrap();
    assert_eq!(jobs.len(), 12);
    let mut granted = Vec::new();
    for job in &jobs {
        let read = place.sessions.visit(&job.name, u64::MAX, |line| {
            if let Entry::TurnStarted(started) = &line.entry {
                let bounds = &started.bounds;
                granted.push((bounds.tokens.unwrap(), bounds.cost.unwrap().micros()));
            }
        });
        read.await.unwrap();
    }
    granted.sort_unstable();
    granted.reverse();
    assert_eq!(granted[0], (1_000, 1_000));
    assert!(granted.is_sorted_by(|one, next| one > next), "{granted:?}");
    let (tokens, cost) = granted
        .iter()
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert!(tokens < LEFT && cost < LEFT, "{granted:?}");
    let totals = report.totals;
    assert_eq!(
        (totals.granted_tokens, totals.granted_cost.micros()),
        (tokens, cost)
    );
    assert_eq!(totals.tokens(), 0);
}
