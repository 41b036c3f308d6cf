//! No sequence of calls makes a tool callable that the toolset lacks, or one that stands hidden.

use std::collections::BTreeSet;
use std::sync::Arc;

use helve::agent::Agent;
use helve::agent::exposure::{ToolExposure, ToolGroup};
use helve::model::ScriptedModel;
use helve::tool::ToolOrigin;
use helve::toolset::ToolFilter;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::offer::{ToolCallLog, offered, run};

/// All names that a model may think of: the agent's, those of others, and what is no name at all.
const NAMES: [&str; 14] = [
    "a",
    "b",
    "c",
    "d",
    "in_shop",
    "in_attic",
    "forbidden",
    "mcp__gh__pull",
    "in_cellar",
    "linked_elsewhere",
    "reset_tools",
    "tool_expand_tools",
    "",
    "a\u{0}b",
];

/// Those that the agent has.
const OWN: [&str; 6] = ["a", "b", "c", "d", "in_shop", "in_attic"];

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&NAMES[..])
}

fn call() -> impl Strategy<Value = (&'static str, Value)> {
    let switches = (any::<bool>(), any::<bool>(), any::<bool>());
    prop_oneof![
        3 => name().prop_map(|name| (name, json!({}))),
        2 => prop::collection::vec(name(), 0..4)
            .prop_map(|names| ("tool_expand_tools", json!({ "tool_names": names }))),
        2 => switches.prop_map(|(shop, attic, cellar)| match cellar {
            false => ("reset_tools", json!({ "shop": shop, "attic": attic })),
            true => ("reset_tools", json!({ "shop": shop, "cellar": attic })),
        }),
        1 => name().prop_map(|word| ("tool_search", json!({ "query": word }))),
    ]
}

/// A reply: calls that are made at once.
fn replies() -> impl Strategy<Value = Vec<Vec<(&'static str, Value)>>> {
    prop::collection::vec(prop::collection::vec(call(), 1..4), 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_runs_that_was_not_offered(limit in 0_usize..8, filter in filter(), replies in replies()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(check(limit, filter, replies))?;
    }
}

/// `HELVE_SOAK` multiplies the worlds.
fn cases() -> u32 {
    let soak = std::env::var("HELVE_SOAK")
        .ok()
        .and_then(|text| text.parse().ok());
    256 * soak.unwrap_or(1)
}

/// Ways to leave out the three that the agent is not to have.
fn filter() -> impl Strategy<Value = ToolFilter> {
    let unwanted = ["forbidden", "in_cellar"];
    let excluded = ToolFilter::new().without(unwanted).servers::<&str>([]);
    let listed = ToolFilter::new().tools(OWN).servers(["lin"]);
    let of_server = ToolFilter::new()
        .without(unwanted)
        .server_tools("gh", ["push"]);
    prop::sample::select(vec![excluded, listed, of_server])
}

async fn check(
    limit: usize,
    filter: ToolFilter,
    replies: Vec<Vec<(&'static str, Value)>>,
) -> Result<(), TestCaseError> {
    let ran = ToolCallLog::default();
    let all = ran.tools(["a", "b", "c", "d", "forbidden"]);
    let server = ToolOrigin::server("gh", "pull");
    let all = all.layered(&ran.brought("mcp__gh__pull", server));
    let shop = ToolGroup::new("shop", "A shop.")
        .tools(ran.tools(["in_shop", "in_cellar"]))
        .off();
    let attic = ToolGroup::new("attic", "An attic.").tools(ran.tools(["in_attic"]));
    let offering = ToolExposure::new()
        .limit(limit)
        .group(shop)
        .unwrap()
        .group(attic)
        .unwrap();
    let model = replies
        .iter()
        .fold(ScriptedModel::new(), |model, reply| {
            model.calls(reply.clone())
        })
        .say("Done.");
    let model = Arc::new(model);
    let agent = Agent::with_model("main", model.clone())
        .toolset(all)
        .filter(filter)
        .tool_exposure(offering);
    run(&agent, "Hello.").await;

    let own: BTreeSet<&str> = OWN.into_iter().collect();
    let meta = ["reset_tools", "tool_expand_tools", "tool_search"];
    let requests = model.requests();
    for request in &requests {
        for name in offered(request) {
            prop_assert!(
                own.contains(name) || meta.contains(&name),
                "`{}` was offered",
                name
            );
        }
    }
    // What ran in a round was in the request that the round answers.
    let shown: Vec<BTreeSet<&str>> = requests
        .iter()
        .map(|request| offered(request).into_iter().collect())
        .collect();
    let may: BTreeSet<&str> = replies
        .iter()
        .zip(&shown)
        .flat_map(|(reply, shown)| {
            reply
                .iter()
                .map(|(name, _)| *name)
                .filter(|name| shown.contains(name))
        })
        .collect();
    for name in ran.names() {
        prop_assert!(own.contains(&*name), "`{}` ran", name);
        prop_assert!(
            may.contains(&*name),
            "`{}` ran and was not shown when it was called",
            name
        );
    }
    Ok(())
}
