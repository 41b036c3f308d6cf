//! Ethos's plugins: what helve has in their place are packages that are linked, MCP servers and skills.

use helve_runtime::agent::exposure::{ToolExposure, ToolGroup};
use helve_runtime::mcp::ServerName;
use serde_json::json;

use crate::vectors_offer::shared;
use crate::vectors_offer::vectors::{Case, Tally, load_topic};

const NO_CONTRACT: &str = "a pack is a crate: cargo picks its version and the compiler checks it, and no number of a contract \
    is read while the program runs";
const NO_MANIFEST: &str =
    "a pack has no manifest: what makes it one are the tools in it, which the compiler checks";
const NO_INSTALL: &str =
    "no plugin is installed while the program runs, so no version of one is ever looked for";
const NO_GRANT: &str = "what a user approves of a server are its definitions by their digests, not a version with \
    capabilities; `mcp_tools` tests that record";
const NO_LOCK: &str = "there is no lock file of plugins: that of cargo holds";

/// What helve does not have, and why.
const NOT_SHARED: &[(&str, &str)] = &[
    ("plugin_contract:1", NO_CONTRACT),
    ("plugin_contract:2", NO_CONTRACT),
    ("plugin_contract:3", NO_CONTRACT),
    ("plugin_contract:4", NO_CONTRACT),
    ("plugin_contract:5", NO_MANIFEST),
    ("plugin_contract:6", NO_MANIFEST),
    ("plugin_contract:7", NO_MANIFEST),
    ("plugin_contract:8", NO_MANIFEST),
    ("plugin_contract:9", NO_MANIFEST),
    ("plugin_contract:10", NO_MANIFEST),
    ("plugin_contract:11", NO_MANIFEST),
    ("plugin_contract:12", NO_MANIFEST),
    ("plugin_contract:13", NO_INSTALL),
    ("plugin_contract:14", NO_INSTALL),
    ("plugin_contract:15", NO_INSTALL),
    ("plugin_contract:16", NO_INSTALL),
    (
        "plugin_contract:18",
        "the name of a package with a scope is npm's: cargo has none, and a server's name is one word",
    ),
    ("plugin_contract:25", NO_GRANT),
    ("plugin_contract:26", NO_GRANT),
    ("plugin_contract:27", NO_GRANT),
    ("plugin_contract:28", NO_GRANT),
    ("plugin_contract:29", NO_LOCK),
    ("plugin_contract:30", NO_LOCK),
    ("plugin_contract:31", NO_LOCK),
    ("plugin_contract:32", NO_LOCK),
];

#[test]
fn plugin_contract() {
    let Some(cases) = load_topic("plugin_contract") else {
        return;
    };
    let mut tally = Tally::new("plugin_contract");
    for case in &shared(cases, NOT_SHARED) {
        match case.function.as_str() {
            "plugin-loader:isValidNpmPackageName" | "plugin-loader:isValidPluginId" => {
                name(&mut tally, case);
            }
            other => panic!(
                "{}: `{other}` is a function that these tests do not know",
                case.id
            ),
        }
    }
    tally.finish(&[]);
}

/// A name of somebody who brings tools: that of a server, and of the group that its tools are.
fn name(tally: &mut Tally, case: &Case) {
    let name = case.input["args"][0].as_str().unwrap();
    let is_server = name.parse::<ServerName>().is_ok();
    let group = ToolGroup::new(name, "What it brings.");
    let is_group = ToolExposure::new().group(group).is_ok();
    match case.expected == json!(true) {
        true => tally.compare(case, &[is_server, is_group], &[true, true]),
        false if is_server || is_group => tally.differ_laxer(case, "taken"),
        false => tally.agree(case),
    }
}
