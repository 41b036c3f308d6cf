//! The tools of the memory: the wire shape that models know, entries, and what text from outside cannot do.
#![cfg(feature = "memory")]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod poisoned;

use std::sync::Arc;

use helve::ToolContext;
use helve::memory::{FileMemory, Memory};
use helve::permission::{Mode, Policy, Verdict};
use helve::tool::{Principal, State};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A memory with a project, and the context of a call.
pub(super) struct Place {
    _folder: TempDir,
    pub(super) memory: Memory,
    pub(super) cx: ToolContext,
}

impl Place {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let memory =
            Memory::new(FileMemory::new(folder.path())).with_project("/home/ann/shop".as_ref());
        let mut state = State::new();
        memory.grant(&mut state);
        let principal = Principal::default().with_team("blue");
        let cx = ToolContext::builder()
            .app(Arc::new(state))
            .principal(principal);
        let cx = cx.agent("main".into()).session("s1".into()).build();
        Self {
            _folder: folder,
            memory,
            cx,
        }
    }

    /// Calls a tool; returns its text, or its error with a mark.
    async fn call(&self, tool: &str, arguments: Value) -> String {
        let tools = helve_tools::memory();
        match tools.call(tool, &arguments.to_string(), &self.cx).await {
            Ok(output) => output.into_text(),
            Err(error) => format!("error: {error}"),
        }
    }

    /// Calls `memory`, and leaves out blanks at the ends of lines, which snapshots in a source file do not have.
    async fn memory(&self, arguments: Value) -> String {
        let text = self.call("memory", arguments).await;
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        lines.join("\n")
    }
}

