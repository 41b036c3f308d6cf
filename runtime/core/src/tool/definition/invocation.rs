//! The arguments of a call for generated code: parsed once, and passed to each function of the tool.

use std::any::Any;
use std::sync::Arc;
use std::task::Poll;

use super::ToolDef;
use crate::schema::{self, CanonicalSchema, Mistake, Mistakes};
use crate::tool::ToolContext;
use crate::tool::argument::Slot;
use crate::tool::error::ToolResult;
use crate::tool::facts::Facts;
use crate::tool::parser::{self, ParseRejection};
use crate::tool::started::{StartCall, StartedCall};
use crate::tool::stored::StoredArguments;

/// The input of a generated function for one call.
#[derive(Clone, Copy)]
pub struct Invocation<'a> {
    /// The tool.
    pub definition: &'static ToolDef,
    /// The context of the call.
    pub context: &'a ToolContext,
    /// The arguments as JSON text.
    pub arguments: &'a str,
    /// The receiver of a method, if a toolset bound one.
    pub receiver: Option<&'a Arc<dyn Any + Send + Sync>>,
    /// The arguments, if they were parsed before.
    pub stored: Option<&'a StoredArguments>,
}

impl ToolDef {
    pub(super) fn read(
        &'static self,
        text: Arc<str>,
        receiver: Option<&Arc<dyn Any + Send + Sync>>,
    ) -> Result<ParsedCall, Mistakes> {
        let arguments = match StoredArguments::read(self.declaration.parameters, &text) {
            Ok(arguments) => {
                self.accept(Ok(()), &text)?;
                arguments
            }
            Err(rejected) => return Err(self.explain(&rejected, &text)),
        };
        Ok(ParsedCall {
            definition: self,
            text,
            arguments,
            receiver: receiver.cloned(),
        })
    }

    /// Checks the result of the fast pass against the constraints of the schema.
    #[inline(always)]
    fn accept(&self, parsed: Result<(), ParseRejection>, arguments: &str) -> Result<(), Mistakes> {
        match parsed {
            Ok(()) if !self.input().requires_walk() => Ok(()),
            Ok(()) => match schema::explain(self.input(), arguments) {
                mistakes if mistakes.is_empty() => Ok(()),
                mistakes => Err(mistakes),
            },
            Err(rejected) => Err(self.explain(&rejected, arguments)),
        }
    }

    #[cold]
    fn explain(&self, rejected: &ParseRejection, arguments: &str) -> Mistakes {
        let mistakes = schema::explain(self.input(), arguments);
        if !mistakes.is_empty() {
            return mistakes;
        }
        // The type refuses a value that its schema allows: its own message is the best explanation.
        let path = rejected.parameter.map(|name| format!("/{name}"));
        let error = rejected.error.as_ref();
        let expected = error.map_or_else(|| "a value that fits".to_owned(), readable);
        let got = "a value that does not";
        Mistake::new(path.unwrap_or_default(), expected, got).into()
    }

    fn input(&self) -> &CanonicalSchema {
        &self.spec().input_schema
    }
}

/// Removes serde's position, which is relative to the start of the value and would be misleading.
fn readable(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

impl<'a> Invocation<'a> {
    /// Fills the slots of the generated function.
    ///
    /// # Errors
    ///
    /// All mistakes of the arguments at once.
    pub fn parse(&self, slots: &mut [Slot<'_, 'a>]) -> Result<(), Mistakes> {
        // The stored arguments are lost if a function of the tool panicked; the text is still available.
        if self.stored.is_some_and(|stored| stored.take(slots)) {
            return Ok(());
        }
        let parsed = parser::parse(
            self.definition.declaration.parameters,
            self.arguments,
            slots,
        );
        // The schema is only used if parsing failed, or if it has constraints that serde does not enforce.
        self.definition.accept(parsed, self.arguments)
    }

    /// Puts the arguments back, for later functions of the same call.
    pub fn restore_arguments(&self, slots: &mut [Slot<'_, 'a>]) {
        if let Some(stored) = self.stored {
            stored.restore(slots);
        }
    }

    /// Returns the context for the tool, restricted to the declaration of the tool.
    #[must_use]
    pub fn scoped_context(&self) -> ToolContext {
        let declared = &self.definition.declaration;
        self.context
            .with_requirements(&declared.requires, declared.package)
    }

    /// Creates the facts of a call from the results of the tool's own functions.
    #[must_use]
    pub fn facts(&self) -> Facts {
        Facts::from_spec(self.definition.spec())
    }
}

/// A call of a `#[tool]` function whose arguments were parsed.
pub(crate) struct ParsedCall {
    pub(super) definition: &'static ToolDef,
    pub(super) text: Arc<str>,
    pub(super) arguments: StoredArguments,
    pub(super) receiver: Option<Arc<dyn Any + Send + Sync>>,
}

impl ParsedCall {
    pub(super) fn invocation<'a>(&'a self, context: &'a ToolContext) -> Invocation<'a> {
        Invocation {
            definition: self.definition,
            context,
            arguments: &self.text,
            receiver: self.receiver.as_ref(),
            stored: Some(&self.arguments),
        }
    }
}

impl StartCall for ParsedCall {
    fn start<'a>(
        &'a self,
        context: &'a ToolContext,
        slot: &mut Poll<ToolResult>,
    ) -> StartedCall<'a> {
        match self.definition.call(self.invocation(context), slot) {
            Ok(started) => started,
            Err(mistakes) => StartedCall::done(Err(mistakes.into()), slot),
        }
    }
}
