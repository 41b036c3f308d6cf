//! Groups that the model switches.

use helve::agent::Agent;
use helve::agent::exposure::{GroupError, ToolExposure, ToolGroup};
use serde_json::json;

use crate::offer::{ToolCallLog, answers, calling, offered, run};

fn shop(ran: &ToolCallLog) -> ToolExposure {
    let shop = ToolGroup::new("shop", "Everything about the shop.")
        .tools(ran.tools(["stock", "sell"]))
        .instructions("Look at the stock before you sell.")
        .off();
    let garden = ToolGroup::new("garden", "Plants.").tools(ran.tools(["water"]));
    ToolExposure::new()
        .group(shop)
        .unwrap()
        .group(garden)
        .unwrap()
}

#[tokio::test]
async fn a_group_that_is_off_is_named_switched_on_and_explained() {
    let ran = ToolCallLog::default();
    let model = calling([
        ("sell", json!({})),
        ("reset_tools", json!({ "shop": true })),
        ("sell", json!({})),
        ("water", json!({})),
        ("reset_tools", json!({})),
    ]);
    let agent = Agent::with_model("main", model.clone())
        .toolset(ran.tools(["help"]))
        .tool_exposure(shop(&ran));
    let report = run(&agent, "Sell one.").await;
    insta::assert_snapshot!(answers(&report), @r#"
    error: `sell` is in the tool group `shop`, which is off: call `reset_tools` with `shop` set to true first
    The groups of tools that are on now: shop.
    <tool-instructions>
    <group name="shop">Look at the stock before you sell.</group>
    </tool-instructions>
    done
    error: `water` is in the tool group `garden`, which is off: call `reset_tools` with `garden` set to true first
    All groups of tools are off now.
    "#);
    let requests = model.requests();
    let seen: Vec<_> = requests
        .iter()
        .map(|request| offered(request).join(" "))
        .collect();
    insta::assert_snapshot!(seen.join("\n"), @r#"
    help reset_tools water
    help reset_tools water
    help reset_tools sell stock
    help reset_tools sell stock
    help reset_tools sell stock
    help reset_tools
    "#);
    assert_eq!(ran.names(), ["sell"]);
}

#[tokio::test]
async fn the_model_reads_what_a_group_is_for_and_how_it_stands() {
    let ran = ToolCallLog::default();
    let model = calling([]);
    // A group without a description.
    let tools = ran
        .tools(["help"])
        .layered(&ran.tools(["dig", "sow"]).in_group("field", ""));
    let agent = Agent::with_model("main", model.clone())
        .toolset(tools)
        .tool_exposure(shop(&ran));
    run(&agent, "Hello.").await;
    let requests = model.requests();
    let reset = requests[0]
        .tools
        .iter()
        .find(|tool| tool.name.as_str() == "reset_tools")
        .unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(reset.input_schema.value()).unwrap(), @r#"
    {
      "type": "object",
      "properties": {
        "field": {
          "type": "boolean",
          "description": "The tools dig, sow. (Now on.)",
          "default": false
        },
        "garden": {
          "type": "boolean",
          "description": "Plants. (Now on.)",
          "default": false
        },
        "shop": {
          "type": "boolean",
          "description": "Everything about the shop. (Now off.)",
          "default": false
        }
      },
      "additionalProperties": false
    }
    "#);
}

#[tokio::test]
async fn all_is_checked_before_anything_is_switched() {
    let ran = ToolCallLog::default();
    let model = calling([
        ("reset_tools", json!({ "shop": true, "attic": true })),
        ("sell", json!({})),
    ]);
    let agent = Agent::with_model("main", model.clone()).tool_exposure(shop(&ran));
    let report = run(&agent, "Sell one.").await;
    insta::assert_snapshot!(answers(&report), @r#"
    error: `/attic`: expected one of the keys `garden`, `shop`, got the unknown key `attic` with true
    error: `sell` is in the tool group `shop`, which is off: call `reset_tools` with `shop` set to true first
    "#);
    assert!(ran.names().is_empty());
}

#[tokio::test]
async fn without_a_group_there_is_nothing_to_switch() {
    let model = calling([("reset_tools", json!({}))]);
    let agent =
        Agent::with_model("main", model.clone()).toolset(ToolCallLog::default().tools(["help"]));
    let report = run(&agent, "Hello.").await;
    assert_eq!(offered(&model.requests()[0]), ["help"]);
    insta::assert_snapshot!(answers(&report), @"error: unknown tool `reset_tools`");
}

#[test]
fn groups_that_cannot_be_are_refused() {
    let refused = |group: ToolGroup| {
        let offering = ToolExposure::new()
            .group(ToolGroup::new("shop", "The shop."))
            .unwrap();
        offering.group(group).unwrap_err()
    };
    assert_eq!(
        refused(ToolGroup::new("basic", "All.")),
        GroupError::Reserved
    );
    assert_eq!(
        refused(ToolGroup::new("shop", "Again.")),
        GroupError::Duplicate("shop".into())
    );
    assert_eq!(
        refused(ToolGroup::new("attic", " ")),
        GroupError::NoDescription("attic".into())
    );
    assert_eq!(
        refused(ToolGroup::new("the attic", "Up.")),
        GroupError::Name("the attic".into())
    );
    for dots in [".", "..", "..."] {
        assert_eq!(
            refused(ToolGroup::new(dots, "Up.")),
            GroupError::Name(dots.into())
        );
    }
}
