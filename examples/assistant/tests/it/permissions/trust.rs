//! The output for rules of a project that are not accepted yet.

use crate::permissions::fixture::PermissionsFixture;

const FILE: &str = "project/.helve/permissions.json";
const RULES: &str = r#"{"allow": ["bash(make:*)"], "deny": ["bash(rm:*)"]}"#;
const MAKE: &str = r#"{"command": "make all"}"#;

/// A clone of another project.
fn cloned_fixture() -> PermissionsFixture {
    PermissionsFixture::new().with_file(FILE, RULES)
}

impl PermissionsFixture {
    /// Runs `permissions` with the user's configurations in a folder of their own.
    fn run_permissions(&self, arguments: &[&str]) -> String {
        self.output_of(self.command().arg("permissions").args(arguments), "")
    }

    /// Runs a recorded model that says a word.
    fn run_agent(&self, arguments: &[&str]) -> String {
        let recording = concat!(
            r#"{"helve_recording": 1}"#,
            "\n",
            r#"{"events": [{"type": "text_delta", "text": "Done."}, {"type": "stop", "reason": "end_turn"}]}"#,
            "\n",
        );
        std::fs::write(self.path("says.jsonl"), recording).expect("a file");
        let replay = self.path("says.jsonl");
        self.output_of(
            self.command().args(arguments).arg("--replay").arg(replay),
            "",
        )
    }
}

