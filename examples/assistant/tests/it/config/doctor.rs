//! `doctor` in a place that is known to the last file.

use crate::config::fixture::ConfigFixture;
use crate::config::server::TestServer;

const TABLE: &str = "\nDangerous paths\n";

/// Leaves out the table of dangerous paths, which is long.
fn strip_table(seen: &str) -> String {
    let (before, after) = seen.split_once(TABLE).expect("the table");
    let (_, after) = after.split_once("\n\n").expect("a section behind it");
    format!("{before}\n{after}")
}

#[test]
fn the_table_says_what_is_enforced_and_what_is_watched() {
    if crate::isolation::skip("config::doctor::the_table_says_what_is_enforced_and_what_is_watched")
    {
        return;
    }
    let place = ConfigFixture::new()
        .with_user_settings("permissions.dangerous = [\"vault/\"]\n")
        .with_project_settings(
            "permissions.dangerous = [\"deploy/ reading=open writing=asks why=it is deployed\"]\n",
        );
    let seen = place.run(&["doctor", "--offline"]);
    let table = seen.split(TABLE).nth(1).expect("the table");
    let (table, _) = table.split_once("\n\n").expect("a section behind it");
    for part in [
        "✓ commands cannot write these paths (enforced: read-only mounts",
        "; new files are moved away when the command exits (watched)",
        "✓ commands cannot read these paths (enforced: ",
        "moved away if the change would start a program (watched)\n    git executes these files or reads them as configuration; reading needs approval, writing always needs approval:\n      .git/rebase-merge/git-rebase-todo",
        "a hook manager runs what it names, at a commit; reading is allowed, writing needs approval:\n      .husky/ .pre-commit-config.yaml",
        "an agent reads it as instructions; reading is allowed, writing needs approval after untrusted text:\n      AGENTS.md",
        "private keys; reading is denied, writing is denied:\n      .gnupg/",
        "✓ commands may write these paths; changes are reported in the result of the command (watched)",
        "from the settings:\n      vault/ deploy/",
    ] {
        assert!(table.contains(part), "{part}\n{table}");
    }
    let open = place.run(&["doctor", "--offline", "--sandbox", "passthrough"]);
    assert!(
        open.contains("· commands cannot write these paths (not enforced: "),
        "{open}"
    );
    assert!(open.contains("(not watched by this sandbox)"), "{open}");
}

