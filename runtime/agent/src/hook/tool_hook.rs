//! A hook around one tool.

use futures_util::future::BoxFuture;

use super::Hook;
use helve_core::tool::{ToolContext, ToolResult};
use helve_core::transcript::{RawJson, ToolName};
use helve_permission::Verdict;
use helve_permission::call::{CallSite, Next};

/// Applies a hook to the calls of one tool.
///
/// ```
/// use helve::agent::{Agent, Hook, ToolHook};
/// use helve::model::ScriptedModel;
///
/// struct Audit;
///
/// impl Hook for Audit {}
///
/// let agent = Agent::new("main", ScriptedModel::new()).hook(ToolHook::new("send_mail", Audit));
/// ```
#[derive(Debug, Clone)]
pub struct ToolHook<H> {
    tool: ToolName,
    hook: H,
}

impl<H: Hook> ToolHook<H> {
    /// Creates a hook for the calls of a tool.
    pub fn new(tool: impl Into<ToolName>, hook: H) -> Self {
        Self {
            tool: tool.into(),
            hook,
        }
    }
}

impl<H: Hook> Hook for ToolHook<H> {
    fn arguments<'a>(
        &'a self,
        site: &'a CallSite,
        arguments: RawJson,
        next: Next<'a, RawJson, RawJson>,
    ) -> BoxFuture<'a, RawJson> {
        match site.call.name == self.tool {
            true => self.hook.arguments(site, arguments, next),
            false => next.run(arguments),
        }
    }

    fn permission<'a>(
        &'a self,
        site: &'a CallSite,
        next: Next<'a, (), Verdict>,
    ) -> BoxFuture<'a, Verdict> {
        match site.call.name == self.tool {
            true => self.hook.permission(site, next),
            false => next.run(()),
        }
    }

    fn tool_call<'a>(
        &'a self,
        site: &'a CallSite,
        context: ToolContext,
        next: Next<'a, ToolContext, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        match site.call.name == self.tool {
            true => self.hook.tool_call(site, context, next),
            false => next.run(context),
        }
    }
}
