//! The right to run one call.

use crate::capability::Confinement;
use crate::tool::context::ToolContext;

/// The right to run one prepared call, with the context that it runs in.
///
/// Nothing outside of the runtime can make one: an agent's turn, a server and the command line get it from the judge, once
/// the verdict or an answer lets the call run; [`Registry::call`](crate::Registry::call) and
/// [`dispatch::call`](crate::tool::dispatch::call), which ask no approver, make one for a call whose own check does not
/// deny it.
///
/// ```compile_fail,E0308
/// # extern crate helve_core as helve;
/// use helve::ToolContext;
/// use helve::tool::PreparedCall;
///
/// fn run(call: PreparedCall) {
///     // A context is not enough: only the judge makes a permit.
///     drop(call.run(ToolContext::new()));
/// }
/// ```
#[derive(Debug)]
pub struct Permit {
    context: ToolContext,
}

impl Permit {
    /// Lets a call run in a context, held to what its verdict is based on.
    pub(crate) fn new(context: ToolContext, confinement: Confinement) -> Self {
        Self {
            context: context.with_confinement(confinement),
        }
    }

    /// Returns the context that the call runs in.
    #[must_use]
    pub fn context(&self) -> &ToolContext {
        &self.context
    }

    /// Lets the same call run in a context that was derived from this one: with a nearer deadline.
    pub(crate) fn with_context(self, context: ToolContext) -> Self {
        Self { context }
    }

    pub(crate) fn into_context(self) -> ToolContext {
        self.context
    }
}
