//! Hooks: middleware of an app around the operations of an agent.
//!
//! The hooks of an agent form a chain: the hook that was added first is the outermost. Each hook receives the input of
//! the operation and the [`Next`] link of the chain. It can change the input, change the output, or return its own
//! output without calling the next link.

mod chain;
mod tool_hook;

use std::sync::Arc;

use futures_util::future::BoxFuture;

pub use chain::HookChain;
pub use tool_hook::ToolHook;

use super::TurnReport;
use super::turn::Purpose;
use helve_core::tool::{ToolContext, ToolResult};
use helve_core::transcript::{Message, Origin, RawJson, SessionId};
use helve_model::{ModelError, ModelRequest, Reply};
use helve_permission::Verdict;
use helve_permission::call::{CallSite, Next};

/// The site of a call of the model.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ModelSite {
    /// The session; empty outside of one.
    pub session: SessionId,
    /// The agent and the turn.
    pub origin: Origin,
    /// The round of the turn that the reply begins.
    pub round: u32,
    /// The purpose of the call.
    pub purpose: Purpose,
}

/// Middleware around the operations of an agent. Every method calls the next link by default.
///
/// A hook runs outside the recording: the records hold what the hook returns. A hook must not block; a hook that waits is
/// awaited until the turn is interrupted.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use helve::agent::{Agent, CallSite, Hook, Next};
/// use helve::model::ScriptedModel;
/// use helve::prelude::*;
/// use helve::BoxFuture;
///
/// /// Counts the calls that fail.
/// struct FailureCount(Arc<AtomicU64>);
///
/// impl Hook for FailureCount {
///     fn tool_call<'a>(
///         &'a self,
///         _site: &'a CallSite,
///         context: ToolContext,
///         next: Next<'a, ToolContext, ToolResult>,
///     ) -> BoxFuture<'a, ToolResult> {
///         Box::pin(async move {
///             let result = next.run(context).await;
///             self.0.fetch_add(u64::from(result.is_err()), Ordering::Relaxed);
///             result
///         })
///     }
/// }
///
/// /// Sends a mail.
/// #[tool(read_only)]
/// fn send_mail() -> Result<String, &'static str> {
///     Err("no network")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let failures = Arc::new(AtomicU64::new(0));
/// let model = ScriptedModel::new().call("send_mail", serde_json::json!({})).say("It failed.");
/// let agent = Agent::new("main", model).toolset(toolset![send_mail]).hook(FailureCount(Arc::clone(&failures)));
/// agent.ask("Send it.").await?;
/// assert_eq!(failures.load(Ordering::Relaxed), 1);
/// # Ok(())
/// # }
/// ```
///
/// [`ToolHook`] limits a hook to the calls of one tool.
pub trait Hook: Send + Sync {
    /// Wraps a whole turn: the input is the conversation, whose last message is that of the user; the output is the report of
    /// the turn.
    ///
    /// The hook runs when a turn starts, and again when the turn is [resumed](super::Agent::resume) in this process or
    /// another, with the same input: the conversation up to the last message of the user. The messages that the turn has
    /// added since are appended to what the hook passes on. A deterministic hook thus changes the conversation in the same
    /// way before a crash and after it. A hook that does not call the next link ends the turn.
    ///
    /// A rule about every call or every reply belongs in [`permission`](Self::permission), [`tool_call`](Self::tool_call) or
    /// [`model_call`](Self::model_call).
    fn reply<'a>(
        &'a self,
        origin: &'a Origin,
        conversation: Vec<Message>,
        next: Next<'a, Vec<Message>, TurnReport>,
    ) -> BoxFuture<'a, TurnReport> {
        let _ = origin;
        next.run(conversation)
    }

    /// Wraps the building of the system prompt, once in a turn.
    fn system_prompt<'a>(
        &'a self,
        origin: &'a Origin,
        prompt: String,
        next: Next<'a, String, String>,
    ) -> BoxFuture<'a, String> {
        let _ = origin;
        next.run(prompt)
    }

    /// Wraps a call of the model, from the request to the whole reply. Events of the stream are emitted while the call
    /// runs.
    fn model_call<'a>(
        &'a self,
        site: &'a ModelSite,
        request: Arc<ModelRequest>,
        next: Next<'a, Arc<ModelRequest>, Result<Reply, ModelError>>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        let _ = site;
        next.run(request)
    }

    /// Wraps a compaction: the input is the request for the summary, the output is the reply with the summary.
    fn compaction<'a>(
        &'a self,
        site: &'a ModelSite,
        request: Arc<ModelRequest>,
        next: Next<'a, Arc<ModelRequest>, Result<Reply, ModelError>>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        let _ = site;
        next.run(request)
    }

    /// Wraps the arguments of a call before the call is judged. The output is the arguments that are judged, recorded,
    /// shown to the approver and run.
    ///
    /// The method is not called again for a call that another process has planned, nor for arguments that the approver
    /// has changed; [`permission`](Self::permission) is.
    fn arguments<'a>(
        &'a self,
        site: &'a CallSite,
        arguments: RawJson,
        next: Next<'a, RawJson, RawJson>,
    ) -> BoxFuture<'a, RawJson> {
        let _ = site;
        next.run(arguments)
    }

    /// Wraps the judgement of a call; the output is the recorded verdict.
    ///
    /// A hook is code of the app and can loosen a verdict as well as tighten it. For a delegate, a hook can only
    /// tighten the verdict: if the policy of the session denies a call or asks about it, the hook cannot change this.
    fn permission<'a>(
        &'a self,
        site: &'a CallSite,
        next: Next<'a, (), Verdict>,
    ) -> BoxFuture<'a, Verdict> {
        let _ = site;
        next.run(())
    }

    /// Wraps the run of a call. The arguments cannot change, since they are those that were judged (see
    /// [`arguments`](Self::arguments)); the context can be [derived](ToolContext::derive).
    fn tool_call<'a>(
        &'a self,
        site: &'a CallSite,
        context: ToolContext,
        next: Next<'a, ToolContext, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        let _ = site;
        next.run(context)
    }
}
