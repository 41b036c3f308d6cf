//! `tools`: what the app grants, what else is linked, and what a model is shown of it.

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgMatches, Command};
use serde::Serialize;
use serde_json::{Value, json};

use crate::app_context::AppContext;
use crate::args;
use crate::exit::{self, CommandResult};
use helve_core::registry::Registry;
use helve_core::tool::{Annotations, Availability, Effects, Tool, ToolSpec};
use helve_model::Dialect;
use helve_terminal::{output, sanitize};

pub(super) fn command() -> Command {
    let all = args::flag(
        "all",
        "Also list tools that are not granted, filtered out or not available, with the reason",
    );
    let name = || args::positional("name", "TOOL", "The name of the tool");
    let dialect = Arg::new("dialect")
        .long("dialect")
        .default_value("mcp")
        .value_parser(|text: &str| text.parse::<Dialect>().map_err(|error| error.to_string()))
        .help("The dialect of JSON Schema: mcp, openai, openai-strict, anthropic or gemini");
    Command::new("tools")
        .about("List the tools")
        .arg(all.clone())
        .arg(args::json())
        .subcommand(
            Command::new("list")
                .about("List the tools (the default)")
                .arg(all)
                .arg(args::json()),
        )
        .subcommand(
            Command::new("show")
                .about("Show the details of a tool")
                .arg(name().required(true)),
        )
        .subcommand(
            Command::new("schema")
                .about("Print the tool definitions for a model as JSON")
                .arg(dialect)
                .arg(name()),
        )
}

#[cfg_attr(
    not(feature = "mcp"),
    expect(clippy::unused_async, reason = "with MCP servers it waits for them")
)]
pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    #[cfg(feature = "mcp")]
    crate::runner::wait_for_servers(app).await;
    match matches.subcommand() {
        Some(("show", matches)) => show_tool(app, matches),
        Some(("schema", matches)) => print_schemas(app, matches),
        Some((_, matches)) => Ok(list(app, matches)),
        None => Ok(list(app, matches)),
    }
}

fn list(app: &AppContext, matches: &ArgMatches) -> ExitCode {
    let tools = app.tools.granted().tools();
    let mut rows: Vec<ToolRow> = if matches.get_flag("all") {
        all_rows(app)
    } else {
        let granted = tools.iter().map(|tool| ToolRow::new(tool.spec(), None));
        granted.collect()
    };
    rows.sort();
    if matches.get_flag("json") {
        output::json(&rows);
        return ExitCode::SUCCESS;
    }
    let names = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let effects = rows.iter().map(|row| row.effects.len()).max();
    let effects = effects.unwrap_or(0);
    let mut text = String::new();
    for row in &rows {
        let reason = row.unavailable.as_ref();
        let reason = reason.map_or_else(String::new, |reason| format!("({reason}) "));
        let summary = sanitize::first_line(&row.description, 100);
        let (name, hint) = (&row.name, row.effects);
        text.push_str(&format!(
            "{name:names$}  {hint:effects$}  {}{summary}\n",
            sanitize::one_line(&reason)
        ));
    }
    if rows.is_empty() {
        text.push_str("no tools: add `#[tool]` to a function of this package, or add a pack with `.pack(…)`\n");
    }
    output::print(&text);
    ExitCode::SUCCESS
}

/// A tool as it is listed.
#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct ToolRow {
    name: String,
    effects: &'static str,
    /// The reason why the agent does not have the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable: Option<String>,
    description: String,
}

impl ToolRow {
    fn new(spec: &ToolSpec, unavailable: Option<String>) -> Self {
        Self {
            name: spec.name.to_string(),
            effects: effects_text(&spec.annotations),
            unavailable,
            description: spec.description.to_string(),
        }
    }
}

