//! The contents of an agent file.

use super::problem::{AgentProblem, Problems};
use crate::front_matter::Value;
use crate::problem::Severity;

/// The parsed and checked text of one agent file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AgentFile {
    /// The name; `None` if the file has none, and is documentation.
    pub name: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// The other fields that can be read.
    pub fields: Vec<AgentField>,
    /// The instructions.
    pub body: String,
    /// The problems, in the order of the file.
    pub problems: Vec<AgentProblem>,
}

/// A field of an agent file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AgentField {
    /// The key, as helve names it: those below another key are joined with a dot, as in `files.read`.
    pub key: &'static str,
    /// The value.
    pub value: AgentValue,
    /// The line of the key, counted from 1.
    pub line: usize,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AgentValue {
    /// A text.
    Text(String),
    /// A number, which is positive.
    Number(f64),
    /// A list of names.
    Names(Vec<String>),
    /// All tools: `*`.
    All,
    /// A mapping.
    Mapping(Vec<(String, Value)>),
}

impl AgentFile {
    /// Creates the result for a file whose fields cannot be read.
    pub(super) fn without_fields(problems: Problems) -> Self {
        Self {
            name: None,
            description: None,
            fields: Vec::new(),
            body: String::new(),
            problems: problems.sorted(),
        }
    }

    /// Returns whether the file is an agent that can be used.
    #[must_use]
    pub fn is_agent(&self) -> bool {
        self.name.is_some() && self.errors().next().is_none()
    }

    /// Iterates over the problems for which the file is not used.
    pub fn errors(&self) -> impl Iterator<Item = &AgentProblem> {
        let problems = self.problems.iter();
        problems.filter(|problem| problem.severity == Severity::Error)
    }

    /// Returns the value of a field.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&AgentValue> {
        let mut fields = self.fields.iter();
        fields.find_map(|field| (field.key == key).then_some(&field.value))
    }

    /// Returns the text of a field.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.get(key) {
            Some(AgentValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the names of a field; `None` if the field is absent.
    #[must_use]
    pub fn names(&self, key: &str) -> Option<&[String]> {
        match self.get(key) {
            Some(AgentValue::Names(names)) => Some(names),
            _ => None,
        }
    }

    /// Returns the number of a field.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<f64> {
        match self.get(key) {
            Some(AgentValue::Number(number)) => Some(*number),
            _ => None,
        }
    }
}
