//! The tools in the hands of an agent: what a session remembers, and what whoever is asked sees.

use std::sync::{Arc, Mutex};

use helve::BoxFuture;
use helve::ToolContext;
use helve::agent::Agent;
use helve::model::ScriptedModel;
use helve::permission::{Answer, Approver, Decision, Mode, Policy, Question};
use helve::transcript::Message;
use serde_json::{Value, json};

use crate::writing::support::Tree;

/// Writes down what it is shown, and agrees.
#[derive(Clone, Default)]
struct Seeing(Arc<Mutex<Vec<String>>>);

impl Approver for Seeing {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let shown = match &question.preview {
            Some(preview) => preview.to_string(),
            None => format!("no preview of {}", question.arguments),
        };
        self.0.lock().unwrap().push(shown);
        Box::pin(std::future::ready(Decision::allow_once().into()))
    }
}

/// Runs calls one after another in one turn, and returns what the approver was shown.
async fn run(cx: &ToolContext, mode: Mode, calls: &[(&str, Value)]) -> (Vec<String>, Vec<String>) {
    let mut model = ScriptedModel::new();
    for (tool, arguments) in calls {
        model = model.call(tool, arguments.clone());
    }
    let approver = Seeing::default();
    let results: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = results.clone();
    let agent = Agent::new("main", model.say("Done."))
        .toolset(helve_tools::files())
        .policy(Policy::new(mode))
        .approver(approver.clone());
    let events = move |event: helve::agent::AgentEvent| {
        if let helve::agent::EventKind::ToolResult { content, .. } = event.kind {
            let text = content.iter().filter_map(|block| block.as_text()).collect();
            told.lock().unwrap().push(text);
        }
    };
    agent.run(vec![Message::user("Do it.")], cx, events).await;
    let shown = approver.0.lock().unwrap().clone();
    let results = results.lock().unwrap().clone();
    (shown, results)
}

