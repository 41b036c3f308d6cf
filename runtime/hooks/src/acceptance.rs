//! The hooks of a project, and whether the user has accepted them.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::condition::Condition;
use crate::event::HookEvent;
use crate::handler::{HookCommand, HookHandler, HookNote, HookScope, HookSource, OnFailure};
use crate::matcher::Matcher;
use crate::scripts;
use crate::settings::HookSettings;
use helve_permission::acceptances::{
    Acceptance, AcceptanceContent, AcceptanceError, AcceptanceKind, AcceptanceSubject, Acceptances,
    ContentEntry, Difference, EntryKind,
};

/// The hooks of one file of a project.
///
/// Each hook runs while it is what the user has accepted: its settings, and the files of the project that its command
/// names. A hook that was accepted and has changed since, or is no longer there, keeps its place: where it would decide,
/// it blocks, until the user accepts the file again. A new hook does not run.
#[derive(Debug, Clone)]
pub struct ProjectHooks {
    file: PathBuf,
    /// The number of folders between the file and the project.
    levels: usize,
    project: PathBuf,
    settings: HookSettings,
}

impl ProjectHooks {
    /// Creates the hooks of a file that is `levels` folders below its project, in which commands run in `project`.
    #[must_use]
    pub fn new(
        file: impl Into<PathBuf>,
        levels: usize,
        project: impl Into<PathBuf>,
        settings: HookSettings,
    ) -> Self {
        Self {
            file: file.into(),
            levels,
            project: project.into(),
            settings,
        }
    }

    /// Returns the subject of the acceptance.
    ///
    /// # Errors
    ///
    /// The path of the file cannot be named.
    pub fn subject(&self) -> Result<AcceptanceSubject, AcceptanceError> {
        AcceptanceSubject::from_file(AcceptanceKind::HookFile, &self.file, self.levels)
    }

    /// Compares the hooks with those that the user accepted; `None` if there are none, and never were. Blocks on file
    /// access.
    ///
    /// # Errors
    ///
    /// The acceptances cannot be read, or the path of the file cannot be named.
    pub fn difference(
        &self,
        acceptances: &Acceptances,
    ) -> Result<Option<Difference>, AcceptanceError> {
        let subject = self.subject()?;
        let accepted = acceptances.list()?;
        let before = accepted.iter().find(|one| one.matches(&subject));
        if self.settings.handlers.is_empty() && before.is_none() {
            return Ok(None);
        }
        let entries = self.entries().into_iter().map(|(_, entry)| entry);
        let content = AcceptanceContent::from_entries(entries);
        Ok(Some(acceptances.read()?.difference(subject, content)))
    }

    /// Returns the hooks that run, and those that block because they have changed. Blocks on file access.
    ///
    /// `command` is the command that accepts the file, such as `assistant permissions trust`.
    ///
    /// # Errors
    ///
    /// The acceptances cannot be read.
    pub fn in_force(
        &self,
        acceptances: &Acceptances,
        command: &str,
    ) -> Result<HookSettings, AcceptanceError> {
        let list = acceptances.list()?;
        let subject = self.subject().ok();
        let mut accepted = list.iter();
        let accepted = accepted.find(|one| subject.as_ref().is_some_and(|own| one.matches(own)));
        let mut settings = HookSettings {
            handlers: Vec::new(),
            notes: self.settings.notes.clone(),
        };
        let entries = self.entries();
        for (handler, entry) in &entries {
            let is_accepted = accepted.is_some_and(|accepted| {
                accepted_entries(accepted).any(|old| old.digest == entry.digest)
            });
            let names_accepted = accepted
                .is_some_and(|accepted| accepted.entry(EntryKind::Hook, entry.name()).is_some());
            if is_accepted {
                settings.handlers.push(handler.clone());
            } else if !names_accepted {
                let message = format!(
                    "the hook `{}` does not run: you have not accepted it; run `{command}` to review and accept it",
                    handler.command
                );
                settings.notes.push(HookNote {
                    source: handler.source.clone(),
                    message,
                });
            }
        }
        let changed = accepted.into_iter().flat_map(accepted_entries);
        let changed =
            changed.filter(|old| entries.iter().all(|(_, entry)| entry.digest != old.digest));
        for old in changed {
            self.hold(old, command, &mut settings);
        }
        Ok(settings)
    }

