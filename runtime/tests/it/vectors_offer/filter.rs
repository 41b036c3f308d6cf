//! Ethos's filters of tools.

use std::collections::BTreeSet;
use std::sync::Arc;

use helve_runtime::agent::Agent;
use helve_runtime::agent::exposure::ToolExposure;
use helve_runtime::schema::Mistakes;
use helve_runtime::tool::{Annotations, Availability, PreparedCall, Tool, ToolOrigin, ToolSpec};
use helve_runtime::toolset::{DynamicTool, ToolFilter};
use helve_runtime::{ToolContext, ToolOutput, Toolset};
use serde_json::{Value, json};

use crate::vectors_offer::vectors::{Case, Tally, load_topic};
use crate::vectors_offer::{offered, one_call, texts};

/// Where helve differs, and why.
const DIFFERENT: &[(&str, &str)] = &[(
    "tool_filter:6",
    "the list of a personality leaves out what gives skills, and the definitions of tool_filter:1 to 4 have it again: \
     helve has one list, with it",
)];

#[tokio::test]
async fn tool_filter() {
    let Some(cases) = load_topic("tool_filter") else {
        return;
    };
    let mut tally = Tally::new("tool_filter");
    for case in &cases {
        match case.function.as_str() {
            "DefaultToolRegistry.toDefinitions" => definitions(&mut tally, case).await,
            "DefaultToolRegistry.toolNamesForPersonality" => names(&mut tally, case),
            "passesFilter" => passes(&mut tally, case),
            other => panic!(
                "{}: `{other}` is a function that these tests do not know",
                case.id
            ),
        }
    }
    tally.finish(DIFFERENT);
}

/// A tool of a case. One that is not available says so.
struct Recorded {
    tool: DynamicTool,
    is_available: bool,
}

impl Tool for Recorded {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    fn prepare(
        &self,
        context: &ToolContext,
        arguments: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        self.tool.prepare(context, arguments)
    }

    fn availability(&self, _: &ToolContext) -> Availability {
        match self.is_available {
            true => Availability::Available,
            false => Availability::Unavailable,
        }
    }
}

/// Makes a tool. Ethos tells by a name which server a tool is of; helve is told.
fn tool(name: &str, plugin: &Value, recorded: &Value) -> Recorded {
    let is_always = recorded["alwaysInclude"] == json!(true);
    let origin = match (name.split_once("__"), plugin.as_str()) {
        (Some(("mcp", rest)), _) => {
            let (server, tool) = rest.split_once("__").unwrap();
            ToolOrigin::server(server, tool)
        }
        (_, Some(plugin)) => ToolOrigin::package(plugin),
        // What Ethos always includes is what gives skills; in helve that comes with the runtime.
        _ if is_always => ToolOrigin::package("helve-runtime"),
        _ => ToolOrigin::Program,
    };
    let schema = json!({ "type": "object" });
    let tool = DynamicTool::new(name, "Does something.", schema, |_, _| {
        Box::pin(async { Ok(ToolOutput::plain("done")) })
    });
    let reads = Annotations::new(Some(true), None, None, None);
    let tool = tool.unwrap().with_annotations(reads).with_origin(origin);
    Recorded {
        is_available: recorded["available"] != json!(false),
        tool: match is_always {
            true => tool.always(),
            false => tool,
        },
    }
}

fn tools(case: &Case) -> Toolset {
    let tools = case.input["tools"].as_array().unwrap().iter();
    let tools = tools.map(|recorded| {
        let name = recorded["name"].as_str().unwrap();
        Arc::new(tool(name, &recorded["pluginId"], recorded)) as Arc<dyn Tool>
    });
    Toolset::from_tools(tools)
}

/// Reads the options of a filter; what is not said grants all.
fn filter(options: &Value) -> ToolFilter {
    let mut filter = ToolFilter::new().own_packages(["app"]);
    if !options["allowedMcpServers"].is_null() {
        filter = filter.servers(texts(&options["allowedMcpServers"]));
    }
    if !options["allowedPlugins"].is_null() {
        filter = filter.packages(texts(&options["allowedPlugins"]));
    }
    let of_servers = options["allowedMcpTools"].as_object().into_iter().flatten();
    of_servers.fold(filter, |filter, (server, tools)| {
        filter.server_tools(server, texts(tools))
    })
}

/// What goes to the model.
async fn definitions(tally: &mut Tally, case: &Case) {
    let mut filter = filter(&case.input["filterOpts"]);
    if !case.input["allowedTools"].is_null() {
        filter = filter.tools(texts(&case.input["allowedTools"]));
    }
    let tools = tools(case);
    let agent = |agent: Agent| {
        let agent = agent.toolset(tools).filter(filter);
        agent.tool_exposure(ToolExposure::new().limit(100))
    };
    let (_, requests) = one_call(agent, "none", &json!({})).await;
    let found: BTreeSet<String> = offered(&requests[0]).into_iter().collect();
    compare(
        tally,
        case,
        &found,
        &texts(&case.expected).into_iter().collect(),
    );
}

/// What a personality has; one that does not speak of servers and plugins has none of theirs.
fn names(tally: &mut Tally, case: &Case) {
    let personality = &case.input["personality"];
    let mut filter = ToolFilter::new()
        .own_packages(["app"])
        .servers(texts(&personality["mcp_servers"]))
        .packages(texts(&personality["plugins"]));
    if !personality["toolset"].is_null() {
        filter = filter.tools(texts(&personality["toolset"]));
    }
    let found: BTreeSet<String> = tools(case).granted(&filter).names().into_iter().collect();
    let expected: BTreeSet<String> = texts(&case.expected).into_iter().collect();
    // What is always there is in the definitions anyway.
    let more: Vec<&String> = found.difference(&expected).collect();
    match case.id == "tool_filter:6" && more == ["get_skill"] {
        true => tally.differ(case, "with `get_skill`, which is always there"),
        false => compare(tally, case, &found, &expected),
    }
}

fn passes(tally: &mut Tally, case: &Case) {
    let name = case.input["tool_name"].as_str().unwrap();
    let tool = tool(name, &case.input["pluginId"], &Value::Null);
    let found = filter(&case.input["filterOpts"]).check(tool.spec()).is_ok();
    match (found, case.expected == json!(true)) {
        (true, false) => tally.differ_laxer(case, "granted"),
        (found, expected) => tally.compare(case, &found, &expected),
    }
}

/// A tool more than recorded is laxer.
fn compare(tally: &mut Tally, case: &Case, found: &BTreeSet<String>, expected: &BTreeSet<String>) {
    match found.is_subset(expected) {
        true => tally.compare(case, found, expected),
        false => tally.differ_laxer(case, format!("{found:?}, recorded was {expected:?}")),
    }
}
