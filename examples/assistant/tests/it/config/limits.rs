//! The limits of a prompt, of its context and of its results.

use serde_json::json;

use crate::config::fixture::ConfigFixture;
use crate::config::server::{ModelReply, TestServer};

/// A model that calls `datetime` three times; each reply uses 1,000,000 and 2,000 tokens.
fn model() -> TestServer {
    let call = || ModelReply::tool_call("datetime", &json!({}));
    TestServer::with_replies([call(), call(), call(), ModelReply::message("Done.")])
}

/// Runs a prompt, and returns how it ended and after how many requests.
fn run(settings: &str, flags: &[&str]) -> String {
    let model = model();
    let place = ConfigFixture::new()
        .with_user_settings(settings)
        .with_variable("GROQ_API_KEY", "of-the-user");
    let url = model.url();
    let command = ["run", "go", "--model", "groq/m", "--base-url", &url];
    let seen = place.run(&[&command, flags].concat());
    let end = seen.lines().find_map(|line| line.strip_prefix("— "));
    let requests = model.requests().len();
    format!("{}, {requests} requests", end.unwrap_or(&seen))
}

const PRICE: &str = "prices.\"groq/m\" = { input = 0.4, output = 1 }\n";

#[test]
fn each_limit_ends_the_prompt() {
    insta::assert_snapshot!(run("", &[]), @"finished, 4 requests");
    insta::assert_snapshot!(run("limits.tool_calls = 1\n", &[]), @"ended: the bound on tool calls was reached, 2 requests");
    insta::assert_snapshot!(run("limits.tokens = 1_500_000\n", &[]), @"ended: the bound on tokens was reached, 2 requests");
    insta::assert_snapshot!(run("limits.minutes = 0.0\n", &[]), @"ended: the bound on wall time was reached, 0 requests");
    let priced = format!("{PRICE}limits.cost_usd = 9\n");
    insta::assert_snapshot!(run(&priced, &[]), @"finished, 4 requests");
    insta::assert_snapshot!(run(&priced, &["--max-cost", "0.5"]), @"ended: the bound on cost was reached, 2 requests");
}

#[test]
fn a_cost_without_a_price_has_no_limit_and_is_refused() {
    let place = ConfigFixture::new().with_variable("GROQ_API_KEY", "of-the-user");
    let seen = place.run(&["run", "go", "--model", "groq/m", "--max-cost", "0.5"]);
    insta::assert_snapshot!(seen, @r#"
    exit 2
    --- stderr
    error: `--max-cost`: the cost cannot be limited, because the price of `groq/m` is unknown; set `prices."groq/m".input` and `prices."groq/m".output`
    "#);
}

#[test]
fn the_price_at_another_base_url_is_that_of_the_settings() {
    // A server at another base URL is not the provider, whose price does not count there.
    let shown = |settings: &str| {
        let model = TestServer::replying_done();
        let place = ConfigFixture::new()
            .with_user_settings(settings)
            .with_variable("OPENAI_API_KEY", "of-the-user");
        let url = model.url();
        let seen = place.run(&[
            "run",
            "go",
            "--model",
            "openai-chat/gpt-5",
            "--base-url",
            &url,
        ]);
        let last = seen.lines().last().unwrap_or_default();
        let cost = last.split(" · ").find(|part| part.starts_with('$'));
        cost.unwrap_or(last).to_owned()
    };
    assert!(!shown("").contains('$'), "{}", shown(""));
    // 1,000,000 tokens of input and 2,000 of output.
    insta::assert_snapshot!(shown("prices.\"openai-chat/gpt-5\" = { input = 1, output = 1 }\n"), @"$1.0020");
}

#[test]
fn the_fill_at_which_a_conversation_is_summarized_is_a_setting() {
    // The last message of a request is the prompt, a result, or the instruction to write a summary.
    let last_roles = |settings: &str| {
        let model = model();
        let place = ConfigFixture::new()
            .with_user_settings(&format!("context_window = 2_000_000\n{settings}"))
            .with_variable("GROQ_API_KEY", "of-the-user");
        let url = model.url();
        place.run(&["run", "go", "--model", "groq/m", "--base-url", &url]);
        let requests = model.requests();
        let roles = requests.iter().map(|request| {
            let body = request.json();
            let messages = body["messages"].as_array().expect("a list");
            let last = messages.last().expect("a message");
            last["role"].as_str().expect("a role").to_owned()
        });
        roles.collect::<Vec<_>>()
    };
    assert_eq!(last_roles(""), ["user", "tool", "tool", "tool"]);
    let summarized = last_roles("context.compact_at = 0.4\n");
    assert_eq!(summarized[..2], ["user", "user"], "{summarized:?}");
}

#[test]
fn results_have_the_length_of_the_settings() {
    let length = |settings: &str| {
        let model = TestServer::with_replies([
            ModelReply::tool_call("read_file", &json!({ "path": "work.log" })),
            ModelReply::message("Done."),
        ]);
        let line = "a request that was handled\n";
        let place = ConfigFixture::new()
            .with_file("project/work.log", &line.repeat(400))
            .with_user_settings(&format!("reduce_results = false\n{settings}"))
            .with_variable("GROQ_API_KEY", "of-the-user");
        let url = model.url();
        let seen = place.run(&["run", "go", "--model", "groq/m", "--base-url", &url]);
        assert!(seen.starts_with("exit 0"), "{seen}");
        let body = model.requests().last().expect("a request").json();
        let messages = body["messages"].as_array().expect("a list");
        let result = messages.last().expect("a message")["content"].as_str();
        result.expect("a text").chars().count()
    };
    assert!(length("") > 10_000);
    for settings in ["results.chars = 2000\n", "results.tokens = 500\n"] {
        let length = length(settings);
        assert!((1_000..3_000).contains(&length), "{settings}: {length}");
    }
}

#[test]
fn what_is_no_limit_is_said_with_its_place() {
    let place = ConfigFixture::new().with_user_settings(
        "approval.timeout = \"never\"\nlimits.cost_usd = -1\ncontext.compact_at = 2\nresults.chars = 10\n",
    );
    insta::assert_snapshot!(place.run(&["config", "show"]), @r#"
    exit 2
    --- stderr
    error: PLACE/home/.config/helve/helve.toml:1:20: `approval.timeout`: expected a number from 0 to 86400, or "none", got the string "never"
    PLACE/home/.config/helve/helve.toml:2:19: `limits.cost_usd`: expected a number from 0 to 1000000, got the number -1
    PLACE/home/.config/helve/helve.toml:3:22: `context.compact_at`: expected a number from 0 to 1, got the number 2
    PLACE/home/.config/helve/helve.toml:4:17: `results.chars`: expected an integer from 1000 to 4294967295, got the number 10
    "#);
}
