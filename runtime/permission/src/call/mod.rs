//! The pipeline of a tool call: prepared, judged, approved, run.
//!
//! An agent's turn, the MCP server and the command line's `call` differ in the approver, in when a call runs, and in
//! how its result is recorded. This module contains the steps that they share:
//!
//! 1. [`Pipeline::judge`] parses the arguments once, judges the call by the policy, and applies the app's hooks to the
//!    verdict. The result is a [`JudgedCall`], which owns the arguments and the facts of the judgement.
//! 2. [`PendingQuestion`] builds the question about the call; [`JudgedCall::apply_decision`] applies the decision.
//! 3. [`JudgedCall::permit`] returns a [`PermittedCall`] if the verdict or the answer allows the call. Nothing else
//!    creates one.
//! 4. [`Pipeline::run`] runs the call: inside the hooks, from the cache if its result is cached, and confined to what
//!    the verdict is based on.

mod cache;
mod cancellation;
mod catch_panics;
mod dry_run_diff;
mod further_call;
mod hooks;
mod judged_call;
mod pipeline;
mod question;

pub use cache::ResultCache;
pub use cancellation::{InnerRun, run_until_cancelled};
pub use catch_panics::catch_panics;
pub use hooks::{CallHooks, CallSite, Next};
pub use judged_call::{JudgedCall, PermittedCall};
pub use pipeline::{CallOutcome, Pipeline};
pub use question::{AskVerdict, PendingQuestion};
