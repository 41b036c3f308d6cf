//! The hooks of a `helve.toml`: its tables `[[hooks]]`.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;

use super::{HookSettings, HookSettingsError, line_of};
use crate::condition::Condition;
use crate::event::HookEvent;
use crate::handler::{HookCommand, HookHandler, HookNote, HookScope, HookSource, OnFailure};
use crate::matcher::Matcher;

#[derive(Deserialize)]
struct HelveSettings {
    #[serde(default)]
    hooks: Vec<Spanned<toml::Table>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HookTable {
    on: String,
    #[serde(rename = "match")]
    matches: Option<String>,
    command: Option<String>,
    run: Option<Vec<String>>,
    timeout: Option<f64>,
    on_failure: Option<FailureSetting>,
    #[serde(default)]
    background: bool,
    sandboxed: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum FailureSetting {
    Block,
    Ignore,
}

/// The longest time limit.
const MAX_SECONDS: f64 = 86_400.0;

impl HookSettings {
    /// Reads the tables `[[hooks]]` of a `helve.toml`. The rest of the file is not read.
    ///
    /// # Errors
    ///
    /// The text is not TOML, or a table is no hook.
    pub fn from_toml(
        text: &str,
        file: impl Into<PathBuf>,
        scope: HookScope,
    ) -> Result<Self, HookSettingsError> {
        let file = file.into();
        let source = |offset: usize| HookSource {
            scope,
            file: file.clone(),
            line: line_of(text, offset),
        };
        let parsed: HelveSettings = toml::from_str(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            HookSettingsError::new(source(offset), error.message())
        })?;
        let mut settings = Self::default();
        for table in parsed.hooks {
            let source = source(table.span().start);
            let hook = toml::Value::Table(table.into_inner()).try_into::<HookTable>();
            let handler = hook.map_err(|error| error.message().to_owned());
            let handler = handler.and_then(|hook| handler_of(hook, source.clone(), &mut settings));
            let handler = handler.map_err(|message| HookSettingsError::new(source, message))?;
            settings.handlers.push(handler);
        }
        Ok(settings)
    }
}

fn handler_of(
    hook: HookTable,
    source: HookSource,
    settings: &mut HookSettings,
) -> Result<HookHandler, String> {
    let event =
        HookEvent::from_name(&hook.on).ok_or_else(|| HookEvent::describe_unsupported(&hook.on))?;
    let command = match (hook.command, hook.run) {
        (Some(line), None) => HookCommand::Shell(line),
        (None, Some(words)) if !words.is_empty() => HookCommand::Program(words),
        _ => return Err("a hook has either `command` or `run`".to_owned()),
    };
    let mut handler = HookHandler::new(event, command, source.clone());
    if let Some(text) = hook.matches {
        // `bash(git push:*)` is about some calls of a tool.
        let condition = Condition::parse(&text);
        if text.contains('(') {
            handler.matcher = Matcher::from_rule(condition.tool());
            handler.condition = Some(condition);
        } else {
            handler.matcher = Matcher::from_rule(&text);
        }
    }
    if let Some(seconds) = hook.timeout {
        if !(seconds > 0.0 && seconds <= MAX_SECONDS) {
            return Err(format!(
                "`timeout` is a number of seconds up to {MAX_SECONDS}"
            ));
        }
        handler.timeout = Duration::from_secs_f64(seconds);
    }
    match hook.on_failure {
        Some(FailureSetting::Block) => handler.on_failure = OnFailure::Block,
        Some(FailureSetting::Ignore) => handler.on_failure = OnFailure::Ignore,
        None => {}
    }
    handler.background = hook.background;
    match (hook.sandboxed, source.scope) {
        (Some(false), HookScope::User) => handler.sandboxed = false,
        (Some(false), HookScope::Project) => settings.notes.push(HookNote {
            source,
            message: "the hooks of a project always run in the sandbox: `sandboxed` has no effect"
                .to_owned(),
        }),
        _ => {}
    }
    Ok(handler)
}
