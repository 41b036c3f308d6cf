//! Servers at work: their tools in the hands of a person and of an agent.

use serde_json::json;

use crate::place::Place;

pub(crate) fn a_person_calls_a_tool() {
    let place = Place::new().with_notes("").approved();
    insta::assert_snapshot!(place.run(&["call", "mcp__notes__echo", "--text", "hello"]), @"");
    insta::assert_snapshot!(place.run(&["call", "mcp__notes__ecko", "{}"]), @"");
    insta::assert_snapshot!(place.run(&["call", "mcp__notes__echo", "{}"]), @"");
}

pub(crate) fn an_agent_calls_a_tool() {
    let place = Place::new().with_notes("").approved();
    let calls = [
        ("mcp__notes__echo", json!({ "text": "hello" })),
        // What declares nothing asks, and nobody is there.
        ("mcp__notes__environment", json!({})),
    ];
    insta::assert_snapshot!(place.agent(&[], &calls), @"");
    let seen = place.agent(&["--allow", "mcp__notes__*"], &calls[1..]);
    assert!(seen.contains("PATH"), "{seen}");
}

pub(crate) fn a_server_that_is_not_there_stops_nobody() {
    let more = "[mcp.servers.gone]\ncommand = \"no-such-program-here\"\n[mcp.servers.far]\nurl = \"http://127.0.0.1:1/mcp\"\n";
    let place = Place::new().with_notes(more).approved();
    let calls = [("mcp__notes__echo", json!({ "text": "hello" }))];
    insta::assert_snapshot!(place.agent(&[], &calls), @"");
}

pub(crate) fn which_servers_are_used() {
    let place = Place::new().with_notes("disabled = true\n").approved();
    let names = |arguments: &[&str]| {
        let seen = place.run(arguments);
        seen.matches("mcp__notes__").count()
    };
    assert_eq!(names(&["tools"]), 0);
    assert_eq!(names(&["tools", "--mcp", "notes"]), 5);
    assert_eq!(names(&["tools", "--no-mcp"]), 0);
    insta::assert_snapshot!(place.run(&["tools", "--mcp", "note"]), @"");
    insta::assert_snapshot!(place.run(&["tools", "--mcp", "notes", "--no-mcp"]), @"");
    let place = Place::new()
        .with_notes("tools.without = [\"e*\"]\ntools.only = [\"ask\", \"echo\"]\n")
        .approved();
    let seen = place.run(&["tools"]);
    assert!(seen.contains("mcp__notes__ask"), "{seen}");
    assert_eq!(seen.matches("mcp__notes__").count(), 1, "{seen}");
    // A tool of the app's own starts no server.
    std::fs::remove_file(place.path("server/started")).expect("a file");
    place.run(&["call", "datetime", "{}"]);
    assert!(!place.was_started());
}

pub(crate) fn a_server_is_tried() {
    let more = "[mcp.servers.gone]\ncommand = \"no-such-program-here\"\n[mcp.servers.ends]\ncommand = \"sh\"\nargs = [\"-c\", \"echo no token >&2; exit 3\"]\n";
    let place = Place::new().with_notes(more);
    insta::assert_snapshot!(place.run(&["mcp", "test", "notes"]), @"");
    insta::assert_snapshot!(place.run(&["mcp", "test", "gone"]), @"");
    insta::assert_snapshot!(place.run(&["mcp", "test", "ends"]), @"");
}

pub(crate) fn it_sees_what_it_is_given() {
    let place = Place::new()
        .with_notes("env.GIVEN = \"${TEAM_SECRET}\"\n")
        .approved();
    let seen = place.run(&["call", "mcp__notes__environment", "{}"]);
    assert!(seen.contains("GIVEN"), "{seen}");
    assert!(!seen.contains("TEAM_SECRET"), "{seen}");
    let place = place.with_notes("inherit = [\"TEAM_*\"]\n").approved();
    let seen = place.run(&["call", "mcp__notes__environment", "{}"]);
    assert!(seen.contains("TEAM_SECRET"), "{seen}");
}
