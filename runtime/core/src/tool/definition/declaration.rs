//! The declaration of a tool that the macro generates: constants and function pointers.

use std::any::TypeId;
use std::task::Poll;
use std::time::Duration;

use schemars::{Schema, SchemaGenerator};

use super::Invocation;
use crate::capability::Requires;
use crate::schema::Mistakes;
use crate::tool::ToolContext;
use crate::tool::annotations::{Annotations, Concurrency, Risk};
use crate::tool::coverage::Coverage;
use crate::tool::error::ToolResult;
use crate::tool::facts::Facts;
use crate::tool::host::StateRequirement;
use crate::tool::parameter::Parameter;
use crate::tool::started::StartedCall;

/// The constants that `#[tool]` declares.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub struct Declaration {
    pub name: &'static str,
    pub title: Option<&'static str>,
    pub description: &'static str,
    pub parameters: &'static [Parameter],
    pub annotations: Annotations,
    pub risk: Option<Risk>,
    pub concurrency: Option<Concurrency>,
    pub group: Option<&'static str>,
    pub always: bool,
    pub cached: bool,
    pub available_if: Option<fn(&ToolContext) -> bool>,
    pub config_check: Option<ConfigCheckFn>,
    pub untrusted_output: bool,
    pub max_result_chars: Option<usize>,
    pub timeout: Option<Duration>,
    pub requires: Requires,
    pub examples: &'static [&'static str],
    pub deprecated: Option<&'static str>,
    pub required_state: &'static [StateRequirement],
    pub receiver: Option<StateRequirement>,
    pub output: fn(&mut OutputSchemaSlot),
    pub call: CallFn,
    pub facts: Option<FactsFn>,
    pub match_rule: Option<RuleFn>,
    pub function: fn() -> TypeId,
    pub package: &'static str,
    pub file: &'static str,
    pub line: u32,
}

/// Checks the configuration of a tool; the error contains what to set, and where.
pub(super) type ConfigCheckFn = fn(&ToolContext) -> Result<(), String>;
/// Parses the arguments, and starts the call; mistakes are outside of its future, so that a body never runs twice.
pub(super) type CallFn =
    for<'a> fn(Invocation<'a>, &mut Poll<ToolResult>) -> Result<StartedCall<'a>, Mistakes>;
/// Parses the arguments, and returns the facts of the call; the body does not run.
pub(super) type FactsFn = for<'a> fn(Invocation<'a>) -> Result<Facts, Mistakes>;
/// Parses the arguments, and returns how much of the call a rule of the tool's own language covers.
pub(super) type RuleFn = for<'a> fn(Invocation<'a>, &str) -> Result<Coverage, Mistakes>;

/// Receives the schema of a tool's result from generated code, if the result type has one.
#[derive(Debug, Default)]
pub struct OutputSchemaSlot {
    pub(crate) schema: Option<fn(&mut SchemaGenerator) -> Schema>,
}

impl OutputSchemaSlot {
    /// Sets the schema.
    pub fn set(&mut self, schema: Option<fn(&mut SchemaGenerator) -> Schema>) {
        self.schema = schema;
    }
}

impl Declaration {
    /// The default declaration; generated code contains only the fields that differ.
    pub const DEFAULT: Self = Self {
        name: "",
        title: None,
        description: "",
        parameters: &[],
        annotations: Annotations::NONE,
        risk: None,
        concurrency: None,
        group: None,
        always: false,
        cached: false,
        available_if: None,
        config_check: None,
        untrusted_output: false,
        max_result_chars: None,
        timeout: None,
        requires: Requires::NONE,
        examples: &[],
        deprecated: None,
        required_state: &[],
        receiver: None,
        output: |_| {},
        call: |_, _| Err(Mistakes::default()),
        facts: None,
        match_rule: None,
        function: TypeId::of::<()>,
        package: "",
        file: "",
        line: 0,
    };
}

impl Declaration {
    /// Returns the text for the model: the description, the deprecation, and the examples.
    pub(super) fn full_description(&self) -> String {
        let mut text = self.description.to_owned();
        if let Some(why) = self.deprecated {
            text.push_str("\n\nDeprecated: ");
            text.push_str(why);
        }
        if !self.examples.is_empty() {
            text.push_str("\n\nExamples:");
            for example in self.examples {
                text.push_str("\n- ");
                text.push_str(example);
            }
        }
        text
    }
}