#[tokio::test]
async fn whoever_is_asked_sees_the_diff() {
    let tree = Tree::new(&[("a.txt", "one\ntwo\nthree\n")]);
    let cx = tree.builder().build();
    let calls = [
        (
            "edit_file",
            json!({ "path": "a.txt", "old_string": "two", "new_string": "2" }),
        ),
        ("write_file", json!({ "path": "new.txt", "content": "n\n" })),
        ("write_file", json!({ "path": "a.txt", "content": "all\n" })),
        (
            "apply_patch",
            json!({ "patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-all\n+ALL\n*** Delete File: new.txt\n*** End Patch" }),
        ),
        (
            "edit_file",
            json!({ "path": "a.txt", "old_string": "absent", "new_string": "2" }),
        ),
    ];
    let (shown, _) = run(&cx, Mode::Default, &calls).await;
    insta::assert_snapshot!(shown.join("=====\n"), @r#"
    --- a.txt
    +++ a.txt
    @@ -1,3 +1,3 @@
     one
    -two
    +2
     three
    =====
    --- /dev/null
    +++ new.txt
    @@ -0,0 +1 @@
    +n
    =====
    --- a.txt
    +++ a.txt
    @@ -1,3 +1 @@
    -one
    -2
    -three
    +all
    =====
    --- a.txt, new.txt
    +++ a.txt, new.txt
    --- a.txt
    +++ a.txt
    @@ -1 +1 @@
    -all
    +ALL
    --- new.txt
    +++ /dev/null
    @@ -1 +0,0 @@
    -n
    =====
    no preview of {"path":"a.txt","old_string":"absent","new_string":"2"}
    "#);
    assert_eq!(
        (tree.text("a.txt").unwrap(), tree.text("new.txt")),
        ("ALL\n".to_owned(), None)
    );
}

#[tokio::test]
async fn what_was_read_is_remembered_over_the_calls_of_a_run() {
    let tree = Tree::new(&[("a.txt", "one\n")]);
    let cx = tree.builder().build();
    let write = |content: &str| ("write_file", json!({ "path": "a.txt", "content": content }));
    let calls = [
        write("early\n"),
        ("read_file", json!({ "path": "a.txt" })),
        write("mine\n"),
    ];
    let (shown, results) = run(&cx, Mode::AcceptEdits, &calls).await;
    assert!(shown.is_empty());
    assert!(
        results[0].contains("was not read in this conversation"),
        "{results:?}"
    );
    assert_eq!(tree.text("a.txt").unwrap(), "mine\n");
    // The next run of the session knows it still; somebody else's change it does not.
    run(&cx, Mode::AcceptEdits, &[write("again\n")]).await;
    assert_eq!(tree.text("a.txt").unwrap(), "again\n");
    tree.write("a.txt", "theirs\n");
    let (_, results) = run(&cx, Mode::AcceptEdits, &[write("mine\n")]).await;
    assert!(
        results[0].contains("has changed since it was read"),
        "{results:?}"
    );
    assert_eq!(tree.text("a.txt").unwrap(), "theirs\n");
}

#[tokio::test]
async fn a_dry_run_of_an_agent_tells_the_diff() {
    let tree = Tree::new(&[("a.txt", "one\n")]);
    let cx = tree.builder().dry_run(true).build();
    let calls = [(
        "edit_file",
        json!({ "path": "a.txt", "old_string": "one", "new_string": "1" }),
    )];
    let (shown, results) = run(&cx, Mode::Default, &calls).await;
    assert!(shown.is_empty());
    insta::assert_snapshot!(results.join("\n"), @"
    dry run, nothing is written: would change `a.txt` in 1 place
    --- a.txt
    +++ a.txt
    @@ -1 +1 @@
    -one
    +1
    ");
    assert_eq!(tree.text("a.txt").unwrap(), "one\n");
}

/// What the calls of a delegate, and of the agent that it works for, came to.
async fn with_a_delegate(
    cx: &ToolContext,
    of_helper: ScriptedModel,
    of_main: ScriptedModel,
) -> Vec<String> {
    let results: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = results.clone();
    let agent = |name: &str, model: ScriptedModel| {
        Agent::new(name, model)
            .toolset(helve_tools::files())
            .policy(Policy::new(Mode::AcceptEdits))
    };
    let helper = agent("helper", of_helper.say("Read."));
    let main = agent("main", of_main.say("Done.")).delegate(helper);
    let events = move |event: helve::agent::AgentEvent| {
        if let helve::agent::EventKind::ToolResult { content, .. } = event.kind {
            let text: String = content.iter().filter_map(|block| block.as_text()).collect();
            told.lock()
                .unwrap()
                .push(format!("{}: {text}", event.origin.agent));
        }
    };
    main.run(vec![Message::user("Do it.")], cx, events).await;
    results.lock().unwrap().clone()
}

#[tokio::test]
async fn what_a_delegate_has_read_the_agent_that_it_works_for_has_not() {
    let tree = Tree::new(&[("a.txt", "one\n")]);
    let cx = tree.builder().build();
    let read = || ScriptedModel::new().call("read_file", json!({ "path": "a.txt" }));
    let write = || json!({ "path": "a.txt", "content": "mine\n" });
    let task = json!({ "agent": "helper", "prompt": "Look at it." });
    // The delegate reads, and its caller writes unread.
    let main = ScriptedModel::new()
        .call("task", task.clone())
        .call("write_file", write());
    let results = with_a_delegate(&cx, read(), main).await;
    assert!(results[2].contains("was not read"), "{results:?}");
    assert_eq!(tree.text("a.txt").unwrap(), "one\n");
    // The other way round: a delegate begins with nothing read.
    let helper = ScriptedModel::new().call("write_file", write());
    let results = with_a_delegate(&cx, helper, read().call("task", task.clone())).await;
    assert!(results[1].contains("was not read"), "{results:?}");
    assert_eq!(tree.text("a.txt").unwrap(), "one\n");
    // Whoever reads it may write it.
    let helper = read().call("write_file", write());
    with_a_delegate(&cx, helper, ScriptedModel::new().call("task", task)).await;
    assert_eq!(tree.text("a.txt").unwrap(), "mine\n");
}

#[tokio::test]
async fn what_was_read_is_known_after_a_restart_to_whoever_read_it() {
    use helve::agent::Conversation;
    use helve::agent::session::{MemoryStore, SessionMetadata, Sessions};

    let tree = Tree::new(&[("a.txt", "one\n"), ("b.txt", "one\n")]);
    let sessions = Sessions::new(MemoryStore::new());
    let session = sessions.create(SessionMetadata::new("test")).await.unwrap();
    let id = session.id().clone();
    let agent = |name: &str, model: ScriptedModel| {
        Agent::new(name, model)
            .toolset(helve_tools::files())
            .policy(Policy::new(Mode::AcceptEdits))
    };
    let write = |path: &str| json!({ "path": path, "content": "mine\n" });
    let read = |path: &str| ScriptedModel::new().call("read_file", json!({ "path": path }));
    let task = json!({ "agent": "helper", "prompt": "Look at b.txt." });
    let main = read("a.txt").call("task", task).say("Seen.");
    let main = agent("main", main).delegate(agent("helper", read("b.txt").say("Seen.")));
    let mut conversation = Conversation::new(session);
    let said = Message::user("Look.");
    let cx = tree.builder().build();
    main.run_in(&mut conversation, said, &cx, |_| {})
        .await
        .unwrap();
    drop(conversation);

    // Another process has nothing but the journal.
    let cx = tree.builder().build();
    let mut conversation = Conversation::from(sessions.load(&id).await.unwrap());
    let both = ScriptedModel::new().call("write_file", write("a.txt"));
    let both = both.call("write_file", write("b.txt")).say("Done.");
    let said = Message::user("Write.");
    let main = agent("main", both);
    main.run_in(&mut conversation, said, &cx, |_| {})
        .await
        .unwrap();
    assert_eq!(tree.text("a.txt").unwrap(), "mine\n");
    assert_eq!(
        tree.text("b.txt").unwrap(),
        "one\n",
        "only the delegate has read it"
    );
}
