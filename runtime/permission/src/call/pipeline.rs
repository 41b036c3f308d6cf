//! The steps of every call.

use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::{BoxFuture, FutureExt, ready};

use super::cache::CacheOutcome;
use super::hooks::CallHooks;
use super::{
    CallSite, InnerRun, JudgedCall, Next, PermittedCall, ResultCache, catch_panics,
    run_until_cancelled,
};
use crate::read_label::note_read_label;
use crate::tool_sandbox::context_of_tool;
use crate::{Policy, Verdict};
use helve_core::authority;
use helve_core::tool::{Interruption, Tool, ToolContext, ToolError, ToolResult, dispatch};
use helve_core::transcript::{RawJson, ToolCall};

/// The dependencies with which calls are judged and run.
#[derive(Clone, Copy)]
pub struct Pipeline<'a> {
    /// The policy that judges calls.
    pub policy: &'a Policy,
    /// The app's hooks around calls.
    pub hooks: &'a dyn CallHooks,
    /// The cached results.
    pub cache: &'a ResultCache,
}

/// The outcome of a call that may run.
pub enum CallOutcome {
    /// The call ran, or its result was cached.
    Ran {
        /// The result of the tool.
        result: ToolResult,
        /// Whether the result is that of an earlier call.
        is_cached: bool,
    },
    /// A dry run, which has no effect: a description of what the call would have done.
    DryRun(String),
}

impl<'p> Pipeline<'p> {
    /// Applies the hooks to the arguments of a call, parses the arguments, and judges whether the call may run.
    ///
    /// # Errors
    ///
    /// Returns [`ToolError::InvalidArguments`] with all mistakes at once, and [`ToolError::Failed`] if a hook or a
    /// function of the tool panics. A panic in `match_rule` is not an error: allow rules then do not apply, and deny
    /// and ask rules apply.
    pub async fn judge(
        &self,
        mut site: Arc<CallSite>,
        tool: Arc<dyn Tool>,
        context: &ToolContext,
    ) -> Result<Box<JudgedCall>, ToolError> {
        let mut is_rewritten = false;
        if !self.hooks.is_empty() {
            // Boxed, since most calls have no hooks.
            is_rewritten = Box::pin(self.rewrite_arguments(&mut site)).await?;
        }
        let mut judged = self.judge_again(site, tool, context).await?;
        if is_rewritten {
            judged.set_rewritten();
        }
        Ok(judged)
    }

    /// Judges a call whose arguments are settled: the hooks do not change them. This is the judgement of a call that
    /// another process has planned, and of a call whose arguments the approver has changed.
    ///
    /// # Errors
    ///
    /// As [`judge`](Self::judge).
    pub async fn judge_again(
        &self,
        mut site: Arc<CallSite>,
        tool: Arc<dyn Tool>,
        context: &ToolContext,
    ) -> Result<Box<JudgedCall>, ToolError> {
        let context = &*context_of_tool(context, &tool.spec().name);
        let arguments: Arc<str> = site.call.arguments.clone().into();
        let prepared = dispatch::prepare(&*tool, context, &arguments)?;
        if !prepared.repairs().is_empty() {
            Arc::make_mut(&mut site).call.arguments = Arc::clone(prepared.text()).into();
        }
        let judging = self.policy.judge_prepared(&*tool, context, &prepared);
        let (judgement, links) = judging.await;
        let mut judged = JudgedCall::new(site, tool, prepared, judgement, links, context);
        if judged.is_dry_run() && matches!(judged.verdict(), Verdict::Ask { .. }) {
            // A dry run has no effect, so it needs no approval.
            judged.set_verdict(Verdict::Allow);
        } else if !self.hooks.is_empty() {
            // Boxed, since most calls have no hooks and the future of every call would be as large.
            return Box::pin(self.apply_permission_hooks(judged)).await;
        }
        Ok(judged)
    }

