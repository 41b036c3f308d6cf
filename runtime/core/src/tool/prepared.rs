//! Prepared calls, between parsing and execution.

use std::fmt;
use std::future::ready;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;

use futures_util::future::BoxFuture;

use crate::capability::Confinement;
use crate::support::lock::Mutex;
use crate::tool::check_value::CheckValue;
use crate::tool::context::ToolContext;
use crate::tool::coverage::Coverage;
use crate::tool::error::{ToolError, ToolResult};
use crate::tool::execution::Execution;
use crate::tool::facts::Facts;
use crate::tool::permit::Permit;
use crate::tool::started::{StartCall, StartedCall, expect_result};

/// A call whose arguments were parsed and are valid: exactly the call that a policy judges is executed.
///
/// It is created by [`Tool::prepare`](crate::tool::Tool::prepare). It owns the parsed arguments, so that the text is
/// not parsed a second time.
///
/// ```
/// # extern crate helve_core as helve;
/// use futures_util::future::FutureExt;
/// use helve::tool::{Facts, PreparedCall, Tool, ToolContext, ToolOutput, ToolSpec};
/// use helve::schema::Mistakes;
///
/// struct Hello(ToolSpec);
///
/// impl Tool for Hello {
///     fn spec(&self) -> &ToolSpec {
///         &self.0
///     }
///
///     fn prepare(&self, _: &ToolContext, text: std::sync::Arc<str>) -> Result<PreparedCall, Mistakes> {
///         let work = |_: ToolContext| async { Ok(ToolOutput::plain("hello")) }.boxed();
///         Ok(PreparedCall::new(text, Facts::from_spec(&self.0), work))
///     }
/// }
/// ```
pub struct PreparedCall {
    text: Arc<str>,
    /// Boxed, since a prepared call passes through several functions.
    facts: Box<Facts>,
    execution: Execution,
    /// The repairs that made the arguments valid.
    repairs: Vec<String>,
    /// Never locked: the mutex makes `PreparedCall` `Sync` whatever its arguments are.
    work: Mutex<CallWork>,
}

/// The work of a call, in the context that the call runs in.
pub(super) enum CallWork {
    /// A call of a `#[tool]` function, for which no future is allocated if its body never waits.
    Parsed(Box<dyn StartCall>),
    /// Such a call whose arguments the matcher of its rules shares.
    Shared(Arc<dyn StartCall>),
    /// The work of any other tool.
    Custom(Box<dyn FnOnce(ToolContext) -> BoxFuture<'static, ToolResult> + Send>),
}

impl CallWork {
    /// Creates what is left of work that was taken.
    fn taken() -> Self {
        let error = || ToolError::failed("the call has run already");
        Self::Custom(Box::new(move |_| Box::pin(ready(Err(error())))))
    }
}

/// Returns which parts of a call a rule covers; `None` if the rule cannot be parsed.
type CoverageFn = dyn Fn(&ToolContext, &str) -> Option<Coverage> + Send + Sync;

/// The matcher of a tool's rules for one call. It contains the call, so that matchers are never compared.
#[derive(Clone)]
pub(crate) struct RuleMatcher(Arc<CoverageFn>);

impl RuleMatcher {
    pub(crate) fn new(
        covers: impl Fn(&ToolContext, &str) -> Option<Coverage> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(covers))
    }

    fn covers(&self, context: &ToolContext, rule: &str) -> Option<Coverage> {
        (self.0)(context, rule)
    }
}

/// Facts are compared by their other fields, so all matchers are equal.
impl PartialEq for RuleMatcher {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for RuleMatcher {}

impl fmt::Debug for RuleMatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RuleMatcher")
    }
}

impl PreparedCall {
    /// Creates a call from its text, its facts, and its work.
    ///
    /// The work owns the arguments that it needs. It gets the context that the call runs in, which is not the context
    /// that the call was prepared in.
    pub fn new(
        text: Arc<str>,
        facts: Facts,
        work: impl FnOnce(ToolContext) -> BoxFuture<'static, ToolResult> + Send + 'static,
    ) -> Self {
        Self::with_work(text, facts, CallWork::Custom(Box::new(work)))
    }

    /// Creates a call of a `#[tool]` function.
    pub(super) fn with_work(text: Arc<str>, facts: Facts, work: CallWork) -> Self {
        Self {
            text,
            facts: Box::new(facts),
            execution: Execution::Local,
            repairs: Vec::new(),
            work: Mutex::new(work),
        }
    }

