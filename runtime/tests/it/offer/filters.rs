//! What an agent is granted of the tools that there are.

use std::sync::{Arc, Mutex};

use helve::agent::Agent;
use helve::agent::exposure::{ToolExposure, ToolGroup};
use helve::prelude::*;
use helve::tool::{Annotations, Tool, ToolOrigin};
use helve::toolset::{DynamicTool, ExclusionReason, ToolFilter, ToolList, ToolSource};
use serde_json::json;

use crate::offer::{ToolCallLog, answers, calling, offered, run};

/// Stands for a tool of the app's own package.
#[tool(read_only)]
fn filters_own() {}

/// Stands for one by which agents work, as `load_skill` is.
#[tool(read_only, always)]
fn filters_always() {}

/// Tools of the app, of two servers and of another package.
fn everything(ran: &ToolCallLog) -> Toolset {
    let of_server = |server: &str, tool: &str| {
        ran.brought(
            &format!("mcp__{server}__{tool}"),
            ToolOrigin::server(server, tool),
        )
    };
    ran.tools(["made"])
        .layered(&toolset![filters_own, filters_always])
        .layered(&of_server("lin", "list"))
        .layered(&of_server("lin", "get__one"))
        .layered(&of_server("gh", "pull"))
        .layered(&ran.brought("plugged", ToolOrigin::package("plugin")))
}

/// Says of each tool whether a filter grants it, or which gate it fails at.
fn judged(filter: &ToolFilter) -> String {
    let tools = everything(&ToolCallLog::default()).tools();
    let lines = tools.iter().map(|tool| match filter.check(tool.spec()) {
        Ok(()) => format!("{}\n", tool.spec().name),
        Err(gate) => format!("{}: {gate}\n", tool.spec().name),
    });
    lines.collect()
}

/// An app's filter: it says which package is its own.
fn of_app() -> ToolFilter {
    ToolFilter::new().own_packages(["helve-runtime"])
}

