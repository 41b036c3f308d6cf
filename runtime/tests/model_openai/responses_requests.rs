//! What Responses are sent.

use helve_runtime::model::{Effort, ModelOptions, ModelRequest};
use helve_runtime::transcript::{Message, Part};
use serde_json::{Value, json};

use crate::conversation::{OPENAI, calls, everything, reply, responses, shown, text, thinking};

const REASONING: &str = r#"{"id":"rs_1", "type":"reasoning","summary":[{"type":"summary_text","text":"I should look."}],"encrypted_content":"gAAA"}"#;

const SEARCH: &str = r#"{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"cats"}}"#;

fn item(item: &str) -> Part {
    Part::ProviderItem {
        api: "openai.responses".into(),
        item: item.into(),
    }
}

fn own_reply(provider: &str) -> Message {
    let [first, second] = calls();
    let parts = vec![
        item(SEARCH),
        thinking("I should look.", Some(REASONING)),
        text("Let me see."),
        first,
        second,
    ];
    reply("openai.responses", provider, parts)
}

#[test]
fn openai_is_sent_everything_in_its_own_words() {
    let model = responses("openai/gpt-5", OPENAI);
    let body = model.body(&everything(own_reply("openai")));
    insta::assert_snapshot!(shown(&body), @"");
}

#[test]
fn items_go_back_exactly_as_they_came_and_only_home() {
    let model = responses("openai/gpt-5", OPENAI);
    let sent = |provider| {
        let body = model.body(&everything(own_reply(provider)));
        String::from_utf8(body).unwrap()
    };
    let home = sent("openai");
    // The very text, spaces included.
    assert!(home.contains(REASONING) && home.contains(SEARCH), "{home}");
    let away = sent("xai");
    assert!(!away.contains("rs_1") && !away.contains("ws_1"), "{away}");
}

fn options_of(name: &str, base_url: &str, options: ModelOptions) -> Value {
    let request = ModelRequest::new(vec![Message::user("Hi")]).options(options);
    serde_json::from_slice(&responses(name, base_url).body(&request)).unwrap()
}

#[test]
fn models_that_do_not_reason_are_not_asked_for_their_reasoning() {
    let plain = options_of("openai/gpt-4o", OPENAI, ModelOptions::new());
    assert_eq!((plain.get("include"), plain.get("reasoning")), (None, None));
    assert_eq!(plain["store"], false);
    let reasoning = options_of("openai/gpt-5", OPENAI, ModelOptions::new());
    assert_eq!(reasoning["include"], json!(["reasoning.encrypted_content"]));
    let effort = options_of(
        "openai/gpt-5.6",
        OPENAI,
        ModelOptions::new().effort(Effort::None),
    );
    assert_eq!(effort["reasoning"], json!({"effort": "none"}));
    let effort = options_of(
        "xai/grok-4",
        "https://api.x.ai/v1",
        ModelOptions::new().effort(Effort::Low),
    );
    assert_eq!(
        effort["reasoning"],
        json!({"effort": "low", "summary": "auto"})
    );
}

#[test]
fn a_summary_is_asked_for_on_demand() {
    let request = ModelRequest::new(vec![Message::user("Hi")]);
    let model = responses("openai/gpt-5", OPENAI)
        .reasoning_summary(true)
        .parallel_tool_calls(false);
    let body: Value = serde_json::from_slice(&model.body(&request)).unwrap();
    assert_eq!(body["reasoning"], json!({"summary": "auto"}));
    // Without tools it means nothing, and is refused.
    assert_eq!(body.get("parallel_tool_calls"), None);
}

#[test]
fn images_follow_the_results_where_these_cannot_hold_them() {
    let mut model = responses("other/m", "https://example.com/v1");
    let mut dialect = helve_runtime::model::ResponsesDialect::default();
    dialect.images_in_results = false;
    dialect.item_ids = false;
    model = model.dialect(dialect);
    let body: Value = serde_json::from_slice(&model.body(&everything(own_reply("other")))).unwrap();
    let items = body["input"].as_array().unwrap();
    let kinds: Vec<_> = items
        .iter()
        .map(|item| item["type"].as_str().unwrap())
        .collect();
    insta::assert_snapshot!(kinds.join(" "), @"");
    assert!(items.iter().all(|item| item.get("id").is_none()));
    assert_eq!(items[2]["encrypted_content"], "gAAA");
}
