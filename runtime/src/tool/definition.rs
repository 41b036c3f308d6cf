//! The const element of the slice: what the macro writes of a tool.

use std::any::{Any, TypeId};
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use schemars::{Schema, SchemaGenerator};

use crate::capability::Requires;
use crate::schema::{self, Canonical, Mistake, Mistakes};
use crate::tool::ToolContext;
use crate::tool::annotations::{Annotations, Concurrency, Risk};
use crate::tool::argument::Slot;
use crate::tool::availability::Availability;
use crate::tool::error::ToolResult;
use crate::tool::facts::{Coverage, Facts};
use crate::tool::host::Need;
use crate::tool::origin::ToolOrigin;
use crate::tool::parameter::Parameter;
use crate::tool::parser::{self, Rejected};
use crate::tool::prepared::{Prepared, RuleMatcher};
use crate::tool::spec::ToolSpec;
use crate::tool::stored::{ReadCall, StoredArguments, work};

/// A `#[tool]` function: constants and function pointers, in a `static` that the linker finds.
pub struct ToolDef {
    declaration: Declaration,
    spec: OnceLock<ToolSpec>,
}

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
    pub config_check: Option<ConfigCheck>,
    pub untrusted_output: bool,
    pub max_result_chars: Option<usize>,
    pub timeout: Option<Duration>,
    pub requires: Requires,
    pub examples: &'static [&'static str],
    pub deprecated: Option<&'static str>,
    pub needs: &'static [Need],
    pub receiver: Option<Need>,
    pub output: fn(&mut Outline),
    pub call: CallDoor,
    pub facts: Option<FactsDoor>,
    pub match_rule: Option<RuleDoor>,
    pub function: fn() -> TypeId,
    pub package: &'static str,
    pub file: &'static str,
    pub line: u32,
}

/// Says what to set, and where, for a tool to work.
pub(crate) type ConfigCheck = fn(&ToolContext) -> Result<(), String>;
/// Parses, and gives the future of the call; mistakes are outside the future, so that a body never runs twice.
pub(crate) type CallDoor =
    for<'a> fn(Invocation<'a>) -> Result<BoxFuture<'a, ToolResult>, Mistakes>;
/// Parses, and says what the call would be; no body runs.
pub(crate) type FactsDoor = for<'a> fn(Invocation<'a>) -> Result<Facts, Mistakes>;
/// Parses, and says whether a rule of the tool's own language covers the call.
pub(crate) type RuleDoor = for<'a> fn(Invocation<'a>, &str) -> Result<Coverage, Mistakes>;

/// Takes the schema of a tool's result from generated code, where its type has one.
#[derive(Debug, Default)]
pub struct Outline {
    pub(crate) schema: Option<fn(&mut SchemaGenerator) -> Schema>,
}

impl Outline {
    /// Sets the schema.
    pub fn set(&mut self, schema: Option<fn(&mut SchemaGenerator) -> Schema>) {
        self.schema = schema;
    }
}

