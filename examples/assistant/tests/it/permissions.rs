//! What the binary says of permissions: what a call would be answered, and the rules that were given for good.

mod accepted;
pub(crate) mod fixture;
mod rules;
mod trust;
mod unattended;

use fixture::PermissionsFixture;

const READ: &str = r#"{"path": "src/main.rs"}"#;

#[test]
fn a_reader_runs() {
    insta::assert_snapshot!(PermissionsFixture::new().run(&["check", "read_file", READ]), @r#"
        exit 0
        --- stdout
        allow
        decided by the read-only effects of the call
        "#);
}

#[test]
fn a_dangerous_path_asks_even_in_bypass_and_whatever_is_allowed() {
    let arguments = [
        "check",
        "--mode",
        "bypass",
        "--allow",
        "read_file",
        "read_file",
        r#"{"path": ".ssh/config"}"#,
    ];
    insta::assert_snapshot!(PermissionsFixture::new().run(&arguments), @r#"
        exit 0
        --- stdout
        ask: `.ssh/config` is a dangerous path (`.ssh/`: private keys) (needs an answer of the user for this call)
        decided by the dangerous path `.ssh/`
        "#);
}

#[test]
fn a_program_reads_json() {
    let arguments = [
        "check",
        "--json",
        "--ask",
        "read_file(src/**)",
        "read_file",
        READ,
    ];
    insta::assert_snapshot!(PermissionsFixture::new().run(&arguments), @r#"
        exit 0
        --- stdout
        {"tool":"read_file","mode":"default","verdict":"ask","reason":"the rule `read_file(src/**)` asks about it","safety":false,"decided_by":{"layer":"ask_rule","rule":"read_file(src/**)"},"part":null,"suggestions":["read_file(src/**)"]}
        "#);
}

#[test]
fn a_deny_rule_of_the_project_wins() {
    let place = PermissionsFixture::new().with_file(
        "project/.helve/permissions.json",
        r#"{"deny": ["read_*(src/**)"]}"#,
    );
    insta::assert_snapshot!(place.run(&["check", "--json", "--allow", "read_file", "read_file", READ]), @r#"
        exit 0
        --- stdout
        {"tool":"read_file","mode":"default","verdict":"deny","reason":"the rule `read_*(src/**)` denies it","safety":false,"decided_by":{"layer":"deny_rule","rule":"read_*(src/**)"},"part":null,"suggestions":[]}
        "#);
}

#[test]
fn a_link_is_seen_through() {
    let place = PermissionsFixture::new().with_file("project/.ssh/config", "Host *\n");
    std::os::unix::fs::symlink(".ssh/config", place.path("project/notes.txt")).expect("a link");
    insta::assert_snapshot!(place.run(&["check", "read_file", r#"{"path": "notes.txt"}"#]), @"
    exit 0
    --- stdout
    ask: `notes.txt` links to `PLACE/project/.ssh/config`, a dangerous path (`.ssh/`: private keys) (needs an answer of the user for this call)
    decided by the dangerous path `.ssh/`
    ");
}

#[test]
fn a_search_is_judged_by_its_glob_too() {
    let search = |arguments: &str| PermissionsFixture::new().run(&["check", "grep", arguments]);
    insta::assert_snapshot!(search(r#"{"pattern": "KEY", "glob": ".{env,envrc}"}"#), @r#"
        exit 0
        --- stdout
        ask: `./.*` may name a dangerous path (`.ssh/`: private keys) (needs an answer of the user for this call)
        decided by the dangerous path `.ssh/`
        "#);
    insta::assert_snapshot!(search(r#"{"pattern": "KEY", "glob": "*.rs"}"#), @r#"
        exit 0
        --- stdout
        allow
        decided by the read-only effects of the call
        "#);
}

#[test]
fn what_is_no_call_is_refused() {
    let place = PermissionsFixture::new();
    insta::assert_snapshot!(place.run(&["check", "read_fil", READ]), @r#"
        exit 2
        --- stderr
        error: unknown tool `read_fil`; did you mean `read_file`?
        help: run `tools` for a list
        "#);
    insta::assert_snapshot!(place.run(&["check", "read_file", r#"{"path": 1}"#]), @r#"
        exit 2
        --- stderr
        error: `/path`: expected a string, got the number 1
        "#);
    insta::assert_snapshot!(place.run(&["check", "--deny", "bash(", "read_file", READ]), @r#"
        exit 2
        --- stderr
        error: invalid value 'bash(' for '--deny <RULE>': invalid rule `bash(`; expected `tool`, `tool(calls)` or `prefix*`, for example `bash(git commit:*)`

        For more information, try '--help'.
        "#);
    insta::assert_snapshot!(place.run(&["check", "--mode", "yolo", "read_file", READ]), @r#"
        exit 2
        --- stderr
        error: invalid value 'yolo' for '--mode <MODE>': invalid mode `yolo`; expected default, accept_edits, explore, plan, bypass or dont_ask

        For more information, try '--help'.
        "#);
}

#[test]
fn a_batch_answers_line_by_line() {
    let input = concat!(
        r#"{"tool": "read_file", "arguments": {"path": "src/main.rs"}}"#,
        "\n\n",
        r#"{"tool": "read_file", "arguments": {"path": "~/.bashrc"}, "mode": "dont_ask"}"#,
        "\nnot json\n",
        r#"{"tool": "nothing", "arguments": {}}"#,
        "\n",
        r#"{"tool": "grep", "arguments": "{\"pattern\": \"x\"}", "deny": ["grep(src)"]}"#,
        "\n",
        r#"{"tool": "grep", "arguments": {"pattern": "x", "path": "src"}, "deny": ["grep(src)"]}"#,
    );
    insta::assert_snapshot!(PermissionsFixture::new().run_with_input(&["check", "--jsonl"], input), @r#"
        exit 0
        --- stdout
        {"tool":"read_file","mode":"default","verdict":"allow","reason":null,"safety":false,"decided_by":{"layer":"read_only"},"part":null,"suggestions":[]}
        {"tool":"read_file","mode":"dont_ask","verdict":"deny","reason":"`~/.bashrc` is a dangerous path (`.bashrc`: a shell runs it when it starts), and the mode `dont_ask` does not prompt","safety":false,"decided_by":{"layer":"dangerous_path","pattern":".bashrc"},"part":null,"suggestions":[]}
        {"line":4,"error":"expected ident at line 1 column 2"}
        {"line":5,"error":"unknown tool `nothing`"}
        {"tool":"grep","mode":"default","verdict":"allow","reason":null,"safety":false,"decided_by":{"layer":"read_only"},"part":null,"suggestions":[]}
        {"tool":"grep","mode":"default","verdict":"deny","reason":"the rule `grep(src)` denies it","safety":false,"decided_by":{"layer":"deny_rule","rule":"grep(src)"},"part":null,"suggestions":[]}
        "#);
}

#[test]
fn rules_are_listed_and_removed() {
    let place = PermissionsFixture::new()
        .with_file(
            "project/.helve/permissions.json",
            r#"{"allow": ["bash(git commit:*)", "grep"]}"#,
        )
        .with_file(
            "home/.config/helve/permissions.json",
            r#"{"deny": ["grep"], "ask": ["mcp__github__*"]}"#,
        );
    insta::assert_snapshot!(place.run(&["list"]), @"
    exit 0
    --- stdout
    project (PLACE/project/.helve/permissions.json)
      allow bash(git commit:*)  (not accepted)
      allow grep  (not accepted)
    user (PLACE/home/.config/helve/permissions.json)
      ask   mcp__github__*
      deny  grep
    --- stderr
    note: ignored the allow rules of `PLACE/project/.helve/permissions.json` because you have not accepted it: `bash(git commit:*)`, `grep`; run `assistant permissions trust` to review and accept the file
    ");
    insta::assert_snapshot!(place.run(&["list", "--json"]), @r#"
    exit 0
    --- stdout
    [{"rule":"bash(git commit:*)","list":"allow","scope":"project","file":"PLACE/project/.helve/permissions.json","in_force":false},{"rule":"grep","list":"allow","scope":"project","file":"PLACE/project/.helve/permissions.json","in_force":false},{"rule":"mcp__github__*","list":"ask","scope":"user","file":"PLACE/home/.config/helve/permissions.json","in_force":true},{"rule":"grep","list":"deny","scope":"user","file":"PLACE/home/.config/helve/permissions.json","in_force":true}]
    --- stderr
    note: ignored the allow rules of `PLACE/project/.helve/permissions.json` because you have not accepted it: `bash(git commit:*)`, `grep`; run `assistant permissions trust` to review and accept the file
    "#);
    insta::assert_snapshot!(place.run(&["remove", "grep", "--scope", "project"]), @r#"
        exit 0
        --- stdout
        removed `grep` from PLACE/project/.helve/permissions.json
        "#);
    insta::assert_snapshot!(place.run(&["list"]), @"
    exit 0
    --- stdout
    project (PLACE/project/.helve/permissions.json)
      allow bash(git commit:*)  (not accepted)
    user (PLACE/home/.config/helve/permissions.json)
      ask   mcp__github__*
      deny  grep
    --- stderr
    note: ignored the allow rules of `PLACE/project/.helve/permissions.json` because you have not accepted it: `bash(git commit:*)`; run `assistant permissions trust` to review and accept the file
    ");
    insta::assert_snapshot!(place.run(&["remove", "write_file"]), @"
    exit 1
    --- stderr
    error: no rule `write_file`
    help: run `assistant permissions list` for the rules
    ");
    let left =
        std::fs::read_to_string(place.path("project/.helve/permissions.json")).expect("a file");
    insta::assert_snapshot!(left, @r#"
        {
          "allow": [
            "bash(git commit:*)"
          ]
        }
        "#);
}

#[test]
fn a_file_that_holds_no_rules_is_told_and_nothing_is_judged_without_it() {
    let place = PermissionsFixture::new().with_file(
        "project/.helve/permissions.json",
        "{\n  \"alow\": [\"grep\"]\n}\n",
    );
    insta::assert_snapshot!(place.run(&["check", "read_file", READ]), @r#"
    exit 1
    --- stderr
    error: `PLACE/project/.helve/permissions.json` is not a rule file: expected an object with the lists `allow`, `ask` and `deny`, such as {"allow": ["bash(git commit:*)"]}
      Caused by: unknown field `alow`, expected one of `allow`, `ask`, `deny` at line 2 column 8
    "#);
    insta::assert_snapshot!(place.run(&["list"]), @r#"
    exit 1
    --- stdout
    user (PLACE/home/.config/helve/permissions.json)
      no rules
    --- stderr
    error: `PLACE/project/.helve/permissions.json` is not a rule file: expected an object with the lists `allow`, `ask` and `deny`, such as {"allow": ["bash(git commit:*)"]}
      Caused by: unknown field `alow`, expected one of `allow`, `ask`, `deny` at line 2 column 8
    "#);
    let place = PermissionsFixture::new().with_file(
        "project/.helve/permissions.json",
        r#"{"deny": ["bash(rm"]}"#,
    );
    insta::assert_snapshot!(place.run(&["list"]), @r#"
    exit 1
    --- stdout
    user (PLACE/home/.config/helve/permissions.json)
      no rules
    --- stderr
    error: `PLACE/project/.helve/permissions.json` is not a rule file: expected an object with the lists `allow`, `ask` and `deny`, such as {"allow": ["bash(git commit:*)"]}
      Caused by: invalid rule `bash(rm`; expected `tool`, `tool(calls)` or `prefix*`, for example `bash(git commit:*)` at line 1 column 20
    "#);
}

/// A command line and the flags that it is judged with.
fn check_bash(flags: &[&str], command: &str) -> String {
    let arguments = format!(r#"{{"command": {}}}"#, json_string(command));
    let mut words = vec!["check", "--json"];
    words.extend(flags);
    words.extend(["bash", &arguments]);
    PermissionsFixture::new().run(&words)
}

fn json_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[test]
fn a_command_line_is_judged_part_by_part() {
    insta::assert_snapshot!(check_bash(&[], "git status && ls -la"), @r#"
        exit 0
        --- stdout
        {"tool":"bash","mode":"default","verdict":"allow","reason":null,"safety":false,"decided_by":{"layer":"read_only"},"part":null,"suggestions":[]}
        "#);
    insta::assert_snapshot!(check_bash(&["--allow", "bash(git commit:*)"], "git commit -m x && rm y"), @r#"
        exit 0
        --- stdout
        {"tool":"bash","mode":"default","verdict":"ask","reason":"it may change something, and may reach the outside world (medium risk)","safety":false,"decided_by":{"layer":"mode"},"part":"rm y","suggestions":["bash(rm y:*)"]}
        "#);
    insta::assert_snapshot!(check_bash(&["--deny", "bash(rm:*)"], "ls && sudo /bin/rm x"), @r#"
        exit 0
        --- stdout
        {"tool":"bash","mode":"default","verdict":"deny","reason":"the rule `bash(rm:*)` denies it","safety":false,"decided_by":{"layer":"deny_rule","rule":"bash(rm:*)"},"part":"sudo /bin/rm x","suggestions":[]}
        "#);
    insta::assert_snapshot!(check_bash(&["--allow", "bash(npm run:*)", "--allow", "bash(git push:*)"], "cd src && npm run build && git push"), @r#"
        exit 0
        --- stdout
        {"tool":"bash","mode":"default","verdict":"allow","reason":null,"safety":false,"decided_by":{"layer":"allow_rules","rules":["bash(npm run:*)","bash(git push:*)"]},"part":null,"suggestions":[]}
        "#);
    insta::assert_snapshot!(check_bash(&["--mode", "bypass", "--allow", "bash"], "cat ~/.ssh/id_rsa"), @r#"
        exit 0
        --- stdout
        {"tool":"bash","mode":"bypass","verdict":"ask","reason":"`~/.ssh/id_rsa` is a dangerous path (`.ssh/`: private keys)","safety":true,"decided_by":{"layer":"dangerous_path","pattern":".ssh/"},"part":"cat ~/.ssh/id_rsa","suggestions":[]}
        "#);
    insta::assert_snapshot!(check_bash(&["--mode", "explore"], "cat .env"), @r#"
        exit 0
        --- stdout
        {"tool":"bash","mode":"explore","verdict":"deny","reason":"`.env` is a dangerous path (`.env`: secrets of an environment), and the mode `explore` does not prompt","safety":false,"decided_by":{"layer":"dangerous_path","pattern":".env"},"part":"cat .env","suggestions":[]}
        "#);
    insta::assert_snapshot!(check_bash(&["--mode", "accept_edits"], "touch src/new.rs"), @r#"
        exit 0
        --- stdout
        {"tool":"bash","mode":"accept_edits","verdict":"allow","reason":null,"safety":false,"decided_by":{"layer":"workspace_edit"},"part":null,"suggestions":[]}
        "#);
    insta::assert_snapshot!(check_bash(&["--mode", "dont_ask"], "npm install"), @r#"
        exit 0
        --- stdout
        {"tool":"bash","mode":"dont_ask","verdict":"deny","reason":"it may change something, and may reach the outside world (medium risk), and the mode `dont_ask` does not prompt","safety":false,"decided_by":{"layer":"mode"},"part":"npm install","suggestions":["bash(npm install:*)"]}
        "#);
}
