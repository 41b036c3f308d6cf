//! Where servers are named, and what is wrong with what is said of them.

use crate::place::Place;

pub(crate) fn nobody_has_named_one() {
    let place = Place::new();
    insta::assert_snapshot!(place.run(&["mcp", "list"]), @"");
    insta::assert_snapshot!(place.run(&["mcp", "test", "notes"]), @"");
}

pub(crate) fn one_is_added_and_removed() {
    let place = Place::new().user("# mine\nmax_turns = 5\n");
    let [program, role, state] = place.server();
    let add = [
        "mcp",
        "add",
        "notes",
        "--inherit",
        "LANG*",
        "--",
        &program,
        &role,
        &state,
    ];
    insta::assert_snapshot!(place.run(&add), @"");
    let more = [
        "mcp",
        "add",
        "tickets",
        "https://tickets.example/mcp",
        "--header",
        "Authorization: Bearer ${TICKETS}",
        "--header",
        "X-Key: abc",
    ];
    insta::assert_snapshot!(place.run(&more), @"");
    insta::assert_snapshot!(place.run(&add), @"");
    let file = place.path("home/.config/helve/helve.toml");
    let text = || place.neutral(&std::fs::read_to_string(&file).expect("a file"));
    insta::assert_snapshot!(text(), @"");
    insta::assert_snapshot!(place.run(&["mcp", "remove", "tickets"]), @"");
    insta::assert_snapshot!(place.run(&["mcp", "remove", "notess"]), @"");
    place.run(&["mcp", "remove", "notes"]);
    assert_eq!(text(), "# mine\nmax_turns = 5\n");
    assert!(!place.was_started());
}

pub(crate) fn what_cannot_be_added() {
    let place = Place::new();
    let mut seen = String::new();
    for arguments in [
        &["mcp", "add", "a__b", "--", "x"][..],
        &["mcp", "add", "files", "npx"],
        &["mcp", "add", "files"],
        &["mcp", "add", "files", "--env", "X", "--", "x"],
        &["mcp", "add", "files", "http://x", "--header", "X"],
        &["mcp", "add", "files", "http://x", "--env", "A=b"],
    ] {
        seen.push_str(&place.run(arguments));
    }
    insta::assert_snapshot!(seen, @"");
    assert!(!place.path("home/.config").exists());
}

pub(crate) fn mistakes_are_told_and_stop_nothing_else() {
    let settings = r#"
[mcp.servers.both]
command = "x"
url = "http://x"
[mcp.servers.neither]
args = ["x"]
[mcp.servers."a b"]
command = "x"
[mcp.servers.unset]
url = "http://127.0.0.1:1/${NOWHERE}"
[mcp.servers.mixed]
url = "http://127.0.0.1:1/"
cwd = "x"
[mcp.servers.off]
command = "x"
disabled = true
"#;
    let place = Place::new().user(settings);
    insta::assert_snapshot!(place.run(&["mcp", "list"]), @"");
    insta::assert_snapshot!(place.agent(&[], &[]), @"");
    let place = Place::new().user("[mcp.servers.x]\ncomand = \"x\"\ntimeouts.call = -1\n");
    insta::assert_snapshot!(place.run(&["mcp", "list"]), @"");
}

/// What a project says of a server of this place, in `.mcp.json`.
fn file_of(place: &Place) -> String {
    let [program, role, state] = place.server();
    serde_json::json!({ "mcpServers": {
        "notes": {
            "command": "${NO_SUCH:-}${NOWHERE:-PROGRAM}".replace("PROGRAM", &program),
            "args": [role, state],
            "env": { "TOKEN": "${TEAM_SECRET}", "MODE": "fast" },
        },
        "web": { "type": "http", "url": "http://127.0.0.1:1/${NOWHERE}" },
        "odd": { "type": "carrier-pigeon" },
    } })
    .to_string()
}