    /// Adds a hook that blocks in the place of an accepted one that has changed.
    fn hold(&self, old: &ContentEntry, command: &str, settings: &mut HookSettings) {
        let source = HookSource {
            scope: HookScope::Project,
            file: self.file.clone(),
            line: 0,
        };
        let mut handler = restore(old, &source);
        let file = self.file.display();
        let why = format!(
            "the hook `{}` of `{file}` has changed since you accepted it; run `{command}` to review and accept the hooks again",
            handler.command
        );
        settings.notes.push(HookNote {
            source,
            message: why.clone(),
        });
        handler.background = false;
        handler.held = Some(why);
        settings.handlers.push(handler);
    }

    /// Returns the hooks, each with the entry of its acceptance.
    fn entries(&self) -> Vec<(HookHandler, ContentEntry)> {
        let mut names: Vec<String> = Vec::new();
        let handlers = self.settings.handlers.iter();
        let entries = handlers.map(|handler| {
            let mut handler = handler.clone();
            handler.scripts = self.accepted_scripts(&handler);
            let text = entry_text(&handler);
            let name = format!("{} {}", handler.event, handler.matcher.text());
            let name = name.trim_end().to_owned();
            let number = names.iter().filter(|other| **other == name).count() + 1;
            names.push(name.clone());
            let name = format!("{name} #{number}");
            (
                handler,
                ContentEntry::with_text(EntryKind::Hook, name, &text),
            )
        });
        entries.collect()
    }

    fn accepted_scripts(&self, handler: &HookHandler) -> Vec<(PathBuf, String)> {
        let files = scripts::find(&handler.command, &self.project).into_iter();
        let own = files.filter(|file| file.starts_with(&self.project));
        // A file that cannot be read has a digest that no file has.
        own.map(|file| {
            let digest = scripts::digest(&file).unwrap_or_default();
            (file, digest)
        })
        .collect()
    }
}

fn accepted_entries(accepted: &Acceptance) -> impl Iterator<Item = &ContentEntry> {
    accepted.entries().iter()
}

/// Returns the text of a hook that the user accepts.
fn entry_text(handler: &HookHandler) -> String {
    let command = match &handler.command {
        HookCommand::Shell(line) => json!({ "command": line }),
        HookCommand::Program(words) => json!({ "run": words }),
    };
    let scripts = handler.scripts.iter();
    let scripts: Vec<Value> = scripts
        .map(|(file, digest)| json!([file.to_string_lossy(), digest]))
        .collect();
    let text = json!({
        "event": handler.event.name(),
        "match": handler.matcher.text(),
        "if": handler.condition(),
        "program": command,
        "timeout_ms": u64::try_from(handler.timeout.as_millis()).unwrap_or(u64::MAX),
        "blocks": handler.on_failure == OnFailure::Block,
        "background": handler.background,
        "files": scripts,
    });
    format!("{text:#}")
}

/// Restores a hook from the text that was accepted. Without a text, the hook is for every name of its event.
fn restore(old: &ContentEntry, source: &HookSource) -> HookHandler {
    let text = old.stored_text().unwrap_or_default();
    let fields: Value = serde_json::from_str(text).unwrap_or_default();
    let named = old.name().split(' ').next().unwrap_or_default();
    let event = fields["event"].as_str().unwrap_or(named);
    let event = HookEvent::from_name(event).unwrap_or(HookEvent::PreToolUse);
    let command = fields["program"]["command"].as_str();
    let words = fields["program"]["run"].as_array();
    let words = words.map(|words| {
        let words = words.iter().filter_map(Value::as_str);
        words.map(str::to_owned).collect()
    });
    let command = match (command, words) {
        (Some(line), _) => HookCommand::Shell(line.to_owned()),
        (None, Some(words)) => HookCommand::Program(words),
        (None, None) => HookCommand::Shell(old.name().to_owned()),
    };
    let mut handler = HookHandler::new(event, command, source.clone());
    let matcher = fields["match"].as_str().unwrap_or_default();
    handler.matcher = Matcher::parse(matcher).unwrap_or_else(|_| Matcher::all());
    handler.condition = fields["if"].as_str().map(Condition::parse);
    let timeout = fields["timeout_ms"].as_u64().unwrap_or_default();
    handler.timeout = Duration::from_millis(timeout);
    handler
}
