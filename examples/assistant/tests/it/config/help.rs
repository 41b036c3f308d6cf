//! The help of commands, short flags, and lists for programs.

use serde_json::Value;

use crate::config::fixture::ConfigFixture;
use crate::config::server::TestServer;

#[test]
fn global_flags_stand_under_their_own_heading() {
    let place = ConfigFixture::new();
    insta::assert_snapshot!(place.run(&["sessions", "show", "--help"]), @"
    exit 0
    --- stdout
    Show the state of a session and its pending calls

    Usage: assistant sessions show [OPTIONS] <ID>

    Arguments:
      <ID>  The session, as printed by `sessions list`

    Options:
          --json  Print JSON
      -h, --help  Print help

    Global options:
      -C, --root <FOLDER>      The folder that the tools may access [default: the current folder]
          --sandbox <SANDBOX>  The sandbox for commands [env: HELVE_SANDBOX]
          --log <LEVEL>        Log to standard error: error, warn, info, debug, trace, or a filter such
                               as `helve_agent=debug` [env: HELVE_LOG]
          --log-file <FILE>    Append the log to this file instead
    ");
    for command in [
        &["run"][..],
        &["tools"],
        &["mcp", "add"],
        &["permissions", "allow"],
    ] {
        let help = place.run(&[command, &["--help"]].concat());
        let (own, global) = help.split_once("\nGlobal options:\n").expect("a heading");
        for flag in ["--root", "--sandbox", "--log", "--log-file"] {
            assert!(!own.contains(&format!("{flag} <")), "{help}");
            assert!(global.contains(&format!("{flag} <")), "{help}");
        }
    }
}

#[test]
fn every_list_is_there_for_programs() {
    let place = ConfigFixture::new();
    for list in [
        &["tools"][..],
        &["tools", "list"],
        &["tools", "--all"],
        &["agents"],
        &["agents", "list", "--all"],
        &["skills"],
        &["sessions"],
        &["sessions", "list"],
        &["doctor", "--offline"],
        &["mcp", "list"],
        &["permissions", "list"],
        &["permissions", "accepted"],
        &["config", "show"],
        &["config", "path"],
        &["config", "keys"],
    ] {
        let seen = place.run(&[list, &["--json"]].concat());
        let (_, json) = seen
            .split_once("--- stdout\n")
            .unwrap_or_else(|| panic!("{list:?}: {seen}"));
        let json = json.split("--- stderr").next().unwrap_or_default();
        let value: Value =
            serde_json::from_str(json).unwrap_or_else(|error| panic!("{list:?}: {error}\n{json}"));
        assert!(value.is_array() || value.is_object(), "{list:?}: {value}");
    }
    let tools = place.run(&["tools", "--json"]);
    assert!(
        tools.contains("\"name\": \"grep\",\n    \"effects\": \"read-only\""),
        "{tools}"
    );
    let doctor = place.run(&["doctor", "--offline", "--json"]);
    assert!(doctor.contains("\"name\": \"Tools\""), "{doctor}");
    insta::assert_snapshot!(place.run(&["sessions"]), @"
    exit 0
    --- stdout
    no sessions
    ");
}

#[test]
fn short_flags_and_pipes_start_a_run() {
    let server = TestServer::replying_done();
    let url = server.url();
    let model = ["-m", "groq/m", "--base-url", &url];
    let place = ConfigFixture::new().with_variable("GROQ_API_KEY", "k");
    let prompts = || {
        let requests = server.requests();
        let last = requests.last().expect("a request").json();
        last["messages"]
            .as_array()
            .expect("messages")
            .iter()
            .rev()
            .take(2)
            .map(|message| message["content"].clone())
            .collect::<Vec<_>>()
    };
    let seen = place.run(&[&["-p", "first"][..], &model].concat());
    assert!(seen.starts_with("exit 0"), "{seen}");
    assert_eq!(prompts()[0], "first");
    let seen = place.run(&[&["run", "second", "-c"][..], &model].concat());
    assert!(seen.starts_with("exit 0"), "{seen}");
    let both = prompts();
    assert_eq!(both[0], "second");
    let mut piped = place.command(&[&["run"][..], &model].concat());
    let seen = place.output_of(&mut piped, b"third\n");
    assert!(seen.starts_with("exit 0"), "{seen}");
    assert_eq!(prompts()[0], "third");
    insta::assert_snapshot!(place.run(&[&["run"][..], &model].concat()), @"
    exit 2
    --- stderr
    error: the prompt is empty
    ");
    let folder = place.path("project/src").display().to_string();
    let seen = place.run(&["-C", &folder, "call", "list_dir"]);
    assert!(seen.contains("project/src"), "{seen}");
}

#[test]
fn help_says_what_is_read() {
    insta::assert_snapshot!(ConfigFixture::new().run(&["config", "--help"]), @"
    exit 0
    --- stdout
    Show the settings and their sources

    Usage: assistant config [OPTIONS] <COMMAND>

    Commands:
      show  Show every setting with its value and source; secrets are not shown
      path  Show the paths of the configuration files
      keys  List the keys of a configuration file
      help  Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help

    Global options:
      -C, --root <FOLDER>      The folder that the tools may access [default: the current folder]
          --sandbox <SANDBOX>  The sandbox for commands [env: HELVE_SANDBOX]
          --log <LEVEL>        Log to standard error: error, warn, info, debug, trace, or a filter such
                               as `helve_agent=debug` [env: HELVE_LOG]
          --log-file <FILE>    Append the log to this file instead

    Settings are read from these sources; later sources override earlier ones:
      ~/.config/helve/helve.toml  the user's file, for every app ($XDG_CONFIG_HOME/helve/helve.toml)
      helve.toml                  the project's file: the nearest one, searched from the root folder up
      to the root of the repository
      HELVE_MODEL, …              environment variables
      --model, …                  the flags

    Strings in a file may contain ${VARIABLE}; write $${ for a literal `${`.

    A project file is not trusted by default: its models, providers, prices, less restrictive modes and
    settings of packs, and values that use environment variables, apply only after you accept them with
    `permissions trust`. The [tools] tables of all files apply together: each can only remove tools.
    ");
}
