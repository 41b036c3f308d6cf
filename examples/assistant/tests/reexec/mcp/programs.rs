//! Programs of servers that lie in the project and run outside of the sandbox: commands do not write them.

use serde_json::json;

use crate::mcp::fixture::McpFixture;
use crate::mcp::sandboxed::sandbox_works;

fn fixture_with_program(path: &str) -> McpFixture {
    let settings = format!("[mcp.servers.notes]\ncommand = \"sh\"\nargs = [{path:?}]\n");
    McpFixture::new()
        .with_file(&format!("project/{path}"), "exit 1\n")
        .with_user_settings(&settings)
}

pub(crate) fn a_command_does_not_change_them() {
    if !sandbox_works() {
        return;
    }
    let place =
        fixture_with_program("tools/notes/server.sh").with_file("project/tools/notes/part.sh", "");
    let run = |command: &str| {
        let arguments = json!({ "command": command }).to_string();
        place.run(&["call", "bash", &arguments])
    };
    for command in [
        "echo evil >> tools/notes/server.sh",
        "echo evil > tools/notes/part.sh",
        "echo evil > tools/notes/new.sh",
        "mv tools/notes tools/old",
    ] {
        let seen = run(command);
        assert!(seen.contains("[exit code 1"), "{command}: {seen}");
    }
    for (path, text) in [("server.sh", "exit 1\n"), ("part.sh", "")] {
        let path = place.path("project/tools/notes").join(path);
        assert_eq!(std::fs::read_to_string(path).expect("a file"), text);
    }
    assert!(!place.path("project/tools/notes/new.sh").exists());
    let seen = run("echo ours > tools/ours.txt");
    assert!(seen.contains("[exit code 0"), "{seen}");
}

pub(crate) fn one_at_the_top_is_not_started() {
    let place = fixture_with_program("server.sh");
    insta::assert_snapshot!(place.run(&["mcp", "list"]), @r"
    exit 0
    --- stdout
    notes  (~/.config/helve/helve.toml:2)
      ✗ the program of the server is in the root of the workspace, which commands can write, and would run outside the sandbox: move it to a subfolder, which is then protected, or set `sandboxed = true`
    ");
    // A folder that it works on is no program.
    let settings =
        "[mcp.servers.files]\ncommand = \"npx\"\nargs = [\"-y\", \"server-filesystem\", \".\"]\n";
    let place = McpFixture::new().with_user_settings(settings);
    let seen = place.run(&["mcp", "list"]);
    assert!(!seen.contains("root of the workspace"), "{seen}");
}
