//! The state of the evaluation: variables and folders.

use crate::FileAccess;
use crate::environment::{self, VariableEffect};

use super::ast::{AndOr, CommandList, CommandNode, CompoundNode, SimpleNode, WordNode, WordPiece};

/// The maximum number of folders that a text may have changed to.
pub(super) const MAX_FOLDERS: usize = 8;

/// The known properties of a variable's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum VariableValue {
    /// The exact text.
    Text(String),
    /// A path below the user's home folder; the text begins with `~`.
    Home(String),
    /// The name of a file that the pattern matches, or the pattern itself.
    Pattern(String),
    /// A whole number.
    Number,
    /// A path from a listing in the same text.
    ListedPath,
    /// An unknown value.
    Unknown,
}

impl VariableValue {
    /// Returns `Number` if the value is a number, and `Unknown` otherwise.
    fn number_if(is_number: bool) -> Self {
        if is_number {
            Self::Number
        } else {
            Self::Unknown
        }
    }

    pub(super) fn is_number(&self) -> bool {
        match self {
            Self::Number => true,
            Self::Text(text) => is_number(text),
            _ => false,
        }
    }
}

/// Reports whether bash accepts a text as a whole number.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    // Bash reads `08` as an invalid octal number.
    let is_decimal = !digits.starts_with('0') || digits == "0";
    is_decimal
        && !digits.is_empty()
        && digits.len() < 19
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The state at a position of the text.
#[derive(Debug, Clone, Default)]
pub(super) struct ShellState<'a> {
    variables: Vec<(&'a str, VariableValue)>,
    /// The folders in which commands may run, in addition to the initial folder.
    pub(super) folders: Vec<String>,
    /// Whether the text sets a variable that programs may read.
    pub(super) sets_program_variable: bool,
}

impl<'a> ShellState<'a> {
    /// Returns the initial state of a text that runs in these folders.
    pub(super) fn in_folders(folders: &[String]) -> Self {
        Self {
            folders: folders.to_vec(),
            ..Self::default()
        }
    }

    /// Returns the value of a variable that the text itself sets.
    pub(super) fn get(&self, name: &str) -> Option<&VariableValue> {
        let mut variables = self.variables.iter();
        variables
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    pub(super) fn set(&mut self, name: &'a str, value: VariableValue) {
        let value = if environment::is_overwritten_by_bash(name) {
            VariableValue::Unknown
        } else {
            value
        };
        match self.variables.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.variables.push((name, value)),
        }
    }

    /// Merges another state: either of the two may be the actual one.
    pub(super) fn join(&mut self, other: Self) {
        for (name, value) in &mut self.variables {
            let same = other.get(name);
            if same != Some(value) {
                let is_number = value.is_number() && same.is_some_and(VariableValue::is_number);
                *value = VariableValue::number_if(is_number);
            }
        }
        for (name, _) in other.variables {
            if self.get(name).is_none() {
                self.variables.push((name, VariableValue::Unknown));
            }
        }
        self.add_folders(other.folders);
        self.sets_program_variable |= other.sets_program_variable;
    }

    /// Adds folders in which commands may run, without duplicates.
    pub(super) fn add_folders(&mut self, folders: Vec<String>) {
        for folder in folders {
            if !self.folders.contains(&folder) {
                self.folders.push(folder);
            }
        }
    }

    /// Discards the values that a loop changes, since its commands run again after each other.
    pub(super) fn widen(&mut self, changes: &VariableChanges<'a>) {
        self.sets_program_variable |= changes.exports;
        for (name, keeps_number) in &changes.names {
            let stays_number =
                *keeps_number && self.get(name).is_some_and(VariableValue::is_number);
            self.set(name, VariableValue::number_if(stays_number));
            // From the second iteration on, programs may read the variable.
            self.sets_program_variable |= !environment::is_local(name)
                && environment::classify_variable(name) == VariableEffect::Neutral;
        }
    }
}

