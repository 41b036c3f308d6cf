//! `config`: every value with its origin, and every mistake with its place.

use crate::config::fixture::ConfigFixture;

/// The lines that somebody has said something of.
fn configured_lines(seen: &str) -> String {
    let lines = seen.lines().filter(|line| !line.ends_with("  default"));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn nobody_has_said_anything() {
    insta::assert_snapshot!(ConfigFixture::new().run(&["config", "show"]), @r#"
    exit 0
    --- stdout
    model                       (none)            default
    fallback                    []                default
    base_url                    (the provider's)  default
    max_output_tokens           (the provider's)  default
    temperature                 (the provider's)  default
    effort                      (the provider's)  default
    mode                        "default"         default
    max_turns                   50                default
    context_window              (none)            default
    reduce_results              true              default
    permissions.dangerous       []                default
    sandbox.kind                local             default
    sandbox.hosts               []                default
    sandbox.denied_hosts        []                default
    sandbox.even_tainted        []                default
    sandbox.private_networks    false             default
    sandbox.writable            []                default
    sandbox.readable            []                default
    sandbox.environment         []                default
    sandbox.protected           []                default
    sandbox.masked              []                default
    sandbox.staged              false             default
    sandbox.memory_mib          2048              default
    sandbox.file_size_mib       100               default
    sandbox.processes           256               default
    sandbox.accept_missing      []                default
    tools.only                  all               default
    tools.without               []                default
    tools.servers               all               default
    tools.packages              all               default
    skills.folders              []                default
    skills.shadow               false             default
    skills.allow                all               default
    skills.deny                 []                default
    untrusted.ask               egress            default
    retry.attempts              4                 default
    retry.longest_wait          10                default
    retry.longest_retry_after   60                default
    progress.enabled            true              default
    progress.flush_interval_ms  50                default
    progress.max_bytes          16384             default
    "#);
}

#[test]
fn each_value_has_its_origin_and_the_nearest_wins() {
    let place = ConfigFixture::new()
        .with_user_settings(
            r#"
model = "openai/gpt-5"
max_turns = 5
effort = "low"
temperature = 0.5

[providers.acme]
base_url = "https://user:secret@acme.example/v1"
key = "sk-very-secret"
headers.X-Team = "${TEAM}-7"

[prices."acme/a.b"]
input = 2.5
output = 10
"#,
        )
        .with_project_settings("model = \"acme/a.b\"\nmax_turns = 6\nprogress.enabled = false\n")
        .with_variable("HELVE_MAX_TURNS", "7")
        .with_variable("HELVE_EFFORT", "medium")
        .with_accepted_project();
    let arguments = [
        "config",
        "show",
        "--effort",
        "high",
        "--fallback",
        "a/b",
        "--fallback",
        "c/d,e/f",
    ];
    insta::assert_snapshot!(configured_lines(&place.run(&arguments)), @r#"
        exit 0
        --- stdout
        model                          "acme/a.b"                   PLACE/project/helve.toml:1
        fallback                       ["a/b", "c/d", "e/f"]        --fallback
        temperature                    0.5                          ~/.config/helve/helve.toml:5
        effort                         "high"                       --effort
        max_turns                      7                            HELVE_MAX_TURNS
        progress.enabled               false                        PLACE/project/helve.toml:3
        prices."acme/a.b".input        2.5                          ~/.config/helve/helve.toml:13
        prices."acme/a.b".output       10                           ~/.config/helve/helve.toml:14
        providers.acme.base_url        "https://…@acme.example/v1"  ~/.config/helve/helve.toml:8
        providers.acme.headers.X-Team  ${TEAM}…                     ~/.config/helve/helve.toml:10
        providers.acme.key             (set, not shown)             ~/.config/helve/helve.toml:9
        "#);
}

#[test]
fn a_program_reads_json() {
    let place = ConfigFixture::new().with_user_settings("max_turns = 6\n");
    let seen = place.run(&["config", "show", "--json"]);
    let json = seen
        .strip_prefix("exit 0\n--- stdout\n")
        .expect("a success");
    let lines: Vec<serde_json::Value> = serde_json::from_str(json).expect("JSON");
    let turns = lines.iter().find(|line| line["key"] == "max_turns");
    insta::assert_snapshot!(turns.expect("a line"), @r#"{"key":"max_turns","value":"6","origin":"~/.config/helve/helve.toml:1"}"#);
}

#[test]
fn all_mistakes_are_told_with_their_places() {
    let place = ConfigFixture::new()
        .with_user_settings("efort = \"low\"\n")
        .with_project_settings(
            r#"
modell = "openai/gpt-5"
max_turns = "ten"
temperature = 3
effort = "hihg"
model = "gpt-5"
fallback = ["openai/gpt-5", 5]
base_url = "http://localhost:1"
providers = 1
[retry]
attempts = 0
attemps = 1
[prices."openai/gpt-5"]
inptu = 1
[progress]
enabled = "yes"
"#,
        )
        .with_variable("HELVE_MAX_TURNS", "many");
    insta::assert_snapshot!(place.run(&["config", "show"]), @r#"
        exit 2
        --- stderr
        error: PLACE/home/.config/helve/helve.toml:1:1: unknown key `efort`; did you mean `effort`?
        PLACE/project/helve.toml:2:1: unknown key `modell`; did you mean `model`?
        PLACE/project/helve.toml:3:13: `max_turns`: expected a whole number from 1 to 4294967295, got the text "ten"
        PLACE/project/helve.toml:4:15: `temperature`: expected a number from 0 to 2, got the number 3
        PLACE/project/helve.toml:5:10: `effort`: expected one of "none", "low", "medium", "high", got "hihg"; did you mean "high"?
        PLACE/project/helve.toml:6:9: `model`: `gpt-5` names no provider: write `provider/model`, such as `openai/gpt-5`
        PLACE/project/helve.toml:7:12: `fallback`: expected a list of models, each as `provider/model`, got the number 5 among them
        PLACE/project/helve.toml:8:1: `base_url` belongs to a provider: write it in `[providers.NAME]`, or say it with `--base-url` or `HELVE_BASE_URL`
        PLACE/project/helve.toml:9:13: expected a table `providers`
        PLACE/project/helve.toml:11:12: `retry.attempts`: expected a whole number from 1 to 100, got the number 0
        PLACE/project/helve.toml:12:1: unknown key `retry.attemps`; did you mean `retry.attempts`?
        PLACE/project/helve.toml:14:1: unknown key `prices."openai/gpt-5".inptu`; did you mean `prices."openai/gpt-5".input`?
        PLACE/project/helve.toml:16:11: `progress.enabled`: expected true or false, got the text "yes"
        the variable `HELVE_MAX_TURNS`: expected a whole number from 1 to 4294967295, got "many"
        "#);
}

#[test]
fn a_provider_has_mistakes_too() {
    let place = ConfigFixture::new().with_user_settings(
        r#"
[providers.acme]
api = "anthropc"
base_url = "acme.example"
key = "${ACME"
kye = "x"
headers = "X-A: b"
[providers.other]
headers.X-A = "${A-B}"
key = 123456
"#,
    );
    insta::assert_snapshot!(place.run(&["config", "show"]), @r#"
        exit 2
        --- stderr
        error: PLACE/home/.config/helve/helve.toml:3:7: `providers.acme.api`: expected one of "anthropic", "openai-chat", "openai-responses", "gemini", "ollama", "bedrock", "vertex", got "anthropc"; did you mean "anthropic"?
        PLACE/home/.config/helve/helve.toml:4:12: `providers.acme.base_url`: expected an address such as `https://host/v1`, got "acme.example"
        PLACE/home/.config/helve/helve.toml:5:7: `providers.acme.key`: `${` is not closed: write `${VARIABLE}`, or `$${` for the two characters
        PLACE/home/.config/helve/helve.toml:6:1: unknown key `providers.acme.kye`; there are `api`, `base_url`, `key`, `headers`
        PLACE/home/.config/helve/helve.toml:7:11: expected a table `providers.acme.headers`
        PLACE/home/.config/helve/helve.toml:9:15: `providers.other.headers.X-A`: `${A-B}` names no variable: write `${VARIABLE}`, or `$${` for the two characters
        PLACE/home/.config/helve/helve.toml:10:7: `providers.other.key`: expected a text
        "#);
}

#[test]
fn what_is_no_toml_is_told_with_its_place() {
    let place =
        ConfigFixture::new().with_project_settings("model = \"openai/gpt-5\"\nmax_turns = = 1\n");
    insta::assert_snapshot!(place.run(&["run", "hello"]), @r#"
        exit 2
        --- stderr
        error: PLACE/project/helve.toml:2:13: extra `=`, expected nothing
        "#);
    let place = ConfigFixture::new().with_project_settings("model = \"a/b\"\nmodel = \"c/d\"\n");
    insta::assert_snapshot!(place.run(&["config", "show"]), @r#"
        exit 2
        --- stderr
        error: PLACE/project/helve.toml:2:1: duplicate key
        "#);
}

#[test]
fn a_flag_has_the_same_mistakes() {
    let run = |arguments: &[&str]| ConfigFixture::new().run(arguments);
    insta::assert_snapshot!(run(&["run", "hi", "--model", "gpt-5"]), @r#"
        exit 2
        --- stderr
        error: invalid value 'gpt-5' for '--model <PROVIDER/MODEL>': `gpt-5` names no provider: write `provider/model`, such as `openai/gpt-5`

        For more information, try '--help'.
        "#);
    insta::assert_snapshot!(run(&["run", "hi", "--max-turns", "0"]), @r#"
        exit 2
        --- stderr
        error: invalid value '0' for '--max-turns <N>': expected a whole number from 1 to 4294967295, got "0"

        For more information, try '--help'.
        "#);
    insta::assert_snapshot!(run(&["run", "hi", "--base-url", "localhost:80"]), @r#"
        exit 2
        --- stderr
        error: invalid value 'localhost:80' for '--base-url <URL>': expected an address such as `https://host/v1`, got "localhost:80"

        For more information, try '--help'.
        "#);
    insta::assert_snapshot!(run(&["run", "hi", "--effort", "maximum"]), @r#"
        exit 2
        --- stderr
        error: invalid value 'maximum' for '--effort <WORD>': expected one of "none", "low", "medium", "high", got "maximum"

        For more information, try '--help'.
        "#);
}

#[test]
fn the_nearest_file_of_the_repository_counts() {
    let place = ConfigFixture::new()
        .with_file("project/helve.toml", "temperature = 0.3\n")
        .with_file("helve.toml", "temperature = 0.2\n");
    let path = |root: &str| {
        let seen = place.run(&["--root", root, "config", "path"]);
        seen.lines().last().unwrap_or_default().to_owned()
    };
    insta::assert_snapshot!(path("src"), @"project  PLACE/project/helve.toml");
    let place = place.with_file("project/src/helve.toml", "temperature = 0.1\n");
    let seen = place.run(&["--root", "src", "config", "path"]);
    insta::assert_snapshot!(seen, @r#"
        exit 0
        --- stdout
        user     ~/.config/helve/helve.toml  (not there)
        project  PLACE/project/src/helve.toml
        "#);
}

#[test]
fn outside_of_a_repository_only_the_folder_itself_counts() {
    let place = ConfigFixture::new()
        .with_file("helve.toml", "temperature = 0.2\n")
        .with_file("plain/a/b", "");
    let seen = place.run(&["--root", "../plain/a", "config", "path"]);
    insta::assert_snapshot!(seen, @r#"
        exit 0
        --- stdout
        user     ~/.config/helve/helve.toml  (not there)
        project  PLACE/plain/a/helve.toml  (not there)
        "#);
}

#[test]
fn the_folder_of_configurations_can_be_elsewhere() {
    let place = ConfigFixture::new().with_file("config/helve/helve.toml", "temperature = 0.2\n");
    let elsewhere = place.path("config").display().to_string();
    let place = place.with_variable("XDG_CONFIG_HOME", &elsewhere);
    insta::assert_snapshot!(configured_lines(&place.run(&["config", "show"])), @r#"
        exit 0
        --- stdout
        temperature                 0.2               PLACE/config/helve/helve.toml:1
        "#);
}

#[test]
fn what_is_no_file_of_settings_does_not_keep_anybody_waiting() {
    let place = ConfigFixture::new();
    std::fs::create_dir(place.path("project/helve.toml")).expect("a folder");
    insta::assert_snapshot!(place.run(&["config", "show"]), @r#"
        exit 2
        --- stderr
        error: the settings in `PLACE/project/helve.toml` cannot be read
          because: it is no file
        "#);
    let large = "#".repeat((1 << 20) + 1);
    let place = ConfigFixture::new().with_project_settings(&large);
    insta::assert_snapshot!(place.run(&["config", "show"]), @r#"
        exit 2
        --- stderr
        error: the settings in `PLACE/project/helve.toml` cannot be read
          because: it is larger than 1 MiB
        "#);
    // A home that is no folder has no settings.
    let place = ConfigFixture::new().with_variable("HOME", "/dev/null");
    assert!(place.run(&["config", "show"]).starts_with("exit 0\n"));
}

#[test]
#[expect(clippy::too_many_lines, reason = "the list is as long as it is")]
fn the_keys_are_listed() {
    insta::assert_snapshot!(ConfigFixture::new().run(&["config", "keys"]), @r#"
    exit 0
    --- stdout
    model                           The model to talk to, as `provider/model`
                                    a model, as `provider/model`
    fallback                        The models to turn to when that one cannot reply, in this order
                                    a list of models, each as `provider/model` [default: []]
    base_url                        Where the model's provider is reached in place of its own address
                                    an address [default: the provider's]
    max_output_tokens               The most tokens of a reply
                                    a whole number from 1 to 4294967295 [default: the provider's]
    temperature                     How freely the model chooses its words, from 0 to 2
                                    a number from 0 to 2 [default: the provider's]
    effort                          How much the model thinks first: none, low, medium or high
                                    one of "none", "low", "medium", "high" [default: the provider's]
    mode                            How freely the agent may act
                                    one of "default", "accept_edits", "explore", "bypass", "dont_ask" [default: the app's]
    max_turns                       How many times the model may be called for one prompt
                                    a whole number from 1 to 4294967295 [default: 50]
    context_window                  How many tokens the model's context has: near its end, the conversation is summed up
                                    a whole number from 1
    reduce_results                  Whether long results are made shorter before the model reads them: of test runs the failures are left, for instance
                                    true or false [default: true]
    permissions.dangerous           More paths that ask whatever the rules say, beside those that `doctor` lists; every file that says it adds some, and each may say `reading=`, `writing=` and `why=`
                                    a list of paths, each as `PATTERN [reading=open|asks|always] [writing=open|asks|always] [why=TEXT]` [default: []]
    sandbox.kind                    Which sandbox commands run in
                                    `local`, `passthrough`, `docker:IMAGE` or `ssh:[USER@]HOST[:PORT][/FOLDER]` [default: local]
    sandbox.hosts                   The hosts that commands reach: names, `*.name` for all below one, `*` for all public ones
                                    a list of texts [default: []]
    sandbox.denied_hosts            Hosts that they do not reach, whatever else is said
                                    a list of texts [default: []]
    sandbox.even_tainted            Those of the hosts that commands reach without a question even after untrusted text was read
                                    a list of texts [default: []]
    sandbox.private_networks        Whether those hosts may be in private networks
                                    true or false [default: false]
    sandbox.writable                More folders that commands may write
                                    a list of texts [default: []]
    sandbox.readable                More folders and files that commands may read
                                    a list of texts [default: []]
    sandbox.environment             More variables that commands see: names, or `PREFIX*`
                                    a list of texts [default: []]
    sandbox.protected               More paths in writable folders that commands cannot change
                                    a list of texts [default: []]
    sandbox.masked                  More names of files that commands cannot read, such as `*.secret`
                                    a list of texts [default: []]
    sandbox.staged                  Whether what a command changes is judged before it is applied to the folders, for unattended runs
                                    true or false [default: false]
    sandbox.memory_mib              How much memory a command may use, in MiB
                                    a whole number from 16 to 4294967295 [default: 2048]
    sandbox.file_size_mib           How large a file of a command may become, in MiB
                                    a whole number from 1 to 4294967295 [default: 100]
    sandbox.processes               How many processes and threads all commands together may have
                                    a whole number from 8 to 32768 [default: 256]
    sandbox.accept_missing          The layers that may be missing: without this, no command runs where one is
                                    a list of layers: files, protected_paths, masked_paths, processes, network, privileges, system_calls, landlock, environment, descriptors, limits, lifetime [default: []]
    tools.only                      The tools that are used of the app's own and those that come with helve, by their names; every file that says it takes more away
                                    a list of texts [default: all]
    tools.without                   Tools that are not used, whoever brings them
                                    a list of texts [default: []]
    tools.servers                   The MCP servers whose tools are used
                                    a list of texts [default: all]
    tools.packages                  The other packages whose tools are used
                                    a list of texts [default: all]
    skills.folders                  More folders of skills
                                    a list of texts [default: []]
    skills.shadow                   Whether a skill of a folder may take the place of an embedded one of its name
                                    true or false [default: false]
    skills.allow                    The skills that may be used, and no others
                                    a list of texts [default: all]
    skills.deny                     Skills that may not be used
                                    a list of texts [default: []]
    mcp.servers.*.command           The program of an MCP server of this machine
                                    a text
    mcp.servers.*.args              Its arguments
                                    a list of texts [default: []]
    mcp.servers.*.env.*             A variable that is set for it
                                    a text
    mcp.servers.*.inherit           Variables of this process that it sees, too: names, or `PREFIX*`
                                    a list of texts [default: []]
    mcp.servers.*.cwd               The folder that it starts in
                                    a text
    mcp.servers.*.sandboxed         Whether it runs in the sandbox
                                    true or false [default: false]
    mcp.servers.*.url               The address of an MCP server, in place of a command
                                    an address
    mcp.servers.*.transport         How it is spoken to there: http, or sse as before 2025-03-26
                                    one of "http", "sse" [default: http]
    mcp.servers.*.headers.*         A header of every request
                                    a text
    mcp.servers.*.tools.only        The tools of it that are used, by its own names; `*` stands for any characters
                                    a list of texts [default: all]
    mcp.servers.*.tools.without     Tools of it that are not used
                                    a list of texts [default: []]
    mcp.servers.*.timeouts.connect  How long it may take to be there, in seconds
                                    a number from 0 to 86400 [default: 30]
    mcp.servers.*.timeouts.list     How long it may take to list what it has, in seconds
                                    a number from 0 to 86400 [default: 30]
    mcp.servers.*.timeouts.call     How long a call may take, in seconds
                                    a number from 0 to 86400 [default: 600]
    mcp.servers.*.timeouts.stall    How long a call may go on without a word of it, in seconds
                                    a number from 0 to 86400 [default: 120]
    mcp.servers.*.sampling          Whether it may ask for something of the model, which you are asked about each time
                                    true or false [default: false]
    mcp.servers.*.disabled          Whether it is left alone
                                    true or false [default: false]
    mcp.servers.*.login             Whether you log in there where it asks for that; without it, an id and its secret log the program in
                                    true or false [default: true]
    mcp.servers.*.client_id         The id that this program is registered under there
                                    a text
    mcp.servers.*.client_secret     The secret that belongs to that id, best as `${VARIABLE}`
                                    a text
    mcp.servers.*.scopes            What is asked for at a login
                                    a list of texts [default: what it names]
    untrusted.ask                   What asks after text of the web or of an MCP server was read: what could carry data out or acts later (egress), all that does more than read (always), or nothing more than before (never)
                                    one of "egress", "always", "never" [default: egress]
    retry.attempts                  How often a model is asked at most, the first time included
                                    a whole number from 1 to 100 [default: 4]
    retry.longest_wait              The longest wait between two attempts, in seconds
                                    a number from 0 to 3600 [default: 10]
    retry.longest_retry_after       The longest wait that a provider may ask for, in seconds
                                    a number from 0 to 86400 [default: 60]
    progress.enabled                Whether what tools report while they work is told
                                    true or false [default: true]
    progress.flush_interval_ms      How long is waited for more of it, in milliseconds; 0 tells all at once
                                    a whole number from 0 to 60000 [default: 50]
    progress.max_bytes              How much of it is gathered at most, in bytes
                                    a whole number from 1 to 4294967295 [default: 16384]
    providers.*.api                 What the provider speaks
                                    one of "anthropic", "openai-chat", "openai-responses", "gemini", "ollama", "bedrock", "vertex"
    providers.*.base_url            Where the provider is reached
                                    an address
    providers.*.key                 The key, best as `${VARIABLE}`
                                    a text
    providers.*.headers.*           A header of every request
                                    a text
    prices.*.input                  Dollars for a million input tokens
                                    a number from 0 to 1000000
    prices.*.output                 Dollars for a million output tokens
                                    a number from 0 to 1000000
    prices.*.cached_input           Dollars for a million input tokens out of the cache
                                    a number from 0 to 1000000
    prices.*.cache_write            Dollars for a million input tokens into the cache
                                    a number from 0 to 1000000
    "#);
}

#[test]
fn help_says_what_is_read() {
    insta::assert_snapshot!(ConfigFixture::new().run(&["config", "--help"]), @r#"
    exit 0
    --- stdout
    Shows the settings, and where each was said

    Usage: assistant config [OPTIONS] <COMMAND>

    Commands:
      show  Shows every setting, its value and where it was said; secrets are left out
      path  Shows which files are read
      keys  Lists the keys that a file may have
      help  Print this message or the help of the given subcommand(s)

    Options:
          --root <FOLDER>      The folder whose files the tools may reach [default: the current one]
          --sandbox <SANDBOX>  Which sandbox commands run in [env: HELVE_SANDBOX]
          --log <LEVEL>        Log to standard error: error, warn, info, debug, trace, or a filter such
                               as `helve_runtime=debug` [env: HELVE_LOG]
          --log-file <FILE>    Log to the end of this file instead
      -h, --help               Print help

    Settings are said in these places, and the later win over the earlier:
      ~/.config/helve/helve.toml  yours, for every app ($XDG_CONFIG_HOME/helve/helve.toml)
      helve.toml                  the project's: the nearest one, from the root up to its repository's
      HELVE_MODEL, …              the environment
      --model, …                  the flags

    A text of a file may hold ${VARIABLE}, and $${ for the two characters.

    A project may come from anybody: what its file says of models, providers, prices, looser modes and
    the settings of packs, or takes from the environment, holds only once you have accepted it with
    `permissions trust`. What each file says in [tools] holds beside the others: it can only take tools
    away.
    "#);
}
