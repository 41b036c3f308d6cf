//! The input and the output of the pipeline.

use super::{Flag, Outcome};
use helve_core::tool::{Artifact, ToolSpec};
use helve_core::transcript::{CallAddress, Label, SessionId, ToolCall};

/// The call whose result is processed.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ResultInput<'a> {
    /// The session that a spilled result belongs to.
    pub session: &'a SessionId,
    /// The address of the call, which is the key of a spilled result.
    pub address: &'a CallAddress,
    /// The call.
    pub call: &'a ToolCall,
    /// The spec of the tool; `None` if there is no such tool.
    pub spec: Option<&'a ToolSpec>,
    /// The number of calls in the round, which share the budget.
    pub calls: usize,
    /// The number of the turn in its session, from 0.
    pub turn_number: u32,
    /// The label of the text, if the tool is not its author (for example a delegate is).
    pub label: Option<&'a Label>,
}

impl<'a> ResultInput<'a> {
    /// Describes the only call of its round in the first turn, without a spec.
    #[must_use]
    pub fn new(session: &'a SessionId, address: &'a CallAddress, call: &'a ToolCall) -> Self {
        Self {
            session,
            address,
            call,
            spec: None,
            calls: 1,
            turn_number: 0,
            label: None,
        }
    }

    /// Sets the spec of the tool.
    #[must_use]
    pub fn spec(mut self, spec: &'a ToolSpec) -> Self {
        self.spec = Some(spec);
        self
    }

    /// Sets the label of the text, if the tool is not its author.
    #[must_use]
    pub fn label(mut self, label: &'a Label) -> Self {
        self.label = Some(label);
        self
    }

    /// Sets the number of calls in the round.
    #[must_use]
    pub fn calls(mut self, calls: usize) -> Self {
        self.calls = calls;
        self
    }

    /// Sets the number of the turn in its session, from 0.
    #[must_use]
    pub fn turn_number(mut self, number: u32) -> Self {
        self.turn_number = number;
        self
    }
}

/// A processed result: the outcome that the turn records, and data that stays out of the context of the model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ProcessedResult {
    /// The outcome, which is recorded and which the model reads.
    pub outcome: Outcome,
    /// The JSON of the structured content where the content does not begin with it.
    pub(super) structured: Option<String>,
    /// Whether the content begins with the JSON of the structured content.
    pub(super) begins_structured: bool,
    /// The artifacts of the call; the content links to them.
    pub artifacts: Vec<Artifact>,
    /// The number of characters of the whole text, if it was cut and spilled.
    pub spilled: Option<usize>,
    /// The flags of text that looks like an attempt to steer the model.
    pub flags: Vec<Flag>,
}

impl ProcessedResult {
    /// Returns the label of the text.
    #[must_use]
    pub fn label(&self) -> Label {
        self.outcome.label()
    }

    /// Returns the redacted JSON of the structured content, which is whole even where the text was cut.
    #[must_use]
    pub fn structured_content(&self) -> Option<&str> {
        let beginning = || self.outcome.content.first()?.as_text();
        let own = self.structured.as_deref();
        own.or_else(|| beginning().filter(|_| self.begins_structured))
    }
}
