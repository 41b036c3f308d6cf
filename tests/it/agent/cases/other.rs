//! What other projects test that is no turn of an agent.

use helve::agent::AgentSource;
use helve::agent::session::Sessions;
use helve::transcript::{
    AgentId, AssistantMessage, Content, MessagePart, ToolCall, ToolCallResult, sanitize,
};

use super::super::support::{ObservedStore, begin, say};
use super::super::tasks::calling;
use super::*;

#[test]
fn a_message_between_a_call_and_its_result_moves_behind_it() {
    let call = ToolCall::new("c1", "add", "{}");
    let call = AssistantMessage::new(vec![MessagePart::ToolCall(call)]);
    let result = Message::Tool {
        content: vec![ToolCallResult {
            call_id: "c1".into(),
            content: Content::text("3"),
            is_error: false,
        }],
    };
    let (call, between) = (Message::Assistant(call), Message::user("Wait."));
    let next = Message::user("Go on.");
    let torn = vec![call.clone(), between.clone(), result.clone(), next.clone()];
    assert_eq!(sanitize(torn), [call, result, between, next]);
}

/// Finds a writer that has more tools than its leader.
struct Members;

impl AgentSource for Members {
    fn list(&self) -> Vec<(AgentId, String)> {
        vec![("writer".into(), "writes".into())]
    }

    fn find(&self, name: &AgentId) -> Option<Agent> {
        let script = ScriptedModel::new()
            .call("add", json!({ "a": 1, "b": 2 }))
            .call("delete", json!({ "path": "a" }))
            .say("I wrote.");
        let policy = Policy::new(Mode::Bypass);
        let agent = Agent::new(&**name, script).toolset(tools()).policy(policy);
        (&**name == "writer").then_some(agent)
    }
}

#[tokio::test]
async fn a_member_has_only_tools_of_its_leader() {
    let task = json!({ "agent": "writer", "prompt": "Write." });
    let leader = Agent::new("main", calling(task))
        .toolset(toolset![add])
        .policy(Policy::new(Mode::Bypass))
        .delegate_from(Members);
    let events = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&events);
    let listener = move |event: AgentEvent| {
        if let EventKind::ToolResult { name, is_error, .. } = event.kind {
            heard.lock().unwrap().push((name.to_string(), is_error));
        }
    };
    let context = ToolContext::new();
    leader
        .run(vec![Message::user("go")], &context, listener)
        .await;
    let results = [("add", false), ("delete", true), ("task", false)];
    let results = results.map(|(name, is_error)| (name.to_owned(), is_error));
    assert_eq!(*events.lock().unwrap(), results);
}

#[tokio::test]
async fn an_interrupt_without_a_turn_changes_nothing() {
    let sessions = Sessions::new(ObservedStore::default());
    let mut conversation = begin(&sessions).await;
    let context = ToolContext::new();
    let agent = Agent::new("main", ScriptedModel::new().say("Hi.").say("Again."));
    say(&agent, &mut conversation, &context).await;
    let before = conversation.messages().to_vec();
    let interrupted = ToolContext::new();
    interrupted.cancellation().cancel();
    let resumed = agent.resume(&mut conversation, &interrupted, |_| {}).await;
    assert!(resumed.unwrap().is_none());
    assert_eq!(conversation.messages(), before);
    let report = say(&agent, &mut conversation, &context).await;
    assert_eq!(report.text(), "Again.");
}
