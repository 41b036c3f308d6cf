//! What a person accepts: shown, asked about once, listed and revoked.

use std::process::Stdio;

use crate::permissions::fixture::PermissionsFixture;

const FILE: &str = "project/.helve/permissions.json";
const MAKE: &str = r#"{"command": "make all"}"#;

/// A clone of another project, which allows something in each of its files.
fn cloned_fixture() -> PermissionsFixture {
    PermissionsFixture::new()
        .with_file(FILE, r#"{"allow": ["bash(make:*)"]}"#)
        .with_file("project/helve.toml", "mode = \"accept_edits\"\n")
        .with_file(
            "project/.mcp.json",
            r#"{"mcpServers": {"notes": {"command": "notes", "env": {"TOKEN": "a secret"}}}}"#,
        )
}

/// Writes a listing without the time at which something was accepted.
fn redact_times(listed: &str) -> String {
    let lines = listed
        .lines()
        .map(|line| match line.split_once(" (by somebody, ") {
            Some((line, time)) if time.ends_with("Z)") => format!("{line} (by somebody, TIME)"),
            _ => line.to_owned(),
        });
    lines.collect::<Vec<_>>().join("\n")
}

impl PermissionsFixture {
    fn permissions(&self, arguments: &[&str]) -> String {
        self.output_of(self.command().arg("permissions").args(arguments), "")
    }
}

#[test]
fn without_a_terminal_nothing_is_accepted() {
    let place = cloned_fixture();
    insta::assert_snapshot!(place.permissions(&["trust"]), @r#"
    exit 1
    --- stdout
    what `PLACE/project/.helve/permissions.json` allows
    + rule `bash(make:*)` (new)
    the settings of `PLACE/project/helve.toml`
    + setting `mode` (new)
        "accept_edits"
    the MCP servers of `PLACE/project/.mcp.json`
    + server `notes` (new)
        notes [env TOKEN]
    --- stderr
    error: nothing was accepted: standard input is not a terminal
    help: run `assistant permissions trust --yes` to accept without asking
    "#);
    insta::assert_snapshot!(place.permissions(&["accepted"]), @r#"
    exit 0
    --- stdout
    no acceptances
    "#);
    let checked = place.permissions(&["check", "bash", MAKE]);
    assert!(checked.contains("ask: "), "{checked}");
}

#[test]
fn what_was_accepted_is_asked_about_again_with_the_difference() {
    let place = cloned_fixture();
    let accepted = place.permissions(&["trust", "--yes"]);
    assert!(accepted.starts_with("exit 0"), "{accepted}");
    insta::assert_snapshot!(place.permissions(&["trust"]), @r#"
    exit 0
    --- stdout
    unchanged: PLACE/project/.helve/permissions.json
    unchanged: PLACE/project/helve.toml
    unchanged: PLACE/project/.mcp.json
    "#);
    let place = place
        .with_file(FILE, r#"{"allow": ["bash(cargo:*)"]}"#)
        .with_file("project/helve.toml", "mode = \"bypass\"\n")
        .with_file(
            "project/.mcp.json",
            r#"{"mcpServers": {"notes": {"command": "notes", "env": {"TOKEN": "another secret"}}}}"#,
        );
    insta::assert_snapshot!(place.permissions(&["trust"]), @r#"
    exit 1
    --- stdout
    what `PLACE/project/.helve/permissions.json` allows
    + rule `bash(cargo:*)` (new)
    - rule `bash(make:*)` (removed)
    the settings of `PLACE/project/helve.toml`
    ~ setting `mode` (changed)
        @@ -1 +1 @@
        -"accept_edits"
        +"bypass"
    the MCP servers of `PLACE/project/.mcp.json`
    ~ server `notes` (changed)
        (what has changed is not shown)
    --- stderr
    error: nothing was accepted: standard input is not a terminal
    help: run `assistant permissions trust --yes` to accept without asking
    "#);
}

#[test]
fn what_is_accepted_is_listed_and_revoked() {
    let place = cloned_fixture();
    place.permissions(&["trust", "--yes"]);
    let other = place.path("other");
    std::fs::create_dir_all(other.join(".helve")).expect("a folder");
    std::fs::write(
        other.join(".helve/permissions.json"),
        r#"{"allow": ["grep"]}"#,
    )
    .expect("a file");
    let mut command = place.command();
    let command = command.current_dir(&other);
    place.output_of(command.args(["permissions", "trust", "--yes"]), "");
    insta::assert_snapshot!(redact_times(&place.permissions(&["accepted"])), @r#"
    exit 0
    --- stdout
    rules        PLACE/other/.helve/permissions.json  (by somebody, TIME)
    rules        PLACE/project/.helve/permissions.json  (by somebody, TIME)
    settings     PLACE/project/helve.toml  (by somebody, TIME)
    MCP servers  PLACE/project/.mcp.json  (by somebody, TIME)
    "#);
    let listed = place.permissions(&["accepted", "--json"]);
    let json = listed.split_once("--- stdout\n").expect("an output").1;
    let json: serde_json::Value = serde_json::from_str(json).expect("JSON");
    let kinds = json.as_array().expect("a list").iter();
    let kinds: Vec<_> = kinds
        .map(|row| row["kind"].as_str().expect("a kind"))
        .collect();
    assert_eq!(
        kinds,
        ["rule_file", "rule_file", "settings_file", "server_file"]
    );
    assert_eq!(json[0]["digest"].as_str().map(str::len), Some(64));

    // Of another project, wherever this runs.
    let real = std::fs::canonicalize(&other).expect("it is there");
    let file = real.join(".helve/permissions.json").display().to_string();
    insta::assert_snapshot!(place.permissions(&["revoke", &file]), @r#"
    exit 0
    --- stdout
    revoked PLACE/other/.helve/permissions.json
    "#);
    insta::assert_snapshot!(place.permissions(&["revoke", &file]), @r#"
    exit 1
    --- stderr
    error: no acceptance found for `PLACE/other/.helve/permissions.json`
    help: run `assistant permissions accepted` for a list
    "#);
    place.permissions(&["untrust"]);
    insta::assert_snapshot!(place.permissions(&["accepted"]), @r#"
    exit 0
    --- stdout
    no acceptances
    "#);
}

#[test]
fn a_damaged_file_accepts_nothing_and_says_what_to_do() {
    let place = cloned_fixture();
    place.permissions(&["trust", "--yes"]);
    let place = place.with_file("data/helve/acceptances.json", "{\"version\": 1, \"acc");
    for arguments in [
        &["trust", "--yes"][..],
        &["accepted"],
        &["check", "bash", MAKE],
        &["untrust"],
    ] {
        let seen = place.permissions(arguments);
        assert!(!seen.starts_with("exit 0"), "{arguments:?}: {seen}");
        let why =
            "`PLACE/data/helve/acceptances.json` is not a valid acceptance file: move it away";
        assert!(seen.contains(why), "{arguments:?}: {seen}");
    }
    std::fs::remove_file(place.path("data/helve/acceptances.json")).expect("a file");
    insta::assert_snapshot!(place.permissions(&["accepted"]), @r"
    exit 0
    --- stdout
    no acceptances
    ");
}

#[cfg(unix)]
#[test]
fn a_write_that_fails_leaves_what_was_accepted() {
    let place = cloned_fixture();
    place.permissions(&["trust", "--yes"]);
    let recorded = || std::fs::read(place.path("data/helve/acceptances.json")).expect("a file");
    let before = recorded();
    // No file may grow: as on a full disk.
    let line = r#"trap "" XFSZ; ulimit -f 0; exec "$0" permissions untrust"#;
    let binary = place.command();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", line]).arg(binary.get_program());
    shell.current_dir(place.path("project")).env_clear();
    shell.envs(
        binary
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let seen = place.output_of(&mut shell, "");
    assert!(
        seen.contains("error: failed to write acceptances to `PLACE/data/helve/acceptances.json`"),
        "{seen}"
    );
    assert_eq!(recorded(), before);
    let files = std::fs::read_dir(place.path("data/helve")).expect("a folder");
    assert_eq!(files.count(), 1);
}

#[test]
fn processes_at_once_lose_nothing_of_each_other() {
    const PROJECTS: usize = 12;
    let place = PermissionsFixture::new();
    let running = (0..PROJECTS).map(|number| {
        let project = place.path(&format!("project-{number}"));
        std::fs::create_dir_all(project.join(".helve")).expect("a folder");
        let rules = r#"{"allow": ["grep"]}"#;
        std::fs::write(project.join(".helve/permissions.json"), rules).expect("a file");
        let mut command = place.command();
        command.args(["permissions", "trust", "--yes"]);
        command.current_dir(project).stdout(Stdio::null());
        command.spawn().expect("the binary starts")
    });
    for mut process in running.collect::<Vec<_>>() {
        assert!(process.wait().expect("it ends").success());
    }
    let listed = place.permissions(&["accepted"]);
    assert_eq!(
        listed.matches("permissions.json").count(),
        PROJECTS,
        "{listed}"
    );
}
