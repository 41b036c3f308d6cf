//! Rules that are added and removed, and calls that are checked with flags.

use crate::permissions::fixture::PermissionsFixture;

#[test]
fn a_call_is_checked_with_the_flags_of_the_tool() {
    let place = PermissionsFixture::new();
    insta::assert_snapshot!(place.run(&["check", "--mode", "bypass", "bash", "--command", "git log | head"]), @"");
    insta::assert_snapshot!(place.run(&["check", "--json", "read_file", "--path", "src/main.rs", "--limit", "5"]), @"");
    insta::assert_snapshot!(place.run(&["check", "read_file", "--pth", "src"]), @"");
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
    insta::assert_snapshot!(place.run(&["deny", "bash(rm:*)"]), @"");
    insta::assert_snapshot!(place.run(&["ask", "write_file", "--scope", "user"]), @"");
    insta::assert_snapshot!(place.run(&["allow", "mcp__github__*", "--yes"]), @"");
    insta::assert_snapshot!(place.run(&["list"]), @"");
    insta::assert_snapshot!(place.run(&["check", "bash", "--command", "rm x"]), @"");
}

#[test]
fn a_rule_for_a_tool_that_is_not_there_is_refused() {
    let place = PermissionsFixture::new();
    insta::assert_snapshot!(place.run(&["allow", "write_fil(src/**)"]), @"");
    insta::assert_snapshot!(place.run(&["deny", "coffee*"]), @"");
    assert!(place.run(&["deny", "write_*"]).starts_with("exit 0"));
    assert!(!place.run(&["list"]).contains("coffee"));
}
