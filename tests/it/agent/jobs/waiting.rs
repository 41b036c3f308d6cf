//! Jobs that wait: how often that is told, and what continues them.

use std::sync::atomic::{AtomicUsize, Ordering};

use helve::agent::session::MemoryStore;
use helve::permission::DeferAll;

use super::*;

/// Defers all questions, and counts them.
struct CountingApprover(Arc<AtomicUsize>);

impl Approver for CountingApprover {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.0.fetch_add(1, Ordering::Relaxed);
        DeferAll.ask(question)
    }
}

#[tokio::test]
async fn a_job_that_waits_is_announced_once_and_no_message_makes_it_ask_again() {
    let place = JobsFixture::new();
    let name = first_job(&session(), "worker");
    let model = ScriptedModel::new()
        .call("delete", json!({ "path": "a" }))
        .say("Done.");
    let worker = helper("worker", model).policy(Policy::new(Mode::Default));
    let model = ScriptedModel::new()
        .call("task", in_background("worker"))
        .say("Started.");
    let agent = place.agent(model, worker);
    let mut conversation = begin(&place.sessions).await;
    say(&agent, &mut conversation, &ToolContext::new()).await;
    let (told, asked) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let telling = told.clone();
    let jobs = place.jobs.clone().on_notice(move |_, _| {
        telling.fetch_add(1, Ordering::Relaxed);
    });
    let runner = JobRunner::new(jobs, [agent], ToolContext::new);
    let runner = runner.approver(CountingApprover(asked.clone()));
    let counts = || [&told, &asked].map(|count| count.load(Ordering::Relaxed));
    let stop = CancellationToken::new();
    runner.once(&stop).await.unwrap();
    assert_eq!(counts(), [1, 1]);
    place.hurry(&name);
    runner.once(&stop).await.unwrap();
    assert_eq!(counts(), [1, 1]);
    // The agent of the session says something, which the job reads when it goes on.
    place
        .jobs
        .say(&session(), Some(&name), "Hurry.")
        .await
        .unwrap();
    place.hurry(&name);
    runner.once(&stop).await.unwrap();
    assert_eq!(counts(), [1, 1]);
    let answer = Posting::answer(address("t1/1.0"), Decision::allow_once());
    place.sessions.post(&name, answer).await.unwrap();
    runner.once(&stop).await.unwrap();
    assert_eq!(place.status(&name).await, JobStatus::Done);
    assert_eq!(counts()[0], 2);
}

#[tokio::test]
async fn messages_that_are_not_read_are_bounded() {
    let place = JobsFixture::new();
    let sessions = Sessions::new(MemoryStore::new());
    let about = SessionMetadata::new("tests");
    let jobs = Jobs::new(sessions.clone(), place.queue.clone(), about);
    let model = ScriptedModel::new()
        .call("task", in_background("poet"))
        .say("Started.");
    let agent = Agent::new("main", model)
        .policy(Policy::new(Mode::Bypass))
        .delegate(helper("poet", ScriptedModel::new()))
        .background_jobs(jobs.launcher());
    let mut conversation = begin(&sessions).await;
    say(&agent, &mut conversation, &ToolContext::new()).await;
    let name = first_job(&session(), "poet");
    for _ in 0..100 {
        jobs.say(&session(), Some(&name), "More.").await.unwrap();
    }
    let refused = jobs.say(&session(), Some(&name), "More.").await;
    let expected = format!("100 messages wait for `{name}`, which reads them before its next step");
    assert_eq!(refused.unwrap_err().to_string(), expected);
}