#[tokio::test]
async fn files_are_created_edited_and_listed() {
    let place = Place::new();
    let path = "/memories/project/plan.md";
    let created = place.memory(
        json!({ "command": "create", "path": path, "file_text": "# Plan\n\n- SQLite\n- tests\n" }),
    );
    assert_eq!(
        created.await,
        "The file /memories/project/plan.md was created."
    );
    insta::assert_snapshot!(place.memory(json!({ "command": "view", "path": path })).await, @"
    The content of /memories/project/plan.md with line numbers:
         1	# Plan
         2
         3	- SQLite
         4	- tests
    ");
    insta::assert_snapshot!(place.memory(json!({ "command": "view", "path": path, "view_range": [3, -1] })).await, @"
    The content of /memories/project/plan.md with line numbers:
         3	- SQLite
         4	- tests
    ");
    let edit =
        json!({ "command": "str_replace", "path": path, "old_str": "SQLite", "new_str": "DuckDB" });
    insta::assert_snapshot!(place.memory(edit.clone()).await, @"
    The file /memories/project/plan.md was edited:
         1	# Plan
         2
         3	- DuckDB
         4	- tests
    ");
    insta::assert_snapshot!(place.memory(edit).await, @"error: nothing was replaced: /memories/project/plan.md does not contain `old_str` as it is written; view the file again");
    let insert =
        json!({ "command": "insert", "path": path, "insert_line": 0, "insert_text": "Draft\n" });
    insta::assert_snapshot!(place.memory(insert).await, @"
    The file /memories/project/plan.md was edited:
         1	Draft
         2	# Plan
         3
         4	- DuckDB
         5	- tests
    ");
    let rename = json!({ "command": "rename", "old_path": path, "new_path": "/memories/project/plans/one.md" });
    insta::assert_snapshot!(place.memory(rename).await, @"/memories/project/plan.md was renamed to /memories/project/plans/one.md.");
    insta::assert_snapshot!(place.memory(json!({ "command": "view", "path": "/memories" })).await, @"
    The files and folders up to 2 levels deep in /memories:
    31	/memories
    0	/memories/agent
    31	/memories/project
    31	/memories/project/plans
    0	/memories/session
    0	/memories/team
    0	/memories/user
    ");
    insta::assert_snapshot!(place.memory(json!({ "command": "view", "path": "/memories/project" })).await, @"
    The files and folders up to 2 levels deep in /memories/project:
    31	/memories/project
    31	/memories/project/plans
    31	/memories/project/plans/one.md
    ");
    let delete = json!({ "command": "delete", "path": "/memories/project/plans" });
    insta::assert_snapshot!(place.memory(delete).await, @"/memories/project/plans was deleted.");
    let view = json!({ "command": "view", "path": "/memories/project/plans/one.md" });
    insta::assert_snapshot!(place.memory(view).await, @"error: the path /memories/project/plans/one.md does not exist");
}

#[tokio::test]
async fn mistakes_say_what_to_do() {
    let place = Place::new();
    let mut told = String::new();
    place
        .memory(
            json!({ "command": "create", "path": "/memories/user/a.md", "file_text": "x\nx\n" }),
        )
        .await;
    for arguments in [
        json!({ "command": "view" }),
        json!({ "command": "view", "path": "/memories/../etc/passwd" }),
        json!({ "command": "view", "path": "/memories/user/%2e%2e/b" }),
        json!({ "command": "view", "path": "/memories/user/a.md", "view_range": [-5, 9_000_000_000_i64] }),
        json!({ "command": "view", "path": "/memories/user/gone.md" }),
        json!({ "command": "create", "path": "/memories/user/a.md", "file_text": "y" }),
        json!({ "command": "create", "path": "/memories/user", "file_text": "y" }),
        json!({ "command": "create", "path": "/memories/user/b.md", "file_text": "key: ghp_0123456789abcdefghijABCDEFGHIJ456789" }),
        json!({ "command": "str_replace", "path": "/memories/user/a.md", "old_str": "x", "new_str": "y" }),
        json!({ "command": "insert", "path": "/memories/user/a.md", "insert_line": 7, "insert_text": "y" }),
        json!({ "command": "delete", "path": "/memories" }),
        json!({ "command": "delete", "path": "/memories/user" }),
        json!({ "command": "rename", "old_path": "/memories/user/a.md", "new_path": "/memories/project/a.md" }),
    ] {
        told.push_str(&place.memory(arguments).await);
        told.push('\n');
    }
    insta::assert_snapshot!(told, @"
    error: this command needs `path`
    error: `/memories/../etc/passwd` is no path of the memory: names must not begin with a dot
    error: `/memories/user/%2e%2e/b` is no path of the memory: the character % is not allowed
    error: `view_range` [-5, 9000000000] does not fit: the file has 2 lines; the first number is that of a line, the second is not smaller, or -1 for the end
    error: the path /memories/user/gone.md does not exist
    error: the file /memories/user/a.md already exists
    error: /memories/user is a folder
    error: the text contains a secret (generic-secret), which the memory does not store: say where the secret is found instead
    error: nothing was replaced: `old_str` occurs 2 times in /memories/user/a.md, in the lines 1, 2; make it longer, so that it occurs once
    error: `insert_line` 7 does not fit: it is a number from 0 to 2, that of the line after which the text goes
    error: /memories itself cannot be changed
    error: /memories/user is the folder of a scope, which stays: delete what is in it
    error: /memories/project/a.md is in another scope than /memories/user/a.md: create it there, and delete the old one
    ");
}

#[tokio::test]
async fn entries_are_remembered_recalled_and_forgotten() {
    let place = Place::new();
    let remember = json!({ "title": "Deploys only on Tuesdays", "text": "Ann wants deploys on Tuesdays, because support is complete then.", "kind": "feedback" });
    insta::assert_snapshot!(place.call("remember", remember).await, @"Remembered as `project/deploys-only-on-tuesdays`.");
    let remember = json!({ "title": "Indent with tabs", "text": "Ann indents with tabs.", "scope": "user", "kind": "user" });
    insta::assert_snapshot!(place.call("remember", remember).await, @"Remembered as `user/indent-with-tabs`.");
    insta::assert_snapshot!(place.call("recall", json!({ "query": "when may I deploy?" })).await, @"
    ## project/deploys-only-on-tuesdays (today, noted by a model in a conversation with the user)
    Deploys only on Tuesdays
    Ann wants deploys on Tuesdays, because support is complete then.
    ");
    insta::assert_snapshot!(place.call("memory_search", json!({ "query": "tabs deploys" })).await, @"
    user/indent-with-tabs (user, inferred): Indent with tabs
      Ann indents with tabs.
    project/deploys-only-on-tuesdays (feedback, inferred): Deploys only on Tuesdays
      Ann wants deploys on Tuesdays, because support is complete then.
    ");
    insta::assert_snapshot!(place.call("memory_search", json!({ "query": "\"NEAR(\" OR * x:" })).await, @"Nothing in your memory matches.");
    let replace = json!({ "title": "Deploys on any day", "text": "Since May, deploys are on any day.", "replaces": "project/deploys-only-on-tuesdays" });
    insta::assert_snapshot!(place.call("remember", replace).await, @"Remembered as `project/deploys-on-any-day`.");
    insta::assert_snapshot!(place.call("forget", json!({ "id": "user/indent-with-tabs" })).await, @"`user/indent-with-tabs` is forgotten.");
    insta::assert_snapshot!(place.call("forget", json!({ "id": "user/indent-with-tabs" })).await, @"error: the path /memories/user/indent-with-tabs.md does not exist");
    insta::assert_snapshot!(place.call("recall", json!({ "query": "deploys and tabs" })).await, @"
    ## project/deploys-on-any-day (today, noted by a model in a conversation with the user)
    Deploys on any day
    Since May, deploys are on any day.
    ");
}

#[test]
fn writes_are_allowed_but_for_those_to_the_memory_of_the_team() {
    let place = Place::new();
    let policy = Policy::new(Mode::Default);
    let tools = helve_tools::memory();
    let verdict = |tool: &str, arguments: Value| {
        let tool = tools.get(tool).unwrap();
        let judged = policy.judge(&*tool, &place.cx, &arguments.to_string());
        judged.unwrap().verdict
    };
    for (tool, arguments) in [
        (
            "memory",
            json!({ "command": "view", "path": "/memories/team" }),
        ),
        (
            "memory",
            json!({ "command": "create", "path": "/memories/user/a", "file_text": "x" }),
        ),
        ("remember", json!({ "title": "a", "text": "x" })),
        ("recall", json!({ "query": "a" })),
        ("forget", json!({ "id": "user/a" })),
    ] {
        assert_eq!(
            verdict(tool, arguments.clone()),
            Verdict::Allow,
            "{tool} {arguments}"
        );
    }
    for (tool, arguments) in [
        (
            "memory",
            json!({ "command": "create", "path": "/memories/team/a", "file_text": "x" }),
        ),
        (
            "memory",
            json!({ "command": "create", "path": "/memories//team/a", "file_text": "x" }),
        ),
        ("memory", json!({ "command": "delete", "path": "team/a" })),
        (
            "memory",
            json!({ "command": "rename", "old_path": "user/a", "new_path": "/memories/team/a" }),
        ),
        (
            "remember",
            json!({ "title": "a", "text": "x", "scope": "team" }),
        ),
        (
            "remember",
            json!({ "title": "a", "text": "x", "replaces": "team/a" }),
        ),
        ("forget", json!({ "id": "/memories/team/a" })),
    ] {
        assert!(
            matches!(verdict(tool, arguments.clone()), Verdict::Ask { .. }),
            "{tool} {arguments}"
        );
    }
}