    /// Sets the function that returns which parts of the call a rule in the tool's own language covers, and `None` for
    /// a rule that it cannot parse.
    #[must_use]
    pub fn with_rule_matcher(
        mut self,
        covers: impl Fn(&ToolContext, &str) -> Option<Coverage> + Send + Sync + 'static,
    ) -> Self {
        self.facts.rule_matcher = Some(RuleMatcher::new(covers));
        self
    }

    /// Sets rules that would cover the call and similar ones.
    #[must_use]
    #[doc(hidden)]
    pub fn with_suggested_rules(mut self, rules: Vec<String>) -> Self {
        self.facts.suggested_rules = rules;
        self
    }

    /// Sets the executor.
    #[must_use]
    pub fn with_execution(mut self, execution: Execution) -> Self {
        self.execution = execution;
        self
    }

    /// Changes the facts: for a tool that wraps another one.
    #[must_use]
    pub fn with_facts(mut self, change: impl FnOnce(&mut Facts)) -> Self {
        change(&mut self.facts);
        self
    }

    pub(crate) fn with_repairs(mut self, repairs: Vec<String>) -> Self {
        self.repairs = repairs;
        self
    }

    /// Returns the arguments as they were parsed, including repairs.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Returns the facts of the call.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    #[doc(hidden)]
    pub fn into_facts(self) -> Facts {
        *self.facts
    }

    /// Returns the executor.
    #[must_use]
    pub fn execution(&self) -> &Execution {
        &self.execution
    }

    /// Returns the repairs that made the arguments valid, as text for the model.
    #[must_use]
    pub fn repairs(&self) -> &[String] {
        &self.repairs
    }

    /// Returns which parts of the call a rule in the tool's own language covers; `None` if the tool has no such
    /// language, or if the rule cannot be parsed. A panic of the tool's own function counts as a rule that cannot be
    /// parsed.
    #[must_use]
    pub fn coverage(&self, context: &ToolContext, rule: &str) -> Option<Coverage> {
        self.try_coverage(context, rule).ok()?
    }

    /// Reports whether the tool has a language of rules, even if its function panics.
    #[doc(hidden)]
    pub fn has_rule_language(&self, context: &ToolContext) -> bool {
        let coverage = self.try_coverage(context, "");
        coverage.map_or(true, |coverage| coverage.is_some())
    }

    /// Calls the matcher, which is code of the app; the error is its panic.
    fn try_coverage(
        &self,
        context: &ToolContext,
        rule: &str,
    ) -> std::thread::Result<Option<Coverage>> {
        let Some(rules) = &self.facts.rule_matcher else {
            return Ok(None);
        };
        catch_unwind(AssertUnwindSafe(|| rules.covers(context, rule)))
    }

    /// Returns the confinement of the call.
    #[must_use]
    pub fn confinement(&self) -> Confinement {
        self.facts.confinement
    }

    /// Starts the work, which requires a permit.
    pub fn run(mut self, permit: Permit) -> BoxFuture<'static, ToolResult> {
        let mut taken = self.take();
        let context = taken.context(permit);
        match taken.work {
            CallWork::Parsed(call) => run_parsed(call, context),
            CallWork::Shared(call) => run_parsed(call, context),
            CallWork::Custom(start) => start(context),
        }
    }

    /// Takes what runs out of the call, whose facts are large and stay where they are. The call cannot run again.
    #[doc(hidden)]
    #[must_use]
    pub fn take(&mut self) -> TakenCall {
        TakenCall {
            work: std::mem::replace(self.work.get_mut(), CallWork::taken()),
            check_value: self.facts.check_value.take(),
            repairs: std::mem::take(&mut self.repairs),
        }
    }
}

fn run_parsed(
    call: impl Deref<Target = dyn StartCall> + Send + 'static,
    context: ToolContext,
) -> BoxFuture<'static, ToolResult> {
    Box::pin(async move {
        let future = {
            let mut slot = Poll::Pending;
            match call.start(&context, &mut slot) {
                StartedCall::Done => return expect_result(slot),
                StartedCall::Running(future) => future,
            }
        };
        future.await
    })
}

/// The part of a prepared call that runs; a permit is required to start it.
#[doc(hidden)]
pub struct TakenCall {
    pub(super) work: CallWork,
    check_value: Option<CheckValue>,
    pub(super) repairs: Vec<String>,
}

impl TakenCall {
    /// Returns the context that the work runs in.
    pub(super) fn context(&mut self, permit: Permit) -> ToolContext {
        let check_value = self.check_value.take();
        permit.into_context().with_check_value(check_value)
    }
}

impl fmt::Debug for PreparedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared")
            .field("text", &self.text)
            .field("facts", &self.facts)
            .field("execution", &self.execution)
            .finish_non_exhaustive()
    }
}
