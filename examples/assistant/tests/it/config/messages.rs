//! What a new user meets when something is wrong: what happened, where, and what to do.

use std::process::Command;

use crate::config::fixture::ConfigFixture;
use crate::config::server::TestServer;

/// A user with a key.
fn fixture_with_user() -> ConfigFixture {
    ConfigFixture::new()
        .with_variable("OPENAI_API_KEY", "sk-of-the-user")
        .with_variable("ANTHROPIC_API_KEY", "sk-ant-of-the-user")
}

/// Asks a provider that refuses, and writes down what a person sees.
fn run_with_status(model: &str, status: &'static str, body: &'static str) -> String {
    let server = TestServer::failing(status, body);
    let seen = fixture_with_user().run(&[
        "run",
        "hello",
        "--model",
        model,
        "--base-url",
        &server.url(),
    ]);
    assert!(!seen.contains("of-the-user"), "{seen}");
    server.redact_url(&seen)
}

#[test]
fn a_wrong_key() {
    insta::assert_snapshot!(run_with_status(
        "anthropic/claude-sonnet-4-5",
        "401 Unauthorized",
        r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
    ), @r#"
        exit 1
        --- stdout
        > hello

        — ended: the model failed
        --- stderr
        error: the model failed: anthropic does not accept the key (401, authentication_error): invalid x-api-key; check ANTHROPIC_API_KEY
        "#);
    insta::assert_snapshot!(run_with_status(
        "openai/gpt-5",
        "401 Unauthorized",
        r#"{"error":{"message":"Incorrect API key provided: sk-of-the-user.","type":"invalid_request_error","code":"invalid_api_key"}}"#,
    ), @r#"
        exit 1
        --- stdout
        > hello

        — ended: the model failed
        --- stderr
        error: the model failed: openai does not accept the key (401, invalid_api_key): Incorrect API key provided: ….; check OPENAI_API_KEY
        "#);
}

#[test]
fn a_wrong_name_of_a_model() {
    insta::assert_snapshot!(run_with_status(
        "anthropic/claude-sonet",
        "404 Not Found",
        r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-sonet"}}"#,
    ), @r#"
        exit 1
        --- stdout
        > hello

        — ended: the model failed
        --- stderr
        error: the model failed: anthropic does not have the requested model or path (404, not_found_error): model: claude-sonet; check the model's name and the base URL (127.0.0.1:PORT)
        "#);
    insta::assert_snapshot!(run_with_status(
        "openai-chat/gpt-0",
        "404 Not Found",
        r#"{"error":{"message":"The model `gpt-0` does not exist","code":"model_not_found"}}"#,
    ), @r#"
        exit 1
        --- stdout
        > hello

        — ended: the model failed
        --- stderr
        error: the model failed: openai-chat does not have the requested model or path (404, model_not_found): The model `gpt-0` does not exist; check the model's name and the base URL (127.0.0.1:PORT)
        "#);
}

#[test]
fn a_server_without_the_responses_api() {
    insta::assert_snapshot!(run_with_status("openai/qwen3", "404 Not Found", "404 page not found"), @"
    exit 1
    --- stdout
    > hello

    — ended: the model failed
    --- stderr
    error: the model failed: openai does not have the requested model or path (404): 404 page not found; the server may not have the Responses API: try `--model openai-chat/qwen3`, or check the base URL
    ");
}

#[test]
fn a_provider_that_is_not_there() {
    let place = fixture_with_user().with_user_settings("retry.attempts = 1\n");
    let arguments = [
        "run",
        "hello",
        "--model",
        "openai/gpt-5",
        "--base-url",
        "http://127.0.0.1:1/v1",
    ];
    insta::assert_snapshot!(place.run(&arguments), @r#"
        exit 1
        --- stdout
        > hello

        — ended: the model failed
        --- stderr
        error: the model failed: openai could not be reached: 127.0.0.1:1 refuses the connection; is the server running, and is that its port?
        "#);
}

#[test]
fn a_proxy_that_is_not_there() {
    let place = fixture_with_user()
        .with_user_settings("retry.attempts = 1\n")
        .with_variable("http_proxy", "http://127.0.0.1:1");
    let arguments = [
        "run",
        "hello",
        "--model",
        "openai/gpt-5",
        "--base-url",
        "http://models.example/v1",
    ];
    insta::assert_snapshot!(place.run(&arguments), @r#"
        exit 1
        --- stdout
        > hello

        — ended: the model failed
        --- stderr
        error: the model failed: openai could not be reached: no connection to models.example (Connection refused (os error 111)); http_proxy sets a proxy: check that, and the network
        "#);
}

#[test]
fn no_certificates() {
    let place = fixture_with_user()
        .with_user_settings("retry.attempts = 1\n")
        .with_variable("SSL_CERT_FILE", "/dev/null")
        .with_variable("SSL_CERT_DIR", "/nowhere");
    let arguments = ["run", "hello", "--model", "openai/gpt-5"];
    insta::assert_snapshot!(place.run(&arguments), @r#"
        exit 1
        --- stdout
        > hello

        — ended: the model failed
        --- stderr
        error: the model failed: no connection to `openai` can be set up: unexpected error: No CA certificates were loaded from the system; install the system's certificates (`ca-certificates`), or name a file of those to trust in SSL_CERT_FILE
        "#);
}

#[test]
fn no_model_and_no_key() {
    insta::assert_snapshot!(ConfigFixture::new().run(&["run", "hello"]), @r#"
        exit 2
        --- stderr
        error: no model is selected
        help: use `--model PROVIDER/MODEL`, set HELVE_MODEL, or set `model = "PROVIDER/MODEL"` in ~/.config/helve/helve.toml
        help: no API key was found: set the key of your provider, for example anthropic (ANTHROPIC_API_KEY), openai (OPENAI_API_KEY); local models need no key (`--model ollama/MODEL`)
        help: use `--replay FILE` to run without a model, or run `assistant doctor` to check the configuration
        "#);
    insta::assert_snapshot!(fixture_with_user().run(&["run", "hello"]), @r#"
        exit 2
        --- stderr
        error: no model is selected
        help: use `--model PROVIDER/MODEL`, set HELVE_MODEL, or set `model = "PROVIDER/MODEL"` in ~/.config/helve/helve.toml
        help: an API key is available for anthropic (ANTHROPIC_API_KEY), openai (OPENAI_API_KEY): use `--model anthropic/MODEL`
        help: use `--replay FILE` to run without a model, or run `assistant doctor` to check the configuration
        "#);
    insta::assert_snapshot!(ConfigFixture::new().run(&["run", "hello", "--model", "anthropic/claude-sonnet-4-5"]), @r#"
        exit 2
        --- stderr
        error: anthropic needs a key: set ANTHROPIC_API_KEY (get a key at https://console.anthropic.com/settings/keys), or add `key` under `[providers.anthropic]` in `helve.toml`
        "#);
    insta::assert_snapshot!(ConfigFixture::new().run(&["run", "hello", "--model", "antropic/claude"]), @r#"
        exit 2
        --- stderr
        error: unknown provider `antropic`; did you mean `anthropic`? Known providers: anthropic, openai, openai-chat, openrouter, groq, deepseek, mistral, xai, together, fireworks, cerebras, moonshot, huggingface, ollama, lmstudio, llamacpp, vllm, gemini, ollama-native, bedrock, vertex. To use another provider, add its `base_url` under `[providers.antropic]` in `helve.toml`
        "#);
    insta::assert_snapshot!(ConfigFixture::new().run(&["run", "hello", "--base-url", "http://localhost:8000/v1"]), @r#"
        exit 2
        --- stderr
        error: --base-url sets a base URL, but no model is selected
        help: add `--model PROVIDER/MODEL`
        "#);
    insta::assert_snapshot!(ConfigFixture::new().run(&["run", "hello", "--model", "vertex/gemini"]), @r#"
        exit 2
        --- stderr
        error: vertex needs a project: set VERTEX_PROJECT_ID, and VERTEX_LOCATION where it is not `global`
        "#);
}

#[test]
fn a_variable_that_is_not_set() {
    let settings = "model = \"acme/${SIZE}\"\n[providers.acme]\nbase_url = \"http://127.0.0.1:1/v1\"\nkey = \"${ACME_KEY}\"\n[providers.other]\nkey = \"${OTHER_KEY}\"\n";
    let place = ConfigFixture::new().with_user_settings(settings);
    insta::assert_snapshot!(place.run(&["run", "hello"]), @r#"
        exit 2
        --- stderr
        error: PLACE/home/.config/helve/helve.toml:1:1: `model` needs the environment variable `SIZE`, which is not set; use `export SIZE=…`
        "#);
    let place = place
        .with_variable("SIZE", "large")
        .with_variable("ACME_KEY", "");
    insta::assert_snapshot!(place.run(&["run", "hello"]), @r#"
        exit 2
        --- stderr
        error: PLACE/home/.config/helve/helve.toml:4:1: `providers.acme.key` needs the environment variable `ACME_KEY`, which is empty; use `export ACME_KEY=…`
        "#);
    // What the values make of a text is judged, too; what only others need is not asked for.
    let place = place.with_variable("ACME_KEY", "a\nb");
    insta::assert_snapshot!(place.run(&["run", "hello"]), @r#"
        exit 2
        --- stderr
        error: PLACE/home/.config/helve/helve.toml:4:1: `providers.acme.key`: with its variables expanded, the value is not a string
        "#);
}

#[test]
fn a_price_of_one_direction() {
    let place = fixture_with_user().with_user_settings("[prices.\"openai/gpt-5\"]\ninput = 1.25\n");
    let arguments = ["run", "hello", "--model", "openai/gpt-5"];
    insta::assert_snapshot!(place.run(&arguments), @r#"
        exit 2
        --- stderr
        error: PLACE/home/.config/helve/helve.toml:2:1: `prices."openai/gpt-5"` has no `output`
        "#);
}

#[test]
fn a_home_that_cannot_be_written() {
    let place = ConfigFixture::new()
        .with_recording()
        .with_variable("HELVE_STATE", "/proc/nowhere");
    let replay = place.path("says.jsonl");
    let mut command = place.command(&["run", "hello", "--replay"]);
    insta::assert_snapshot!(place.output_of(command.arg(&replay), b""), @"
    exit 1
    --- stderr
    error: failed to access session `SESSION`
      Caused by: failed to create `/proc/nowhere/assistant/sessions/.writers`
      Caused by: No such file or directory (os error 2)
    help: sessions are stored in /proc/nowhere/assistant/sessions: make sure that the folder can be created and written to, set HELVE_STATE to another folder, or use `--no-session`
    ");
    let mut command = place.command(&["run", "hello", "--no-session", "--replay"]);
    assert!(
        place
            .output_of(command.arg(&replay), b"")
            .starts_with("exit 0\n")
    );
}

/// Runs a recorded model where no file may have more than so many blocks, which is what a full disk looks like.
fn on_a_full_disk(blocks: u32, prompt: &[u8]) -> String {
    let place = ConfigFixture::new().with_recording();
    let shell = format!(
        "trap '' XFSZ; ulimit -f {blocks}; exec '{}' run - --replay '{}'",
        env!("CARGO_BIN_EXE_assistant"),
        place.path("says.jsonl").display()
    );
    let mut command = Command::new("sh");
    command
        .args(["-c", &shell])
        .current_dir(place.path("project"))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", place.path("home"));
    place.output_of(&mut command, prompt)
}

#[test]
fn a_full_disk() {
    let seen = on_a_full_disk(0, b"hello");
    insta::assert_snapshot!(seen, @"
    exit 1
    --- stderr
    error: failed to access session `SESSION`
      Caused by: failed to claim a journal in `PLACE/home/.local/state/helve/assistant/sessions/.writers`
      Caused by: File too large (os error 27)
    help: sessions are stored in ~/.local/state/helve/assistant/sessions: free disk space, set HELVE_STATE to another folder, or use `--no-session`
    ");
    let long = on_a_full_disk(64, "word ".repeat(40_000).as_bytes());
    let told = long.split_once("--- stderr\n").map(|(_, told)| told);
    insta::assert_snapshot!(told.unwrap_or(&long), @"
    error: failed to access session `SESSION`
      Caused by: `PLACE/home/.local/state/helve/assistant/sessions/SESSION.jsonl`: an entry could not be written, and nothing was recorded after entry 1
      Caused by: File too large (os error 27)
    help: sessions are stored in ~/.local/state/helve/assistant/sessions: free disk space, set HELVE_STATE to another folder, or use `--no-session`
    ");
}