    /// Applies the hooks to the arguments of a call, and reports whether they changed.
    async fn rewrite_arguments(&self, site: &mut Arc<CallSite>) -> Result<bool, ToolError> {
        let own = site.call.arguments.clone();
        let inside =
            Next::new(|arguments: RawJson| -> BoxFuture<'_, RawJson> { ready(arguments).boxed() });
        let hooks = self.hooks.wrap_arguments(site, inside);
        let hooked = catch_panics("a hook", async { hooks.run(own).await }).await;
        let hooked = hooked.map_err(ToolError::failed)?;
        let is_changed = hooked != site.call.arguments;
        if is_changed {
            Arc::make_mut(site).call.arguments = hooked;
        }
        Ok(is_changed)
    }

    /// Applies the hooks to the verdict on a call.
    async fn apply_permission_hooks(
        &self,
        mut judged: Box<JudgedCall>,
    ) -> Result<Box<JudgedCall>, ToolError> {
        let decided_by = judged.judgement().decided_by.clone();
        Arc::make_mut(&mut judged.site).decided_by = Some(decided_by);
        let verdict = judged.verdict().clone();
        let own = verdict.clone();
        let inside = Next::new(move |()| -> BoxFuture<'_, Verdict> { ready(own).boxed() });
        let hooks = self.hooks.wrap_permission(judged.site(), inside);
        let hooked = catch_panics("a hook", async { hooks.run(()).await }).await;
        let hooked = hooked.map_err(ToolError::failed)?;
        judged.set_verdict(self.policy.clamp_hook_verdict(verdict, hooked));
        Ok(judged)
    }

    /// Runs a call inside its hooks, or returns the cached result of an earlier call.
    ///
    /// This is not an `async fn`: its future would hold the context twice.
    pub fn run(
        self,
        call: PermittedCall,
        context: ToolContext,
    ) -> impl Future<Output = CallOutcome> + Send + use<'p> {
        let mut judged = call.into_judged_call();
        let facts = judged.facts();
        let has_dry_run = facts.dry_run_shows_diff || facts.dry_run_shows_text;
        let tells_itself = has_dry_run && context.is_dry_run();
        let only_describes = judged.is_dry_run() && !tells_itself;
        let own = match context_of_tool(&context, &judged.tool.spec().name) {
            Cow::Owned(own) => Some(own),
            Cow::Borrowed(_) => None,
        };
        let context = self.policy.limit_hosts(own.unwrap_or(context));
        note_read_label(self.policy, &*judged.tool, &context);
        let context = match &judged.links {
            Some(links) if judged.tool.spec().requires.fs => context.with_judged_paths(links),
            _ => context,
        };
        async move {
            if only_describes {
                return CallOutcome::DryRun(describe_dry_run(&judged.site.call));
            }
            if !self.hooks.is_empty() {
                // Boxed, since most calls have no hooks and the future of every call would be as large.
                return Box::pin(self.run_with_hooks(judged, context)).await;
            }
            let JudgedCall { tool, prepared, .. } = &mut *judged;
            let permit = authority::issue_permit(context, prepared.confinement());
            // The future is pinned here: each function that takes it would contain a further copy.
            let running = pin!(self.cache.run(tool, prepared, permit));
            match catch_panics("the tool", running).await {
                Ok(CacheOutcome { result, is_cached }) => CallOutcome::Ran { result, is_cached },
                Err(panic) => CallOutcome::Ran {
                    result: Err(ToolError::failed(panic)),
                    is_cached: false,
                },
            }
        }
    }

    async fn run_with_hooks(self, judged: Box<JudgedCall>, context: ToolContext) -> CallOutcome {
        let JudgedCall {
            mut site,
            tool,
            mut prepared,
            ..
        } = *judged;
        Arc::make_mut(&mut site).policy = Some(self.policy.clone());
        let is_cached = AtomicBool::new(false);
        let running = async {
            let (cache, is_cached) = (self.cache, &is_cached);
            let work = move |context: ToolContext| async move {
                let permit = authority::issue_permit(context, prepared.confinement());
                let answer = cache.run(&tool, &mut prepared, permit).await;
                is_cached.store(answer.is_cached, Ordering::Relaxed);
                answer.result
            };
            let (inside, stop) = (InnerRun::default(), context.cancellation().clone());
            let begun = inside.clone();
            let inner = Next::new(move |context: ToolContext| -> BoxFuture<'_, ToolResult> {
                begun.run(work(context)).boxed()
            });
            let hooks = self.hooks.wrap_tool_call(&site, inner);
            let result = run_until_cancelled(hooks.run(context), &stop, &inside).await;
            result.unwrap_or_else(|| {
                let left = Interruption::cancelled(inside.has_started());
                Err(ToolError::Cancelled(left))
            })
        };
        let result = catch_panics("a hook", running).await;
        CallOutcome::Ran {
            result: result.unwrap_or_else(|panic| Err(ToolError::failed(panic))),
            is_cached: is_cached.into_inner(),
        }
    }
}

/// Describes what a call would have done without the dry run.
fn describe_dry_run(call: &ToolCall) -> String {
    format!(
        "Dry run, nothing was done: would call {} with {}",
        call.name, call.arguments
    )
}
