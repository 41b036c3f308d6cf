//! What is known while a text runs: variables and folders.

use crate::environment::{self, Weight};

use super::ast::{AndOr, Command, Compound, List, Piece, Simple, Word};

/// How many folders a text may have changed to.
pub(super) const MOST_FOLDERS: usize = 8;

/// What is known of the value of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// This text.
    Text(String),
    /// A path below the user's folder; the text begins with `~`.
    Home(String),
    /// The name of a file that this pattern matches, or the pattern itself.
    Pattern(String),
    /// A whole number.
    Number,
    /// A path that a listing of the same text names.
    Listed,
    /// Nothing.
    Unknown,
}

impl Value {
    pub(super) fn is_number(&self) -> bool {
        match self {
            Self::Number => true,
            Self::Text(text) => is_number(text),
            _ => false,
        }
    }
}

/// Reports whether a text is a whole number that bash takes for one.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    // To bash `08` is a number of another base, and none of it.
    let is_decimal = !digits.starts_with('0') || digits == "0";
    is_decimal
        && !digits.is_empty()
        && digits.len() < 19
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// What is known at a place of the text.
#[derive(Debug, Clone, Default)]
pub(super) struct State<'a> {
    variables: Vec<(&'a str, Value)>,
    /// The folders that commands may run in, beside the first.
    pub(super) folders: Vec<String>,
    /// Whether the text sets a variable that programs may read.
    pub(super) is_steered: bool,
}

impl<'a> State<'a> {
    /// Returns what is known at the beginning of a text that runs in these folders.
    pub(super) fn in_folders(folders: &[String]) -> Self {
        Self {
            folders: folders.to_vec(),
            ..Self::default()
        }
    }

    /// Returns what the text itself says of a variable.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        let mut variables = self.variables.iter();
        variables
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    pub(super) fn set(&mut self, name: &'a str, value: Value) {
        let value = if environment::is_overwritten(name) {
            Value::Unknown
        } else {
            value
        };
        match self.variables.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.variables.push((name, value)),
        }
    }

    /// Takes in that either state may hold.
    pub(super) fn join(&mut self, other: Self) {
        for (name, value) in &mut self.variables {
            let same = other.get(name);
            if same != Some(value) {
                let is_number = value.is_number() && same.is_some_and(Value::is_number);
                *value = if is_number {
                    Value::Number
                } else {
                    Value::Unknown
                };
            }
        }
        for (name, _) in other.variables {
            if self.get(name).is_none() {
                self.variables.push((name, Value::Unknown));
            }
        }
        for folder in other.folders {
            if !self.folders.contains(&folder) {
                self.folders.push(folder);
            }
        }
        self.is_steered |= other.is_steered;
    }

    /// Forgets what a loop changes: its commands run again behind themselves.
    pub(super) fn widen(&mut self, changes: &Changes<'a>) {
        self.is_steered |= changes.steers;
        for (name, keeps_number) in &changes.names {
            let stays_number = *keeps_number && self.get(name).is_some_and(Value::is_number);
            let value = if stays_number {
                Value::Number
            } else {
                Value::Unknown
            };
            self.set(name, value);
            // From the second round on programs may read it.
            self.is_steered |=
                !environment::is_local(name) && environment::weigh(name) == Weight::Plain;
        }
    }
}

/// The variables that commands set, each with whether it is always set to a number.
#[derive(Debug, Default)]
pub(super) struct Changes<'a> {
    names: Vec<(&'a str, bool)>,
    /// Whether one of them is handed to programs.
    steers: bool,
}

impl<'a> Changes<'a> {
    /// Collects what a list sets, at any depth.
    pub(super) fn from_lists(lists: &[&List<'a>]) -> Self {
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

    fn list(&mut self, list: &List<'a>) {
        for AndOr {
            first, conditional, ..
        } in &list.items
        {
            for pipeline in std::iter::once(first).chain(conditional) {
                for command in &pipeline.commands {
                    match command {
                        Command::Simple(simple) => self.simple(simple),
                        Command::Compound(compound, _) => self.compound(compound),
                    }
                }
            }
        }
    }

    fn simple(&mut self, simple: &Simple<'a>) {
        for assignment in &simple.assignments {
            let is_number = !assignment.is_added && is_number_word(&assignment.value);
            self.note(assignment.name, is_number);
        }
        // The evaluator follows no other writing of these.
        let mut words = simple.words.iter();
        let program = words.next().and_then(Word::plain).unwrap_or_default();
        let sets = matches!(program, "read" | "export" | "unset");
        for word in words.filter(|_| sets) {
            if let Some(Piece::Plain(text)) = word.pieces.first()
                && !text.starts_with('-')
            {
                let name = text.split('=').next().unwrap_or_default();
                self.note(name, false);
                self.steers |= program == "export" && environment::weigh(name) != Weight::Harmless;
            }
        }
    }

    fn compound(&mut self, compound: &Compound<'a>) {
        match compound {
            Compound::Group(list) | Compound::Subshell(list) => self.list(list),
            Compound::For { name, body, .. } => {
                self.note(name, false);
                self.list(body);
            }
            Compound::Count { name, body, .. } => {
                self.note(name, true);
                self.list(body);
            }
            Compound::While { condition, body } => {
                self.list(condition);
                self.list(body);
            }
            Compound::If {
                branches,
                otherwise,
            } => {
                for (condition, list) in branches {
                    self.list(condition);
                    self.list(list);
                }
                otherwise.iter().for_each(|list| self.list(list));
            }
            Compound::Case { arms, .. } => arms.iter().for_each(|(_, list)| self.list(list)),
            Compound::Test(_) => {}
        }
    }
}

fn is_number_word(word: &Word<'_>) -> bool {
    match &*word.pieces {
        [Piece::Number { .. }] => true,
        [Piece::Plain(text)] => is_number(text),
        _ => false,
    }
}
