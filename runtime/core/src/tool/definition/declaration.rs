//! What the macro writes of a tool: constants and function pointers.

use std::any::TypeId;
use std::time::Duration;

use futures_util::future::BoxFuture;
use schemars::{Schema, SchemaGenerator};

use super::Invocation;
use crate::capability::Requires;
use crate::schema::Mistakes;
use crate::tool::ToolContext;
use crate::tool::annotations::{Annotations, Concurrency, Risk};
use crate::tool::error::ToolResult;
use crate::tool::facts::{Coverage, Facts};
use crate::tool::host::StateRequirement;
use crate::tool::parameter::Parameter;

/// What `#[tool]` declares, all of it constant.
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

/// Checks the configuration of a tool; the error says what to set, and where.
pub(super) type ConfigCheckFn = fn(&ToolContext) -> Result<(), String>;
/// Parses, and gives the future of the call; mistakes are outside the future, so that a body never runs twice.
pub(super) type CallFn = for<'a> fn(Invocation<'a>) -> Result<BoxFuture<'a, ToolResult>, Mistakes>;
/// Parses, and says what the call would be; no body runs.
pub(super) type FactsFn = for<'a> fn(Invocation<'a>) -> Result<Facts, Mistakes>;
/// Parses, and says whether a rule of the tool's own language covers the call.
pub(super) type RuleFn = for<'a> fn(Invocation<'a>, &str) -> Result<Coverage, Mistakes>;

/// Takes the schema of a tool's result from generated code, where its type has one.
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
    /// Declares nothing; generated code writes only what differs.
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
        call: |_| Err(Mistakes::default()),
        facts: None,
        match_rule: None,
        function: TypeId::of::<()>,
        package: "",
        file: "",
        line: 0,
    };
}

impl Declaration {
    /// Returns what the model reads: the description, that the tool is deprecated, and its examples.
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