/// Joins a relative path to a folder.
pub(super) fn below(folder: &str, path: &str) -> Option<String> {
    let is_relative = !path.starts_with(['/', '~']);
    is_relative.then(|| format!("{}/{path}", folder.trim_end_matches('/')))
}

/// Adds a file access, resolved from each folder in which the command may run.
pub(super) fn touch_from(
    folders: &[String],
    touch: FileAccess,
    part: &str,
    into: &mut Vec<FileAccess>,
) {
    for folder in folders {
        if let Some(path) = below(folder, &touch.path) {
            let is_pattern = touch.is_pattern || folder.contains(['*', '?', '[']);
            into.push(FileAccess {
                path,
                is_pattern,
                ..touch.clone().with_part(part.to_owned())
            });
        }
    }
    into.push(touch.with_part(part.to_owned()));
}

/// The variables that commands set, each with whether all assigned values are numbers.
#[derive(Debug, Default)]
pub(super) struct VariableChanges<'a> {
    names: Vec<(&'a str, bool)>,
    /// Whether one of the variables is exported to programs.
    exports: bool,
}

impl<'a> VariableChanges<'a> {
    /// Collects the variables that lists set, at any nesting depth.
    pub(super) fn from_lists(lists: &[&CommandList<'a>]) -> Self {
        let mut changes = Self::default();
        for list in lists {
            changes.list(list);
        }
        changes
    }

    fn note(&mut self, name: &'a str, is_number: bool) {
        match self.names.iter_mut().find(|(known, _)| *known == name) {
            Some((_, keeps_number)) => *keeps_number &= is_number,
            None => self.names.push((name, is_number)),
        }
    }

    fn list(&mut self, list: &CommandList<'a>) {
        for AndOr {
            first, conditional, ..
        } in &list.items
        {
            for pipeline in std::iter::once(first).chain(conditional) {
                for command in &pipeline.commands {
                    match command {
                        CommandNode::Simple(simple) => self.simple(simple),
                        CommandNode::Compound(compound, _) => self.compound(compound),
                    }
                }
            }
        }
    }

    fn simple(&mut self, simple: &SimpleNode<'a>) {
        for assignment in &simple.assignments {
            let is_number = !assignment.appends && is_number_word(&assignment.value);
            self.note(assignment.name, is_number);
        }
        // The evaluator accepts no other form of these commands.
        let mut words = simple.words.iter();
        let program = words.next().and_then(WordNode::plain).unwrap_or_default();
        let sets = matches!(program, "read" | "export" | "unset");
        for word in words.filter(|_| sets) {
            if let Some(WordPiece::Plain(text)) = word.pieces.first()
                && !text.starts_with('-')
            {
                let name = text.split('=').next().unwrap_or_default();
                self.note(name, false);
                self.exports |= program == "export"
                    && environment::classify_variable(name) != VariableEffect::Harmless;
            }
        }
    }

    fn compound(&mut self, compound: &CompoundNode<'a>) {
        match compound {
            CompoundNode::Group(list) | CompoundNode::Subshell(list) => self.list(list),
            CompoundNode::For { name, body, .. } | CompoundNode::CountingFor { name, body, .. } => {
                self.note(name, matches!(compound, CompoundNode::CountingFor { .. }));
                self.list(body);
            }
            CompoundNode::While { condition, body } => {
                self.list(condition);
                self.list(body);
            }
            CompoundNode::If {
                branches,
                otherwise,
            } => {
                for (condition, list) in branches {
                    self.list(condition);
                    self.list(list);
                }
                otherwise.iter().for_each(|list| self.list(list));
            }
            CompoundNode::Case { arms, .. } => arms.iter().for_each(|(_, list)| self.list(list)),
            CompoundNode::Test(_) => {}
        }
    }
}

fn is_number_word(word: &WordNode<'_>) -> bool {
    match &*word.pieces {
        [WordPiece::Number { .. }] => true,
        [WordPiece::Plain(text)] => is_number(text),
        _ => false,
    }
}
