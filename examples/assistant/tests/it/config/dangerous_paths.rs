//! `permissions.dangerous`: what settings add to the dangerous paths, and that they take none away.

use crate::config::fixture::ConfigFixture;

fn check(place: &ConfigFixture, mode: &str, tool: &str, path: &str) -> String {
    let content = if tool == "write_file" {
        ", \"content\": \"x\""
    } else {
        ""
    };
    let arguments = format!("{{\"path\": \"{path}\"{content}}}");
    place.run(&["permissions", "check", "--mode", mode, tool, &arguments])
}

#[test]
fn the_user_and_any_project_add_to_them() {
    let place = ConfigFixture::new()
        .with_user_settings("permissions.dangerous = [\"vault/\"]\n")
        .with_project_settings("permissions.dangerous = [\"deploy/ reading=open writing=asks why=it is deployed by itself\"]\n");
    insta::assert_snapshot!(check(&place, "bypass", "read_file", "vault/key"), @r#"
    exit 0
    --- stdout
    ask: `vault/key` is a dangerous path (`vault/`: the settings say so) (needs an answer of the user for this call)
    decided by the dangerous path `vault/`
    "#);
    insta::assert_snapshot!(check(&place, "accept_edits", "write_file", "deploy/run"), @r#"
    exit 0
    --- stdout
    ask: `deploy/run` is a dangerous path (`deploy/`: it is deployed by itself) (needs an answer of the user for this call)
    decided by the dangerous path `deploy/`
    "#);
    for (mode, tool, path) in [
        ("default", "read_file", "deploy/run"),
        ("bypass", "write_file", "deploy/run"),
        ("accept_edits", "write_file", "src/run"),
    ] {
        let seen = check(&place, mode, tool, path);
        assert!(seen.contains("\nallow\n"), "{mode} {tool} {path}: {seen}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let place = ConfigFixture::new().with_project_settings("permissions.dangerous = [\"!.env\"]\n");
    insta::assert_snapshot!(place.run(&["config", "show"]), @r#"
    exit 2
    --- stderr
    error: PLACE/project/helve.toml:1:25: `permissions.dangerous`: `!.env` is an exception; settings can add dangerous paths but not remove them
    "#);
    let place = ConfigFixture::new()
        .with_project_settings("permissions.dangerous = [\"infra/ writes=asks\"]\n");
    insta::assert_snapshot!(place.run(&["config", "show"]), @r#"
    exit 2
    --- stderr
    error: PLACE/project/helve.toml:1:25: `permissions.dangerous`: `writes=asks` is not known; a dangerous path is written as `PATTERN [reading=open|asks|always] [writing=open|asks|always] [why=TEXT]`
    "#);
    let place = ConfigFixture::new().with_project_settings("permissions.dangerous = [\"**\"]\n");
    insta::assert_snapshot!(place.run(&["config", "show"]), @r#"
    exit 2
    --- stderr
    error: PLACE/project/helve.toml:1:25: `permissions.dangerous`: invalid dangerous-path pattern `**`; expected a name, `folder/`, `**/folder/name` or an absolute path
    "#);
}
