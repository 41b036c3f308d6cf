//! Hooks around calls: an app's own code.

use std::fmt;
use std::sync::LazyLock;

use futures_util::future::BoxFuture;

use crate::{Decider, Policy, Verdict};
use helve_core::tool::{ToolContext, ToolResult};
use helve_core::transcript::{CallAddress, CallKey, Origin, RawJson, SessionId, ToolCall};

/// The session of calls outside of one.
static NO_SESSION: LazyLock<SessionId> = LazyLock::new(|| SessionId::new(""));

/// The place from which a tool is called.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CallSite {
    /// The session; empty outside of one.
    pub session: SessionId,
    /// The agent and the turn.
    pub origin: Origin,
    /// The address of the call, which is its idempotency key.
    pub address: CallAddress,
    /// The call, with its arguments as they are judged and run.
    pub call: ToolCall,
    /// The rule or layer of the policy that decided; `None` before the judgement.
    pub decided_by: Option<Decider>,
    /// The policy that judged the call; `None` before the call runs.
    pub(super) policy: Option<Policy>,
}

impl CallSite {
    /// Creates the call site from a call's key in the turn.
    #[must_use]
    pub fn new(origin: Origin, key: CallKey, call: ToolCall) -> Self {
        Self {
            session: NO_SESSION.clone(),
            address: origin.call_address(key),
            origin,
            call,
            decided_by: None,
            policy: None,
        }
    }

    /// Sets the session.
    #[must_use]
    pub fn in_session(mut self, session: SessionId) -> Self {
        self.session = session;
        self
    }
}

/// The continuation of a hook: the next hook, or the wrapped operation.
pub struct Next<'a, Input, Output>(Box<dyn FnOnce(Input) -> BoxFuture<'a, Output> + Send + 'a>);

impl<'a, Input, Output> Next<'a, Input, Output> {
    /// Creates the innermost continuation, which runs the wrapped operation.
    pub fn new(run: impl FnOnce(Input) -> BoxFuture<'a, Output> + Send + 'a) -> Self {
        Self(Box::new(run))
    }

    /// Runs the next hook, or the wrapped operation.
    #[must_use = "nothing happens until the future is awaited"]
    pub fn run(self, input: Input) -> BoxFuture<'a, Output> {
        (self.0)(input)
    }
}

impl<Input, Output> fmt::Debug for Next<'_, Input, Output> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Next")
    }
}

/// The hooks around calls, as the pipeline calls them.
pub trait CallHooks: Send + Sync {
    /// Reports whether there are no hooks.
    fn is_empty(&self) -> bool;

    /// Applies the hooks to the arguments of a call before the call is judged.
    fn wrap_arguments<'a>(
        &'a self,
        site: &'a CallSite,
        inside: Next<'a, RawJson, RawJson>,
    ) -> Next<'a, RawJson, RawJson>;

    /// Applies the hooks to a verdict.
    fn wrap_permission<'a>(
        &'a self,
        site: &'a CallSite,
        inside: Next<'a, (), Verdict>,
    ) -> Next<'a, (), Verdict>;

    /// Applies the hooks to the run of a call.
    fn wrap_tool_call<'a>(
        &'a self,
        site: &'a CallSite,
        inside: Next<'a, ToolContext, ToolResult>,
    ) -> Next<'a, ToolContext, ToolResult>;
}
