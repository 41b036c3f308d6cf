//! Rules that are added and removed, and calls that are checked with flags.

use crate::permissions::fixture::PermissionsFixture;

#[test]
fn a_call_is_checked_with_the_flags_of_the_tool() {
    let place = PermissionsFixture::new();
    insta::assert_snapshot!(place.run(&["check", "--mode", "bypass", "bash", "--command", "git log | head"]), @"
    exit 0
    --- stdout
    allow
    decided by the read-only effects of the call
    ");
    insta::assert_snapshot!(place.run(&["check", "--json", "read_file", "--path", "src/main.rs", "--limit", "5"]), @r#"
    exit 0
    --- stdout
    {"tool":"read_file","mode":"default","verdict":"allow","reason":null,"safety":false,"decided_by":{"layer":"read_only"},"part":null,"suggestions":[]}
    "#);
    insta::assert_snapshot!(place.run(&["check", "read_file", "--pth", "src"]), @"
    exit 2
    --- stderr
    error: unexpected argument '--pth' found

      tip: a similar argument exists: '--path'

    Usage: assistant permissions check read_file [FLAGS]
           assistant permissions check read_file JSON

    For more information, try '--help'.
    ");
    let input = r#"{"path": ".ssh/config"}"#;
    let seen = place.run_with_input(&["check", "read_file", "-"], input);
    assert!(
        seen.contains("ask: `.ssh/config` is a dangerous path"),
        "{seen}"
    );
    let help = place.run(&["check", "read_file", "--help"]);
    assert!(
        help.contains("Usage: assistant permissions check read_file [FLAGS]"),
        "{help}"
    );
}

#[test]
fn rules_are_added_to_each_list() {
    let place = PermissionsFixture::new();
    insta::assert_snapshot!(place.run(&["deny", "bash(rm:*)"]), @"
    exit 0
    --- stdout
    added `bash(rm:*)` to the deny rules of PLACE/project/.helve/permissions.json
    ");
    insta::assert_snapshot!(place.run(&["ask", "write_file", "--scope", "user"]), @"
    exit 0
    --- stdout
    added `write_file` to the ask rules of PLACE/home/.config/helve/permissions.json
    ");
    insta::assert_snapshot!(place.run(&["allow", "mcp__github__*", "--yes"]), @"
    exit 0
    --- stdout
    added `mcp__github__*` to the allow rules of PLACE/project/.helve/permissions.json
    ");
    insta::assert_snapshot!(place.run(&["list"]), @"
    exit 0
    --- stdout
    project (PLACE/project/.helve/permissions.json)
      allow mcp__github__*
      deny  bash(rm:*)
    user (PLACE/home/.config/helve/permissions.json)
      ask   write_file
    ");
    insta::assert_snapshot!(place.run(&["check", "bash", "--command", "rm x"]), @"
    exit 0
    --- stdout
    deny: the rule `bash(rm:*)` denies it
    decided by the deny rule `bash(rm:*)`
    decisive part: rm x
    ");
}

#[test]
fn a_rule_for_a_tool_that_is_not_there_is_refused() {
    let place = PermissionsFixture::new();
    insta::assert_snapshot!(place.run(&["allow", "write_fil(src/**)"]), @"
    exit 2
    --- stderr
    error: unknown tool `write_fil`; did you mean `write_file`?
    help: run `assistant tools` for a list
    ");
    insta::assert_snapshot!(place.run(&["deny", "coffee*"]), @"
    exit 2
    --- stderr
    error: unknown tool `coffee*`
    help: run `assistant tools` for a list
    ");
    assert!(place.run(&["deny", "write_*"]).starts_with("exit 0"));
    assert!(!place.run(&["list"]).contains("coffee"));
}
