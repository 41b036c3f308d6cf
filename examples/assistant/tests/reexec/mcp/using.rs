//! Servers at work: their tools in the hands of a person and of an agent.

use serde_json::json;

use crate::mcp::fixture::McpFixture;

pub(crate) fn a_person_calls_a_tool() {
    let place = McpFixture::new().with_notes("").with_approved_server();
    insta::assert_snapshot!(place.run(&["call", "mcp__notes__echo", "--text", "hello"]), @r#"
    exit 0
    --- stdout
    hello
    --- stderr
    calling `mcp__notes__echo` (only reads, low risk) in PLACE/project
    "#);
    insta::assert_snapshot!(place.run(&["call", "mcp__notes__ecko", "{}"]), @"
    exit 2
    --- stderr
    error: unknown tool `mcp__notes__ecko`; did you mean `mcp__notes__echo`?
    help: run `tools` for a list
    ");
    insta::assert_snapshot!(place.run(&["call", "mcp__notes__echo", "{}"]), @r#"
    exit 2
    --- stderr
    error: `/text`: expected a string, got nothing; this key is required
    "#);
}

pub(crate) fn an_agent_calls_a_tool() {
    let place = McpFixture::new().with_notes("").with_approved_server();
    let calls = [
        ("mcp__notes__echo", json!({ "text": "hello" })),
        // What declares nothing asks, and the run is not interactive.
        ("mcp__notes__environment", json!({})),
    ];
    insta::assert_snapshot!(place.run_agent(&[], &calls), @r#"
    exit 0
    --- stdout
    > go

    → mcp__notes__echo {"text":"hello"}
    ✓ mcp__notes__echo
        hello

    → mcp__notes__environment {}
    ? mcp__notes__environment needs approval: it does not say what it changes (medium risk)
    ✗ mcp__notes__environment
        Tool call denied: the call needs approval, and no terminal is attached

    Done.

    — finished
    --- stderr
    warning: calls that need approval are denied: no terminal is attached
    help: use `--allow 'mcp__notes__environment'`, use `--defer` to answer later, or run in a terminal
    "#);
    let seen = place.run_agent(&["--allow", "mcp__notes__*"], &calls[1..]);
    assert!(seen.contains("PATH"), "{seen}");
}

pub(crate) fn a_server_that_is_not_there_stops_nobody() {
    let more = "[mcp.servers.gone]\ncommand = \"no-such-program-here\"\n[mcp.servers.far]\nurl = \"http://127.0.0.1:1/mcp\"\n";
    let place = McpFixture::new().with_notes(more).with_approved_server();
    let calls = [("mcp__notes__echo", json!({ "text": "hello" }))];
    insta::assert_snapshot!(place.run_agent(&[], &calls), @r#"
    exit 0
    --- stdout
    > go

    → mcp__notes__echo {"text":"hello"}
    ✓ mcp__notes__echo
        hello

    Done.

    — finished
    --- stderr
    note: the MCP server `far` cannot be reached: no server answers at http://127.0.0.1:1 (Connection refused (os error 111)): check that it runs there
    note: the MCP server `gone` could not be started: the program `no-such-program-here` is not there: install it, or write its whole path
    "#);
}

pub(crate) fn which_servers_are_used() {
    let place = McpFixture::new()
        .with_notes("disabled = true\n")
        .with_approved_server();
    let names = |arguments: &[&str]| {
        let seen = place.run(arguments);
        seen.matches("mcp__notes__").count()
    };
    assert_eq!(names(&["tools"]), 0);
    assert_eq!(names(&["tools", "--mcp", "notes"]), 5);
    assert_eq!(names(&["tools", "--no-mcp"]), 0);
    insta::assert_snapshot!(place.run(&["tools", "--mcp", "note"]), @r#"
    exit 2
    --- stderr
    error: unknown MCP server `note`; did you mean `notes`?
    help: run `mcp list` for a list
    "#);
    insta::assert_snapshot!(place.run(&["tools", "--mcp", "notes", "--no-mcp"]), @r#"
    exit 2
    --- stderr
    error: the argument '--mcp <NAME>' cannot be used with '--no-mcp'

    Usage: assistant tools --mcp <NAME>

    For more information, try '--help'.
    "#);
    let place = McpFixture::new()
        .with_notes("tools.without = [\"e*\"]\ntools.only = [\"ask\", \"echo\"]\n")
        .with_approved_server();
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
    let place = McpFixture::new().with_notes(more);
    insta::assert_snapshot!(place.run(&["mcp", "test", "notes"]), @r#"
    exit 0
    --- stdout
    notes  SERVER serve-for-a-test PLACE/server  (~/.config/helve/helve.toml:2)
      ✓ server: notes 1.2.3
      ✓ protocol: 2025-06-18
      ✓ capabilities: tools
      · tools that need approval: echo, environment, ask, visit, think
      · the tools of MCP server `notes` are not approved and not used; run `assistant mcp approve notes` to review them
    "#);
    insta::assert_snapshot!(place.run(&["mcp", "test", "gone"]), @r#"
    exit 1
    --- stdout
    gone  no-such-program-here  (~/.config/helve/helve.toml:5)
      ✗ the MCP server `gone` could not be started: the program `no-such-program-here` is not there: install it, or write its whole path
    "#);
    insta::assert_snapshot!(place.run(&["mcp", "test", "ends"]), @r#"
    exit 1
    --- stdout
    ends  sh -c echo no token >&2; exit 3  (~/.config/helve/helve.toml:7)
      ✗ the MCP server `ends` ended before it was ready: its program ended with exit code 3; its standard error ended with: no token
        → run the command yourself; pass missing environment variables with `inherit` and `env` in `[mcp.servers.ends]`
    "#);
}

pub(crate) fn it_sees_what_it_is_given() {
    let place = McpFixture::new()
        .with_notes("env.GIVEN = \"${TEAM_SECRET}\"\n")
        .with_approved_server();
    let seen = place.run(&["call", "mcp__notes__environment", "{}"]);
    assert!(seen.contains("GIVEN"), "{seen}");
    assert!(!seen.contains("TEAM_SECRET"), "{seen}");
    let place = place
        .with_notes("inherit = [\"TEAM_*\"]\n")
        .with_approved_server();
    let seen = place.run(&["call", "mcp__notes__environment", "{}"]);
    assert!(seen.contains("TEAM_SECRET"), "{seen}");
}

pub(crate) fn a_skill_of_a_server_is_used() {
    let place = McpFixture::new().with_file(
        "elsewhere/.agents/skills/greeting/SKILL.md",
        "---\nname: greeting\ndescription: How guests are greeted here.\n---\nSay good day, then the name.\n",
    );
    let settings = format!(
        "[mcp.servers.house]\ncommand = {:?}\nargs = [\"--root\", {:?}, \"serve\", \"--stdio\"]\n",
        env!("CARGO_BIN_EXE_assistant"),
        place.path("elsewhere")
    );
    let place = place.with_user_settings(&settings);
    let load = [("load_skill", json!({ "name": "greeting" }))];
    let before = place.run_agent(&[], &load);
    assert!(!before.contains("good day"), "{before}");
    let approved = place.run(&["mcp", "approve", "house", "--yes"]);
    assert!(approved.contains("greeting"), "{approved}");
    insta::assert_snapshot!(place.run_agent(&[], &load), @r#"
    exit 0
    --- stdout
    > go

    → load_skill {"name":"greeting"}
    ✓ load_skill
        <skill name="greeting">
        Say good day, then the name.
        </skill>

    Done.

    — finished
    --- stderr
    note: the skill `explore-repository` from `skills` of the package `assistant` shadows the one from the server `house`
    "#);
}
