//! `hooks import claude`: the hooks of Claude Code's settings as tables of `helve.toml`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgMatches, Command, value_parser};
use toml_edit::{Array, DocumentMut, Item, Table, Value};

use crate::app_context::AppContext;
use crate::args;
use crate::config::read_file;
use crate::exit::{self, CommandResult, OrExit as _};
use helve_hooks::{HookCommand, HookEvent, HookHandler, HookScope, HookSettings, OnFailure};
use helve_terminal::output;

pub(super) fn command() -> Command {
    let from = args::positional("from", "PROGRAM", "The program whose hooks are imported");
    let file = args::option(
        "file",
        "FILE",
        "The settings file [default: .claude/settings.json of this folder]",
    );
    Command::new("import")
        .about("Print the hooks of another program as tables of helve.toml")
        .after_help(
            "Nothing is written: append the output to helve.toml. What was changed and what is not supported is printed \
             to standard error, with its line.",
        )
        .arg(from.required(true).value_parser(["claude"]))
        .arg(file.value_parser(value_parser!(PathBuf)))
}

pub(super) fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let own = app.folder.join(".claude/settings.json");
    let file = matches.get_one::<PathBuf>("file").unwrap_or(&own);
    let Some(text) = read_file(file).or_failed()? else {
        let message = format_args!("`{}` does not exist", file.display());
        return Err(exit::with_message(exit::FAILED, message));
    };
    let settings = HookSettings::from_claude(&text, file, HookScope::User).or_failed()?;
    output::print(&render(&settings, file));
    for handler in settings.handlers() {
        for change in changes(handler) {
            output::note(&format!("changed: {}: {change}", handler.source));
        }
    }
    for note in settings.notes() {
        output::note(&format!("not supported: {note}"));
    }
    let (taken, noted) = (settings.handlers().len(), settings.notes().len());
    output::note(&format!("{taken} hooks imported, {noted} remarks"));
    Ok(ExitCode::SUCCESS)
}

/// Renders hooks as tables `[[hooks]]`.
fn render(settings: &HookSettings, file: &Path) -> String {
    let mut document = DocumentMut::new();
    let mut tables = toml_edit::ArrayOfTables::new();
    for handler in settings.handlers() {
        let mut table = Table::new();
        let comment = format!("\n# {}:{}\n", file.display(), handler.source.line);
        table.decor_mut().set_prefix(comment);
        table["on"] = toml_edit::value(handler.event.setting_name());
        if let Some(matcher) = matcher(handler) {
            table["match"] = toml_edit::value(matcher);
        }
        match &handler.command {
            HookCommand::Program(words) => {
                let words: Array = words.iter().map(String::as_str).collect();
                table["run"] = Item::Value(Value::Array(words));
            }
            line => table["command"] = toml_edit::value(line.to_string()),
        }
        let usual = HookHandler::default_timeout(handler.event);
        if handler.timeout != usual {
            table["timeout"] = toml_edit::value(handler.timeout.as_secs_f64());
        }
        if handler.on_failure == OnFailure::Block && !handler.event.decides() {
            table["on_failure"] = toml_edit::value("block");
        }
        if handler.background {
            table["background"] = toml_edit::value(true);
        }
        tables.push(table);
    }
    document["hooks"] = Item::ArrayOfTables(tables);
    document.to_string()
}

fn matcher(handler: &HookHandler) -> Option<String> {
    let text = match handler.condition() {
        Some(condition) => condition,
        None => handler.matcher.text(),
    };
    (!text.is_empty() && text != "*").then(|| text.to_owned())
}

/// Returns what the imported hook does in another way.
fn changes(handler: &HookHandler) -> Vec<String> {
    let mut changes = Vec::new();
    let matcher = handler.matcher.text();
    let is_list = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ',' | '|' | ' ');
    if handler.condition().is_some() && !matcher.is_empty() {
        changes.push(format!(
            "the matcher `{matcher}` is left out: `if` names the tool"
        ));
    } else if !matcher.chars().all(is_list) && matcher != "*" {
        changes.push(format!(
            "the matcher `{matcher}` is an expression; `match` has exact names, in which `*` matches any characters"
        ));
    }
    if handler.event == HookEvent::PreToolUse {
        changes.push("a failure blocks the call".to_owned());
    }
    changes
}
