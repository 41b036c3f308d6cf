//! What AgentScope's task tools answer, held against helve's; see `runtime/tests/support/vectors.rs`.

use helve::ToolContext;
use helve::agent::todo::{TodoList, TodoState, TodoUpdate};
use serde_json::{Value, json};

use crate::vectors::{self, Case, Tally};

const DIFFERENCES: &[(&str, &str)] = &[];

fn ids(value: &Value) -> Vec<u32> {
    let ids = value.as_array().into_iter().flatten();
    ids.map(|id| id.as_str().unwrap().parse().unwrap())
        .collect()
}

/// Makes the list that a case begins with.
fn begin(tasks: &Value) -> ToolContext {
    let cx = ToolContext::new();
    TodoList::change(&cx, |list| {
        for task in tasks.as_array().unwrap() {
            let text = |key: &str| task[key].as_str().unwrap_or_default();
            let metadata = task["metadata"].as_object().cloned();
            let id = list.create(text("subject"), text("description"), metadata)?;
            assert_eq!(id.to_string(), text("id"));
            let state = match text("state") {
                "pending" => TodoState::Pending,
                "in_progress" => TodoState::InProgress,
                _ => TodoState::Completed,
            };
            let owner = task["owner"].as_str().map(str::to_owned);
            let state = Some(state);
            let update = TodoUpdate {
                state,
                owner,
                ..TodoUpdate::default()
            };
            list.update(id, update)?;
        }
        for task in tasks.as_array().unwrap() {
            let add_blocked_by = ids(&task["blocked_by"]);
            let update = TodoUpdate {
                add_blocked_by,
                ..TodoUpdate::default()
            };
            list.update(task["id"].as_str().unwrap().parse().unwrap(), update)?;
        }
        Ok(())
    })
    .unwrap();
    cx
}

/// The tasks as AgentScope writes them, without the time.
fn tasks_after(cx: &ToolContext) -> Vec<Value> {
    let list = TodoList::load(cx);
    let texts = |ids: &[u32]| ids.iter().map(u32::to_string).collect::<Vec<_>>();
    let tasks = list.tasks().iter().map(|task| {
        json!({
            "subject": task.subject, "description": task.description, "metadata": task.metadata,
            "state": task.state.name(), "id": task.id.to_string(), "owner": task.owner,
            "blocks": texts(&list.blocks(task.id)), "blocked_by": texts(&task.blocked_by),
        })
    });
    tasks.collect()
}

/// The recorded text with helve's names, and with JSON where Python's notation stands.
fn recorded_text(expected: &Value) -> String {
    let text = expected["text"].as_str().unwrap();
    text.replace("TaskList", "todo_list")
        .replace('\'', "\"")
        .replace(": \"", ":\"")
}

async fn run(case: &Case, tally: &mut Tally) {
    let tool = match case.function.as_str() {
        "TaskCreate.call" => "todo_create",
        "TaskGet.call" => "todo_get",
        "TaskList.call" => "todo_list",
        "TaskUpdate.call" => "todo_update",
        other => panic!("{other} is not known"),
    };
    let cx = begin(&case.input["tasks_before"]);
    let arguments = case.input["args"].to_string();
    let answer = helve_tools::todo().call(tool, &arguments, &cx).await;
    let (text, state) = match answer {
        Ok(output) => (output.into_text(), "running"),
        // The error says more: which task, and what lists them.
        Err(error) => {
            let text = error.to_string();
            let text = text.split(':').next().unwrap_or_default();
            (text.to_owned(), "error")
        }
    };
    let mut wanted = case.expected["tasks_after"].as_array().unwrap().clone();
    for task in &mut wanted {
        task.as_object_mut().unwrap().remove("created_at");
    }
    let found = (text, state.to_owned(), tasks_after(&cx));
    let state = case.expected["state"].as_str().unwrap().to_owned();
    tally.compare(
        case,
        &found,
        &(recorded_text(&case.expected), state, wanted),
    );
}

#[tokio::test]
async fn the_tools_answer_as_those_of_agentscope() {
    let Some(cases) = vectors::load_topic("task_tools") else {
        return;
    };
    let mut tally = Tally::new("task_tools");
    for case in &cases {
        run(case, &mut tally).await;
    }
    tally.finish(DIFFERENCES);
}
