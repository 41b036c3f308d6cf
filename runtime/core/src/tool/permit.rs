//! The permit to run one call.

use crate::capability::Confinement;
use crate::tool::context::ToolContext;

/// The permit to run one prepared call, with the context that the call runs in.
///
/// Only the runtime can create a permit: an agent's turn, a server and the command line get it from the judge, once
/// the verdict or an answer allows the call; [`Registry::call`](crate::Registry::call) and
/// [`dispatch::call`](crate::tool::dispatch::call), which ask no approver, create one for a call that its own check
/// does not deny.
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
    /// Creates the permit to run a call in a context, under the confinement that its verdict is based on.
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

    /// Returns the permit with a context that was derived from this one, such as with an earlier deadline.
    pub(crate) fn with_context(self, context: ToolContext) -> Self {
        Self { context }
    }

    pub(crate) fn into_context(self) -> ToolContext {
        self.context
    }
}
