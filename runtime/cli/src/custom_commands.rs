//! Commands that the user and the project define in Markdown files: `.agents/commands/NAME.md` and
//! `.claude/commands/NAME.md`, in the format of Claude Code.
//!
//! A command is a prompt. The files of a project are held until the user has accepted their text, and are held again after
//! a change; those in the home folder of the user are the user's own.

mod acceptance;
mod arguments;
mod files;
mod front_matter;
mod prepare;
mod shell_lines;
mod tool_names;

use std::fmt;
use std::path::{Path, PathBuf};

use front_matter::FrontMatter;

pub(crate) use acceptance::{differences, subjects};
pub(crate) use prepare::{PreparedCommand, prepare};

/// Where a command is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandScope {
    Project,
    User,
}

impl CommandScope {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

/// A command of a file.
#[derive(Debug)]
pub(crate) struct CustomCommand {
    pub(crate) scope: CommandScope,
    /// The file.
    pub(crate) path: PathBuf,
    /// The folders between the file and the folder of the commands, joined with colons; empty if there are none.
    namespace: String,
    /// The name of the file without its extension.
    stem: String,
    /// The number of folders between the file and the project.
    levels: usize,
    text: String,
    front_matter: FrontMatter,
    /// The line of the text at which the prompt begins, as a byte offset.
    body_start: usize,
}

impl CustomCommand {
    /// Lists the names of the command, the shortest first.
    fn names(&self) -> Vec<String> {
        let (scope, namespace, stem) = (self.scope.name(), &self.namespace, &self.stem);
        if namespace.is_empty() {
            return vec![stem.clone(), format!("{scope}:{stem}")];
        }
        vec![
            stem.clone(),
            format!("{namespace}:{stem}"),
            format!("{scope}:{stem}"),
            format!("{scope}:{namespace}:{stem}"),
        ]
    }

    /// Returns the prompt of the file.
    fn body(&self) -> &str {
        self.text[self.body_start..].trim()
    }

    /// Returns the description, or else the first line of the prompt.
    pub(crate) fn description(&self) -> &str {
        let description = self.front_matter.description.as_deref();
        description.unwrap_or_else(|| self.body().lines().next().unwrap_or_default())
    }

    pub(crate) fn argument_hint(&self) -> &str {
        self.front_matter
            .argument_hint
            .as_deref()
            .unwrap_or_default()
    }

    /// Returns where the command is defined: its scope, and the folders of its file.
    pub(crate) fn origin(&self) -> String {
        match &*self.namespace {
            "" => self.scope.name().to_owned(),
            namespace => format!("{}:{namespace}", self.scope.name()),
        }
    }
}

/// The commands of the user and the project, in order of precedence.
#[derive(Debug, Default)]
pub(crate) struct CustomCommands {
    commands: Vec<CustomCommand>,
    /// The files that define no command, each with the reason.
    notes: Vec<String>,
}

impl CustomCommands {
    /// Reads the commands of the project around a folder, and those of the user.
    pub(crate) fn read(folder: &Path) -> Self {
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        files::read(folder, home.as_deref())
    }

    /// Finds a command by one of its names.
    pub(crate) fn get(&self, name: &str) -> Option<&CustomCommand> {
        let mut commands = self.commands.iter();
        commands.find(|command| command.names().iter().any(|own| own == name))
    }

    /// Lists the commands, each with the shortest name that means it: a name that is taken, such as that of a built-in
    /// command, is not among them.
    pub(crate) fn named(&self, is_taken: impl Fn(&str) -> bool) -> Vec<(String, &CustomCommand)> {
        let name = |command: &CustomCommand| {
            let mut names = command.names().into_iter();
            names.find(|name| {
                !is_taken(name)
                    && self
                        .get(name)
                        .is_some_and(|found| std::ptr::eq(found, command))
            })
        };
        let commands = self.commands.iter();
        commands
            .filter_map(|command| Some((name(command)?, command)))
            .collect()
    }

    /// Lists the files that define no command, and what is wrong with the front matter of others.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        for command in &self.commands {
            let problems = command.front_matter.problems.iter();
            notes.extend(problems.map(|problem| format!("{}: {problem}", Shown(&command.path))));
            let is_shadowed = command.names().iter().all(|name| {
                self.get(name)
                    .is_some_and(|found| !std::ptr::eq(found, command))
            });
            if is_shadowed {
                let path = Shown(&command.path);
                notes.push(format!(
                    "{path} is not used: another file defines the same command"
                ));
            }
        }
        notes
    }
}

/// A path for the terminal.
struct Shown<'p>(&'p Path);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.0.display().to_string();
        write!(f, "`{}`", helve_terminal::sanitize::one_line(&path))
    }
}

#[cfg(test)]
mod tests;
