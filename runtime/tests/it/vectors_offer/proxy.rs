//! Sage's proxy of several tool managers.

use std::collections::BTreeSet;

use helve_runtime::Toolset;

use crate::vectors_offer::vectors::{Case, Tally, load_topic};
use crate::vectors_offer::{shared, texts, tools};

/// What helve does not have, and why.
const NOT_SHARED: &[(&str, &str)] = &[
    (
        "tool_proxy:5",
        "no tool of helve has to be named to be there",
    ),
    ("tool_proxy:10", "no tool of helve brings others along"),
];

/// What Sage adds by itself, by the way in which its turns end; helve has no such tools.
const OWN: [&str; 2] = ["tool_expand_tools", "turn_status"];

#[tokio::test]
async fn tool_proxy() {
    let Some(cases) = load_topic("tool_proxy") else {
        return;
    };
    let mut tally = Tally::new("tool_proxy");
    for case in &shared(cases, NOT_SHARED) {
        match case.function.as_str() {
            "ToolProxy.__init__" => whitelist(&mut tally, case),
            "ToolProxy.list_all_tools_name" => listed(&mut tally, case),
            "ToolProxy.visible_tools" => visible(&mut tally, case),
            other => panic!(
                "{}: `{other}` is a function that these tests do not know",
                case.id
            ),
        }
    }
    tally.finish(&[]);
}

/// Joins the managers of a case, the first before the others.
fn managers(case: &Case) -> Toolset {
    let managers = case.input["managers"].as_array().into_iter().flatten();
    managers.fold(Toolset::empty(), |all, manager| {
        let names = texts(manager);
        all.layered(&tools(names.iter().map(String::as_str)))
    })
}

/// Keeps what is allowed; without a list, all is.
fn allowed(all: &Toolset, list: &serde_json::Value) -> BTreeSet<String> {
    let allowed = match list.is_null() {
        true => all.clone(),
        false => all.only(texts(list)),
    };
    without_own(allowed.names())
}

fn without_own(names: Vec<String>) -> BTreeSet<String> {
    let names = names.into_iter();
    names.filter(|name| !OWN.contains(&&**name)).collect()
}

fn whitelist(tally: &mut Tally, case: &Case) {
    let all = managers(case);
    let found = allowed(&all, &case.input["available_tools"]);
    let expected = match &case.expected["effective_whitelist"] {
        list if list.is_null() => without_own(all.names()),
        list => without_own(texts(list)),
    };
    tally.compare(case, &found, &expected);
}

fn listed(tally: &mut Tally, case: &Case) {
    let found = allowed(&managers(case), &case.input["effective_whitelist"]);
    tally.compare(case, &found, &without_own(texts(&case.expected)));
}

fn visible(tally: &mut Tally, case: &Case) {
    let names = texts(&case.input["tools"]);
    let all = tools(names.iter().map(String::as_str));
    let found = allowed(&all, &case.input["available_tools"]);
    tally.compare(
        case,
        &found,
        &without_own(texts(&case.expected["names_sorted"])),
    );
}
