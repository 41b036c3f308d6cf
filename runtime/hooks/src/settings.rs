//! The hooks of the settings files.

mod claude;
mod toml_file;

use std::path::{Path, PathBuf};

use crate::handler::{HookHandler, HookNote, HookSource};
use crate::scripts;

/// The hooks of one or more settings files, and remarks on them.
///
/// ```
/// use helve::hooks::{HookScope, HookSettings};
///
/// let text = r#"{ "hooks": { "PreToolUse": [
///     { "matcher": "Bash", "hooks": [{ "type": "command", "command": "./check.sh" }] },
///     { "hooks": [{ "type": "prompt", "prompt": "Is it safe?" }] }
/// ] } }"#;
/// let settings = HookSettings::from_claude(text, ".claude/settings.json", HookScope::User)?;
/// assert_eq!(settings.handlers().len(), 1);
/// assert_eq!(
///     settings.notes()[0].to_string(),
///     ".claude/settings.json:3: hooks of the type `prompt` are not supported: this hook does not run"
/// );
/// # Ok::<(), helve::hooks::HookSettingsError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct HookSettings {
    pub(crate) handlers: Vec<HookHandler>,
    pub(crate) notes: Vec<HookNote>,
}

/// A settings file whose hooks cannot be read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{source_place}: {message}")]
pub struct HookSettingsError {
    source_place: HookSource,
    message: String,
}

impl HookSettingsError {
    fn new(source_place: HookSource, message: impl Into<String>) -> Self {
        Self {
            source_place,
            message: message.into(),
        }
    }
}

impl HookSettings {
    /// Creates settings without hooks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the hooks, in the order of their files.
    #[must_use]
    pub fn handlers(&self) -> &[HookHandler] {
        &self.handlers
    }

    /// Returns what is not supported, each with its place.
    #[must_use]
    pub fn notes(&self) -> &[HookNote] {
        &self.notes
    }

    /// Returns the files that the commands of the hooks name, where relative paths are below `project`.
    #[must_use]
    pub fn script_files(&self, project: &Path) -> Vec<PathBuf> {
        let handlers = self.handlers.iter();
        let files = handlers.flat_map(|handler| scripts::find(&handler.command, project));
        files.collect()
    }

    /// Adds the hooks of another file. A hook that does the same as an existing one is left out.
    pub fn extend(&mut self, other: Self) {
        for handler in other.handlers {
            if !self.handlers.iter().any(|own| own.is_same(&handler)) {
                self.handlers.push(handler);
            }
        }
        self.notes.extend(other.notes);
    }
}

/// Returns the line of an offset in a text, from 1.
fn line_of(text: &str, offset: usize) -> usize {
    let before = &text.as_bytes()[..offset.min(text.len())];
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HookScope;

    #[test]
    fn hooks_of_several_files_that_do_the_same_in_the_same_way_run_once() {
        let hook = |rest: &str| {
            let text =
                format!("[[hooks]]\non = \"before_tool\"\ncommand = \"./check.sh\"\n{rest}\n");
            let read = HookSettings::from_toml(&text, "helve.toml", HookScope::User);
            read.expect("it is a hook")
        };
        let mut all = hook("background = true");
        for (count, rest) in [
            // A log does not take the place of the guard.
            (2, ""),
            (2, "background = true"),
            (3, "on_failure = \"ignore\""),
            (4, "timeout = 1"),
            (5, "sandboxed = false"),
            (5, ""),
        ] {
            all.extend(hook(rest));
            assert_eq!(all.handlers().len(), count, "{rest}");
        }
    }
}
