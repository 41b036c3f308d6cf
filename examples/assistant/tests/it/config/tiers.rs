//! The models beside the main one: `models.small`, `models.vision` and `models.embed`.

use serde_json::{Value, json};

use crate::config::fixture::ConfigFixture;
use crate::config::server::{ModelReply, TestResponse, TestServer};

/// Runs a prompt whose context is half full after the first reply, and returns what was seen and the models that were asked.
fn run(settings: &str, flags: &[&str]) -> (String, Vec<String>) {
    let model = TestServer::with_replies([
        ModelReply::tool_call("datetime", &json!({})),
        ModelReply::message("It is late."),
        ModelReply::message("Done."),
    ]);
    let window = "context_window = 2_000_000\ncontext.compact_at = 0.4\n";
    let place = ConfigFixture::new()
        .with_user_settings(&format!("{window}{settings}"))
        .with_variable("GROQ_API_KEY", "of-the-user");
    let url = model.url();
    let command = ["run", "go", "--model", "groq/m", "--base-url", &url];
    let seen = place.run(&[&command, flags].concat());
    let requests = model.requests();
    let asked = requests.iter().map(|request| {
        let body = request.json();
        body["model"].as_str().expect("a model").to_owned()
    });
    (seen, asked.collect())
}

#[test]
fn the_small_model_writes_summaries() {
    let (seen, asked) = run("", &[]);
    assert!(seen.starts_with("exit 0"), "{seen}");
    assert_eq!(asked, ["m", "m", "m"]);
    let (seen, asked) = run("models.small = \"groq/s\"\n", &[]);
    assert!(seen.starts_with("exit 0"), "{seen}");
    assert_eq!(asked, ["m", "s", "m"]);
}

#[test]
fn a_recording_has_the_replies_of_one_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("says.jsonl");
    let file = file.to_str().expect("a path");
    let (seen, asked) = run("models.small = \"groq/s\"\n", &["--record", file]);
    assert!(seen.starts_with("exit 0"), "{seen}");
    assert_eq!(asked, ["m", "m", "m"]);
}

#[test]
fn the_cost_of_each_model_has_its_limit() {
    let settings = "models.small = \"groq/s\"\nprices.\"groq/m\" = { input = 0.4, output = 1 }\n";
    let (seen, asked) = run(settings, &["--max-cost", "0.5"]);
    assert_eq!(asked, [""; 0]);
    insta::assert_snapshot!(seen, @r#"
    exit 2
    --- stderr
    error: `--max-cost`: the cost cannot be limited, because the price of `groq/s` is unknown; set `prices."groq/s".input` and `prices."groq/s".output`
    "#);
    // The first reply costs 40 cents, and the summary 20.
    let settings = format!("{settings}prices.\"groq/s\" = {{ input = 0.2, output = 0 }}\n");
    let (seen, asked) = run(&settings, &["--max-cost", "0.5"]);
    assert!(
        seen.contains("— ended: the bound on cost was reached"),
        "{seen}"
    );
    assert_eq!(asked, ["m", "s"]);
}

#[test]
fn each_mistake_has_its_place() {
    let place = ConfigFixture::new()
        .with_user_settings("models.small = \"haiku\"\nmodels.smal = \"a/b\"\n");
    insta::assert_snapshot!(place.run(&["config", "show"]), @"
    exit 2
    --- stderr
    error: PLACE/home/.config/helve/helve.toml:1:16: `models.small`: `haiku` names no provider: write `provider/model`, such as `openai/haiku`
    PLACE/home/.config/helve/helve.toml:2:8: unknown key `models.smal`; did you mean `models.small`?
    ");
    let place = ConfigFixture::new()
        .with_recording()
        .with_user_settings("model = \"ollama/m\"\nmodels.vision = \"ollam/v\"\n");
    insta::assert_snapshot!(place.run(&["run", "go"]), @"
    exit 2
    --- stderr
    error: `models.vision` (~/.config/helve/helve.toml:2): unknown provider `ollam`; did you mean `ollama`? Known providers: anthropic, openai, openai-chat, openrouter, groq, deepseek, mistral, xai, together, fireworks, cerebras, moonshot, huggingface, ollama, lmstudio, llamacpp, vllm, gemini, ollama-native, bedrock, vertex. To use another provider, add its `base_url` under `[providers.ollam]` in `helve.toml`
    ");
}

#[test]
fn a_project_that_is_not_accepted_names_no_models() {
    let place =
        ConfigFixture::new().with_project_settings("models.small = \"groq/of-the-project\"\n");
    insta::assert_snapshot!(place.run(&["config", "show"]).lines().last().expect("a note"), @"note: ignoring `models.small` of `PLACE/project/helve.toml`: you have not accepted it; run `assistant permissions trust` to review and accept the file");
}

#[test]
fn the_models_are_shown() {
    let server = TestServer::start(|_| {
        let ids = ["e", "m", "s"].map(|id| json!({ "id": id }));
        Some(TestResponse::json(&json!({ "data": ids })))
    });
    let settings = format!(
        "model = \"groq/m\"\nmodels.small = \"groq/s\"\nmodels.vision = \"groq/s\"\nmodels.embed = \"groq/e\"\nproviders.groq.base_url = {:?}\n",
        server.url()
    );
    let place = ConfigFixture::new()
        .with_user_settings(&settings)
        .with_variable("GROQ_API_KEY", "of-the-user");
    insta::assert_snapshot!(place.run(&["models"]), @"
    exit 0
    --- stdout
    groq/e      models.embed
    groq/m
    groq/s      models.small, models.vision
    ");
    let seen = place.run(&["models", "--json"]);
    let json = seen.split_once("--- stdout\n").expect("an output").1;
    let models: Value = serde_json::from_str(json).expect("JSON");
    assert_eq!(models[2]["tiers"], json!(["small", "vision"]));
    let seen = place.run(&["doctor", "--offline"]);
    let model = seen.split("\nModel\n").nth(1);
    let model = model.and_then(|rest| rest.split("\n\n").next());
    insta::assert_snapshot!(model.expect("a section"), @"
    ✓ groq/m (~/.config/helve/helve.toml:1)
    ✓ groq: API key from GROQ_API_KEY
    ✓ groq/s (models.small, ~/.config/helve/helve.toml:2)
    ✓ groq: API key from GROQ_API_KEY
    ✓ groq/s (models.vision, ~/.config/helve/helve.toml:3)
    ✓ groq: API key from GROQ_API_KEY
    ✓ groq/e (models.embed, ~/.config/helve/helve.toml:4)
    ✓ groq: API key from GROQ_API_KEY
    ");
}
