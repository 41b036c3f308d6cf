//! Tests of what runs may do: never more than the maker of the schedule, the agent and the daemon.

use helve_agent::Conversation;
use helve_core::transcript::Message;
use helve_permission::Rule;

use super::*;

#[tokio::test]
async fn a_run_has_the_bounds_of_its_agent_too() {
    let place = ScheduleFixture::new();
    place.add("0 * * * *", &allow_all()).await;
    let model = (0..5).fold(ScriptedModel::new(), |model, _| {
        model.call("read_report", serde_json::json!({}))
    });
    let agent = Agent::new("main", model)
        .toolset(toolset![read_report])
        .policy(allow_all())
        .bounds(Bounds::new(2));
    let runner = ScheduleRunner::new(place.schedules.clone(), [agent], ToolContext::new);
    place.work(&runner).await;
    let runs = place.schedules.runs(None).await.expect("runs");
    assert_eq!(runs[0].status, RunStatus::Failed);
    let session = place.schedules.sessions.read(&runs[0].session).await;
    let replies = session.expect("a session").messages.into_iter();
    let replies = replies.filter(|message| matches!(message, Message::Assistant(_)));
    // The last one summarizes what was done.
    assert_eq!(replies.count(), 3);
}

#[tokio::test]
async fn what_the_maker_has_rejected_for_its_session_is_denied_to_runs() {
    let place = ScheduleFixture::new();
    let sessions = &place.schedules.sessions;
    let mut session = sessions
        .create(SessionMetadata::new("test").folder("/project"))
        .await
        .expect("a session");
    let rejected = Entry::RulesGranted {
        allow: Vec::new(),
        deny: vec![Rule::tool("write_report")],
    };
    let durability = helve_agent::journal::Durability::Synced;
    session.append(rejected, durability).await.expect("written");
    let mut state = helve::State::new();
    state.insert(Planter(place.schedules.clone()));
    let context = ToolContext::builder().app(Arc::new(state)).build();
    let write = serde_json::json!({ "text": "new" });
    let model = ScriptedModel::new()
        .call("plant", serde_json::json!({}))
        .say("Planted.")
        .call("write_report", write)
        .say("Done.");
    let agent = Agent::new("main", model)
        .toolset(toolset![plant, write_report])
        .policy(allow_all());
    let mut conversation = Conversation::new(session);
    agent
        .run_in(&mut conversation, Message::user("Plant."), &context, |_| {})
        .await
        .expect("a turn");
    drop(conversation);
    let runner = ScheduleRunner::new(place.schedules.clone(), [agent], ToolContext::new);
    place.work(&runner).await;
    let runs = place.schedules.runs(None).await.expect("runs");
    let read = place.schedules.sessions.read(&runs[0].session).await;
    let messages = serde_json::to_string(&read.expect("a session").messages).expect("JSON");
    assert!(!messages.contains("wrote 3 bytes"), "{messages}");
}

#[tokio::test]
async fn a_rule_that_is_saved_later_binds_the_next_run() {
    let place = ScheduleFixture::new();
    place.add("0 * * * *", &allow_all()).await;
    let write = || serde_json::json!({ "text": "new" });
    let agent = move |policy: Policy| {
        let model = ScriptedModel::new()
            .call("write_report", write())
            .say("Done.");
        Agent::new("main", model)
            .toolset(toolset![write_report])
            .policy(policy)
    };
    let rules = Arc::new(Mutex::new(Ok(None)));
    let runner = ScheduleRunner::new(
        place.schedules.clone(),
        [agent(allow_all())],
        ToolContext::new,
    );
    let (runner, mut reloads) = runner.with_reloads();
    let read = rules.clone();
    let reloading = tokio::spawn(async move {
        while let Some(request) = reloads.next().await {
            let read: Result<Option<Rule>, String> = read.lock().clone();
            let deny = |rule| allow_all().rules(helve_permission::Rules::new().deny(rule));
            request.finish(read.map(|rule| rule.map(|rule| vec![agent(deny(rule))])));
        }
    });
    place.work(&runner).await;
    *rules.lock() = Ok(Some(Rule::tool("write_report")));
    place.work(&runner).await;
    // A run waits while the rules cannot be read.
    *rules.lock() = Err("damaged".to_owned());
    place.work(&runner).await;
    let mut runs = place.schedules.runs(None).await.expect("runs");
    runs.reverse();
    let mut written = Vec::new();
    for run in &runs[..2] {
        let read = place.schedules.sessions.read(&run.session).await;
        let messages = serde_json::to_string(&read.expect("a session").messages).expect("JSON");
        written.push(messages.contains("wrote 3 bytes"));
    }
    assert_eq!(written, [true, false]);
    assert_eq!(runs[2].status, RunStatus::Queued);
    reloading.abort();
}
