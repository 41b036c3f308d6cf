//! Which tools the settings leave in.

use crate::config::fixture::ConfigFixture;

/// Settings of a user and of a project, of which each takes something away and the project tries to give something back.
fn filtered_fixture() -> ConfigFixture {
    ConfigFixture::new()
        .with_user_settings(
            r#"
[tools]
only = ["read_file", "grep", "write_file"]
without = ["grep"]
"#,
        )
        .with_project_settings("tools.only = [\"read_file\", \"grep\", \"bash\"]\n")
}

/// Keeps the lines that speak of some tools, without the width of their columns, which is that of all tools.
fn lines_about(seen: &str, tools: &[&str]) -> String {
    let is_about = |line: &&str| tools.iter().any(|tool| line.starts_with(tool));
    let narrow = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = seen.lines().filter(is_about).map(narrow).collect();
    lines.join("\n")
}

#[test]
fn every_file_takes_tools_away_and_none_gives_any_back() {
    insta::assert_snapshot!(filtered_fixture().run(&["tools"]), @r#"
    exit 0
    --- stdout
    load_skill       read-only  Gives the whole instructions of one of the available skills.
    read_file        read-only  Reads a text file with line numbers, the text of a PDF document, or shows an image (PNG, JPEG, GIF, …
    read_skill_file  read-only  Reads one of the files that a skill lists, such as a reference or a script.
    "#);
}

#[test]
fn why_a_tool_is_left_out_is_told_with_its_place() {
    let place = filtered_fixture();
    let all = place.run(&["tools", "--all"]);
    let some = ["bash ", "grep", "load_skill", "read_file", "write_file"];
    insta::assert_snapshot!(lines_about(&all, &some), @r#"
    bash writes (filtered out: it is not among the tools that are granted by name; `tools.only`, ~/.config/helve/helve.toml:3) Runs a command line in bash and returns what it writes.
    grep read-only (filtered out: it is excluded by its name; `tools.without`, ~/.config/helve/helve.toml:4) Searches file contents with a regular expression, like `rg`.
    load_skill read-only Gives the whole instructions of one of the available skills.
    read_file read-only Reads a text file with line numbers, the text of a PDF document, or shows an image (PNG, JPEG, GIF, …
    write_file writes (filtered out: it is not among the tools that are granted by name; `tools.only`, PLACE/project/helve.toml:1) Writes a whole file, and makes the folders on its way.
    "#);
    insta::assert_snapshot!(place.run(&["call", "write_file", "{}"]), @r#"
    exit 2
    --- stderr
    error: the tool `write_file` is disabled by a filter: it is not among the tools that are granted by name (`tools.only`, PLACE/project/helve.toml:1)
    "#);
    insta::assert_snapshot!(place.run(&["tools", "show", "grep"]), @r#"
    exit 2
    --- stderr
    error: the tool `grep` is disabled by a filter: it is excluded by its name (`tools.without`, ~/.config/helve/helve.toml:4)
    "#);
}

#[test]
fn both_are_shown_since_both_hold() {
    let shown = filtered_fixture().run(&["config", "show"]);
    insta::assert_snapshot!(lines_about(&shown, &["tools."]), @r#"
    tools.only ["read_file", "grep", "write_file"] ~/.config/helve/helve.toml:3
    tools.only ["read_file", "grep", "bash"] PLACE/project/helve.toml:1
    tools.without ["grep"] ~/.config/helve/helve.toml:4
    tools.servers all default
    tools.packages all default
    "#);
}

#[test]
fn names_that_fit_nothing_are_found_by_the_doctor() {
    let place = ConfigFixture::new().with_user_settings(
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
    insta::assert_snapshot!(of_tools.expect("a section"), @"
    Tools
      ✓ helve-runtime: 3 of 4 granted
      · helve-skill-install: 0 of 5 granted
      ✓ helve-tools: 16 of 51 granted
      · no tool is called `raed_file`; did you mean `read_file`? (`tools.without`, ~/.config/helve/helve.toml:5)
      · no server `tikcets` provides a tool (`tools.servers`, ~/.config/helve/helve.toml:6)
      · no package `pack` provides a tool (`tools.packages`, ~/.config/helve/helve.toml:7)
    ");
}

#[test]
fn no_command_uses_tools_where_the_filters_cannot_be_read() {
    let place = ConfigFixture::new().with_user_settings("tools.without = \"bash\"\n");
    insta::assert_snapshot!(place.run(&["call", "bash", "--command", "true"]), @r#"
    exit 2
    --- stderr
    error: PLACE/home/.config/helve/helve.toml:1:17: `tools.without`: expected a list of strings, got the string "bash"
    "#);
    insta::assert_snapshot!(place.run(&["tools"]), @r#"
    exit 2
    --- stderr
    error: PLACE/home/.config/helve/helve.toml:1:17: `tools.without`: expected a list of strings, got the string "bash"
    "#);
}