pub(crate) fn a_clone_starts_nothing() {
    let place = Place::new();
    let text = file_of(&place);
    let [program, role, state] = place.server();
    let settings =
        format!("[mcp.servers.mine]\ncommand = {program:?}\nargs = [{role:?}, {state:?}]\n");
    let place = place
        .with("project/.mcp.json", &text)
        .with("project/helve.toml", &settings);
    insta::assert_snapshot!(place.run(&["mcp", "list"]), @"");
    insta::assert_snapshot!(place.agent(&[], &[]), @"");
    assert!(!place.was_started());
    // What makes no server is not accepted either.
    insta::assert_snapshot!(place.run(&["permissions", "trust"]), @"");
    let text = text
        .replace("carrier-pigeon", "sse")
        .replace("\"odd\":{", "\"odd\":{\"url\":\"http://127.0.0.1:1/\",");
    let place = place.with("project/.mcp.json", &text);
    insta::assert_snapshot!(place.run(&["permissions", "trust"]), @"");
    insta::assert_snapshot!(place.run(&["mcp", "list", "--offline"]), @"");
    assert!(!place.was_started());
    let approved = place.run(&["mcp", "approve", "notes", "--yes"]);
    assert!(approved.contains("approved: `notes`"), "{approved}");
    let called = place.run(&["call", "mcp__notes__environment", "{}"]);
    assert!(
        called.contains("MODE") && called.contains(" TOKEN"),
        "{called}"
    );
    assert!(!called.contains("TEAM_SECRET"), "{called}");
    // Another byte is another file.
    let place = place.with("project/.mcp.json", &format!("{text}\n"));
    insta::assert_snapshot!(place.run(&["mcp", "list", "--offline"]), @"");
    let place = place.with("project/.mcp.json", "{ \"mcpServers\": [");
    insta::assert_snapshot!(place.run(&["permissions", "trust"]), @"");
    insta::assert_snapshot!(place.run(&["permissions", "untrust"]), @"");
}

pub(crate) fn a_server_is_one_thing() {
    // The project's server has the user's name for one: it gets nothing that the user gave theirs.
    let place = Place::new()
        .user("[mcp.servers.tickets]\nurl = \"https://tickets.example/mcp\"\nheaders.Authorization = \"Bearer x\"\n")
        .with("project/helve.toml", "[mcp.servers.tickets]\nurl = \"http://evil.example/mcp\"\n");
    place.run(&["permissions", "trust"]);
    let seen = place.run(&["config", "show"]);
    let lines: Vec<&str> = seen.lines().filter(|line| line.contains("mcp.")).collect();
    insta::assert_snapshot!(lines.join("\n"), @"");
}

pub(crate) fn the_doctor_names_them() {
    let place = Place::new().user(
        "[mcp.servers.gone]\ncommand = \"no-such-program-here\"\n[mcp.servers.web]\nurl = \"https://a:b@web.example/mcp\"\n[mcp.servers.none]\ncwd = \"x\"\n",
    );
    let seen = place.run(&["doctor", "--offline"]);
    let section = seen.split("\nMCP servers\n").nth(1);
    let section = section.and_then(|rest| rest.split("\n\n").next());
    insta::assert_snapshot!(section.expect("a section"), @"");
}

pub(crate) fn secrets_are_shown_to_nobody() {
    let place = Place::new().user(
        "[mcp.servers.a]\ncommand = \"no-such-program-here\"\nenv.KEY = \"sk-secret\"\n[mcp.servers.b]\nurl = \"http://127.0.0.1:1/\"\nheaders.Authorization = \"sk-secret\"\nclient_secret = \"sk-secret\"\n",
    );
    for arguments in [
        &["mcp", "list"][..],
        &["mcp", "list", "--json"],
        &["mcp", "test", "a"],
        &["mcp", "test", "b"],
        &["config", "show"],
        &["doctor", "--offline"],
        &["tools", "--log", "trace"],
    ] {
        let seen = place.run(arguments);
        assert!(!seen.contains("sk-secret"), "{seen}");
    }
}
