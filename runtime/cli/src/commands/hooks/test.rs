//! `hooks test EVENT --json FILE`.

use std::io::Read as _;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde_json::{Map, Value, json};

use crate::app_context::AppContext;
use crate::exit::{self, CommandResult, OrExit as _};
use crate::{args, hooks};
use helve_hooks::{HookDecision, HookEvent, HookOutcome};
use helve_terminal::output;

/// The maximum size of the input, in bytes.
const MAX_INPUT_BYTES: u64 = 1 << 20;

pub(super) fn command() -> Command {
    let event = args::positional("event", "EVENT", "The event");
    let events = HookEvent::ALL.map(HookEvent::name);
    let file = args::option(
        "json",
        "FILE",
        "The input of the hooks as a JSON object; `-` reads it from standard input",
    );
    Command::new("test")
        .about("Run the hooks of an event with an input, and show what they decide")
        .after_help(
            "The input is in the form of Claude Code, such as {\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \
             \"ls\"}}. The exit code is 1 if the hooks block.",
        )
        .arg(event.required(true).value_parser(events))
        .arg(file.required(true))
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let event = HookEvent::from_name(args::text(matches, "event"));
    let event = event.unwrap_or(HookEvent::PreToolUse);
    let input = read_input(app, event, args::text(matches, "json"));
    let input = input.map_err(|why| exit::with_message(exit::WRONG_USAGE, why))?;
    let config = app.settings.as_ref().or_wrong_usage()?;
    let settings = hooks::read(&app.folder, app.binary()).or_wrong_usage()?;
    let sandboxes = app.sandbox_factory(config).or_wrong_usage()?;
    let hooks = hooks::build(app, &sandboxes, settings);
    let selected = hooks.select(event, &input);
    if selected.is_empty() {
        output::line("no hook is for this input");
        return Ok(ExitCode::SUCCESS);
    }
    for handler in &selected {
        output::one_line(&format!(
            "ran      {}  ({})",
            handler.command, handler.source
        ));
    }
    let outcome = hooks.run(event, &input).await;
    output::print(&render(&outcome));
    match outcome.decision {
        Some(HookDecision::Deny) => Ok(ExitCode::from(exit::FAILED)),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Reads the input, and adds the fields that every hook receives.
fn read_input(app: &AppContext, event: HookEvent, file: &str) -> Result<Value, String> {
    let mut text = String::new();
    let read = match file {
        "-" => std::io::stdin()
            .lock()
            .take(MAX_INPUT_BYTES)
            .read_to_string(&mut text),
        file => std::fs::File::open(file)
            .and_then(|file| file.take(MAX_INPUT_BYTES).read_to_string(&mut text)),
    };
    read.map_err(|error| format!("`{file}` cannot be read: {error}"))?;
    let given: Map<String, Value> = serde_json::from_str(&text)
        .map_err(|error| format!("`{file}` is no JSON object: {error}"))?;
    let common = json!({
        "session_id": "test",
        "transcript_path": "",
        "cwd": app.folder,
        "permission_mode": "default",
        "hook_event_name": event.name(),
    });
    let Value::Object(mut input) = common else {
        return Err("the input has no fields".to_owned());
    };
    input.extend(given);
    Ok(Value::Object(input))
}

fn render(outcome: &HookOutcome) -> String {
    let mut lines = Vec::new();
    let decision = match outcome.decision {
        Some(HookDecision::Allow) => "allow",
        Some(HookDecision::Ask) => "ask",
        Some(HookDecision::Defer) => "defer",
        Some(HookDecision::Deny) => "deny",
        _ => "none",
    };
    lines.push(("decision", decision.to_owned()));
    let reason = outcome.reason.clone();
    lines.extend(reason.map(|reason| ("reason", reason)));
    let input = outcome.updated_input.clone();
    lines.extend(input.map(|input| ("input", Value::Object(input).to_string())));
    let result = outcome.updated_output.clone();
    lines.extend(result.map(|result| ("result", result)));
    lines.extend(outcome.context.iter().map(|text| ("context", text.clone())));
    let reported = outcome.messages.iter();
    lines.extend(reported.map(|text| ("message", text.clone())));
    let stop = outcome.stop.clone();
    lines.extend(stop.map(|why| ("stop", why)));
    let lines = lines.into_iter().map(|(name, text)| {
        let text = helve_terminal::sanitize::one_line(&text).into_owned();
        format!("{name:8} {text}\n")
    });
    lines.collect()
}
