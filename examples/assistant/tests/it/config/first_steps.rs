//! The commands of the first hour: a file of settings, a key, the models of a provider.

use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;

use crate::config::fixture::ConfigFixture;
use crate::config::server::{TestResponse, TestServer};

#[test]
fn a_file_of_settings_is_written_and_never_replaced_unasked() {
    let place = ConfigFixture::new();
    insta::assert_snapshot!(place.run(&["init"]), @"
    exit 0
    --- stdout
    wrote PLACE/project/helve.toml
    ");
    let file = place.path("project/helve.toml");
    let text = std::fs::read_to_string(&file).expect("a file");
    let start: String = text
        .lines()
        .take(6)
        .map(|line| format!("{line}\n"))
        .collect();
    insta::assert_snapshot!(start, @"
    # Settings of assistant. Run `assistant config show` to see the values in force and their sources.

    # The model, as `provider/model`.
    # model =   # a model, as `provider/model`
    # The fallback models, in order of preference.
    # fallback = []
    ");
    for line in [
        "# max_turns = 50",
        "# [sandbox]",
        "# [mcp.servers.NAME]",
        "# [providers.NAME]",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}\n{text}");
    }
    assert!(!text.contains("base_url of the model"), "{text}");
    // It sets nothing.
    assert_eq!(toml_lines(&text), 0, "{text}");
    std::fs::write(&file, "max_turns = 5\n").expect("a file");
    insta::assert_snapshot!(place.run(&["init"]), @"
    exit 1
    --- stderr
    error: `PLACE/project/helve.toml` already exists
    help: use `--yes` to replace the file
    ");
    assert_eq!(
        std::fs::read_to_string(&file).expect("a file"),
        "max_turns = 5\n"
    );
    let seen = place.run(&["init", "--yes", "--user", "-m", "ollama/qwen3"]);
    assert!(seen.starts_with("exit 0"), "{seen}");
    let shown = place.run(&["config", "show"]);
    let model = shown.lines().find(|line| line.starts_with("model "));
    insta::assert_snapshot!(model.unwrap_or(&shown), @r#"model                       "ollama/qwen3"          ~/.config/helve/helve.toml:4"#);
}

fn toml_lines(text: &str) -> usize {
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.count()
}

#[test]
fn a_stored_key_is_used_until_it_is_removed() {
    let place = ConfigFixture::new();
    let login = |key: &str| {
        let mut command = place.command(&["login", "groq"]);
        place.output_of(&mut command, key.as_bytes())
    };
    insta::assert_snapshot!(login("gsk-of-the-user\n"), @"
    exit 0
    --- stdout
    stored the key of groq in PLACE/home/.config/helve/credentials.toml
    ");
    insta::assert_snapshot!(login("\n"), @"
    exit 2
    --- stderr
    error: the key is empty or has a line break: nothing was stored
    ");
    insta::assert_snapshot!(place.run(&["login", "grok"]).lines().nth(2).unwrap_or_default().split(" Known").next().unwrap_or_default(), @"error: unknown provider `grok`; did you mean `groq`?");
    let file = place.path("home/.config/helve/credentials.toml");
    let mode = std::fs::metadata(&file)
        .expect("a file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let server = TestServer::replying_done();
    let run = [
        "run",
        "hi",
        "--no-session",
        "-m",
        "groq/m",
        "--base-url",
        &server.url(),
    ];
    let seen = place.run(&run);
    assert!(seen.starts_with("exit 0"), "{seen}");
    let asked = &server.requests()[0];
    assert_eq!(asked.header("authorization"), "Bearer gsk-of-the-user");
    // The agent cannot read the file.
    let judged = place.run(&[
        "permissions",
        "check",
        "read_file",
        "--path",
        "~/.config/helve/credentials.toml",
    ]);
    assert!(judged.contains("ask: "), "{judged}");
    insta::assert_snapshot!(place.run(&["logout", "groq"]), @"
    exit 0
    --- stdout
    removed the key of groq from PLACE/home/.config/helve/credentials.toml
    ");
    insta::assert_snapshot!(place.run(&["logout", "groq"]), @"
    exit 1
    --- stderr
    error: no key of `groq` is stored in PLACE/home/.config/helve/credentials.toml
    ");
    let seen = place.run(&["run", "hi", "-m", "groq/m"]);
    assert!(seen.contains("groq needs a key"), "{seen}");
}

#[test]
fn the_models_of_a_provider_are_listed() {
    let server = TestServer::start(|request| {
        assert_eq!(request.request_line(), ("GET", "/v1/models"));
        assert_eq!(request.header("authorization"), "Bearer k");
        Some(TestResponse::json(&json!({ "data": [
            { "id": "small", "context_length": 32_000 },
            { "id": "large", "context_window": 128_000, "pricing": { "prompt": "0.0000025", "completion": "0.00001" } },
        ] })))
    });
    let settings = format!(
        "[providers.acme]\nbase_url = \"{}\"\nkey = \"k\"\n[prices.\"acme/small\"]\ninput = 0.5\noutput = 1\n",
        server.url()
    );
    let place = ConfigFixture::new().with_user_settings(&settings);
    insta::assert_snapshot!(place.run(&["models", "acme"]), @"
    exit 0
    --- stdout
    acme/large  128000  $2.5 / $10
    acme/small   32000  $0.5 / $1
    ");
    let seen = place.run(&["models", "acme", "--json"]);
    let json = seen.split_once("--- stdout\n").expect("an output").1;
    let models: Value = serde_json::from_str(json).expect("JSON");
    assert_eq!(models[0]["name"], "acme/large");
    assert_eq!(models[0]["context_window"], 128_000);
    assert_eq!(models[1]["input_price"], 0.5);
    insta::assert_snapshot!(place.run(&["models"]), @"
    exit 2
    --- stderr
    error: no model is selected
    help: run `assistant models PROVIDER`
    help: an API key is available for acme (configured): use `--model acme/MODEL`
    ");
    let refuses = TestServer::failing("401 Unauthorized", r#"{"error":{"message":"no"}}"#);
    let url = refuses.url();
    let place = ConfigFixture::new()
        .with_variable("GROQ_API_KEY", "k-of-the-user")
        .with_user_settings(&format!("providers.groq.base_url = {url:?}\n"));
    insta::assert_snapshot!(refuses.redact_url(&place.run(&["models", "groq"])), @"
    exit 1
    --- stderr
    error: groq does not accept the key (401): no; check GROQ_API_KEY
    ");
}

#[test]
fn a_session_records_whose_it_is() {
    let place = ConfigFixture::new()
        .with_recording()
        .with_user_settings("principal.team = \"billing\"\n");
    let replay = place.path("says.jsonl").display().to_string();
    place.run(&["run", "Hello.", "--replay", &replay]);
    let listed = place.command(&["sessions", "list", "--json"]).output();
    let listed: Value =
        serde_json::from_slice(&listed.expect("an output").stdout).expect("a list of sessions");
    let id = listed[0]["session"].as_str().expect("an id");
    let exported = place
        .command(&["sessions", "export", id, "--format", "json"])
        .output();
    let exported: Value =
        serde_json::from_slice(&exported.expect("an output").stdout).expect("a session");
    let created = &exported["entries"][0]["entry"];
    assert_eq!(
        created["principal"],
        json!({ "platform": "cli", "team": "billing" }),
        "{created}"
    );
}