/// One call on its way into generated code.
#[derive(Clone, Copy)]
pub struct Invocation<'a> {
    /// The tool.
    pub definition: &'static ToolDef,
    /// The call's context.
    pub context: &'a ToolContext,
    /// The arguments, JSON text.
    pub arguments: &'a str,
    /// The value whose method it is, where a toolset bound one.
    pub receiver: Option<&'a Arc<dyn Any + Send + Sync>>,
    /// The arguments, where they were read before.
    pub stored: Option<&'a StoredArguments>,
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
        needs: &[],
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
    fn full_description(&self) -> String {
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
    pub fn needs(&self) -> impl Iterator<Item = &'static Need> {
        self.declaration
            .needs
            .iter()
            .filter(|need| !need.is_context())
    }

    /// Returns the type whose method the tool is.
    #[must_use]
    pub const fn receiver(&self) -> Option<&Need> {
        self.declaration.receiver.as_ref()
    }

    /// Returns the package that wrote the tool.
    #[must_use]
    pub const fn package(&self) -> &'static str {
        self.declaration.package
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
    pub(crate) const fn declares_effects(&self) -> bool {
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
        let mut outline = Outline::default();
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
            origin: ToolOrigin::package(declared.package),
            group: declared.group.map(Into::into),
            group_instructions: None,
            always: declared.always,
            cached: declared.cached,
            untrusted_output: declared.untrusted_output,
            output_source: None,
            max_result_chars: declared.max_result_chars,
            timeout: declared.timeout,
            requires: declared.requires,
            input_schema: Arc::new(Canonical::of_parameters(move || {
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

    /// Says whether the tool is of any use here and now. One whose own functions panic is not.
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
        let context = context.scoped(requires, package);
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
    pub(crate) const fn judges(&self) -> bool {
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
    ) -> Result<Prepared, Mistakes> {
        let call = self.read(text, receiver)?;
        let text = Arc::clone(&call.text);
        let mut facts = match self.declaration.facts {
            Some(facts) => facts(call.invocation(context))?,
            None => Facts::of(self.spec()),
        };
        let Some(covers) = self.declaration.match_rule else {
            return Ok(Prepared::new(text, facts, work(call)));
        };
        // The language of its rules looks at the arguments, too.
        let call = Arc::new(call);
        let matched = Arc::clone(&call);
        facts.rules = Some(RuleMatcher::new(move |context, rule| {
            covers(matched.invocation(context), rule).ok()
        }));
        Ok(Prepared::new(text, facts, work(call)))
    }

    fn read(
        &'static self,
        text: Arc<str>,
        receiver: Option<&Arc<dyn Any + Send + Sync>>,
    ) -> Result<ReadCall, Mistakes> {
        let arguments = match StoredArguments::read(self.declaration.parameters, &text) {
            Ok(arguments) => {
                self.accept(Ok(()), &text)?;
                arguments
            }
            Err(rejected) => return Err(self.explain(&rejected, &text)),
        };
        Ok(ReadCall {
            definition: self,
            text,
            arguments,
            receiver: receiver.cloned(),
        })
    }

    pub(crate) fn call<'a>(
        &'static self,
        invocation: Invocation<'a>,
    ) -> Result<BoxFuture<'a, ToolResult>, Mistakes> {
        (self.declaration.call)(invocation)
    }

    /// Holds the result of the fast pass against what the schema promises.
    #[inline]
    fn accept(&self, parsed: Result<(), Rejected>, arguments: &str) -> Result<(), Mistakes> {
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
    fn explain(&self, rejected: &Rejected, arguments: &str) -> Mistakes {
        let mistakes = schema::explain(self.input(), arguments);
        if !mistakes.is_empty() {
            return mistakes;
        }
        // The type refuses what its schema allows: its own words are the best there are.
        let path = rejected
            .parameter
            .map(|name| format!("/{name}"))
            .unwrap_or_default();
        let expected = rejected
            .error
            .as_ref()
            .map_or_else(|| "a value that fits".to_owned(), readable);
        Mistakes::from(Mistake {
            path,
            expected,
            got: "a value that does not".to_owned(),
            suggestion: None,
        })
    }

    fn input(&self) -> &Canonical {
        &self.spec().input_schema
    }
}

/// Drops serde's position, which counts from the start of the value and would mislead.
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
        // They are gone where the tool's own function panicked that had them; the text is still there.
        if self.stored.is_some_and(|stored| stored.take(slots)) {
            return Ok(());
        }
        let parsed = parser::parse(
            self.definition.declaration.parameters,
            self.arguments,
            slots,
        );
        // The schema is looked at only where there is a doubt or a promise that serde does not keep.
        self.definition.accept(parsed, self.arguments)
    }

    /// Puts the arguments back, for what comes next in the same call.
    pub fn restore(&self, slots: &mut [Slot<'_, 'a>]) {
        if let Some(stored) = self.stored {
            stored.restore(slots);
        }
    }

    /// Returns the context that the tool sees: narrowed to what it declared.
    #[must_use]
    pub fn scope(&self) -> ToolContext {
        let declared = &self.definition.declaration;
        self.context.scoped(&declared.requires, declared.package)
    }

    /// Makes the facts of a call from what the tool's own functions said.
    #[must_use]
    pub fn facts(&self) -> Facts {
        Facts::of(self.definition.spec())
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
