//! `events`: what a turn tells as NDJSON, for whoever writes a program that reads it.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::Value;

use crate::agent::{EventLine, NDJSON_VERSION};
use crate::cli::output;

pub(super) fn command() -> Command {
    let schema = Arg::new("schema")
        .long("schema")
        .action(ArgAction::SetTrue)
        .help("Print the JSON Schema of a line");
    Command::new("events")
        .about("Describes the events that `run --json` writes")
        .arg(schema)
}

pub(super) fn run(matches: &ArgMatches) -> ExitCode {
    let schema = EventLine::schema();
    match matches.get_flag("schema") {
        true => output::line(&format!("{schema:#}")),
        false => output::print(&described(&schema)),
    }
    ExitCode::SUCCESS
}

/// Lists the kinds of events with what each is, from the same schema.
fn described(schema: &Value) -> String {
    let mut text = format!(
        "One JSON object a line, version {NDJSON_VERSION}: first `header`, then an event a line. Pass over types and \
         fields that you do not know.\n\n"
    );
    for kind in kinds(schema) {
        text.push_str(&format!("{}\n    {}\n", kind.name, kind.description));
        if !kind.fields.is_empty() {
            text.push_str(&format!("    fields: {}\n", kind.fields.join(", ")));
        }
    }
    text.push_str("\n`events --schema` prints all of it as JSON Schema.\n");
    text
}

/// One kind of line.
struct Kind {
    name: String,
    description: String,
    fields: Vec<String>,
}

/// Finds the kinds: the alternatives whose `type` is one word.
fn kinds(schema: &Value) -> Vec<Kind> {
    let mut found = Vec::new();
    let header = &schema["$defs"]["EventHeader"];
    found.extend(kind("header", header));
    let events = schema["$defs"]["AgentEvent"]["oneOf"].as_array();
    for event in events.into_iter().flatten() {
        if let Some(name) = event["properties"]["type"]["const"].as_str() {
            found.extend(kind(name, event));
        }
    }
    found
}

fn kind(name: &str, schema: &Value) -> Option<Kind> {
    let fields = schema["properties"].as_object()?.keys();
    let fields = fields.filter(|field| *field != "type").cloned();
    let description = schema["description"].as_str().unwrap_or_default();
    Some(Kind {
        name: name.to_owned(),
        description: description.replace('\n', " "),
        fields: fields.collect(),
    })
}
