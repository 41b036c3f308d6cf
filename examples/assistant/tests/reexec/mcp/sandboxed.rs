//! A server whose program runs in the sandbox.

use serde_json::json;

use crate::mcp::place::Place;
use crate::mcp::server::HANDS;

/// A project in which the server may keep what it has, and a secret in the home folder beside it.
fn place() -> Place {
    Place::new()
        .with(&format!("project/server/{HANDS}"), "")
        .with("project/own.txt", "of the project")
        .with("home/diary.txt", "dear diary")
}

/// Adds the server to the settings as a person does, and approves it.
fn with_server(place: Place, flags: &[&str]) -> Place {
    let [program, role, _] = place.server();
    let state = place.path("project/server").display().to_string();
    // The program of this test lies somewhere below a home folder, as a rule.
    let settings = format!("[sandbox]\nreadable = [{program:?}]\n");
    let place = place.user(&settings);
    let server = ["--", program.as_str(), role.as_str(), state.as_str()];
    let seen = place.run(&[&["mcp", "add", "notes"], flags, &server].concat());
    assert!(seen.starts_with("exit 0"), "{seen}");
    place.approved()
}

/// Reports whether commands run in a sandbox on this machine.
pub(super) fn is_there() -> bool {
    let seen = Place::new().run(&["call", "bash", r#"{"command": "echo it runs"}"#]);
    let is_there = seen.starts_with("exit 0") && seen.contains("it runs");
    if !is_there {
        println!("ran nothing: there is no sandbox on this machine");
    }
    is_there
}

pub(crate) fn the_progress_of_a_call_is_bounded() {
    if !is_there() {
        return;
    }
    let command = json!({ "command": "seq 1 200000" }).to_string();
    let seen = Place::new().run(&["call", "bash", &command]);
    let (_, progress) = seen.split_once("--- stderr\n").expect("progress");
    assert!(progress.len() < 256 << 10, "{} bytes", progress.len());
    assert!(
        progress.contains("  … no more progress is shown; the result follows\n"),
        "{progress}"
    );
}

/// Calls a tool with a path below the place.
fn call(place: &Place, tool: &str, path: &str) -> String {
    let path = place.path(path);
    let arguments = json!({ "path": path }).to_string();
    let seen = place.run(&["call", &format!("mcp__notes__{tool}"), &arguments]);
    let (_, told) = seen.split_once("--- stdout\n").expect("an output");
    let told = told.split_once("--- stderr").map_or(told, |(told, _)| told);
    told.trim_end().to_owned()
}

pub(crate) fn it_answers_and_reaches_only_what_it_is_granted() {
    if !is_there() {
        return;
    }
    let place = with_server(place(), &["--sandboxed", "--env", "GIVEN=1"]);
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
    let place = with_server(self::place(), &[]);
    assert_eq!(call(&place, "look", "home/diary.txt"), "dear diary");
    for path in ["home/new.txt", "new.txt", "project/.git/config"] {
        assert_eq!(call(&place, "leave", path), "done", "{path}");
        assert!(place.path(path).exists(), "{path}");
    }
}

pub(crate) fn nothing_of_a_long_answer_is_lost() {
    if !is_there() {
        return;
    }
    let lines = (0..400_000).map(|at| format!("line {at}\n"));
    let long: String = lines.collect();
    let place = with_server(place().with("project/long.txt", &long), &["--sandboxed"]);
    let told = call(&place, "look", "project/long.txt");
    let all = format!("of {} characters", long.len());
    let end = told.lines().next_back().unwrap_or_default();
    assert!(end.contains(&all), "{all}: {end}");
}

pub(crate) fn what_cannot_be_started_there_is_told() {
    if !is_there() {
        return;
    }
    // It is there, and was not granted to the sandbox.
    let place = place().with("home/tools/notes", "");
    let settings = format!(
        "[mcp.servers.notes]\ncommand = {:?}\nsandboxed = true\n",
        place.path("home/tools/notes")
    );
    let place = place.user(&settings);
    insta::assert_snapshot!(place.run(&["mcp", "test", "notes"]), @r#"
    exit 1
    --- stdout
    notes  PLACE/home/tools/notes  (~/.config/helve/helve.toml:2)
      ✗ the MCP server `notes` could not be started: the sandbox could not run it: `PLACE/home/tools/notes` cannot be started: No such file or directory (os error 2)
        → in the sandbox it finds only what is granted: `readable` of `[sandbox]` names the folders of its program, `hosts` the places that it reaches
    "#);
}
