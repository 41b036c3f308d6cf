//! Tools that are hidden until they are asked for.

use helve::agent::Agent;
use helve::agent::exposure::{ToolExposure, ToolGroup};
use serde_json::json;

use crate::offer::{ToolCallLog, answers, calling, numbered, offered, run};

fn many(ran: &ToolCallLog) -> helve::Toolset {
    let names = numbered(20);
    ran.tools(names.iter().map(String::as_str))
}

#[tokio::test]
async fn a_hidden_tool_is_refused_expanded_and_then_runs() {
    let ran = ToolCallLog::default();
    let model = calling([
        ("tool_07", json!({})),
        (
            "tool_expand_tools",
            json!({ "tool_names": ["tool_07", "tool_7", "secret"] }),
        ),
        ("tool_07", json!({})),
        ("tool_expand_tools", json!({ "tool_names": ["tool_07"] })),
    ]);
    let agent = Agent::with_model("main", model.clone())
        .toolset(many(&ran))
        .tool_exposure(ToolExposure::new().always(["tool_01"]));
    let report = run(&agent, "Hello.").await;
    insta::assert_snapshot!(answers(&report), @r#"
    error: `tool_07` is not among the tools of this request: call `tool_expand_tools` with its name first, then call it
    {"success":true,"expanded_tools":["tool_07"],"invalid_tools":["secret","tool_7"],"already_selected_tools":[],"available_expandable_tools":["tool_02","tool_03","tool_04","tool_05","tool_06","tool_08","tool_09","tool_10","tool_11","tool_12","tool_13","tool_14","tool_15","tool_16","tool_17","tool_18","tool_19","tool_20"],"notes":["unknown tool `tool_7`; did you mean `tool_17`?"]}
    done
    {"success":false,"expanded_tools":[],"invalid_tools":[],"already_selected_tools":["tool_07"],"available_expandable_tools":["tool_02","tool_03","tool_04","tool_05","tool_06","tool_08","tool_09","tool_10","tool_11","tool_12","tool_13","tool_14","tool_15","tool_16","tool_17","tool_18","tool_19","tool_20"]}
    "#);
    let requests = model.requests();
    assert_eq!(
        offered(&requests[0]),
        ["tool_01", "tool_expand_tools", "tool_search"]
    );
    assert_eq!(
        offered(&requests[2]),
        ["tool_01", "tool_07", "tool_expand_tools", "tool_search"]
    );
    assert_eq!(ran.names(), ["tool_07"]);
}

#[tokio::test]
async fn what_the_agent_may_not_call_is_as_if_it_were_missing() {
    let ran = ToolCallLog::default();
    let model = calling([
        ("tool_03", json!({})),
        ("tool_expand_tools", json!({ "tool_names": ["tool_03"] })),
        ("tool_03", json!({})),
        ("tool_expand_tools", json!({ "tool_names": ["tool_99"] })),
    ]);
    let allowed = many(&ran).filtered(|spec| &*spec.name != "tool_03");
    let agent = Agent::with_model("main", model).toolset(allowed);
    let report = run(&agent, "Hello.").await;
    insta::assert_snapshot!(answers(&report), @r#"
    error: unknown tool `tool_03`; did you mean `tool_20`?
    {"success":false,"expanded_tools":[],"invalid_tools":["tool_03"],"already_selected_tools":[],"available_expandable_tools":["tool_01","tool_02","tool_04","tool_05","tool_06","tool_07","tool_08","tool_09","tool_10","tool_11","tool_12","tool_13","tool_14","tool_15","tool_16","tool_17","tool_18","tool_19","tool_20"],"notes":["unknown tool `tool_03`; did you mean `tool_20`?"]}
    error: unknown tool `tool_03`; did you mean `tool_20`?
    {"success":false,"expanded_tools":[],"invalid_tools":["tool_99"],"already_selected_tools":[],"available_expandable_tools":["tool_01","tool_02","tool_04","tool_05","tool_06","tool_07","tool_08","tool_09","tool_10","tool_11","tool_12","tool_13","tool_14","tool_15","tool_16","tool_17","tool_18","tool_19","tool_20"],"notes":["unknown tool `tool_99`; did you mean `tool_19`?"]}
    "#);
    assert!(ran.names().is_empty());
}

#[tokio::test]
async fn a_tool_of_a_group_that_is_off_is_not_expanded() {
    let ran = ToolCallLog::default();
    let model = calling([
        ("tool_expand_tools", json!({ "tool_names": ["sell"] })),
        ("reset_tools", json!({ "shop": true })),
        ("sell", json!({})),
    ]);
    let shop = ToolGroup::new("shop", "The shop.")
        .tools(ran.tools(["sell"]))
        .off();
    let agent = Agent::with_model("main", model)
        .toolset(many(&ran))
        .tool_exposure(ToolExposure::new().group(shop).unwrap());
    let report = run(&agent, "Hello.").await;
    insta::assert_snapshot!(answers(&report), @r#"
    {"success":false,"expanded_tools":[],"invalid_tools":["sell"],"already_selected_tools":[],"available_expandable_tools":["tool_01","tool_02","tool_03","tool_04","tool_05","tool_06","tool_07","tool_08","tool_09","tool_10","tool_11","tool_12","tool_13","tool_14","tool_15","tool_16","tool_17","tool_18","tool_19","tool_20"],"notes":["`sell` is in the tool group `shop`, which is off: switch it on with `reset_tools`"]}
    The groups of tools that are on now: shop.
    done
    "#);
    assert_eq!(ran.names(), ["sell"]);
}

#[tokio::test]
async fn up_to_the_limit_all_go_out_and_there_is_nothing_to_expand() {
    let ran = ToolCallLog::default();
    let model = calling([]);
    let agent = Agent::with_model("main", model.clone())
        .toolset(many(&ran))
        .tool_exposure(ToolExposure::new().limit(20));
    run(&agent, "Hello.").await;
    assert_eq!(offered(&model.requests()[0]), numbered(20));
}

#[tokio::test]
async fn space_around_a_name_is_not_a_part_of_it() {
    let ran = ToolCallLog::default();
    let names = json!({ "tool_names": [" tool_07 ", "tool_08\n", "\t", "tool_08"] });
    let model = calling([("tool_expand_tools", names), ("tool_07", json!({}))]);
    let agent = Agent::with_model("main", model.clone())
        .toolset(many(&ran))
        .tool_exposure(ToolExposure::new().always(["tool_01"]));
    let report = run(&agent, "Hello.").await;
    let said = answers(&report);
    assert!(
        said.contains(r#""expanded_tools":["tool_07","tool_08"],"invalid_tools":[""]"#),
        "{said}"
    );
    assert_eq!(ran.names(), ["tool_07"]);
}

#[tokio::test]
async fn blanks_around_a_name_are_no_part_of_it() {
    let ran = ToolCallLog::default();
    let model = calling([
        (
            "tool_expand_tools",
            json!({ "tool_names": [" tool_07 ", "\ttool_01\n"] }),
        ),
        ("tool_07", json!({})),
    ]);
    let agent = Agent::with_model("main", model)
        .toolset(many(&ran))
        .tool_exposure(ToolExposure::new().always(["tool_01"]));
    let report = run(&agent, "Hello.").await;
    let said = answers(&report);
    assert!(said.contains(r#""expanded_tools":["tool_07"]"#), "{said}");
    assert!(
        said.contains(r#""already_selected_tools":["tool_01"]"#),
        "{said}"
    );
    assert!(said.contains(r#""invalid_tools":[]"#), "{said}");
    assert_eq!(ran.names(), ["tool_07"]);
}
