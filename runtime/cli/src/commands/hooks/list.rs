//! `hooks list`.

use std::process::ExitCode;

use serde_json::{Value, json};

use crate::app_context::AppContext;
use crate::exit::{CommandResult, OrExit as _};
use crate::{bundles, hooks};
use helve_hooks::{HookHandler, OnFailure};
use helve_terminal::output;

pub(super) fn run(app: &AppContext, as_json: bool) -> CommandResult {
    let settings = hooks::read(&app.folder, app.binary()).or_wrong_usage()?;
    if as_json {
        let hooks: Vec<Value> = settings.handlers().iter().map(json_row).collect();
        let notes = settings.notes().iter();
        let notes: Vec<String> = notes.map(ToString::to_string).collect();
        output::line(&json!({ "hooks": hooks, "notes": notes }).to_string());
        return Ok(ExitCode::SUCCESS);
    }
    for handler in settings.handlers() {
        output::one_line(&row(handler));
    }
    if settings.handlers().is_empty() {
        output::line("no hooks");
    }
    for note in settings.notes() {
        output::note(&format!("note: {note}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn row(handler: &HookHandler) -> String {
    let mut row = format!("{:18}  ", handler.event.name());
    let matcher = match (handler.condition(), handler.matcher.text()) {
        (Some(condition), _) => condition,
        (None, "") => "*",
        (None, text) => text,
    };
    row.push_str(&format!("{matcher:20}  {}", handler.command));
    let origin = match bundles::name_of(&handler.source.file) {
        Some(bundle) => format!("bundle {bundle}"),
        None => handler.source.scope.to_string(),
    };
    let mut marks = vec![format!("{origin} {}", handler.source)];
    if !handler.is_active() {
        marks.push("changed, blocks".to_owned());
    }
    if !handler.sandboxed {
        marks.push("not sandboxed".to_owned());
    }
    if handler.background {
        marks.push("in the background".to_owned());
    }
    row.push_str(&format!("  ({})", marks.join(", ")));
    row
}

fn json_row(handler: &HookHandler) -> Value {
    json!({
        "event": handler.event.name(),
        "matcher": handler.matcher.text(),
        "if": handler.condition(),
        "command": handler.command.to_string(),
        "timeout": handler.timeout.as_secs_f64(),
        "blocks_on_failure": handler.on_failure == OnFailure::Block,
        "background": handler.background,
        "sandboxed": handler.sandboxed,
        "scope": handler.source.scope.to_string(),
        "bundle": bundles::name_of(&handler.source.file),
        "file": handler.source.file,
        "line": handler.source.line,
        "active": handler.is_active(),
    })
}
