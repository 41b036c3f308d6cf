//! The hooks of a `settings.json` of Claude Code.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{HookSettings, HookSettingsError, line_of};
use crate::condition::Condition;
use crate::event::HookEvent;
use crate::handler::{HookCommand, HookHandler, HookNote, HookScope, HookSource, OnFailure};
use crate::matcher::Matcher;

/// The parts of the file that are read. The values keep their place in the text.
#[derive(Deserialize)]
struct ClaudeSettings<'t> {
    #[serde(borrow, default)]
    hooks: Option<&'t RawValue>,
    #[serde(default, rename = "disableAllHooks")]
    disable_all_hooks: bool,
}

#[derive(Deserialize)]
struct MatcherGroup<'t> {
    #[serde(default)]
    matcher: Option<String>,
    #[serde(borrow, default)]
    hooks: Vec<&'t RawValue>,
}

/// The longest time limit that is in seconds beyond doubt.
const MAX_SECONDS: f64 = 3600.0;

impl HookSettings {
    /// Reads the hooks of a `settings.json` of Claude Code. What is not supported becomes a note with its line.
    ///
    /// # Errors
    ///
    /// The text is not JSON.
    pub fn from_claude(
        text: &str,
        file: impl Into<PathBuf>,
        scope: HookScope,
    ) -> Result<Self, HookSettingsError> {
        let text = text.trim_start_matches('\u{feff}');
        let file = file.into();
        let mut reading = ClaudeReader {
            text,
            file: &file,
            scope,
            settings: Self::default(),
        };
        let parsed: ClaudeSettings<'_> = match serde_json::from_str(text) {
            Ok(parsed) => parsed,
            Err(error) => {
                let source = reading.source_at(error.line());
                return Err(HookSettingsError::new(source, error.to_string()));
            }
        };
        let Some(hooks) = parsed.hooks else {
            return Ok(reading.settings);
        };
        if parsed.disable_all_hooks {
            reading.note(hooks, "`disableAllHooks` is set: no hook of this file runs");
            return Ok(reading.settings);
        }
        reading.events(hooks)?;
        Ok(reading.settings)
    }

    /// Reads the hooks of the front matter of an agent file: the value of its key `hooks`, whose line is `line`.
    ///
    /// The hooks of an agent run before and after its calls, at its last reply, where `Stop` and `SubagentStop` are the
    /// same, and before its conversation is summarized. Hooks of other events become notes.
    ///
    /// ```
    /// use helve::hooks::{HookScope, HookSettings};
    ///
    /// let hooks = serde_json::json!({ "Stop": [{ "hooks": [{ "type": "command", "command": "./check.sh" }] }] });
    /// let settings = HookSettings::from_agent_file(&hooks, "tester.md", 4, HookScope::User)?;
    /// assert_eq!(settings.handlers()[0].source.to_string(), "tester.md:4");
    /// # Ok::<(), helve::hooks::HookSettingsError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The value is no mapping of events to lists of hooks.
    pub fn from_agent_file(
        hooks: &Value,
        file: impl Into<PathBuf>,
        line: usize,
        scope: HookScope,
    ) -> Result<Self, HookSettingsError> {
        // The value has no lines of its own, and begins on that of the key.
        let lines = "\n".repeat(line.saturating_sub(1));
        let text = format!("{lines}{}", serde_json::json!({ "hooks": hooks }));
        let read = Self::from_claude(&text, file, scope)?;
        let mut settings = Self {
            handlers: Vec::new(),
            notes: read.notes,
        };
        for handler in read.handlers {
            if handler.event.is_of_agents() {
                settings.handlers.push(handler);
                continue;
            }
            settings.notes.push(HookNote {
                message: format!(
                    "hooks of the event `{}` do not run in agent files",
                    handler.event
                ),
                source: handler.source,
            });
        }
        Ok(settings)
    }
}

struct ClaudeReader<'t> {
    text: &'t str,
    file: &'t Path,
    scope: HookScope,
    settings: HookSettings,
}

impl<'t> ClaudeReader<'t> {
    fn source_at(&self, line: usize) -> HookSource {
        HookSource {
            scope: self.scope,
            file: self.file.to_owned(),
            line,
        }
    }

    fn source(&self, value: &RawValue) -> HookSource {
        let offset = value.get().as_ptr() as usize - self.text.as_ptr() as usize;
        self.source_at(line_of(self.text, offset))
    }

    fn note(&mut self, value: &RawValue, message: impl Into<String>) {
        let source = self.source(value);
        self.settings.notes.push(HookNote {
            source,
            message: message.into(),
        });
    }

