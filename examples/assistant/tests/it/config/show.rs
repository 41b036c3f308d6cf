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
    model                       (none)                  default
    fallback                    []                      default
    models.small                (the model)             default
    models.vision               (the model)             default
    models.embed                (none)                  default
    base_url                    (the provider's)        default
    max_output_tokens           (the provider's)        default
    temperature                 (the provider's)        default
    effort                      (the provider's)        default
    mode                        "default"               default
    max_turns                   50                      default
    context_window              (none)                  default
    context.compact_at          0.8                     default
    limits.tool_calls           (no limit)              default
    limits.tokens               (no limit)              default
    limits.cost_usd             (no limit)              default
    limits.minutes              (no limit)              default
    limits.ask                  false                   default
    jobs.wake                   false                   default
    memory.recall               true                    default
    chat.suggest                0                       default
    approval.timeout            120                     default
    results.chars               80000                   default
    results.tokens              (no limit)              default
    reduce_results              true                    default
    permissions.dangerous       []                      default
    workspace.folders           []                      default
    sandbox.kind                local                   default
    sandbox.hosts               []                      default
    sandbox.denied_hosts        []                      default
    sandbox.even_tainted        []                      default
    sandbox.private_networks    false                   default
    sandbox.writable            []                      default
    sandbox.readable            []                      default
    sandbox.environment         []                      default
    sandbox.protected           []                      default
    sandbox.masked              []                      default
    sandbox.staged              false                   default
    sandbox.memory_mib          2048                    default
    sandbox.file_size_mib       100                     default
    sandbox.processes           256                     default
    sandbox.accept_missing      []                      default
    tools.only                  all                     default
    tools.without               []                      default
    tools.servers               all                     default
    tools.packages              all                     default
    skills.folders              []                      default
    skills.shadow               false                   default
    skills.allow                all                     default
    skills.deny                 []                      default
    skills.github               https://api.github.com  default
    skills.manage               false                   default
    skills.hub.source           (none)                  default
    principal.team              (none)                  default
    untrusted.ask               egress                  default
    retry.attempts              4                       default
    retry.longest_wait          10                      default
    retry.longest_retry_after   60                      default
    progress.enabled            true                    default
    progress.flush_interval_ms  50                      default
    progress.max_bytes          16384                   default
    ask_user.timeout            (none)                  default
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
        providers.acme.key             (set)                        ~/.config/helve/helve.toml:9
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
    PLACE/project/helve.toml:3:13: `max_turns`: expected an integer from 1 to 4294967295, got the string "ten"
    PLACE/project/helve.toml:4:15: `temperature`: expected a number from 0 to 2, got the number 3
    PLACE/project/helve.toml:5:10: `effort`: expected one of "none", "low", "medium", "high", got "hihg"; did you mean "high"?
    PLACE/project/helve.toml:6:9: `model`: `gpt-5` names no provider: write `provider/model`, such as `openai/gpt-5`
    PLACE/project/helve.toml:7:12: `fallback`: expected a list of models, each as `provider/model`, got the number 5 in the list
    PLACE/project/helve.toml:8:1: `base_url` is a setting of a provider: set it in `[providers.NAME]`, or use `--base-url` or `HELVE_BASE_URL`
    PLACE/project/helve.toml:9:13: expected a table: write `[providers.NAME]`
    PLACE/project/helve.toml:11:12: `retry.attempts`: expected an integer from 1 to 100, got the number 0
    PLACE/project/helve.toml:12:1: unknown key `retry.attemps`; did you mean `retry.attempts`?
    PLACE/project/helve.toml:14:1: unknown key `prices."openai/gpt-5".inptu`; did you mean `prices."openai/gpt-5".input`?
    PLACE/project/helve.toml:16:11: `progress.enabled`: expected true or false, got the string "yes"
    environment variable `HELVE_MAX_TURNS`: expected an integer from 1 to 4294967295, got "many"
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
    PLACE/home/.config/helve/helve.toml:4:12: `providers.acme.base_url`: expected a URL such as `https://host/v1`, got "acme.example"
    PLACE/home/.config/helve/helve.toml:5:7: `providers.acme.key`: unclosed `${`: expected `${VARIABLE}`, or `$${` for a literal `${`
    PLACE/home/.config/helve/helve.toml:6:1: unknown key `providers.acme.kye`; expected one of `api`, `base_url`, `key`, `headers`
    PLACE/home/.config/helve/helve.toml:7:11: expected a table: write `[providers.acme.headers]` and, below it, `NAME = …`
    PLACE/home/.config/helve/helve.toml:9:15: `providers.other.headers.X-A`: invalid variable name in `${A-B}`: expected `${VARIABLE}`, or `$${` for a literal `${`
    PLACE/home/.config/helve/helve.toml:10:7: `providers.other.key`: expected a string
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
        error: invalid value '0' for '--max-turns <NUMBER>': expected an integer from 1 to 4294967295, got "0"

        For more information, try '--help'.
        "#);
    insta::assert_snapshot!(run(&["run", "hi", "--base-url", "localhost:80"]), @r#"
        exit 2
        --- stderr
        error: invalid value 'localhost:80' for '--base-url <URL>': expected a URL such as `https://host/v1`, got "localhost:80"

        For more information, try '--help'.
        "#);
    insta::assert_snapshot!(run(&["run", "hi", "--effort", "maximum"]), @r#"
        exit 2
        --- stderr
        error: invalid value 'maximum' for '--effort <VALUE>': expected one of "none", "low", "medium", "high", got "maximum"

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
        user     ~/.config/helve/helve.toml  (not found)
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
        user     ~/.config/helve/helve.toml  (not found)
        project  PLACE/plain/a/helve.toml  (not found)
        "#);
}

#[test]
fn the_folder_of_configurations_can_be_elsewhere() {
    let place = ConfigFixture::new().with_file("config/helve/helve.toml", "temperature = 0.2\n");
    let elsewhere = place.path("config").display().to_string();
    let place = place.with_variable("XDG_CONFIG_HOME", &elsewhere);
    insta::assert_snapshot!(configured_lines(&place.run(&["config", "show"])), @"
    exit 0
    --- stdout
    temperature                 0.2                     PLACE/config/helve/helve.toml:1
    ");
}

#[test]
fn what_is_no_file_of_settings_does_not_keep_anybody_waiting() {
    let place = ConfigFixture::new();
    std::fs::create_dir(place.path("project/helve.toml")).expect("a folder");
    insta::assert_snapshot!(place.run(&["config", "show"]), @r#"
        exit 2
        --- stderr
        error: failed to read the settings file `PLACE/project/helve.toml`
          Caused by: not a regular file
        "#);
    let large = "#".repeat((1 << 20) + 1);
    let place = ConfigFixture::new().with_project_settings(&large);
    insta::assert_snapshot!(place.run(&["config", "show"]), @r#"
        exit 2
        --- stderr
        error: failed to read the settings file `PLACE/project/helve.toml`
          Caused by: the file is larger than 1 MiB
        "#);
    // A home that is no folder has no settings.
    let place = ConfigFixture::new().with_variable("HOME", "/dev/null");
    assert!(place.run(&["config", "show"]).starts_with("exit 0\n"));
}
