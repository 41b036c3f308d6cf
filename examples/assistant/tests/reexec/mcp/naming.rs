//! Where servers are named, and what is wrong with what is said of them.

use crate::mcp::fixture::McpFixture;

pub(crate) fn nobody_has_named_one() {
    let place = McpFixture::new();
    insta::assert_snapshot!(place.run(&["mcp", "list"]), @r#"
    exit 0
    --- stdout
    no MCP servers
    help: add one with `assistant mcp add NAME -- COMMAND` or `assistant mcp add NAME URL`
    "#);
    insta::assert_snapshot!(place.run(&["mcp", "test", "notes"]), @r#"
    exit 2
    --- stderr
    error: unknown MCP server `notes`
    help: run `mcp list` for a list
    "#);
}

pub(crate) fn one_is_added_and_removed() {
    let place = McpFixture::new().with_user_settings("# mine\nmax_turns = 5\n");
    let [program, role, state] = place.server_command();
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
    let seen = place.run(&add);
    assert!(seen.starts_with("exit 0"), "{seen}");
    assert!(seen.contains("assistant mcp approve notes"), "{seen}");
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
    // A variable that is not set, and then a host that is not there.
    let refused = place.run(&more);
    assert!(refused.starts_with("exit 1"), "{refused}");
    assert!(
        refused.contains("the variable `TICKETS` is not set"),
        "{refused}"
    );
    let seen = place.run(&[&more[..], &["--force"]].concat());
    assert!(seen.starts_with("exit 0"), "{seen}");
    assert!(seen.contains("the value of `X-Key`"), "{seen}");
    assert!(!seen.contains("`Authorization`"), "{seen}");
    let seen = place.run(&add);
    assert!(seen.contains("already"), "{seen}");
    let file = place.path("home/.config/helve/helve.toml");
    let text = || place.redact(&std::fs::read_to_string(&file).expect("a file"));
    assert!(text().starts_with("# mine\nmax_turns = 5\n"), "{}", text());
    assert!(text().contains("Bearer ${TICKETS}"), "{}", text());
    let seen = place.run(&["mcp", "remove", "tickets"]);
    assert!(seen.starts_with("exit 0"), "{seen}");
    let seen = place.run(&["mcp", "remove", "notess"]);
    assert!(seen.contains("did you mean `notes`?"), "{seen}");
    place.run(&["mcp", "remove", "notes"]);
    assert_eq!(text(), "# mine\nmax_turns = 5\n");
    // It was started to see whether it starts.
    assert!(place.was_started());
    let missing = ["mcp", "add", "gone", "--", "/nowhere/server"];
    insta::assert_snapshot!(place.run(&missing), @"
    exit 1
    --- stderr
    error: `gone` was not added: the MCP server `gone` could not be started: the program `/nowhere/server` is not there: install it, or write its whole path
    help: use `--force` to add the server regardless
    ");
    assert_eq!(text(), "# mine\nmax_turns = 5\n");
    let seen = place.run(&["mcp", "add", "gone", "--force", "--", "/nowhere/server"]);
    assert!(seen.starts_with("exit 0"), "{seen}");
    assert!(text().contains("[mcp.servers.gone]"), "{}", text());
}

pub(crate) fn what_cannot_be_added() {
    let place = McpFixture::new();
    for (arguments, why) in [
        (
            &["mcp", "add", "a__b", "--", "x"][..],
            "is not a valid name for an MCP server",
        ),
        (&["mcp", "add", "files", "npx"], "put a command after `--`"),
        (&["mcp", "add", "files"], "a URL or a command is required"),
        (
            &["mcp", "add", "files", "--env", "X", "--", "x"],
            "--env NAME=VALUE",
        ),
        (
            &["mcp", "add", "files", "http://x", "--header", "X"],
            "--header 'NAME: VALUE'",
        ),
        (
            &["mcp", "add", "files", "http://x", "--env", "A=b"],
            "needs a command",
        ),
    ] {
        let seen = place.run(arguments);
        assert!(seen.starts_with("exit 2") && seen.contains(why), "{seen}");
    }
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
    let place = McpFixture::new().with_user_settings(settings);
    insta::assert_snapshot!(place.run(&["mcp", "list"]), @r#"
    exit 0
    --- stdout
    a b  (~/.config/helve/helve.toml:8)
      ✗ PLACE/home/.config/helve/helve.toml:8:1: `mcp.servers."a b"`: "a b" is not a valid name for an MCP server: use 1 to 64 characters of A-Z, a-z, 0-9, `.`, `_` and `-`, without `__`, and not of dots alone
    both  (~/.config/helve/helve.toml:3)
      ✗ PLACE/home/.config/helve/helve.toml:3:1: `mcp.servers.both`: `command` and `url` are mutually exclusive
    mixed  (~/.config/helve/helve.toml:12)
      ✗ PLACE/home/.config/helve/helve.toml:12:1: `mcp.servers.mixed`: `cwd` cannot be used with `url`
    neither  (~/.config/helve/helve.toml:6)
      ✗ PLACE/home/.config/helve/helve.toml:6:1: `mcp.servers.neither`: a server needs a `command` or a `url`
    off  x  (~/.config/helve/helve.toml:15)
      · disabled
    unset  (~/.config/helve/helve.toml:10)
      ✗ PLACE/home/.config/helve/helve.toml:10:1: `mcp.servers.unset.url` needs the environment variable `NOWHERE`, which is not set; use `export NOWHERE=…`
    "#);
    insta::assert_snapshot!(place.run_agent(&[], &[]), @r#"
    exit 0
    --- stdout
    > go

    Done.

    — finished
    --- stderr
    note: the MCP server `a b` is not used: PLACE/home/.config/helve/helve.toml:8:1: `mcp.servers."a b"`: "a b" is not a valid name for an MCP server: use 1 to 64 characters of A-Z, a-z, 0-9, `.`, `_` and `-`, without `__`, and not of dots alone
    note: the MCP server `both` is not used: PLACE/home/.config/helve/helve.toml:3:1: `mcp.servers.both`: `command` and `url` are mutually exclusive
    note: the MCP server `mixed` is not used: PLACE/home/.config/helve/helve.toml:12:1: `mcp.servers.mixed`: `cwd` cannot be used with `url`
    note: the MCP server `neither` is not used: PLACE/home/.config/helve/helve.toml:6:1: `mcp.servers.neither`: a server needs a `command` or a `url`
    note: the MCP server `unset` is not used: PLACE/home/.config/helve/helve.toml:10:1: `mcp.servers.unset.url` needs the environment variable `NOWHERE`, which is not set; use `export NOWHERE=…`
    "#);
    let place = McpFixture::new()
        .with_user_settings("[mcp.servers.x]\ncomand = \"x\"\ntimeouts.call = -1\n");
    insta::assert_snapshot!(place.run(&["mcp", "list"]), @r#"
    exit 2
    --- stderr
    error: PLACE/home/.config/helve/helve.toml:2:1: unknown key `mcp.servers.x.comand`; did you mean `mcp.servers.x.command`?
    PLACE/home/.config/helve/helve.toml:3:17: `mcp.servers.x.timeouts.call`: expected a number from 0 to 86400, got the number -1
    "#);
}

/// What a project says of a server of this place, in `.mcp.json`.
fn mcp_json(place: &McpFixture) -> String {
    let [program, role, state] = place.server_command();
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
    let place = McpFixture::new();
    let text = mcp_json(&place);
    let [program, role, state] = place.server_command();
    let settings =
        format!("[mcp.servers.mine]\ncommand = {program:?}\nargs = [{role:?}, {state:?}]\n");
    let place = place
        .with_file("project/.mcp.json", &text)
        .with_file("project/helve.toml", &settings);
    insta::assert_snapshot!(place.run(&["mcp", "list"]), @r#"
    exit 0
    --- stdout
    no MCP servers
    help: add one with `assistant mcp add NAME -- COMMAND` or `assistant mcp add NAME URL`
    · the MCP servers of `PLACE/project/.mcp.json` are ignored: you have not accepted it; run `assistant permissions trust` to review and accept the file
    --- stderr
    note: ignoring `mcp.servers.mine.args`, `mcp.servers.mine.command` of `PLACE/project/helve.toml`: you have not accepted it; run `assistant permissions trust` to review and accept the file
    "#);
    insta::assert_snapshot!(place.run_agent(&[], &[]), @r#"
    exit 0
    --- stdout
    > go

    Done.

    — finished
    --- stderr
    note: the MCP servers of `PLACE/project/.mcp.json` are ignored: you have not accepted it; run `assistant permissions trust` to review and accept the file
    note: ignoring `mcp.servers.mine.args`, `mcp.servers.mine.command` of `PLACE/project/helve.toml`: you have not accepted it; run `assistant permissions trust` to review and accept the file
    "#);
    assert!(!place.was_started());
    // What makes no server is not accepted either.
    insta::assert_snapshot!(place.run(&["permissions", "trust", "--yes"]), @r#"
    exit 1
    --- stderr
    error: PLACE/project/.mcp.json: `mcpServers.odd.type`: expected one of "stdio", "http" and "sse"
    "#);
    let text = text
        .replace("carrier-pigeon", "sse")
        .replace("\"odd\":{", "\"odd\":{\"url\":\"http://127.0.0.1:1/\",");
    let place = place.with_file("project/.mcp.json", &text);
    insta::assert_snapshot!(place.run(&["permissions", "trust", "--yes"]), @r#"
    exit 0
    --- stdout
    the settings of `PLACE/project/helve.toml`
    + setting `mcp.servers.mine.args` (new)
        ["serve-for-a-test", "PLACE/server"]
    + setting `mcp.servers.mine.command` (new)
        "SERVER"
    the MCP servers of `PLACE/project/.mcp.json`
    + server `notes` (new)
        ${NO_SUCH:-}${NOWHERE:-SERVER} serve-for-a-test PLACE/server [env TOKEN from ${TEAM_SECRET}] [env MODE]
    + server `odd` (new)
        http://127.0.0.1:1/
    + server `web` (new)
        http://127.0.0.1:1/${NOWHERE}
    accepted PLACE/project/helve.toml until the file changes
    accepted PLACE/project/.mcp.json until the file changes
    "#);
    insta::assert_snapshot!(place.run(&["mcp", "list", "--offline"]), @r#"
    exit 0
    --- stdout
    mine  SERVER serve-for-a-test PLACE/server  (PLACE/project/helve.toml:2)
    notes  SERVER serve-for-a-test PLACE/server  (PLACE/project/.mcp.json)
    odd  http://127.0.0.1:1/  (PLACE/project/.mcp.json)
    web  (PLACE/project/.mcp.json)
      ✗ PLACE/project/.mcp.json: `mcpServers.web.url`: environment variable `NOWHERE` is not set; use `export NOWHERE=…`
    "#);
    assert!(!place.was_started());
    let approved = place.run(&["mcp", "approve", "notes", "--yes"]);
    assert!(approved.contains("approved `notes`"), "{approved}");
    let called = place.run(&["call", "mcp__notes__environment", "{}"]);
    assert!(
        called.contains("MODE") && called.contains(" TOKEN"),
        "{called}"
    );
    assert!(!called.contains("TEAM_SECRET"), "{called}");
    // Another byte is another file.
    let place = place.with_file("project/.mcp.json", &format!("{text}\n"));
    insta::assert_snapshot!(place.run(&["mcp", "list", "--offline"]), @r#"
    exit 0
    --- stdout
    mine  SERVER serve-for-a-test PLACE/server  (PLACE/project/helve.toml:2)
    · the MCP servers of `PLACE/project/.mcp.json` are ignored: it has changed since you accepted it; run `assistant permissions trust` to review and accept the file
    "#);
    let place = place.with_file("project/.mcp.json", "{ \"mcpServers\": [");
    insta::assert_snapshot!(place.run(&["permissions", "trust", "--yes"]), @r#"
    exit 1
    --- stderr
    error: PLACE/project/.mcp.json: invalid JSON: EOF while parsing a list at line 1 column 17
    "#);
    insta::assert_snapshot!(place.run(&["permissions", "untrust"]), @r#"
    exit 0
    --- stdout
    revoked PLACE/project/helve.toml
    revoked PLACE/project/.mcp.json
    "#);
}

pub(crate) fn a_server_is_one_thing() {
    // The project's server has the user's name for one: it gets nothing that the user gave theirs.
    let place = McpFixture::new()
        .with_user_settings("[mcp.servers.tickets]\nurl = \"https://tickets.example/mcp\"\nheaders.Authorization = \"Bearer x\"\n")
        .with_file("project/helve.toml", "[mcp.servers.tickets]\nurl = \"http://evil.example/mcp\"\n");
    place.run(&["permissions", "trust", "--yes"]);
    let seen = place.run(&["config", "show"]);
    let lines: Vec<&str> = seen.lines().filter(|line| line.contains("mcp.")).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"mcp.servers.tickets.url     "http://evil.example/mcp"  PLACE/project/helve.toml:2"#);
}

pub(crate) fn the_doctor_names_them() {
    let place = McpFixture::new().with_user_settings(
        "[mcp.servers.gone]\ncommand = \"no-such-program-here\"\n[mcp.servers.web]\nurl = \"https://a:b@web.example/mcp\"\n[mcp.servers.none]\ncwd = \"x\"\n",
    );
    let seen = place.run(&["doctor", "--offline"]);
    let section = seen.split("\nMCP servers\n").nth(1);
    let section = section.and_then(|rest| rest.split("\n\n").next());
    insta::assert_snapshot!(section.expect("a section"), @r#"
    ✗ gone: program `no-such-program-here` not found in PATH (~/.config/helve/helve.toml:2)
      → install the program, or configure its absolute path
    ✗ none: PLACE/home/.config/helve/helve.toml:6:1: `mcp.servers.none`: a server needs a `command` or a `url`
      → fix the configuration; the server is not used until then
    ✓ web: https://…@web.example/mcp (~/.config/helve/helve.toml:4)
    "#);
}

pub(crate) fn secrets_are_shown_to_nobody() {
    let place = McpFixture::new().with_user_settings(
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