#[test]
fn what_a_clone_allows_asks_and_what_it_denies_is_denied() {
    let place = cloned_fixture();
    insta::assert_snapshot!(place.run_permissions(&["check", "bash", MAKE]), @"
    exit 0
    --- stdout
    ask: it may change something, and may reach the outside world (medium risk)
    decided by the mode, and what the call may do
    decisive part: make all
    suggested rule: bash(make all:*)
    --- stderr
    note: ignored the allow rules of `PLACE/project/.helve/permissions.json` because you have not accepted it: `bash(make:*)`; run `assistant permissions trust` to review and accept the file
    ");
    insta::assert_snapshot!(place.run_permissions(&["check", "bash", r#"{"command": "rm x"}"#]), @"
    exit 0
    --- stdout
    deny: the rule `bash(rm:*)` denies it
    decided by the deny rule `bash(rm:*)`
    decisive part: rm x
    --- stderr
    note: ignored the allow rules of `PLACE/project/.helve/permissions.json` because you have not accepted it: `bash(make:*)`; run `assistant permissions trust` to review and accept the file
    ");
}

#[test]
fn what_is_accepted_holds_until_the_file_changes() {
    let place = cloned_fixture();
    insta::assert_snapshot!(place.run_permissions(&["trust", "--yes"]), @r#"
        exit 0
        --- stdout
        what `PLACE/project/.helve/permissions.json` allows
        + rule `bash(make:*)` (new)
        accepted PLACE/project/.helve/permissions.json until the file changes
        "#);
    insta::assert_snapshot!(place.run_permissions(&["check", "bash", MAKE]), @r#"
        exit 0
        --- stdout
        allow
        decided by the allow rule `bash(make:*)`
        "#);
    let place = place.with_file(FILE, r#"{"allow": ["bash(make:*)", "bash"]}"#);
    insta::assert_snapshot!(place.run_permissions(&["check", "bash", MAKE]), @"
    exit 0
    --- stdout
    ask: it may change something, and may reach the outside world (medium risk)
    decided by the mode, and what the call may do
    decisive part: make all
    suggested rule: bash(make all:*)
    --- stderr
    note: ignored the allow rules of `PLACE/project/.helve/permissions.json` because it has changed since you accepted it: `bash(make:*)`, `bash`; run `assistant permissions trust` to review and accept the file
    ");
    let place = place.with_file(FILE, RULES);
    insta::assert_snapshot!(place.run_permissions(&["untrust"]), @r#"
        exit 0
        --- stdout
        revoked PLACE/project/.helve/permissions.json
        "#);
    insta::assert_snapshot!(place.run_permissions(&["check", "bash", MAKE]), @"
    exit 0
    --- stdout
    ask: it may change something, and may reach the outside world (medium risk)
    decided by the mode, and what the call may do
    decisive part: make all
    suggested rule: bash(make all:*)
    --- stderr
    note: ignored the allow rules of `PLACE/project/.helve/permissions.json` because you have not accepted it: `bash(make:*)`; run `assistant permissions trust` to review and accept the file
    ");
    insta::assert_snapshot!(place.run_permissions(&["untrust"]), @r#"
        exit 1
        --- stderr
        error: PLACE/project/.helve/permissions.json is not accepted
        "#);
}

#[test]
fn the_list_says_what_is_not_in_force() {
    let place =
        cloned_fixture().with_file("config/helve/permissions.json", r#"{"allow": ["grep"]}"#);
    insta::assert_snapshot!(place.run_permissions(&["list"]), @"
    exit 0
    --- stdout
    project (PLACE/project/.helve/permissions.json)
      allow bash(make:*)  (not accepted)
      deny  bash(rm:*)
    user (PLACE/config/helve/permissions.json)
      allow grep
    --- stderr
    note: ignored the allow rules of `PLACE/project/.helve/permissions.json` because you have not accepted it: `bash(make:*)`; run `assistant permissions trust` to review and accept the file
    ");
    insta::assert_snapshot!(place.run_permissions(&["list", "--json"]), @r#"
    exit 0
    --- stdout
    [{"rule":"bash(make:*)","list":"allow","scope":"project","file":"PLACE/project/.helve/permissions.json","in_force":false},{"rule":"bash(rm:*)","list":"deny","scope":"project","file":"PLACE/project/.helve/permissions.json","in_force":true},{"rule":"grep","list":"allow","scope":"user","file":"PLACE/config/helve/permissions.json","in_force":true}]
    --- stderr
    note: ignored the allow rules of `PLACE/project/.helve/permissions.json` because you have not accepted it: `bash(make:*)`; run `assistant permissions trust` to review and accept the file
    "#);
    place.run_permissions(&["trust", "--yes"]);
    insta::assert_snapshot!(place.run_permissions(&["list"]), @r#"
        exit 0
        --- stdout
        project (PLACE/project/.helve/permissions.json)
          allow bash(make:*)
          deny  bash(rm:*)
        user (PLACE/config/helve/permissions.json)
          allow grep
        "#);
}

#[test]
fn a_batch_says_it_once() {
    let place = cloned_fixture();
    let line = format!("{{\"tool\": \"bash\", \"arguments\": {MAKE}}}\n");
    let mut batch = place.command();
    let batch = batch.args(["permissions", "check", "--jsonl"]);
    insta::assert_snapshot!(place.output_of(batch, &line.repeat(2)), @r#"
    exit 0
    --- stdout
    {"tool":"bash","mode":"default","verdict":"ask","reason":"it may change something, and may reach the outside world (medium risk)","safety":false,"decided_by":{"layer":"mode"},"part":"make all","suggestions":["bash(make all:*)"]}
    {"tool":"bash","mode":"default","verdict":"ask","reason":"it may change something, and may reach the outside world (medium risk)","safety":false,"decided_by":{"layer":"mode"},"part":"make all","suggestions":["bash(make all:*)"]}
    --- stderr
    note: ignored the allow rules of `PLACE/project/.helve/permissions.json` because you have not accepted it: `bash(make:*)`; run `assistant permissions trust` to review and accept the file
    "#);
}

#[test]
fn the_agent_says_it_once_before_it_works() {
    let place = cloned_fixture();
    insta::assert_snapshot!(place.run_agent(&["run", "hello"]), @"
    exit 0
    --- stdout
    > hello

    Done.

    — finished
    --- stderr
    note: ignored the allow rules of `PLACE/project/.helve/permissions.json` because you have not accepted it: `bash(make:*)`; run `assistant permissions trust` to review and accept the file
    ");
    insta::assert_snapshot!(place.run_agent(&["resume"]), @"
    exit 0
    --- stderr
    note: ignored the allow rules of `PLACE/project/.helve/permissions.json` because you have not accepted it: `bash(make:*)`; run `assistant permissions trust` to review and accept the file
    the session has no open turn to resume
    ");
    place.run_permissions(&["trust", "--yes"]);
    insta::assert_snapshot!(place.run_agent(&["run", "hello"]), @r#"
        exit 0
        --- stdout
        > hello

        Done.

        — finished
        "#);
}

#[test]
fn there_may_be_nothing_to_accept() {
    insta::assert_snapshot!(PermissionsFixture::new().run_permissions(&["trust", "--yes"]), @r#"
        exit 0
        --- stdout
        nothing to accept in PLACE/project/.helve/permissions.json
        "#);
    let denies = PermissionsFixture::new().with_file(FILE, r#"{"deny": ["bash"]}"#);
    insta::assert_snapshot!(denies.run_permissions(&["trust", "--yes"]), @r#"
        exit 0
        --- stdout
        nothing to accept in PLACE/project/.helve/permissions.json
        "#);
    assert!(!denies.path("data").exists());
}

#[test]
fn removing_a_rule_keeps_the_others_accepted_and_accepts_none() {
    let place = cloned_fixture();
    place.run_permissions(&["trust", "--yes"]);
    place.run_permissions(&["remove", "bash(rm:*)"]);
    insta::assert_snapshot!(place.run_permissions(&["list"]), @r#"
        exit 0
        --- stdout
        project (PLACE/project/.helve/permissions.json)
          allow bash(make:*)
        user (PLACE/config/helve/permissions.json)
          no rules
        "#);

    let place = cloned_fixture();
    place.run_permissions(&["remove", "bash(rm:*)"]);
    insta::assert_snapshot!(place.run_permissions(&["list"]), @"
    exit 0
    --- stdout
    project (PLACE/project/.helve/permissions.json)
      allow bash(make:*)  (not accepted)
    user (PLACE/config/helve/permissions.json)
      no rules
    --- stderr
    note: ignored the allow rules of `PLACE/project/.helve/permissions.json` because you have not accepted it: `bash(make:*)`; run `assistant permissions trust` to review and accept the file
    ");
}

#[test]
fn a_rule_cannot_pass_for_two_nor_steer_the_terminal() {
    let rules = r#"{"allow": ["bash(ls)\n  allow grep(x)", "bash(\u001b[2K)"]}"#;
    let place = PermissionsFixture::new().with_file(FILE, rules);
    insta::assert_snapshot!(place.run_permissions(&["list"]), @"
    exit 0
    --- stdout
    project (PLACE/project/.helve/permissions.json)
      allow bash(ls)�  allow grep(x)  (not accepted)
      allow bash(�[2K)  (not accepted)
    user (PLACE/config/helve/permissions.json)
      no rules
    --- stderr
    note: ignored the allow rules of `PLACE/project/.helve/permissions.json` because you have not accepted it: `bash(ls)�  allow grep(x)`, `bash(�[2K)`; run `assistant permissions trust` to review and accept the file
    ");
    insta::assert_snapshot!(place.run_permissions(&["trust", "--yes"]), @r#"
        exit 0
        --- stdout
        what `PLACE/project/.helve/permissions.json` allows
        + rule `bash(�[2K)` (new)
        + rule `bash(ls)�  allow grep(x)` (new)
        accepted PLACE/project/.helve/permissions.json until the file changes
        "#);
}

#[test]
fn without_knowing_what_was_accepted_nothing_works() {
    let place = cloned_fixture().with_file("data/helve/acceptances.json", "oops");
    insta::assert_snapshot!(place.run_agent(&["run", "hello"]), @"
    exit 2
    --- stderr
    error: `PLACE/data/helve/acceptances.json` is not a valid acceptance file: move it away and accept the items again
      Caused by: expected value at line 1 column 1
    ");
}
