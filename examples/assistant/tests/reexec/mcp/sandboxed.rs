//! A server whose program runs in the sandbox.

use serde_json::json;

use crate::mcp::fixture::McpFixture;
use crate::mcp::server::FILE_TOOLS;

/// A project in which the server may keep what it has, and a secret in the home folder beside it.
fn sandbox_fixture() -> McpFixture {
    McpFixture::new()
        .with_file(&format!("project/server/{FILE_TOOLS}"), "")
        .with_file("project/own.txt", "of the project")
        .with_file("home/diary.txt", "dear diary")
}

/// Adds the server to the settings as a person does, and approves it.
fn with_server(place: McpFixture, flags: &[&str]) -> McpFixture {
    let [program, role, _] = place.server_command();
    let state = place.path("project/server").display().to_string();
    // The program of this test lies somewhere below a home folder, as a rule.
    let settings = format!("[sandbox]\nreadable = [{program:?}]\n");
    let place = place.with_user_settings(&settings);
    let server = ["--", program.as_str(), role.as_str(), state.as_str()];
    let seen = place.run(&[&["mcp", "add", "notes"], flags, &server].concat());
    assert!(seen.starts_with("exit 0"), "{seen}");
    place.with_approved_server()
}

/// Reports whether commands run in a sandbox on this machine.
pub(super) fn sandbox_works() -> bool {
    let seen = McpFixture::new().run(&["call", "bash", r#"{"command": "echo it runs"}"#]);
    let is_there = seen.starts_with("exit 0") && seen.contains("it runs");
    if !is_there {
        println!("ran nothing: there is no sandbox on this machine");
    }
    is_there
}

pub(crate) fn the_output_of_a_command_is_shown_once_and_whole() {
    if !sandbox_works() {
        return;
    }
    let command = json!({ "command": "seq 1 200000" }).to_string();
    let seen = McpFixture::new().run(&["call", "bash", &command]);
    let (output, rest) = seen.split_once("--- stderr\n").expect("both streams");
    // The exit of the program and the name of the stream are before the output.
    assert_eq!(output.lines().count(), 2 + 200_000);
    assert!(output.ends_with("\n199999\n200000\n"));
    assert!(rest.len() < 1_000, "{rest}");
}

/// Calls a tool with a path below the place.
fn call(place: &McpFixture, tool: &str, path: &str) -> String {
    let path = place.path(path);
    let arguments = json!({ "path": path }).to_string();
    let seen = place.run(&["call", &format!("mcp__notes__{tool}"), &arguments]);
    let (_, told) = seen.split_once("--- stdout\n").expect("an output");
    let told = told.split_once("--- stderr").map_or(told, |(told, _)| told);
    told.trim_end().to_owned()
}

pub(crate) fn it_answers_and_reaches_only_what_it_is_granted() {
    if !sandbox_works() {
        return;
    }
    let place = with_server(sandbox_fixture(), &["--sandboxed", "--env", "GIVEN=1"]);
    insta::assert_snapshot!(place.run(&["call", "mcp__notes__echo", "--text", "hello"]), @r#"
    exit 0
    --- stdout
    hello
    --- stderr
    calling `mcp__notes__echo` (only reads, low risk) in PLACE/project
    "#);
    assert_eq!(call(&place, "look", "project/own.txt"), "of the project");
    assert_eq!(call(&place, "leave", "project/new.txt"), "done");
    assert!(place.path("project/new.txt").exists());
    insta::assert_snapshot!(call(&place, "look", "home/diary.txt"), @"failed: entity not found");
    for path in ["home/new.txt", "new.txt", "project/.git/config"] {
        // What it writes into a folder for temporary files is gone with it.
        let told = call(&place, "leave", path);
        assert!(!place.path(path).exists(), "{path}: {told}");
    }
    let seen = place.run(&["call", "mcp__notes__environment", "{}"]);
    assert!(seen.contains("PATH") && seen.contains("GIVEN"), "{seen}");
    assert!(!seen.contains("TEAM_SECRET"), "{seen}");

    // Outside of it the same server does all of that.
    let place = with_server(sandbox_fixture(), &[]);
    assert_eq!(call(&place, "look", "home/diary.txt"), "dear diary");
    for path in ["home/new.txt", "new.txt", "project/.git/config"] {
        assert_eq!(call(&place, "leave", path), "done", "{path}");
        assert!(place.path(path).exists(), "{path}");
    }
}

pub(crate) fn nothing_of_a_long_answer_is_lost() {
    if !sandbox_works() {
        return;
    }
    let lines = (0..400_000).map(|at| format!("line {at}\n"));
    let long: String = lines.collect();
    let place = with_server(
        sandbox_fixture().with_file("project/long.txt", &long),
        &["--sandboxed"],
    );
    let path = json!({ "path": place.path("project/long.txt") }).to_string();
    let told = place.run(&["call", "mcp__notes__look", &path]);
    let all = format!("of {} characters", long.len());
    let end = told.lines().next_back().unwrap_or_default();
    assert!(end.contains(&all), "{all}: {end}");
}

pub(crate) fn what_cannot_be_started_there_is_told() {
    if !sandbox_works() {
        return;
    }
    // It is there, and was not granted to the sandbox.
    let place = sandbox_fixture().with_file("home/tools/notes", "");
    let settings = format!(
        "[mcp.servers.notes]\ncommand = {:?}\nsandboxed = true\n",
        place.path("home/tools/notes")
    );
    let place = place.with_user_settings(&settings);
    insta::assert_snapshot!(place.run(&["mcp", "test", "notes"]), @"
    exit 1
    --- stdout
    notes  PLACE/home/tools/notes  (~/.config/helve/helve.toml:2)
      ✗ the MCP server `notes` could not be started: the sandbox failed to run the process: failed to start `PLACE/home/tools/notes`: No such file or directory (os error 2)
        → the server runs in the sandbox: add the folders of its program to `sandbox.readable` and its hosts to `sandbox.hosts`
    ");
}
