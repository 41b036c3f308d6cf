//! What goes into a reading, and what comes out of it.

use super::Flag;
use crate::agent::turn::Outcome;
use crate::tool::{Artifact, ToolSpec};
use crate::transcript::{CallAddress, Label, SessionId, ToolCall};

/// Whose result is read.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ReadInput<'a> {
    /// The session: what is kept of a result is kept for it.
    pub session: &'a SessionId,
    /// The address of the call: what is kept is kept under it.
    pub address: &'a CallAddress,
    /// The call.
    pub call: &'a ToolCall,
    /// What the tool says of itself; a tool that does not exist says nothing.
    pub spec: Option<&'a ToolSpec>,
    /// How many calls the round has, which share the budget.
    pub calls: usize,
    /// Where the text came from, where somebody else than the tool wrote it: a delegate, for instance.
    pub label: Option<&'a Label>,
}

impl<'a> ReadInput<'a> {
    /// Describes the only call of its round, of a tool that says nothing of itself.
    #[must_use]
    pub fn new(session: &'a SessionId, address: &'a CallAddress, call: &'a ToolCall) -> Self {
        Self {
            session,
            address,
            call,
            spec: None,
            calls: 1,
            label: None,
        }
    }

    /// Sets what the tool says of itself.
    #[must_use]
    pub fn spec(mut self, spec: &'a ToolSpec) -> Self {
        self.spec = Some(spec);
        self
    }

    /// Sets where the text came from, where somebody else than the tool wrote it.
    #[must_use]
    pub fn label(mut self, label: &'a Label) -> Self {
        self.label = Some(label);
        self
    }

    /// Sets how many calls the round has.
    #[must_use]
    pub fn calls(mut self, calls: usize) -> Self {
        self.calls = calls;
        self
    }
}

/// A result as it goes into the turn, and what belongs to it but not into the model's context.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Reading {
    /// What is recorded, and what the model reads.
    pub outcome: Outcome,
    /// The JSON of the structured content where the content does not begin with it.
    pub(super) structured: Option<String>,
    /// Whether the content begins with the JSON of the structured content.
    pub(super) begins_structured: bool,
    /// What the call left behind; the content names it.
    pub artifacts: Vec<Artifact>,
    /// The characters of the whole, where the model got a part and the rest was kept.
    pub spilled: Option<usize>,
    /// What in it looks like an attempt to steer the model.
    pub flags: Vec<Flag>,
}

impl Reading {
    /// Returns where the text came from.
    #[must_use]
    pub fn label(&self) -> Label {
        self.outcome.label()
    }

    /// Returns the JSON of the structured content, redacted; cutting the text leaves it whole.
    #[must_use]
    pub fn structured_content(&self) -> Option<&str> {
        let beginning = || self.outcome.content.first()?.as_text();
        let own = self.structured.as_deref();
        own.or_else(|| beginning().filter(|_| self.begins_structured))
    }

    pub(super) fn of(outcome: Outcome) -> Self {
        Self {
            outcome,
            structured: None,
            begins_structured: false,
            artifacts: Vec::new(),
            spilled: None,
            flags: Vec::new(),
        }
    }
}
