//! The tasks of a session: after a restart, and after the conversation was summarized.

use helve::agent::session::{Entry, Sessions};
use helve::agent::todo::TodoList;
use helve::agent::turn::Record;

use super::support::{ObservedStore, begin, reload, say, session};
use super::*;

fn agent(script: ScriptedModel) -> Agent {
    Agent::new("main", script).toolset(helve::tools::todo())
}

fn planned() -> ScriptedModel {
    let task = |subject: &str| json!({ "subject": subject, "description": "" });
    ScriptedModel::new()
        .call("todo_create", task("Read"))
        .call("todo_create", task("Write"))
        .call(
            "todo_update",
            json!({ "task_id": "2", "add_blocked_by": ["1"] }),
        )
        .say("Planned.")
}

#[tokio::test]
async fn another_process_goes_on_with_the_tasks() {
    let sessions = Sessions::new(ObservedStore::default());
    let mut conversation = begin(&sessions).await;
    say(&agent(planned()), &mut conversation, &ToolContext::new()).await;
    let mut conversation = reload(&sessions, conversation).await;
    let context = ToolContext::new();
    // They are there before a turn begins, for who looks at the session.
    let list = TodoList::from_conversation(&conversation, &context);
    assert_eq!(list.open_blockers(2), [1]);
    let script = ScriptedModel::new()
        .call(
            "todo_update",
            json!({ "task_id": "1", "status": "deleted" }),
        )
        .call("todo_list", json!({}))
        .say("Done.");
    let report = say(&agent(script), &mut conversation, &context).await;
    assert_eq!(
        results(&report.messages).last().unwrap(),
        "2 [pending] Write"
    );
    let mut conversation = reload(&sessions, conversation).await;
    let script = ScriptedModel::new()
        .call(
            "todo_create",
            json!({ "subject": "Release", "description": "" }),
        )
        .say("Done.");
    let report = say(&agent(script), &mut conversation, &ToolContext::new()).await;
    assert_eq!(
        results(&report.messages).last().unwrap(),
        "Task (id=3) created successfully: Release"
    );
}

#[tokio::test]
async fn a_summary_keeps_the_open_tasks() {
    let sessions = Sessions::new(ObservedStore::default());
    let mut conversation = begin(&sessions).await;
    let context = ToolContext::new();
    let long = Message::user("A long wish. ".repeat(200));
    let first = agent(planned());
    first
        .run_in(&mut conversation, long, &context, |_| {})
        .await
        .unwrap();
    let script = ScriptedModel::new().say("The user wishes.").say("Go on.");
    let second = agent(script).compact_first("");
    say(&second, &mut conversation, &context).await;
    drop(conversation);
    let mut summaries = Vec::new();
    sessions
        .visit(&session(), u64::MAX, |line| {
            if let Entry::Record(recorded) = &line.entry
                && let Record::Compacted { text, .. } = &recorded.record
            {
                summaries.push(text.clone());
            }
        })
        .await
        .unwrap();
    let [summary] = &summaries[..] else {
        panic!("{summaries:?}")
    };
    let (_, kept) = summary.split_once("The user wishes.").unwrap();
    insta::assert_snapshot!(kept.trim(), @r"
    The 2 open tasks of `todo_list`:
    - 1 [pending] Read
    - 2 [pending] Write
    ");
}

#[tokio::test]
async fn a_model_that_forgets_the_tasks_is_reminded_once() {
    let task = json!({ "subject": "Read", "description": "" });
    let mut script = ScriptedModel::new().call("todo_create", task);
    for n in 0..13 {
        script = script.call("add", json!({ "a": n, "b": 1 }));
    }
    let model = Arc::new(script.say("Done."));
    let tools = toolset![add].layered(&helve::tools::todo());
    let agent = Agent::with_model("main", model.clone()).toolset(tools);
    let report = agent
        .run(vec![Message::user("Add.")], &ToolContext::new(), |_| {})
        .await;
    let notes: Vec<(usize, &str)> = report
        .messages
        .iter()
        .enumerate()
        .filter_map(|(at, message)| match message {
            Message::Note(note) => Some((at, &*note.text)),
            _ => None,
        })
        .collect();
    let [(at, text)] = notes[..] else {
        panic!("{notes:?}")
    };
    // The prompt, and a call and its result eleven times.
    assert_eq!(at, 23);
    insta::assert_snapshot!(text, @"The tasks have not changed for a while: 1 open, 0 of them in progress. Where they no longer hold, change them with `todo_update`; otherwise go on.");
    assert!(model.requests()[11].messages.contains(&report.messages[at]));
}