/// Lists the granted tools, the tools that filters exclude with the reason, and the other linked tools.
fn all_rows(app: &AppContext) -> Vec<ToolRow> {
    let context = app.tool_context();
    let tools = app.tools.all().tools();
    let granted = tools.iter().map(|tool| {
        let spec = tool.spec();
        let is_unavailable = tool.availability(&context) == Availability::Unavailable;
        let reason = match app.tools.closing_filter(spec) {
            Some((gate, narrowing)) => Some(format!("filtered out: {gate}; {narrowing}")),
            None => is_unavailable.then(|| "not available here".to_owned()),
        };
        ToolRow::new(spec, reason)
    });
    let others = Registry::linked().into_iter();
    let others = others
        .filter(|tool| !app.tools.has_linked(tool))
        .map(|tool| {
            let reason = format!("not granted; from {}", tool.package());
            ToolRow::new(tool.spec(), Some(reason))
        });
    granted.chain(others).collect()
}

fn effects_text(annotations: &Annotations) -> &'static str {
    match (annotations.read_only, annotations.destructive) {
        (Some(true), _) => "read-only",
        (_, Some(true)) => "destructive",
        _ => "writes",
    }
}

fn show_tool(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let tool = granted_tool(app, args::text(matches, "name"))?;
    let spec = tool.spec();
    let title = spec.title.as_ref().map(|title| format!(" ({title})"));
    let title = title.unwrap_or_default();
    let mut text = format!("{}{title}\n\n{}\n", spec.name, spec.description);
    let mut row = |label: &str, value: String| text.push_str(&format!("\n{label:14} {value}"));
    row("effects", effects_text(&spec.annotations).to_owned());
    row("risk", spec.risk.to_string());
    let concurrency = format!("{:?}", spec.concurrency);
    row("concurrency", concurrency.to_lowercase());
    if let Some(group) = &spec.group {
        row("group", group.to_string());
    }
    if let Some(timeout) = spec.timeout {
        row("timeout", format!("{timeout:?}"));
    }
    if let Some(most) = spec.max_result_chars {
        row("result", format!("at most {most} characters"));
    }
    if spec.untrusted_output {
        row("output", "untrusted".to_owned());
    }
    if let Some(definition) = tool.definition() {
        let (package, place) = (definition.package(), definition.location());
        row("defined in", format!("{package} ({place})"));
        for need in definition.required_state() {
            row("takes", format!("&{}", (need.type_name)()));
        }
    }
    row("arguments", format!("{:#}", spec.input_schema.value()));
    if let Some(schema) = &spec.output_schema {
        row("returns", format!("{:#}", schema.value()));
    }
    output::line(&text);
    Ok(ExitCode::SUCCESS)
}

fn print_schemas(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let dialect = matches.get_one::<Dialect>("dialect");
    let dialect = dialect.copied().unwrap_or(Dialect::Mcp);
    let tools = match matches.get_one::<String>("name") {
        None => app.tools.granted().tools(),
        Some(name) => vec![granted_tool(app, name)?],
    };
    let shown = tools.iter().map(|tool| tool_json(&**tool, dialect));
    output::json(&shown.collect::<Vec<_>>());
    Ok(ExitCode::SUCCESS)
}

fn tool_json(tool: &dyn Tool, dialect: Dialect) -> Value {
    let spec = tool.spec();
    let rendered = |schema: &helve_core::schema::CanonicalSchema| {
        serde_json::from_str::<Value>(schema.render(dialect)).unwrap_or_default()
    };
    let mut shown = json!({
        "name": &*spec.name,
        "description": &*spec.description,
        "inputSchema": rendered(&spec.input_schema),
    });
    if let Some(schema) = &spec.output_schema {
        shown["outputSchema"] = rendered(schema);
    }
    let hints = Effects::new(&spec.annotations, spec.risk).hints;
    if hints != Annotations::NONE {
        shown["annotations"] = serde_json::to_value(hints).unwrap_or_default();
    }
    shown
}

/// Returns a tool that the app grants, or reports that there is none of this name.
fn granted_tool(app: &AppContext, name: &str) -> Result<Arc<dyn Tool>, ExitCode> {
    let tool = app.tools.granted().get(name);
    tool.ok_or_else(|| exit::with_message(exit::WRONG_USAGE, app.tools.describe_missing(name)))
}