#[test]
fn a_new_user_is_told_what_to_do() {
    if crate::isolation::skip("config::doctor::a_new_user_is_told_what_to_do") {
        return;
    }
    insta::assert_snapshot!(strip_table(&ConfigFixture::new().run(&["doctor"])), @"
    exit 0
    --- stdout
    assistant 0.1.0, helve 0.1.0, linux x86_64

    Tools
      ✓ helve-runtime: 3 of 4 granted
      · helve-skill-install: 0 of 5 granted
      ✓ helve-tools: 16 of 51 granted

    Skills
      ✓ 1 skill from `skills` of the package `assistant`

    Settings
      · user settings: none (~/.config/helve/helve.toml not found)
      · project settings: none (PLACE/project/helve.toml not found)
      · project rules: none
      · user rules: none

    Model
      · none: `run` needs `--model PROVIDER/MODEL`
        → no API key was found: set the key of your provider, for example anthropic (ANTHROPIC_API_KEY), openai (OPENAI_API_KEY); local models need no key (`--model ollama/MODEL`)

    Sandbox
      ✓ local (default), by namespaces
      ✓ files: HELD
      ✓ protected_paths: HELD
      ✓ protected paths that a command creates: watched, not enforced: a new file at a protected path is moved away and its command is killed
      ✓ masked_paths: HELD
      ✓ processes: HELD
      ✓ network: HELD
      ✓ privileges: HELD
      ✓ system_calls: HELD
      ✓ landlock: HELD
      ✓ environment: HELD
      ✓ descriptors: HELD
      ✓ limits: HELD
      ✓ lifetime: HELD

    Machine
      ✓ sessions: ~/.local/state/helve/assistant/sessions is writable
      ✓ files: PLACE/project; the kernel resolves every path below its root (openat2)
      ✓ panics: a panic in a tool fails the call
    ");
}

#[test]
fn all_is_well() {
    if crate::isolation::skip("config::doctor::all_is_well") {
        return;
    }
    let server = TestServer::replying_done();
    let place = ConfigFixture::new()
        .with_user_settings("model = \"openai/gpt-5\"\n")
        .with_project_settings("effort = \"low\"\n")
        .with_file(
            "project/.helve/permissions.json",
            r#"{"deny": ["bash(rm:*)"]}"#,
        )
        .with_variable("OPENAI_API_KEY", "sk-of-the-user")
        .with_variable("OPENAI_BASE_URL", &server.url());
    let seen = place.run(&["doctor"]);
    insta::assert_snapshot!(strip_table(&server.redact_url(&seen)), @"
    exit 0
    --- stdout
    assistant 0.1.0, helve 0.1.0, linux x86_64

    Tools
      ✓ helve-runtime: 3 of 4 granted
      · helve-skill-install: 0 of 5 granted
      ✓ helve-tools: 16 of 51 granted

    Skills
      ✓ 1 skill from `skills` of the package `assistant`

    Settings
      ✓ user settings: ~/.config/helve/helve.toml
      ✓ project settings: PLACE/project/helve.toml
      ✓ project rules: 1 in PLACE/project/.helve/permissions.json
      · user rules: none

    Model
      ✓ openai/gpt-5 (~/.config/helve/helve.toml:1)
      ✓ openai/gpt-5: 400,000 tokens of context (price list of 2025-11-24)
      ✓ openai: API key from OPENAI_API_KEY
      ✓ openai: http://127.0.0.1:PORT/v1 is reachable

    Sandbox
      ✓ local (default), by namespaces
      ✓ files: HELD
      ✓ protected_paths: HELD
      ✓ protected paths that a command creates: watched, not enforced: a new file at a protected path is moved away and its command is killed
      ✓ masked_paths: HELD
      ✓ processes: HELD
      ✓ network: HELD
      ✓ privileges: HELD
      ✓ system_calls: HELD
      ✓ landlock: HELD
      ✓ environment: HELD
      ✓ descriptors: HELD
      ✓ limits: HELD
      ✓ lifetime: HELD

    Machine
      ✓ sessions: ~/.local/state/helve/assistant/sessions is writable
      ✓ files: PLACE/project; the kernel resolves every path below its root (openat2)
      ✓ panics: a panic in a tool fails the call
    ");
    assert!(
        server
            .request_lines()
            .iter()
            .all(|head| !head.contains("sk-of-the-user"))
    );
}

#[test]
fn each_gap_has_its_mend() {
    if crate::isolation::skip("config::doctor::each_gap_has_its_mend") {
        return;
    }
    let place = ConfigFixture::new()
        .with_user_settings("model = \"openai/gpt-5\"\nfallback = [\"anthropic/claude\", \"acme/m\"]\n[providers.acme]\nbase_url = \"http://localhost:1/v1\"\nkey = \"${ACME_KEY}\"\n")
        .with_project_settings("mode = \"bypass\"\n")
        .with_file("project/.helve/permissions.json", r#"{"allow": ["bash(make:*)"]}"#)
        .with_variable("HELVE_STATE", "/dev/null/state");
    insta::assert_snapshot!(strip_table(&place.run(&["doctor", "--offline"])), @"
    exit 1
    --- stdout
    assistant 0.1.0, helve 0.1.0, linux x86_64

    Tools
      ✓ helve-runtime: 3 of 4 granted
      · helve-skill-install: 0 of 5 granted
      ✓ helve-tools: 16 of 51 granted

    Skills
      ✓ 1 skill from `skills` of the package `assistant`

    Settings
      ✓ user settings: ~/.config/helve/helve.toml
      ✓ project settings: PLACE/project/helve.toml
      · ignoring `mode` of `PLACE/project/helve.toml`: you have not accepted it
        → run `assistant permissions trust` to review and accept the file
      ✓ project rules: 1 in PLACE/project/.helve/permissions.json
      · user rules: none
      · ignored the allow rules of `PLACE/project/.helve/permissions.json` because you have not accepted it: `bash(make:*)`
        → run `assistant permissions trust` to review and accept the file

    Model
      ✗ PLACE/home/.config/helve/helve.toml:5:1: `providers.acme.key` needs the environment variable `ACME_KEY`, which is not set; use `export ACME_KEY=…`
        → complete the settings, or select another model

    Sandbox
      ✓ local (default), by namespaces
      ✓ files: HELD
      ✓ protected_paths: HELD
      ✓ protected paths that a command creates: watched, not enforced: a new file at a protected path is moved away and its command is killed
      ✓ masked_paths: HELD
      ✓ processes: HELD
      ✓ network: HELD
      ✓ privileges: HELD
      ✓ system_calls: HELD
      ✓ landlock: HELD
      ✓ environment: HELD
      ✓ descriptors: HELD
      ✓ limits: HELD
      ✓ lifetime: HELD

    Machine
      ✗ sessions: /dev/null/state/assistant/sessions is not writable: Not a directory (os error 20)
        → set HELVE_STATE to a writable folder, or use `--no-session`
      ✓ files: PLACE/project; the kernel resolves every path below its root (openat2)
      ✓ panics: a panic in a tool fails the call
    ");
    let place = place
        .with_variable("ACME_KEY", "k")
        .with_variable("OPENAI_API_KEY", "sk");
    let seen = place.run(&[
        "doctor",
        "--fallback",
        "ollama/x",
        "--base-url",
        "http://127.0.0.1:1/v1",
        "--offline",
    ]);
    let model = seen
        .split("\nModel\n")
        .nth(1)
        .and_then(|rest| rest.split("\n\n").next());
    insta::assert_snapshot!(model.expect("a section"), @"
    ✓ openai/gpt-5 (~/.config/helve/helve.toml:1)
    ✓ openai/gpt-5: 400,000 tokens of context (price list of 2025-11-24)
    ✓ openai: API key from OPENAI_API_KEY
    ✓ ollama/x (fallback)
    ✓ ollama: no API key needed
    ");
}

#[test]
fn a_provider_that_does_not_answer_is_a_gap() {
    let place = ConfigFixture::new().with_variable("OPENAI_API_KEY", "sk-of-the-user");
    let arguments = [
        "doctor",
        "--model",
        "openai/gpt-5",
        "--base-url",
        "http://127.0.0.1:1/v1",
    ];
    let seen = place.run(&arguments);
    assert!(seen.starts_with("exit 1\n"), "{seen}");
    let model = seen
        .split("\nModel\n")
        .nth(1)
        .and_then(|rest| rest.split("\n\n").next());
    insta::assert_snapshot!(model.expect("a section"), @"
    ✓ openai/gpt-5 (--model)
    ✓ openai/gpt-5: 400,000 tokens of context (price list of 2025-11-24)
    ✓ openai: API key from OPENAI_API_KEY
    ✗ openai: http://127.0.0.1:1/v1 is not reachable: openai could not be reached: 127.0.0.1:1 refuses the connection; is the server running, and is that its port?: error sending request: client error (Connect): tcp connect error: Connection refused (os error 111)
      → check the network, the proxy (HTTPS_PROXY) and the URL (`base_url`, `--base-url`)
    ");
}

#[test]
fn settings_with_mistakes_are_a_gap() {
    let seen = strip_table(
        &ConfigFixture::new()
            .with_project_settings("modle = \"a/b\"\n")
            .run(&["doctor"]),
    );
    let settings = seen
        .split("\nSettings\n")
        .nth(1)
        .and_then(|rest| rest.split("\nMachine").next());
    insta::assert_snapshot!(settings.expect("a section"), @r#"
      ✗ PLACE/project/helve.toml:1:1: unknown key `modle`; did you mean `mode`?
        → fix the settings; `run` does not start until then
      · project rules: none
      · user rules: none

    Model
      · not checked: the settings are invalid

    Sandbox
      · not checked: the settings cannot be read
    "#);
}

#[test]
fn a_damaged_state_file_is_a_problem_and_an_old_one_is_named() {
    let folder = "home/.local/state/helve/assistant";
    let place = ConfigFixture::new()
        .with_file(&format!("{folder}/state.db"), "this is no state file")
        .with_file(&format!("{folder}/store.redb"), "");
    let seen = place.run(&["doctor", "--offline"]);
    assert!(seen.starts_with("exit 1\n"), "{seen}");
    let state = seen
        .split("\nState\n")
        .nth(1)
        .and_then(|rest| rest.split("\n\n").next());
    insta::assert_snapshot!(state.expect("a section"), @"
    ✗ `PLACE/home/.local/state/helve/assistant/state.db` is damaged or is not a state file, and was not changed; move it away, with the files `-wal` and `-shm` beside it, to start with an empty one: file is not a database
      → stored values and queued work need the file
    · ~/.local/state/helve/assistant/store.redb has values of an earlier version, which are not read
      → remove the file, or read it with that version
    ");
    std::fs::remove_file(place.path(&format!("{folder}/state.db"))).expect("a file");
    let seen = place.run(&["doctor", "--offline"]);
    assert!(!seen.contains("state.db"), "{seen}");
}
