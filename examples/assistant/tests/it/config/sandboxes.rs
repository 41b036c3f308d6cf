//! Named sandboxes: `[sandbox.NAME]` and `tools.TOOL.sandbox`.

use crate::config::fixture::ConfigFixture;

/// Runs a command line with the tool `bash`, and returns what it writes.
fn bash(place: &ConfigFixture, command: &str) -> String {
    let seen = place.run(&["call", "bash", "--command", command]);
    assert!(seen.starts_with("exit 0"), "{seen}");
    let text = seen.split_once("--- stdout\n");
    let text = text.map_or("", |(_, text)| text);
    let text = text
        .split_once("--- stderr\n")
        .map_or(text, |(text, _)| text);
    text.trim().to_owned()
}

#[test]
fn a_tool_has_the_sandbox_of_its_settings() {
    if crate::isolation::skip("config::sandboxes::a_tool_has_the_sandbox_of_its_settings") {
        return;
    }
    let own = |settings: &str| {
        let main = "[sandbox]\nenvironment = [\"OF_MAIN\"]\nmasked = [\"*.hidden\"]\n";
        let place = ConfigFixture::new()
            .with_user_settings(&format!("{main}{settings}"))
            .with_file("project/a.hidden", "of the user")
            .with_variable("OF_MAIN", "main")
            .with_variable("OF_BUILD", "build");
        bash(
            &place,
            "echo \"${OF_MAIN:-none} ${OF_BUILD:-none}\"; cat a.hidden 2>&1 || true",
        )
    };
    let build = "[sandbox.build]\nenvironment = [\"OF_BUILD\"]\nmasked = []\n";
    let quiet = "[sandbox.quiet]\nprocesses = 64\n";
    let all = format!("{build}{quiet}");
    insta::assert_snapshot!(own(&all), @"
    main none
    cat: a.hidden: Permission denied
    ");
    // What is permitted is that of the named sandbox, and what is forbidden is that of both.
    insta::assert_snapshot!(own(&format!("{all}[tools.bash]\nsandbox = \"build\"\n")), @"
    none build
    cat: a.hidden: Permission denied
    ");
    insta::assert_snapshot!(own(&format!("{all}[tools.\"ba*\"]\nsandbox = \"quiet\"\n")), @"
    main none
    cat: a.hidden: Permission denied
    ");
}

#[test]
fn each_mistake_has_its_place() {
    let seen = |settings: &str| {
        let place = ConfigFixture::new().with_user_settings(settings);
        place.run(&["call", "bash", "--command", "true"])
    };
    let known = "[sandbox.build]\nhosts = [\"crates.io\"]\n";
    insta::assert_snapshot!(seen(&format!("{known}[tools.bash]\nsandbox = \"buld\"\n")), @r#"
    exit 2
    --- stderr
    error: PLACE/home/.config/helve/helve.toml:4:1: `tools.bash.sandbox`: unknown sandbox "buld"; did you mean "build"?
    "#);
    insta::assert_snapshot!(seen("[tools.bash]\nsandbox = \"other\"\n"), @r#"
    exit 2
    --- stderr
    error: PLACE/home/.config/helve/helve.toml:2:1: `tools.bash.sandbox`: unknown sandbox "other"; set what it is to be in `[sandbox.other]`
    "#);
    insta::assert_snapshot!(seen("[sandbox.build]\nhots = [\"crates.io\"]\n"), @"
    exit 2
    --- stderr
    error: PLACE/home/.config/helve/helve.toml:2:1: unknown key `sandbox.build.hots`; did you mean `sandbox.build.hosts`?
    ");
    insta::assert_snapshot!(seen("sandbox.hots = [\"crates.io\"]\ntools.onyl = [\"bash\"]\nproviders.acme = 5\nsandbox.hosts = {}\n"), @"
    exit 2
    --- stderr
    error: PLACE/home/.config/helve/helve.toml:1:9: unknown key `sandbox.hots`; did you mean `sandbox.hosts`?
    PLACE/home/.config/helve/helve.toml:2:7: unknown key `tools.onyl`; did you mean `tools.only`?
    PLACE/home/.config/helve/helve.toml:3:18: expected a table: write `[providers.acme]` and, below it, keys such as `api = …`, `base_url = …`, `key = …`
    PLACE/home/.config/helve/helve.toml:4:17: `sandbox.hosts`: expected a list of strings, got a table
    ");
}

#[test]
fn a_project_that_is_not_accepted_only_forbids() {
    let settings = r#"
[sandbox]
masked = []
denied_hosts = ["tracker.example"]

[sandbox.build]
kind = "passthrough"
hosts = ["*"]
writable = ["/"]
accept_missing = ["files"]
denied_hosts = ["tracker.example"]
masked = ["*.pem"]

[tools.bash]
sandbox = "build"
"#;
    let place = ConfigFixture::new()
        .with_user_settings("sandbox.masked = [\"*.hidden\"]\n")
        .with_project_settings(settings);
    let seen = place.run(&["config", "show"]);
    let said = seen.lines().filter(|line| !line.ends_with("  default"));
    insta::assert_snapshot!(said.collect::<Vec<_>>().join("\n"), @r#"
    exit 0
    --- stdout
    sandbox.denied_hosts        ["tracker.example"]     PLACE/project/helve.toml:4
    sandbox.masked              ["*.hidden"]            ~/.config/helve/helve.toml:1
    sandbox.masked              []                      PLACE/project/helve.toml:3
    sandbox.build.denied_hosts  ["tracker.example"]     PLACE/project/helve.toml:11
    sandbox.build.masked        ["*.pem"]               PLACE/project/helve.toml:12
    --- stderr
    note: ignoring `sandbox.build.accept_missing`, `sandbox.build.hosts`, `sandbox.build.kind`, `sandbox.build.writable`, `tools.bash.sandbox` of `PLACE/project/helve.toml`: you have not accepted it; run `assistant permissions trust` to review and accept the file
    "#);
    if crate::isolation::skip("config::sandboxes::a_project_that_is_not_accepted_only_forbids") {
        return;
    }
    // An empty list of the project does not show again what the user hides.
    let place = place.with_file("project/a.hidden", "of the user");
    insta::assert_snapshot!(bash(&place, "cat a.hidden 2>&1 || true"), @"cat: a.hidden: Permission denied");
}

#[test]
fn the_sandboxes_are_listed() {
    if crate::isolation::skip("config::sandboxes::the_sandboxes_are_listed") {
        return;
    }
    let settings = "[sandbox.build]\nkind = \"passthrough\"\n[sandbox.unused]\nhosts = []\n[tools]\nbash.sandbox = \"build\"\nread_file.sandbox = \"build\"\n";
    let place = ConfigFixture::new().with_user_settings(settings);
    let seen = place.run(&["doctor", "--offline"]);
    let listed = seen.lines().skip_while(|line| !line.contains("`sandbox."));
    let listed = listed.take_while(|line| !line.is_empty());
    insta::assert_snapshot!(listed.collect::<Vec<_>>().join("\n"), @r#"
    ✓ `sandbox.build` (~/.config/helve/helve.toml:2): passthrough, for `bash`, `read_file`
    · `tools.read_file.sandbox` has no effect: no such tool starts commands
    · `sandbox.unused` (~/.config/helve/helve.toml:4): local, for no tool
      → set `tools.TOOL.sandbox = "unused"` for the tools that are to use it
    "#);
    let keys = place.run(&["config", "keys"]);
    let keys = keys
        .lines()
        .filter(|line| line.starts_with("sandbox.*.hosts") || line.starts_with("tools.*.sandbox"));
    insta::assert_snapshot!(keys.collect::<Vec<_>>().join("\n"), @"
    sandbox.*.hosts                 The hosts that commands may reach: names, `*.name` for subdomains, `*` for all public hosts
    tools.*.sandbox                 The named sandbox for the commands of a tool, by the tool's name, in which `*` is a wildcard
    ");
}
