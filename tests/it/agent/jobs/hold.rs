//! What holds in jobs: the format of answers, the session that hooks learn of, and the approver.

use helve::agent::{CallSite, Hook, Next};
use helve::model::{ModelOptions, OutputFormat};
use helve::permission::Verdict;

use super::*;

/// A job of an agent that answers with a city, and replies with these texts.
async fn city(replies: &[&str]) -> helve::jobs::Job {
    let place = JobsFixture::new();
    let name = first_job(&session(), "geographer");
    let schema = json!({
        "type": "object",
        "properties": { "city": { "type": "string" } },
        "required": ["city"],
        "additionalProperties": false,
    });
    let schema = helve::schema::from_value(schema).unwrap();
    let script = replies
        .iter()
        .fold(ScriptedModel::new(), |script, reply| script.say(*reply));
    let options = ModelOptions::new().output(OutputFormat::new("city", schema));
    let model = ScriptedModel::new()
        .call("task", in_background("geographer"))
        .say("Started.");
    let agent = place.agent(model, helper("geographer", script).options(options));
    let mut conversation = begin(&place.sessions).await;
    say(&agent, &mut conversation, &ToolContext::new()).await;
    assert_eq!(place.work(&agent).await, 1);
    place.jobs.find(&name, None).await.unwrap()
}

#[tokio::test]
async fn the_answer_of_a_job_has_the_format_of_its_agent() {
    let job = city(&["Oslo is a city.", r#"{"city":"Oslo"}"#]).await;
    assert_eq!(
        (job.status, &*job.text),
        (JobStatus::Done, r#"{"city":"Oslo"}"#)
    );
    let job = city(&["Oslo."; 8]).await;
    assert_eq!(
        (job.status, job.end),
        (JobStatus::Failed, Some(EndReason::Reviews))
    );
}

/// Notes the session and the agent of each call.
struct SessionHook(Arc<Mutex<Vec<(SessionId, String)>>>);

impl Hook for SessionHook {
    fn permission<'a>(
        &'a self,
        site: &'a CallSite,
        next: Next<'a, (), Verdict>,
    ) -> BoxFuture<'a, Verdict> {
        let agent = site.origin.agent.to_string();
        self.0.lock().unwrap().push((site.session.clone(), agent));
        next.run(())
    }
}

/// Allows every call.
struct AllowAll;

impl Approver for AllowAll {
    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Answer> {
        async { Decision::allow_once().into() }.boxed()
    }
}

#[tokio::test]
async fn hooks_learn_the_session_of_a_job_and_its_approver_is_asked() {
    let place = JobsFixture::new();
    let name = first_job(&session(), "worker");
    let model = ScriptedModel::new()
        .call("delete", json!({ "path": "a" }))
        .say("Done.");
    let worker = helper("worker", model).policy(Policy::new(Mode::Default));
    let model = ScriptedModel::new()
        .call("task", in_background("worker"))
        .say("Started.");
    let seen = Arc::<Mutex<Vec<_>>>::default();
    let agent = place
        .agent(model, worker)
        .session_hook(SessionHook(Arc::clone(&seen)));
    let mut conversation = begin(&place.sessions).await;
    say(&agent, &mut conversation, &ToolContext::new()).await;
    let runner = JobRunner::new(place.jobs.clone(), [agent], ToolContext::new).approver(AllowAll);
    assert_eq!(runner.once(&CancellationToken::new()).await.unwrap(), 1);
    assert_eq!(place.status(&name).await, JobStatus::Done);
    let seen = seen.lock().unwrap();
    let calls = [(session(), "main".to_owned()), (name, "worker".to_owned())];
    assert_eq!(*seen, calls);
}

/// Starts a job in a session whose turns have a number of model calls, and works on it. Returns the last text of the session.
async fn wake(calls: u32, holds: bool) -> String {
    let place = JobsFixture::new();
    let model = ScriptedModel::new()
        .call("task", in_background("poet"))
        .call("job_list", json!({}))
        .say("The poet is at work.")
        .say("It rains.");
    let poet = helper("poet", ScriptedModel::new().say("Rain again."));
    let agent = place.agent(model, poet).bounds(Bounds::new(calls));
    let mut conversation = begin(&place.sessions).await;
    say(&agent, &mut conversation, &ToolContext::new()).await;
    let held = holds.then_some(conversation);
    let runner = JobRunner::new(place.jobs.clone(), [agent], ToolContext::new).wake_sessions(true);
    assert_eq!(runner.once(&CancellationToken::new()).await.unwrap(), 1);
    drop(held);
    let history = place.sessions.read(&session()).await.unwrap();
    let has_read = history
        .messages
        .iter()
        .any(|message| matches!(message, Message::Note(note) if note.text.contains("Rain again.")));
    assert_eq!(has_read, place.notices().await.is_empty());
    let mut replies = history
        .messages
        .iter()
        .rev()
        .filter_map(|message| match message {
            Message::Assistant(reply) => Some(reply.text()),
            _ => None,
        });
    replies.next().unwrap_or_default()
}

#[tokio::test]
async fn an_idle_session_is_woken_within_its_bounds() {
    assert_eq!(wake(9, false).await, "It rains.");
    // A process holds the session, or nothing of its bounds is left.
    assert_eq!(wake(9, true).await, "The poet is at work.");
    assert_eq!(wake(3, false).await, "The poet is at work.");
}
