//! The tasks of a session: the tools that change them, the bounds of the list, and that no tasks wait for each other.
#![cfg(feature = "todo")]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod properties;
mod vectors_todo;

use helve::ToolContext;
use helve::agent::todo::{TodoError, TodoList};
use serde_json::{Value, json};

/// Calls a tool; returns its text, or its error with a mark.
async fn call(cx: &ToolContext, tool: &str, arguments: Value) -> String {
    match helve_tools::todo()
        .call(tool, &arguments.to_string(), cx)
        .await
    {
        Ok(output) => output.into_text(),
        Err(error) => format!("error: {error}"),
    }
}

async fn create(cx: &ToolContext, subjects: &[&str]) {
    for subject in subjects {
        call(
            cx,
            "todo_create",
            json!({ "subject": subject, "description": "All of it." }),
        )
        .await;
    }
}

async fn update(cx: &ToolContext, arguments: Value) -> String {
    call(cx, "todo_update", arguments).await
}

#[tokio::test]
async fn tasks_are_listed_with_what_they_wait_for() {
    let cx = ToolContext::new();
    create(&cx, &["Read", "Write", "Release\nnow"]).await;
    update(
        &cx,
        json!({ "task_id": "2", "add_blocks": ["3"], "add_blocked_by": ["#1"] }),
    )
    .await;
    update(
        &cx,
        json!({ "task_id": "1", "status": "in_progress", "owner": "main" }),
    )
    .await;
    insta::assert_snapshot!(call(&cx, "todo_list", json!({})).await, @r"
    1 [in_progress] Read (main)
    2 [pending] Write [blocked by 1]
    3 [pending] Release now [blocked by 2]
    ");
    insta::assert_snapshot!(update(&cx, json!({ "task_id": "2", "status": "completed" })).await, @r"
    Update task (id=2) status.

    It waited for tasks that are open: 1.

    Task completed. Call todo_list now to find your next available task or see if your work unblocked others.
    ");
    insta::assert_snapshot!(call(&cx, "todo_get", json!({ "task_id": "2" })).await, @r"
    Task (id=2): Write
    Status: completed
    Description: All of it.
    Blocked by: 1
    Blocks: 3
    ");
}

#[tokio::test]
async fn tasks_that_would_wait_for_each_other_are_refused() {
    let cx = ToolContext::new();
    create(&cx, &["Read", "Write", "Release"]).await;
    update(&cx, json!({ "task_id": "1", "add_blocks": ["2"] })).await;
    update(&cx, json!({ "task_id": "2", "add_blocks": ["3"] })).await;
    let circle = update(
        &cx,
        json!({ "task_id": "1", "subject": "Look", "add_blocked_by": ["3"] }),
    );
    insta::assert_snapshot!(circle.await, @"error: these tasks would wait for each other: 3 blocks 1 blocks 2 blocks 3; nothing was changed");
    insta::assert_snapshot!(update(&cx, json!({ "task_id": "2", "add_blocks": ["2"] })).await, @"error: these tasks would wait for each other: 2 blocks 2; nothing was changed");
    insta::assert_snapshot!(update(&cx, json!({ "task_id": "2", "add_blocks": ["9"] })).await, @"error: Task not found: no task has the id 9; `todo_list` lists the tasks");
    assert_eq!(TodoList::load(&cx).get(1).unwrap().subject, "Read");
}

#[tokio::test]
async fn a_deleted_task_blocks_nothing_and_its_id_is_not_used_again() {
    let cx = ToolContext::new();
    create(&cx, &["Read", "Write"]).await;
    update(&cx, json!({ "task_id": "2", "add_blocks": ["1"] })).await;
    assert_eq!(
        update(&cx, json!({ "task_id": "2", "status": "deleted" })).await,
        "Task (id=2) deleted: Write"
    );
    create(&cx, &["Release"]).await;
    insta::assert_snapshot!(call(&cx, "todo_list", json!({})).await, @r"
    1 [pending] Read
    3 [pending] Release
    ");
}

#[tokio::test]
async fn all_agents_of_a_session_have_one_list() {
    let main = ToolContext::builder();
    let main = main.agent("main".into()).turn("t1".into()).build();
    let helper = main
        .derive()
        .agent("helper".into())
        .turn("t1/1.0".into())
        .build();
    create(&main, &["Read"]).await;
    create(&helper, &["Write"]).await;
    assert_eq!(TodoList::load(&main).tasks().len(), 2);
    // What the helper leaves does not end with it.
    main.end_conversation(&helve::transcript::Origin::new("helper", "t1/1.0"));
    assert_eq!(TodoList::load(&main).tasks().len(), 2);
}

#[test]
fn the_list_is_bounded() {
    let mut list = TodoList::new();
    for n in 0..200 {
        list.create(&format!("Task {n}"), "", None).unwrap();
    }
    assert_eq!(list.create("More", "", None), Err(TodoError::TooMany));
    list.remove(7).unwrap();
    let long = "x".repeat(201);
    assert_eq!(list.create(&long, "", None), Err(TodoError::Subject));
    assert_eq!(list.create(" \n ", "", None), Err(TodoError::Subject));
    assert_eq!(
        list.create("More", &"x".repeat(4001), None),
        Err(TodoError::Description)
    );
    let metadata = json!({ "key": "x".repeat(4096) });
    let metadata = metadata.as_object().cloned();
    assert_eq!(list.create("More", "", metadata), Err(TodoError::Metadata));
    assert_eq!(list.create("More", "", None), Ok(201));
}
