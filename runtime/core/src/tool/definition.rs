//! The const element of the slice: what the macro writes of a tool.

mod declaration;
mod invocation;

use std::any::{Any, TypeId};
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};

use futures_util::future::BoxFuture;

use crate::capability::Requires;
use crate::schema::{self, CanonicalSchema, Mistakes};
use crate::tool::ToolContext;
use crate::tool::availability::Availability;
use crate::tool::error::ToolResult;
use crate::tool::facts::Facts;
use crate::tool::host::StateRequirement;
use crate::tool::origin::{ToolOrigin, known_package};
use crate::tool::parameter::Parameter;
use crate::tool::prepared::{PreparedCall, RuleMatcher};
use crate::tool::spec::ToolSpec;
use invocation::into_work;

pub use declaration::{Declaration, OutputSchemaSlot};
pub use invocation::Invocation;

/// A `#[tool]` function: constants and function pointers, in a `static` that the linker finds.
pub struct ToolDef {
    declaration: Declaration,
    spec: OnceLock<ToolSpec>,
}

impl ToolDef {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(declaration: Declaration) -> Self {
        Self {
            declaration,
            spec: OnceLock::new(),
        }
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.declaration.name
    }

    /// Returns the parameters that the model supplies.
    #[must_use]
    pub const fn parameters(&self) -> &'static [Parameter] {
        self.declaration.parameters
    }

    /// Returns the host state that the tool takes by reference; the receiver of a method is not among it.
    pub fn required_state(&self) -> impl Iterator<Item = &'static StateRequirement> {
        let required = self.declaration.required_state.iter();
        required.filter(|need| !need.is_context())
    }

    /// Returns the type whose method the tool is.
    #[must_use]
    pub const fn receiver(&self) -> Option<&StateRequirement> {
        self.declaration.receiver.as_ref()
    }

    /// Returns the package that wrote the tool.
    #[must_use]
    pub fn package(&self) -> &'static str {
        known_package(self.declaration.package)
    }

    /// Returns where the tool is written, as `file:line`.
    #[must_use]
    pub fn location(&self) -> String {
        format!("{}:{}", self.declaration.file, self.declaration.line)
    }

    /// Returns what sorts tools of one name.
    pub(crate) const fn location_key(&self) -> (&'static str, u32) {
        (self.declaration.file, self.declaration.line)
    }

    /// Returns what the tool declares that it uses.
    #[must_use]
    pub const fn requires(&self) -> &Requires {
        &self.declaration.requires
    }

    /// Returns the examples of whole calls, JSON text each.
    #[must_use]
    pub const fn examples(&self) -> &'static [&'static str] {
        self.declaration.examples
    }

    /// Returns why the tool should no longer be used, where it says so.
    #[must_use]
    pub const fn deprecated(&self) -> Option<&'static str> {
        self.declaration.deprecated
    }

    /// Reports whether the tool says anything of its effects: hints, a risk, functions that judge a call.
    #[doc(hidden)]
    pub const fn declares_effects(&self) -> bool {
        let declared = &self.declaration;
        let hints = &declared.annotations;
        hints.read_only.is_some()
            || hints.destructive.is_some()
            || hints.idempotent.is_some()
            || hints.open_world.is_some()
            || declared.risk.is_some()
            || declared.facts.is_some()
            || declared.match_rule.is_some()
    }

    /// Returns the identity of the function behind the tool.
    #[must_use]
    pub fn function(&self) -> TypeId {
        (self.declaration.function)()
    }

    /// Returns what a model is shown, built once.
    #[inline]
    pub fn spec(&self) -> &ToolSpec {
        self.spec.get_or_init(|| self.make_spec())
    }

    #[cold]
    fn make_spec(&self) -> ToolSpec {
        let declared = &self.declaration;
        let mut outline = OutputSchemaSlot::default();
        (declared.output)(&mut outline);
        let parameters = declared.parameters;
        ToolSpec {
            name: declared.name.into(),
            title: declared.title.map(Into::into),
            description: declared.full_description().into(),
            annotations: declared.annotations,
            risk: declared
                .risk
                .unwrap_or_else(|| declared.annotations.implied_risk()),
            concurrency: declared
                .concurrency
                .unwrap_or_else(|| declared.annotations.implied_concurrency()),
            origin: ToolOrigin::package(known_package(declared.package)),
            group: declared.group.map(Into::into),
            group_instructions: None,
            always: declared.always,
            cached: declared.cached,
            untrusted_output: declared.untrusted_output,
            output_source: None,
            max_result_chars: declared.max_result_chars,
            timeout: declared.timeout,
            requires: declared.requires,
            input_schema: Arc::new(CanonicalSchema::from_parameters(move || {
                parameters.iter().map(|p| p.to_schema()).collect()
            })),
            output_schema: outline.schema.and_then(schema::shared_output_schema),
        }
    }

    /// Reports whether nothing can say that the tool is of no use.
    pub(crate) fn is_always_available(&self) -> bool {
        let declared = &self.declaration;
        declared.available_if.is_none() && declared.config_check.is_none()
    }

    /// Reports whether the tool is of any use here and now. One whose own functions panic is not.
    pub(crate) fn availability(&'static self, context: &ToolContext) -> Availability {
        let Declaration {
            available_if,
            config_check,
            requires,
            package,
            ..
        } = &self.declaration;
        if self.is_always_available() {
            return Availability::Available;
        }
        let context = context.with_requirements(requires, known_package(package));
        let asked =
            std::panic::catch_unwind(AssertUnwindSafe(|| match (available_if, config_check) {
                (Some(is_available), _) if !is_available(&context) => Availability::Unavailable,
                (_, Some(check)) => match check(&context) {
                    Ok(()) => Availability::Available,
                    Err(what) => Availability::NotConfigured(what),
                },
                _ => Availability::Available,
            }));
        asked.unwrap_or(Availability::Unavailable)
    }

    /// Reports whether functions of the tool's own judge a call.
    #[inline]
    pub(crate) const fn has_judging_functions(&self) -> bool {
        self.declaration.facts.is_some()
    }

    /// Reads the arguments of a call, once, and says what the call would be.
    ///
    /// # Errors
    ///
    /// All mistakes of the arguments at once.
    pub(crate) fn prepare(
        &'static self,
        context: &ToolContext,
        receiver: Option<&Arc<dyn Any + Send + Sync>>,
        text: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        let call = self.read(text, receiver)?;
        let text = Arc::clone(&call.text);
        let mut facts = match self.declaration.facts {
            Some(facts) => facts(call.invocation(context))?,
            None => Facts::from_spec(self.spec()),
        };
        let Some(covers) = self.declaration.match_rule else {
            return Ok(PreparedCall::new(text, facts, into_work(call)));
        };
        // The language of its rules looks at the arguments, too.
        let call = Arc::new(call);
        let matched = Arc::clone(&call);
        facts.rule_matcher = Some(RuleMatcher::new(move |context, rule| {
            covers(matched.invocation(context), rule).ok()
        }));
        Ok(PreparedCall::new(text, facts, into_work(call)))
    }

    pub(crate) fn call<'a>(
        &'static self,
        invocation: Invocation<'a>,
    ) -> Result<BoxFuture<'a, ToolResult>, Mistakes> {
        (self.declaration.call)(invocation)
    }
}

impl fmt::Debug for ToolDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolDef")
            .field("name", &self.declaration.name)
            .field("package", &self.declaration.package)
            .field("location", &self.location())
            .finish_non_exhaustive()
    }
}