    fn events(&mut self, hooks: &'t RawValue) -> Result<(), HookSettingsError> {
        // A map of raw values would lose the order and names that occur twice.
        let events: Events<'_> = serde_json::from_str(hooks.get())
            .map_err(|error| HookSettingsError::new(self.source(hooks), error.to_string()))?;
        for (name, groups) in events.0 {
            let Some(event) = HookEvent::from_name(&name).filter(|event| event.name() == name)
            else {
                self.note(groups, HookEvent::describe_unsupported(&name));
                continue;
            };
            let Ok(read) = serde_json::from_str::<Vec<&RawValue>>(groups.get()) else {
                return Err(HookSettingsError::new(
                    self.source(groups),
                    format!("`hooks.{name}` is no list"),
                ));
            };
            for group in read {
                self.group(event, group)?;
            }
        }
        Ok(())
    }

    fn group(&mut self, event: HookEvent, group: &'t RawValue) -> Result<(), HookSettingsError> {
        let read: MatcherGroup<'t> = serde_json::from_str(group.get())
            .map_err(|error| HookSettingsError::new(self.source(group), error.to_string()))?;
        let matcher = Matcher::parse(read.matcher.as_deref().unwrap_or_default());
        let matcher = matcher.unwrap_or_else(|error| {
            self.note(group, format!("{error}; the hook runs for every name"));
            Matcher::all()
        });
        for handler in read.hooks {
            self.handler(event, &matcher, handler)?;
        }
        Ok(())
    }

    fn handler(
        &mut self,
        event: HookEvent,
        matcher: &Matcher,
        value: &RawValue,
    ) -> Result<(), HookSettingsError> {
        let fields: Map<String, Value> = serde_json::from_str(value.get())
            .map_err(|error| HookSettingsError::new(self.source(value), error.to_string()))?;
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        let kind = text("type").unwrap_or("command");
        if kind != "command" {
            self.note(
                value,
                format!("hooks of the type `{kind}` are not supported: this hook does not run"),
            );
            return Ok(());
        }
        let Some(command) = text("command") else {
            return Err(HookSettingsError::new(
                self.source(value),
                "the hook has no `command`",
            ));
        };
        let command = match fields.get("args").and_then(Value::as_array) {
            None => HookCommand::Shell(command.to_owned()),
            Some(args) => {
                let args = args.iter().filter_map(Value::as_str);
                let words = std::iter::once(command).chain(args);
                HookCommand::Program(words.map(str::to_owned).collect())
            }
        };
        let mut handler = HookHandler::new(event, command, self.source(value));
        handler.matcher = matcher.clone();
        handler.condition = text("if").map(Condition::parse);
        handler.background = fields.get("async").and_then(Value::as_bool) == Some(true);
        match text("onFailure") {
            Some("block") => handler.on_failure = OnFailure::Block,
            Some(other) if event.decides() => {
                let message =
                    format!("`onFailure` is `{other}`, but a hook that decides blocks if it fails");
                self.note(value, message);
            }
            _ => {}
        }
        if let Some(seconds) = fields.get("timeout").and_then(Value::as_f64) {
            self.timeout(&mut handler, seconds, value);
        }
        self.note_other_fields(&fields, value);
        self.settings.handlers.push(handler);
        Ok(())
    }

    fn timeout(&mut self, handler: &mut HookHandler, seconds: f64, value: &RawValue) {
        if seconds > MAX_SECONDS {
            let message = format!(
                "the `timeout` of {seconds} seconds was probably meant in milliseconds; it is {MAX_SECONDS} seconds here"
            );
            self.note(value, message);
        }
        let seconds = seconds.clamp(0.001, MAX_SECONDS);
        handler.timeout = Duration::from_secs_f64(seconds);
    }

    fn note_other_fields(&mut self, fields: &Map<String, Value>, value: &RawValue) {
        const READ: [&str; 8] = [
            "type",
            "command",
            "args",
            "if",
            "async",
            "onFailure",
            "timeout",
            "statusMessage",
        ];
        for name in fields.keys().filter(|name| !READ.contains(&&***name)) {
            self.note(
                value,
                format!("the field `{name}` is not supported, and has no effect"),
            );
        }
    }
}

/// The events of a file, in their order.
struct Events<'t>(Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for Events<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Events<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object with the names of events")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Self::Value, A::Error> {
                let mut events = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    events.push(entry);
                }
                Ok(Events(events))
            }
        }

        deserializer.deserialize_map(Visitor)
    }
}
