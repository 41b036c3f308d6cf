//! Sage's expansion of tools.

use helve_runtime::agent::Agent;
use helve_runtime::agent::exposure::ToolExposure;
use serde_json::{Value, json};

use crate::vectors_offer::vectors::{Case, Tally, load_topic};
use crate::vectors_offer::{offered, one_call, shared, texts, tools};

/// The tools that Sage always adds; an app of helve says itself which they are.
const BASELINE: [&str; 3] = ["file_read", "file_update", "file_write"];

const EXPAND: &str = "tool_expand_tools";

/// What helve does not have, and why.
const NOT_SHARED: &[(&str, &str)] = &[(
    "expand_tools:14",
    "with nothing hidden there is no such tool: what may be called is called at once",
)];

#[tokio::test]
async fn expand_tools() {
    let Some(cases) = load_topic("expand_tools") else {
        return;
    };
    let mut tally = Tally::new("expand_tools");
    for case in &shared(cases, NOT_SHARED) {
        match case.function.as_str() {
            "augment_with_baseline_tools" => baseline(&mut tally, case).await,
            "should_expose_tool_expansion" => exposed(&mut tally, case).await,
            EXPAND => expand(&mut tally, case).await,
            other => panic!(
                "{}: `{other}` is a function that these tests do not know",
                case.id
            ),
        }
    }
    tally.finish(&[]);
}

/// An agent with these tools of which these were suggested.
fn choosing(allowed: &[String], suggested: &[String]) -> impl FnOnce(Agent) -> Agent {
    let own = allowed
        .iter()
        .map(String::as_str)
        .filter(|name| *name != EXPAND);
    let tools = tools(own);
    let offering = ToolExposure::new()
        .limit(0)
        .always(suggested.iter().cloned());
    move |agent| agent.toolset(tools).tool_exposure(offering)
}

/// Returns what is offered besides the ways to the rest.
fn shown(request: &helve_runtime::model::ModelRequest) -> Vec<String> {
    let names = offered(request).into_iter();
    names.filter(|name| !name.starts_with("tool_")).collect()
}

async fn baseline(tally: &mut Tally, case: &Case) {
    let available = texts(&case.input["available_tool_names"]);
    let suggested = texts(&case.input["suggested_tools"]);
    let always = suggested
        .into_iter()
        .chain(BASELINE.map(str::to_owned))
        .chain(["turn_status".to_owned()]);
    let always: Vec<String> = always.collect();
    let (_, requests) = one_call(choosing(&available, &always), "none", &json!({})).await;
    let mut expected = texts(&case.expected);
    expected.sort();
    tally.compare(case, &shown(&requests[0]), &expected);
}

/// Ours is there when anything stays hidden.
async fn exposed(tally: &mut Tally, case: &Case) {
    let allowed = texts(&case.input["allowed_tool_names"]);
    let selected = texts(&case.input["selected_tool_names"]);
    let selected: Vec<String> = selected.into_iter().filter(|name| name != EXPAND).collect();
    // What is neither allowed nor selected cannot be shown; who is selected is allowed.
    let own: Vec<String> = allowed.iter().chain(&selected).cloned().collect();
    let is_all = own
        .iter()
        .all(|name| name == EXPAND || selected.contains(name));
    let limit = if is_all { own.len() } else { 0 };
    let tools = tools(
        own.iter()
            .map(String::as_str)
            .filter(|name| *name != EXPAND),
    );
    let offering = ToolExposure::new().limit(limit).always(selected);
    let agent = |agent: Agent| agent.toolset(tools).tool_exposure(offering);
    let (_, requests) = one_call(agent, "none", &json!({})).await;
    let found = offered(&requests[0]).iter().any(|name| name == EXPAND);
    tally.compare(case, &json!(found), &case.expected);
}

async fn expand(tally: &mut Tally, case: &Case) {
    let allowed = texts(&case.input["allowed"]);
    let before = texts(&case.input["suggested_before"]);
    let names = json!({ "tool_names": case.input["tool_names"] });
    let (answer, requests) = one_call(choosing(&allowed, &before), EXPAND, &names).await;
    // Behind it may stand how a call was understood that did not fit quite.
    let first = serde_json::Deserializer::from_str(&answer)
        .into_iter()
        .next();
    let result: Value = first.and_then(Result::ok).unwrap_or_default();
    let keys = [
        "success",
        "expanded_tools",
        "invalid_tools",
        "already_selected_tools",
        "available_expandable_tools",
    ];
    let pick = |from: &Value| keys.map(|key| from[key].clone());
    let found = json!([pick(&result), shown(&requests[1])]);
    let expected = json!([
        pick(&case.expected["result"]),
        case.expected["suggested_after"]
    ]);
    tally.compare(case, &found, &expected);
}
