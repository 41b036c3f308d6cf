//! `tools`: what the app grants, what else is linked, and what a model is shown of it.

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgMatches, Command};
use serde_json::{Value, json};

use crate::app_context::AppContext;
use crate::exit::{self, CommandResult};
use crate::{args, output, sanitize};
use helve_core::registry::Registry;
use helve_core::tool::{Annotations, Availability, Effects, Tool, ToolSpec};
use helve_model::Dialect;

pub(super) fn command() -> Command {
    let all = args::flag(
        "all",
        "Also list tools that are not granted, filtered out or not available, with the reason",
    );
    let name = || Arg::new("name").value_name("TOOL");
    let dialect = Arg::new("dialect")
        .long("dialect")
        .default_value("mcp")
        .value_parser(|text: &str| text.parse::<Dialect>().map_err(|error| error.to_string()))
        .help("The dialect of JSON Schema: mcp, openai, openai-strict, anthropic or gemini");
    Command::new("tools")
        .about("List the tools")
        .arg(all)
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
        _ => Ok(list(app, matches.get_flag("all"))),
    }
}

fn list(app: &AppContext, all: bool) -> ExitCode {
    let tools = app.tools.granted().tools();
    let mut rows: Vec<ToolRow> = match all {
        true => all_rows(app),
        false => tools.iter().map(|tool| tool_row(tool.spec(), "")).collect(),
    };
    rows.sort();
    let width = |column: fn(&ToolRow) -> &String| rows.iter().map(|row| column(row).len()).max();
    let names = width(|row| &row.0).unwrap_or(0);
    let hints = width(|row| &row.1).unwrap_or(0);
    let mut text = String::new();
    for (name, hint, summary) in &rows {
        text.push_str(&format!("{name:names$}  {hint:hints$}  {summary}\n"));
    }
    if rows.is_empty() {
        text.push_str("no tools: add `#[tool]` to a function of this package, or add a pack with `.pack(…)`\n");
    }
    output::print(&text);
    ExitCode::SUCCESS
}

/// The name of a tool, its effects and its summary.
type ToolRow = (String, String, String);

fn tool_row(spec: &ToolSpec, why_not: &str) -> ToolRow {
    let summary = sanitize::first_line(&spec.description, 100);
    (
        spec.name.to_string(),
        effects_text(&spec.annotations),
        format!("{why_not}{summary}"),
    )
}

/// Lists the granted tools, the tools that filters exclude with the reason, and the other linked tools.
fn all_rows(app: &AppContext) -> Vec<ToolRow> {
    let context = app.tool_context();
    let tools = app.tools.all().tools();
    let granted = tools.iter().map(|tool| {
        let spec = tool.spec();
        let why_not = match app.tools.closing_filter(spec) {
            Some((gate, narrowing)) => format!("(filtered out: {gate}; {narrowing}) "),
            None if tool.availability(&context) == Availability::Unavailable => {
                "(not available here) ".to_owned()
            }
            None => String::new(),
        };
        tool_row(spec, &sanitize::one_line(&why_not))
    });
    let others = Registry::linked().into_iter();
    let others = others
        .filter(|tool| !app.tools.has_linked(tool))
        .map(|tool| {
            let origin = format!("(not granted; from {}) ", tool.package());
            tool_row(tool.spec(), &origin)
        });
    granted.chain(others).collect()
}

fn effects_text(annotations: &Annotations) -> String {
    match (annotations.read_only, annotations.destructive) {
        (Some(true), _) => "read-only".to_owned(),
        (_, Some(true)) => "destructive".to_owned(),
        _ => "writes".to_owned(),
    }
}

fn show_tool(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let tool = granted_tool(app, args::text(matches, "name"))?;
    let spec = tool.spec();
    let title = spec.title.as_ref().map(|title| format!(" ({title})"));
    let title = title.unwrap_or_default();
    let mut text = format!("{}{title}\n\n{}\n", spec.name, spec.description);
    let mut row = |label: &str, value: String| text.push_str(&format!("\n{label:14} {value}"));
    row("effects", effects_text(&spec.annotations));
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
