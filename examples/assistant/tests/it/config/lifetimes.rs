//! MCP servers that run for one call: `mcp.servers.NAME.lifetime`.

use crate::config::fixture::ConfigFixture;

#[test]
fn the_lifetime_of_a_server_is_a_setting() {
    // The program is a server, too; the shell notes each of its starts.
    let settings = |lifetime: &str| {
        let program = env!("CARGO_BIN_EXE_assistant");
        let script =
            format!("echo start >> starts; exec '{program}' serve --stdio --tools datetime");
        format!(
            "[mcp.servers.clock]\ncommand = \"sh\"\nargs = [\"-c\", {script:?}]\ninherit = [\"HOME\"]\nlifetime = {lifetime:?}\n"
        )
    };
    let starts_of_a_call = |lifetime: &str| {
        let place = ConfigFixture::new().with_user_settings(&settings(lifetime));
        let approved = place.run(&["mcp", "approve", "clock", "--yes"]);
        assert!(approved.starts_with("exit 0"), "{approved}");
        let starts = place.path("project/starts");
        std::fs::remove_file(&starts).expect("it was started");
        let seen = place.run(&["call", "mcp__clock__datetime"]);
        assert!(seen.starts_with("exit 0"), "{seen}");
        let starts = std::fs::read_to_string(&starts).expect("it was started");
        starts.lines().count()
    };
    assert_eq!(starts_of_a_call("session"), 1);
    // The tools are listed, the skills are listed, the one skill is read, and a tool is called.
    assert_eq!(starts_of_a_call("call"), 4);
    let place = ConfigFixture::new().with_user_settings(&settings("cal"));
    insta::assert_snapshot!(place.run(&["mcp", "list"]), @r#"
    exit 2
    --- stderr
    error: PLACE/home/.config/helve/helve.toml:5:12: `mcp.servers.clock.lifetime`: expected one of "session", "call", got "cal"; did you mean "call"?
    "#);
}
