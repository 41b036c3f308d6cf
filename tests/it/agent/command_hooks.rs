//! Hooks as commands around the calls of agents: in delegates, and after a restart.

use helve::agent::session::{Posting, Sessions};
use helve::hooks::{CommandHooks, HookScope, HookSettings};
use helve::permission::{DeferAll, Mode, Policy};
use helve::sandbox::{LazySandbox, PassthroughSandbox, Sandbox, SandboxPolicy};

use super::support::{ObservedStore, address, begin, reload, resume, say, session};
use super::*;

/// The hooks of a `helve.toml`, whose commands run in a folder.
fn hooks(folder: &tempfile::TempDir, settings: &str) -> CommandHooks {
    let settings = HookSettings::from_toml(settings, "helve.toml", HookScope::User).unwrap();
    let path = folder.path().to_owned();
    let sandbox = LazySandbox::new(move || {
        let mut policy = SandboxPolicy::new(&path);
        policy.accepted.extend(helve::sandbox::Layer::ALL);
        async move {
            let opened = PassthroughSandbox::open(policy).await?;
            Ok(Arc::new(opened) as Arc<dyn Sandbox>)
        }
    });
    CommandHooks::new(settings, folder.path(), Arc::new(sandbox))
}

#[tokio::test]
async fn hooks_hold_in_delegates() {
    let folder = tempfile::tempdir().unwrap();
    let settings = r#"
        [[hooks]]
        on = "before_tool"
        match = "delete"
        command = '''sed 's/.*"agent_type":"\([a-z]*\)".*/not as \1/' >&2; exit 2'''
    "#;
    let deleting = ScriptedModel::new()
        .call("delete", json!({ "path": "a" }))
        .say("It is gone.");
    let helper = Agent::new("helper", deleting)
        .toolset(tools())
        .policy(Policy::new(Mode::Bypass));
    let task = json!({ "agent": "helper", "task": "Delete it." });
    let handing = ScriptedModel::new()
        .calls([("delegate", task)])
        .say("Done.");
    let agent = Agent::new("main", handing)
        .toolset(tools())
        .policy(Policy::new(Mode::Bypass))
        .session_hook(hooks(&folder, settings))
        .delegate(helper);
    let told = EventLog::default();
    let context = ToolContext::new();
    agent
        .run(vec![Message::user("go")], &context, told.listener())
        .await;
    let results = told.events().into_iter();
    let denied = results
        .filter(|event| event["type"] == "tool_result" && event["agent"] == "helper")
        .map(|event| event["content"][0]["text"].to_string());
    let denied: Vec<String> = denied.collect();
    assert_eq!(
        denied,
        [r#""Tool call denied: a hook denied the call: not as helper""#]
    );
}

#[tokio::test]
async fn an_input_is_changed_once_across_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let settings = r#"
        [[hooks]]
        on = "before_tool"
        match = "delete"
        command = '''sed 's/.*"path":"\([^"]*\)".*/{"hookSpecificOutput":{"updatedInput":{"path":"\1!"}}}/' '''
    "#;
    let sessions = Sessions::new(ObservedStore::default());
    let mut conversation = begin(&sessions).await;
    let context = ToolContext::new();
    let agent = |script: ScriptedModel| {
        Agent::new("main", script)
            .toolset(tools())
            .policy(Policy::new(Mode::Default))
            .approver(DeferAll)
            .session_hook(hooks(&folder, settings))
    };
    let first = ScriptedModel::new().call("delete", json!({ "path": "a" }));
    say(&agent(first), &mut conversation, &context).await;
    let mut conversation = reload(&sessions, conversation).await;
    let answer = Posting::answer(address("t1/1.0"), Decision::allow_once());
    sessions.post(&session(), answer).await.unwrap();
    let rest = agent(ScriptedModel::new().say("Done."));
    let report = resume(&rest, &mut conversation, &context).await;
    assert_eq!(results(&report.messages), ["deleted a!"]);
}
