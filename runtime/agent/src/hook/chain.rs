//! The chain of hooks.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::Hook;
use helve_core::tool::{ToolContext, ToolResult};
use helve_core::transcript::RawJson;
use helve_permission::Verdict;
use helve_permission::call::{CallHooks, CallSite, Next};

/// The hooks of an agent, the outermost first.
#[derive(Clone, Default)]
pub struct HookChain(Vec<Arc<dyn Hook>>);

impl HookChain {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[doc(hidden)]
    pub fn push(&mut self, hook: Arc<dyn Hook>) {
        self.0.push(hook);
    }

    /// Returns these hooks with others inside them. A hook that is shared with these is not added again: the agents of an
    /// app may have the same hooks of the session as their callers.
    pub(crate) fn with_inner(&self, inner: &Self) -> Self {
        let is_same = |one: &Arc<dyn Hook>, other| std::ptr::addr_eq(Arc::as_ptr(one), other);
        let is_new = |hook: &&Arc<dyn Hook>| {
            let mut own = self.0.iter();
            !own.any(|own| is_same(own, Arc::as_ptr(hook)))
        };
        let inner = inner.0.iter().filter(is_new);
        Self(self.0.iter().chain(inner).cloned().collect())
    }

    #[doc(hidden)]
    pub fn extend(&mut self, hooks: Self) {
        self.0.extend(hooks.0);
    }

    /// Wraps the hooks around an operation; `enter` calls the method of a hook for that operation.
    pub(crate) fn wrap<'a, Input, Output>(
        &'a self,
        inside: Next<'a, Input, Output>,
        enter: impl Fn(&'a dyn Hook, Input, Next<'a, Input, Output>) -> BoxFuture<'a, Output>
        + Copy
        + Send
        + 'a,
    ) -> Next<'a, Input, Output>
    where
        Input: 'a,
        Output: 'a,
    {
        self.0.iter().rev().fold(inside, |next, hook| {
            Next::new(move |input| enter(&**hook, input, next))
        })
    }
}

impl CallHooks for HookChain {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn wrap_arguments<'a>(
        &'a self,
        site: &'a CallSite,
        inside: Next<'a, RawJson, RawJson>,
    ) -> Next<'a, RawJson, RawJson> {
        self.wrap(inside, move |hook, arguments, next| {
            hook.arguments(site, arguments, next)
        })
    }

    fn wrap_permission<'a>(
        &'a self,
        site: &'a CallSite,
        inside: Next<'a, (), Verdict>,
    ) -> Next<'a, (), Verdict> {
        self.wrap(inside, move |hook, (), next| hook.permission(site, next))
    }

    fn wrap_tool_call<'a>(
        &'a self,
        site: &'a CallSite,
        inside: Next<'a, ToolContext, ToolResult>,
    ) -> Next<'a, ToolContext, ToolResult> {
        self.wrap(inside, move |hook, context, next| {
            hook.tool_call(site, context, next)
        })
    }
}
