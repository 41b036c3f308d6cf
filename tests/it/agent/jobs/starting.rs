//! Jobs that are being started when a process dies, or when something is stopped.

use helve::agent::session::Entry;
use helve::agent::{CallSite, Hook, Next};
use helve::permission::Verdict;
use helve::transcript::Origin;

use super::*;
use crate::agent::support::ObservedStore;

#[tokio::test]
async fn what_a_process_left_before_a_job_began_is_no_job_until_its_call_goes_on() {
    let place = JobsFixture::new();
    let task = |agent: &str| {
        let agents = vec!["main".into(), agent.into()];
        JobOrigin::new(session(), address("t1/1.0"), agents)
    };
    for number in 0..8 {
        let origin = task(&format!("poet{number}"));
        let about = SessionMetadata::new("tests").session(origin.name());
        place.sessions.create(about.job(origin)).await.unwrap();
    }
    let origin = task("poet");
    let name = origin.name();
    let about = SessionMetadata::new("tests").session(name.clone());
    place.sessions.create(about.job(origin)).await.unwrap();
    assert_eq!(place.status(&name).await, JobStatus::Failed);
    let over = place.jobs.stop(&name, None).await.unwrap_err();
    assert_eq!(over.to_string(), format!("job `{name}` is over already"));
    assert_eq!(
        place
            .work(&place.agent(ScriptedModel::new(), helper("poet", ScriptedModel::new())))
            .await,
        0
    );
    // The call goes on after the crash.
    let model = ScriptedModel::new()
        .call("task", in_background("poet"))
        .call("task", in_background("poet"))
        .say("Started.");
    let poet = ScriptedModel::new().say("It rains.").say("Still.");
    let agent = place.agent(model, helper("poet", poet));
    let mut conversation = begin(&place.sessions).await;
    let report = say(&agent, &mut conversation, &ToolContext::new()).await;
    let started = |result: &String| result.starts_with("The job `poet-");
    assert!(results(&report.messages).iter().all(started));
    assert_eq!(place.status(&name).await, JobStatus::Queued);
    assert_eq!(place.work(&agent).await, 2);
    assert_eq!(place.status(&name).await, JobStatus::Done);
}

#[tokio::test]
async fn a_session_begins_with_its_first_turn_in_one_write() {
    let store = ObservedStore::default();
    let sessions = Sessions::new(store.clone());
    let origin = Origin::new("main", "t1");
    let begun = Entry::turn_started(&origin, Bounds::new(1), vec![Message::user("go")]);
    let about = SessionMetadata::new("tests").session(session());
    let created = sessions.create_with(about, vec![begun]).await.unwrap();
    assert_eq!((created.state().turns, store.writings()), (1, 0));
}

/// Stops a job while the call with which it starts another one is judged.
struct StopHook {
    jobs: Jobs,
    job: SessionId,
}

impl Hook for StopHook {
    fn permission<'a>(
        &'a self,
        site: &'a CallSite,
        next: Next<'a, (), Verdict>,
    ) -> BoxFuture<'a, Verdict> {
        async move {
            if site.session == self.job {
                self.jobs.stop(&self.job, None).await.unwrap();
            }
            next.run(()).await
        }
        .boxed()
    }
}

#[tokio::test]
async fn a_job_that_is_told_to_stop_leaves_no_job_behind() {
    let place = JobsFixture::new();
    let name = first_job(&session(), "boss");
    let model = ScriptedModel::new()
        .call("task", in_background("poet"))
        .say("Started.");
    let boss = helper("boss", model).delegate(helper("poet", ScriptedModel::new().say("Rain.")));
    let model = ScriptedModel::new()
        .call("task", in_background("boss"))
        .say("Started.");
    let jobs = place.jobs.clone();
    let agent = place
        .agent(model, boss)
        .session_hook(StopHook { jobs, job: name });
    let mut conversation = begin(&place.sessions).await;
    say(&agent, &mut conversation, &ToolContext::new()).await;
    place.work(&agent).await;
    let jobs = place.jobs.list(Some(&session())).await.unwrap();
    let mut statuses = jobs.iter().map(|job| job.status);
    assert!(statuses.len() > 0 && statuses.all(|status| status == JobStatus::Stopped));
}
