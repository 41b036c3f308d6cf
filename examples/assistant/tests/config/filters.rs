//! Which tools the settings leave in.

use crate::place::Place;

/// Settings of a user and of a project, of which each takes something away and the project tries to give something back.
fn narrowed() -> Place {
    Place::new()
        .user(
            r#"
[tools]
only = ["read_file", "grep", "write_file"]
without = ["grep"]
"#,
        )
        .project("tools.only = [\"read_file\", \"grep\", \"bash\"]\n")
}

/// Keeps the lines that speak of some tools.
fn about(seen: &str, tools: &[&str]) -> String {
    let is_about = |line: &&str| tools.iter().any(|tool| line.starts_with(tool));
    let lines: Vec<&str> = seen.lines().filter(is_about).collect();
    lines.join("\n")
}

#[test]
fn every_file_takes_tools_away_and_none_gives_any_back() {
    insta::assert_snapshot!(narrowed().run(&["tools"]), @"");
}

#[test]
fn why_a_tool_is_left_out_is_told_with_its_place() {
    let place = narrowed();
    let all = place.run(&["tools", "--all"]);
    let some = ["bash ", "grep", "load_skill", "read_file", "write_file"];
    insta::assert_snapshot!(about(&all, &some), @"");
    insta::assert_snapshot!(place.run(&["call", "write_file", "{}"]), @"");
    insta::assert_snapshot!(place.run(&["tools", "show", "grep"]), @"");
}

#[test]
fn both_are_shown_since_both_hold() {
    let shown = narrowed().run(&["config", "show"]);
    insta::assert_snapshot!(about(&shown, &["tools."]), @"");
}

#[test]
fn names_that_fit_nothing_are_found_by_the_doctor() {
    let place = Place::new().user(
        r#"
mcp.servers.tickets.url = "https://tickets.example/mcp"

[tools]
without = ["raed_file", "mcp__tickets__delete"]
servers = ["tickets", "tikcets"]
packages = ["pack"]
"#,
    );
    let seen = place.run(&["doctor"]);
    let of_tools = seen.split("\n\n").find(|part| part.starts_with("Tools"));
    insta::assert_snapshot!(of_tools.expect("a section"), @"");
}

#[test]
fn no_command_uses_tools_where_the_filters_cannot_be_read() {
    let place = Place::new().user("tools.without = \"bash\"\n");
    insta::assert_snapshot!(place.run(&["call", "bash", "--command", "true"]), @"");
    insta::assert_snapshot!(place.run(&["tools"]), @"");
}