#[test]
fn without_a_word_everything_is_granted() {
    insta::assert_snapshot!(judged(&ToolFilter::new()), @r#"
    filters_always
    filters_own
    made
    mcp__gh__pull
    mcp__lin__get__one
    mcp__lin__list
    plugged
    "#);
}

#[test]
fn names_govern_the_apps_own_tools_alone() {
    insta::assert_snapshot!(judged(&of_app().tools(["made"])), @r#"
    filters_always
    filters_own: it is not among the tools that are granted by name
    made
    mcp__gh__pull
    mcp__lin__get__one
    mcp__lin__list
    plugged
    "#);
}

#[test]
fn servers_and_packages_govern_what_they_bring() {
    let filter = of_app()
        .servers(["lin"])
        .server_tools("lin", ["get__one"])
        .packages(["another"]);
    insta::assert_snapshot!(judged(&filter), @r#"
    filters_always
    filters_own
    made
    mcp__gh__pull: the server `gh` is not among those that are granted
    mcp__lin__get__one
    mcp__lin__list: `list` is not among the tools of the server `lin` that are granted
    plugged: the package `plugin` is not among those that are granted
    "#);
}

#[test]
fn the_first_gate_is_named() {
    let filter = of_app()
        .without(["filters_always", "mcp__gh__pull", "made"])
        .tools(["made"])
        .servers(["lin"]);
    insta::assert_snapshot!(judged(&filter), @r#"
    filters_always: it is excluded by its name
    filters_own: it is not among the tools that are granted by name
    made: it is excluded by its name
    mcp__gh__pull: it is excluded by its name
    mcp__lin__get__one
    mcp__lin__list
    plugged
    "#);
}

#[test]
fn until_somebody_says_whose_they_are_all_linked_tools_are_governed_twice() {
    let filter = ToolFilter::new()
        .tools(["filters_own", "plugged"])
        .packages(["plugin"]);
    insta::assert_snapshot!(judged(&filter), @r#"
    filters_always
    filters_own: the package `helve-runtime` is not among those that are granted
    made: it is not among the tools that are granted by name
    mcp__gh__pull
    mcp__lin__get__one
    mcp__lin__list
    plugged
    "#);
}

#[test]
fn a_tool_of_the_apps_own_that_is_always_offered_is_granted_like_any_other() {
    let tool = DynamicTool::new("pinned", "Pinned.", json!({ "type": "object" }), |_, _| {
        Box::pin(async { Ok(ToolOutput::plain("done")) })
    });
    let tool = tool.unwrap().always();
    assert_eq!(
        of_app().tools(["made"]).check(tool.spec()),
        Err(ExclusionReason::Name)
    );
    assert_eq!(of_app().tools(["pinned"]).check(tool.spec()), Ok(()));
}

#[tokio::test]
async fn what_is_left_out_is_missing_to_the_model() {
    let ran = ToolCallLog::default();
    let model = calling([
        ("mcp__gh__pull", json!({})),
        ("made", json!({})),
        ("mcp__lin__lists", json!({})),
        ("mcp__lin__list", json!({})),
        (
            "tool_expand_tools",
            json!({ "tool_names": ["mcp__gh__pull", "mcp__lin__get__one"] }),
        ),
        ("tool_search", json!({ "query": "pull" })),
    ]);
    let filter = of_app().tools(["filters_own"]).servers(["lin"]);
    let agent = Agent::with_model("main", model.clone())
        .toolset(everything(&ran))
        .tool_exposure(ToolExposure::new().limit(1).always(["mcp__lin__list"]))
        .filter(filter);
    let report = run(&agent, "Hello.").await;
    insta::assert_snapshot!(answers(&report), @r#"
    error: unknown tool `mcp__gh__pull`; did you mean `mcp__lin__list`?
    error: unknown tool `made`
    error: unknown tool `mcp__lin__lists`; did you mean `mcp__lin__list`?
    done
    {"success":true,"expanded_tools":["mcp__lin__get__one"],"invalid_tools":["mcp__gh__pull"],"already_selected_tools":[],"available_expandable_tools":["filters_own","plugged"],"notes":["unknown tool `mcp__gh__pull`; did you mean `mcp__lin__list`?"]}
    {"tools":[]}
    "#);
    let requests = model.requests();
    insta::assert_snapshot!(offered(&requests[0]).join("\n"), @r#"
    filters_always
    mcp__lin__list
    tool_expand_tools
    tool_search
    "#);
    assert_eq!(ran.names(), ["mcp__lin__list"]);
}

#[tokio::test]
async fn the_tools_of_groups_are_filtered_too_and_an_empty_group_is_none() {
    let ran = ToolCallLog::default();
    let model = calling([
        ("reset_tools", json!({ "shop": true, "attic": true })),
        ("reset_tools", json!({ "shop": true })),
        ("sell", json!({})),
        ("stock", json!({})),
    ]);
    let shop = ToolGroup::new("shop", "The shop.")
        .tools(ran.tools(["sell", "stock"]))
        .off();
    let attic = ToolGroup::new("attic", "The attic.").tools(ran.tools(["dust"]));
    let offering = ToolExposure::new()
        .group(shop)
        .unwrap()
        .group(attic)
        .unwrap();
    let agent = Agent::with_model("main", model)
        .filter(ToolFilter::new().without(["sell", "dust"]))
        .tool_exposure(offering);
    let report = run(&agent, "Hello.").await;
    insta::assert_snapshot!(answers(&report), @r#"
    error: `/attic`: expected only the key `shop`, got the unknown key `attic` with true
    The groups of tools that are on now: shop.
    error: unknown tool `sell`
    done
    "#);
    assert_eq!(ran.names(), ["stock"]);
}

#[tokio::test]
async fn two_filters_both_hold() {
    let ran = ToolCallLog::default();
    let model = calling([]);
    let agent = Agent::with_model("main", model.clone())
        .filter(of_app().servers(["lin", "gh"]).tools(["made"]))
        .filter(of_app().servers(["gh", "other"]).packages::<&str>([]))
        .toolset(everything(&ran));
    run(&agent, "Hello.").await;
    insta::assert_snapshot!(offered(&model.requests()[0]).join("\n"), @r#"
    filters_always
    made
    mcp__gh__pull
    "#);
}

/// A source that gets more tools.
#[derive(Clone, Default)]
struct Live(Arc<Mutex<LiveState>>);

#[derive(Default)]
struct LiveState {
    revision: u64,
    tools: Vec<Arc<dyn Tool>>,
}

impl Live {
    fn add(&self, tools: &Toolset) {
        let mut state = self.0.lock().unwrap();
        state.revision += 1;
        state.tools.extend(tools.tools());
    }
}

impl ToolSource for Live {
    fn list(&self) -> ToolList {
        let state = self.0.lock().unwrap();
        ToolList::new(state.tools.iter().cloned()).with_revision(state.revision)
    }
}

#[test]
fn what_arrives_later_is_judged_as_well_and_names_fit_once_it_is_there() {
    let (ran, live) = (ToolCallLog::default(), Live::default());
    let filter = of_app()
        .tools(["maid"])
        .without(["mcp__gh__pull"])
        .servers(["gh", "linn"])
        .server_tools("gh", ["push"])
        .packages(["plugin"]);
    let tools = Toolset::new(live.clone()).granted(&filter);
    insta::assert_snapshot!(tools.warnings().join("\n"), @r#"
    no tool is called `mcp__gh__pull`
    this app has no tool `maid`
    no server `gh` provides a tool
    no server `linn` provides a tool
    the server `gh` has no tool `push`
    no package `plugin` provides a tool
    "#);
    live.add(&everything(&ran));
    assert_eq!(tools.names(), ["filters_always", "plugged"]);
    insta::assert_snapshot!(tools.warnings().join("\n"), @r#"
    this app has no tool `maid`; did you mean `made`?
    no server `linn` provides a tool; did you mean `lin`?
    the server `gh` has no tool `push`
    "#);
}

#[test]
fn a_changed_name_changes_nothing_of_who_brings_a_tool() {
    let tools = everything(&ToolCallLog::default())
        .in_group("all", "Use them well.")
        .prefixed("my");
    let filter = of_app().servers(["gh"]).server_tools("gh", ["pull"]);
    let spec = |name: &str| tools.get(name).unwrap().spec().clone();
    assert_eq!(filter.check(&spec("my_mcp__gh__pull")), Ok(()));
    assert_eq!(
        filter.check(&spec("my_mcp__lin__list")),
        Err(ExclusionReason::Server("lin".into()))
    );
}

impl ToolCallLog {
    /// Makes a tool of another origin that only says that it ran.
    pub(crate) fn brought(&self, name: &str, origin: ToolOrigin) -> Toolset {
        let (ran, own) = (self.clone(), name.to_owned());
        let tool = DynamicTool::new(
            name,
            "Brought.",
            json!({ "type": "object" }),
            move |_, _| {
                ran.0.lock().unwrap().push(own.clone());
                Box::pin(async { Ok(ToolOutput::plain("done")) })
            },
        );
        let reads = Annotations::new(Some(true), None, None, None);
        let tool = tool.unwrap().with_annotations(reads).with_origin(origin);
        Toolset::from_tools([Arc::new(tool) as Arc<dyn Tool>])
    }
}
