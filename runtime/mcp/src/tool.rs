//! Converts the tools of servers to tools of this crate.

mod context_tool;
mod cycle;
mod hints;
mod name;
mod result;
mod rule;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::connection::Connection;
use crate::{CallError, ServerConfig};
use helve_core::schema::{self, CanonicalSchema, Mistakes};
use helve_core::support::text::first_bytes;
use helve_core::tool::{
    Facts, Interruption, PreparedCall, Tool, ToolContext, ToolError, ToolOrigin, ToolSpec,
};
use helve_permission::acceptances::EntryState;

pub(super) use context_tool::ContextTool;
use hints::counting;
pub(super) use name::{shown, tool_name};

const LONGEST_DESCRIPTION: usize = 64 << 10;

/// A tool of a server, with a sanitized description. Calls are sent to the server.
#[derive(Clone)]
pub(super) struct McpTool {
    spec: ToolSpec,
    /// The name of the tool on the server.
    original: Arc<str>,
    connection: Connection,
    /// Whether a call may be repeated if it is unknown whether it took effect.
    repeatable: bool,
}

impl McpTool {
    /// Creates a tool from a definition, with remarks about minor problems of the definition.
    pub(super) fn new(
        config: &ServerConfig,
        connection: &Connection,
        tool: &rmcp::model::Tool,
        state: EntryState,
    ) -> Result<(Self, Vec<String>), String> {
        let mut notes = Vec::new();
        let input = read(&tool.input_schema)?;
        let name = tool_name(config.name().as_str(), &tool.name);
        let said = tool.description.as_deref().unwrap_or_default();
        let (description, was_cut) = described(said);
        if was_cut {
            notes.push(format!(
                "the description of `{}` is {} bytes long and is cut",
                shown(&tool.name),
                said.len()
            ));
        }
        let believed = state == EntryState::Accepted || config.trust().hints;
        let hints = counting(tool.annotations.as_ref(), believed);
        let mut spec = ToolSpec::new(name, description, input).with_annotations(hints);
        spec.title = title(tool, &spec.name).map(Into::into);
        spec.origin = ToolOrigin::server(config.name().as_str(), tool.name.as_ref());
        spec.group = Some(config.name().as_str().into());
        spec.untrusted_output = !config.trust().output;
        spec.output_source = Some(source(config).into());
        if let Some(output) = &tool.output_schema {
            match read(output) {
                Ok(schema) => spec.output_schema = Some(schema.into()),
                Err(error) => notes.push(format!(
                    "the schema of what `{}` returns is not used: {error}",
                    shown(&tool.name)
                )),
            }
        }
        let repeatable = hints.read_only == Some(true) || hints.idempotent == Some(true);
        let tool = Self {
            spec,
            original: tool.name.as_ref().into(),
            connection: connection.clone(),
            repeatable,
        };
        Ok((tool, notes))
    }

    /// Converts the error of a call without a result. A cancelled call has the same error as that of any tool.
    fn failed(&self, error: CallError) -> ToolError {
        match error {
            CallError::Cancelled { .. } => {
                let reads = self.spec.annotations.read_only == Some(true);
                ToolError::Cancelled(Interruption::cancelled(!reads))
            }
            other => other.into(),
        }
    }

    /// Sets the instructions of the server's tool group.
    pub(super) fn instructed(mut self, instructions: Option<Arc<str>>) -> Self {
        self.spec.group_instructions = instructions;
        self
    }
}

/// Parses a schema of a server; returns the reason if it is invalid.
fn read(schema: &Map<String, Value>) -> Result<CanonicalSchema, String> {
    let read = schema::from_value(Value::Object(schema.clone()));
    let read = read.map_err(|error| error.to_string())?;
    match cycle::endless(read.value()) {
        Some(name) => Err(format!("`{}` in it is nothing but itself", shown(name))),
        None => Ok(read),
    }
}

/// Describes the origin of the output of a server's tools.
pub(super) fn source(config: &ServerConfig) -> String {
    format!("MCP server {}", config.name())
}

/// Sanitizes a text of a server for a model; returns whether the text was truncated.
pub(super) fn described(text: &str) -> (String, bool) {
    let kept = first_bytes(text, LONGEST_DESCRIPTION);
    let mut description = helve_untrusted::neutralize(kept).into_owned();
    let was_cut = kept.len() < text.len();
    if was_cut {
        description.push_str("\n[cut: the rest is too long to be shown]");
    }
    (description, was_cut)
}

/// Returns the title for display; a mapped name has the original name as its title.
fn title(tool: &rmcp::model::Tool, name: &str) -> Option<String> {
    let hints = tool.annotations.as_ref();
    let given = tool.title.as_ref().or_else(|| hints?.title.as_ref());
    let was_mapped = !name.ends_with(&*tool.name);
    let title = given.map_or_else(|| was_mapped.then_some(&*tool.name), |given| Some(given))?;
    Some(shown(title)).filter(|title| !title.trim().is_empty())
}

impl Tool for McpTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn is_always_available(&self) -> bool {
        true
    }

    fn prepare(&self, _: &ToolContext, text: Arc<str>) -> Result<PreparedCall, Mistakes> {
        check(&self.spec, &text)?;
        let arguments = Arc::new(object(&text));
        let schema = Arc::clone(&self.spec.input_schema);
        let tool = self.clone();
        let judged = Arc::clone(&arguments);
        let prepared = PreparedCall::new(text, Facts::from_spec(&self.spec), move |context| {
            Box::pin(async move {
                let arguments = Arc::unwrap_or_clone(arguments);
                let called =
                    tool.connection
                        .call(&tool.original, arguments, &context, tool.repeatable);
                let called = called.await.map_err(|error| tool.failed(error))?;
                result::read(called, tool.spec.output_schema.as_deref())
            })
        });
        Ok(
            prepared
                .with_rule_matcher(move |_, rule| rule::coverage(schema.value(), &judged, rule)),
        )
    }
}

pub(super) fn check(spec: &ToolSpec, arguments: &str) -> Result<(), Mistakes> {
    match schema::explain(&spec.input_schema, arguments) {
        mistakes if mistakes.is_empty() => Ok(()),
        mistakes => Err(mistakes),
    }
}

/// Parses validated arguments; empty arguments are an empty object.
pub(super) fn object(arguments: &str) -> Map<String, Value> {
    serde_json::from_str(arguments).unwrap_or_default()
}
