//! The pipeline of a tool call: prepared, judged, approved, run.
//!
//! An agent's turn, the MCP server and the command line's `call` differ in who is asked, when a call has its turn, and how
//! its result is written down. What they have in common is here:
//!
//! 1. [`Pipeline::judge`] reads the arguments once, asks the policy, and lays the app's hooks around the verdict. It gives a
//!    [`JudgedCall`] call, which owns the arguments and all that was found out about them.
//! 2. [`PendingQuestion`] builds the question about the call; [`JudgedCall::apply_decision`] takes the decision.
//! 3. [`JudgedCall::permit`] gives a [`PermittedCall`] call where the verdict or the answer lets it run. Nothing else makes one.
//! 4. [`Pipeline::run`] runs it: in the hooks, out of the cache where its result is there, held to what the verdict is
//!    based on.

mod cache;
mod cancellation;
mod catch_panics;
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
