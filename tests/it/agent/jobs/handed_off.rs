//! Jobs of an agent to which the session was handed off.

use super::*;

/// A desk that hands off to an agent whose job is done by a helper; and what the model of that agent is asked.
fn team(place: &JobsFixture) -> (Agent, Arc<ScriptedModel>) {
    let billing = Arc::new(
        ScriptedModel::new()
            .call("task", in_background("helper"))
            .say("The helper is at work.")
            .say("The helper is done."),
    );
    let worker = helper("helper", ScriptedModel::new().say("Corrected."));
    let agent = Agent::with_model("billing", billing.clone()).policy(Policy::new(Mode::Bypass));
    let call = json!({ "to": "billing", "brief": "The invoice of May is wrong." });
    let desk = Agent::new("desk", ScriptedModel::new().call("hand_off", call));
    let desk = desk
        .policy(Policy::new(Mode::Bypass))
        .hand_off(agent.delegate(worker))
        .background_jobs(place.jobs.launcher());
    (desk, billing)
}

#[tokio::test]
async fn a_job_of_the_next_agent_goes_on_and_wakes_its_whole_conversation() {
    let place = JobsFixture::new();
    let (desk, billing) = team(&place);
    let mut conversation = begin(&place.sessions).await;
    let report = say(&desk, &mut conversation, &ToolContext::new()).await;
    assert_eq!(report.text(), "The helper is at work.");
    drop(conversation);
    // The agent of the session is registered, and not the next one.
    let runner = JobRunner::new(place.jobs.clone(), [desk], ToolContext::new).wake_sessions(true);
    assert_eq!(runner.once(&CancellationToken::new()).await.unwrap(), 1);
    let jobs = place.jobs.list(Some(&session())).await.unwrap();
    assert_eq!(jobs[0].status, JobStatus::Done);
    let history = place.sessions.read(&session()).await.unwrap();
    let texts = |messages: &[Message]| -> Vec<String> {
        let replies = messages.iter().filter_map(|message| match message {
            Message::Assistant(reply) => Some(reply.text()),
            _ => None,
        });
        replies.filter(|text| !text.is_empty()).collect()
    };
    let said = ["The helper is at work.", "The helper is done."];
    assert_eq!(texts(&history.messages), said);
    assert_eq!(texts(&billing.requests()[2].messages), said[..1]);
}
