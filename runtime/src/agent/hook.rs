//! Hooks: middleware of an app around the operations of an agent.
//!
//! The hooks of an agent form a chain: the hook that was added first is the outermost. Each hook gets the input of the
//! operation and the [`Next`] link of the chain. It can change the input, change the output, or return an output of its own
//! without calling the next link.
//!
//! ```
//! # extern crate helve_runtime as helve;
//! use futures_util::future::{BoxFuture, FutureExt};
//! use helve::ToolContext;
//! use helve::agent::{CallSite, Hook, Next, OnTool};
//! use helve::tool::{ToolError, ToolResult};
//!
//! /// Tells the tool's failures apart from the model's mistakes.
//! struct Explain;
//!
//! impl Hook for Explain {
//!     fn tool_call<'a>(
//!         &'a self,
//!         _site: &'a CallSite,
//!         context: ToolContext,
//!         next: Next<'a, ToolContext, ToolResult>,
//!     ) -> BoxFuture<'a, ToolResult> {
//!         async move {
//!             match next.run(context).await {
//!                 Err(error @ ToolError::Failed(_)) => Err(ToolError::failed(format!("{error} (not your fault)"))),
//!                 result => result,
//!             }
//!         }
//!         .boxed()
//!     }
//! }
//!
//! // Around one tool only.
//! let hook = OnTool::new("send_mail", Explain);
//! # let _ = hook;
//! ```

mod chain;
mod on_tool;

use std::sync::Arc;

use futures_util::future::BoxFuture;

pub(crate) use chain::HookChain;
pub use on_tool::OnTool;

use super::TurnReport;
use super::turn::Purpose;
use crate::call::{CallSite, Next};
use crate::model::{ModelError, ModelRequest, Reply};
use crate::permission::Verdict;
use crate::tool::{ToolContext, ToolResult};
use crate::transcript::{Message, Origin};

/// Where a model is being called from.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ModelSite {
    /// The agent and the turn.
    pub origin: Origin,
    /// The round of the turn that the reply begins.
    pub round: u32,
    /// What the model is called for.
    pub purpose: Purpose,
}

/// Code of an app's own around what an agent does. Every method passes through unless it is written.
///
/// A hook runs outside what is recorded: what it changes is what the records then hold. It must not block; what it waits
/// for is waited for until the turn is interrupted.
pub trait Hook: Send + Sync {
    /// Stands around a whole turn: in goes the conversation, whose last message is the user's, out comes what the turn
    /// came to.
    ///
    /// It runs where a turn begins, and again where it is [gone on with](super::Agent::resume), in this process or another:
    /// the conversation that goes in is the same, up to what the user said, and what the turn has added since is put behind
    /// what comes out. So what a hook keeps out or changes is the same before a crash and after it, if the hook makes the
    /// same of the same. A hook that leaves the inside out ends the turn.
    ///
    /// What has to hold of every call and every reply belongs in [`permission`](Self::permission),
    /// [`tool_call`](Self::tool_call) or [`model_call`](Self::model_call).
    fn reply<'a>(
        &'a self,
        origin: &'a Origin,
        conversation: Vec<Message>,
        next: Next<'a, Vec<Message>, TurnReport>,
    ) -> BoxFuture<'a, TurnReport> {
        let _ = origin;
        next.run(conversation)
    }

    /// Stands around the making of the system prompt, once a turn.
    fn system_prompt<'a>(
        &'a self,
        origin: &'a Origin,
        prompt: String,
        next: Next<'a, String, String>,
    ) -> BoxFuture<'a, String> {
        let _ = origin;
        next.run(prompt)
    }

    /// Stands around a call of the model, from the request to the whole reply. What streams meanwhile is not held up.
    fn model_call<'a>(
        &'a self,
        site: &'a ModelSite,
        request: Arc<ModelRequest>,
        next: Next<'a, Arc<ModelRequest>, Result<Reply, ModelError>>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        let _ = site;
        next.run(request)
    }

    /// Stands around a compaction: in goes the request that asks for the summary, out comes the reply that is it.
    fn compaction<'a>(
        &'a self,
        site: &'a ModelSite,
        request: Arc<ModelRequest>,
        next: Next<'a, Arc<ModelRequest>, Result<Reply, ModelError>>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        let _ = site;
        next.run(request)
    }

    /// Stands around the judgement of a call; what comes out is the verdict that is recorded.
    ///
    /// A hook can loosen a verdict as well as tighten it: it is the app's own word. About an agent that works for another
    /// one it can only tighten: what the session's policy denies or asks about stays so.
    fn permission<'a>(
        &'a self,
        site: &'a CallSite,
        next: Next<'a, (), Verdict>,
    ) -> BoxFuture<'a, Verdict> {
        let _ = site;
        next.run(())
    }

    /// Stands around the run of a call. The arguments are those that permission was given for, so they stay; the context
    /// can be [derived](ToolContext::derive).
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
