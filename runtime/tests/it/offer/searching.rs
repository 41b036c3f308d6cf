//! Finding tools by words.

use helve::agent::Agent;
use helve::agent::exposure::{ToolExposure, ToolGroup};
use serde_json::json;

use crate::offer::{ToolCallLog, answers, calling, run};

#[tokio::test]
async fn what_is_found_says_how_it_is_got_at() {
    let ran = ToolCallLog::default();
    let shop = ToolGroup::new("shop", "The shop.")
        .tools(ran.tool("sell", "Sells apples."))
        .off();
    let tools = ran
        .tool("eat_apples", "Eats apples.")
        .layered(&ran.tool("count_apples", "Counts the apples in a basket."))
        .layered(&ran.tool("send_mail", "Sends a mail."));
    let model = calling([
        ("tool_search", json!({ "query": "apples" })),
        ("tool_search", json!({ "query": "submarine" })),
        ("tool_search", json!({ "query": "apple", "limit": 1 })),
    ]);
    let offering = ToolExposure::new()
        .limit(1)
        .always(["eat_apples"])
        .group(shop)
        .unwrap();
    let agent = Agent::with_model("main", model)
        .toolset(tools)
        .tool_exposure(offering);
    let report = run(&agent, "Hello.").await;
    insta::assert_snapshot!(answers(&report), @r#"
    {"tools":[{"name":"eat_apples","description":"Eats apples.","state":"can be called","input_schema":{"type":"object","properties":{"word":{"type":"string","description":"Any word."}}}},{"name":"sell","description":"Sells apples.","state":"its group is off: call `reset_tools` with `shop` set to true first","input_schema":{"type":"object","properties":{"word":{"type":"string","description":"Any word."}}},"group":"shop"},{"name":"count_apples","description":"Counts the apples in a basket.","state":"call `tool_expand_tools` with its name first","input_schema":{"type":"object","properties":{"word":{"type":"string","description":"Any word."}}}}]}
    {"tools":[]}
    {"tools":[{"name":"eat_apples","description":"Eats apples.","state":"can be called","input_schema":{"type":"object","properties":{"word":{"type":"string","description":"Any word."}}}}]}
    "#);
}
