//! The one way of a tool call: prepared, judged, asked about, run.
//!
//! An agent's turn, the MCP server and the command line's `call` differ in who is asked, when a call has its turn, and how
//! its result is written down. What they have in common is here:
//!
//! 1. [`Pipeline::judge`] reads the arguments once, asks the policy, and lays the app's hooks around the verdict. It gives a
//!    [`Judged`] call, which owns the arguments and all that was found out about them.
//! 2. [`Judged::question`] writes what somebody is asked; [`Judged::answer`] takes what they say.
//! 3. [`Judged::permit`] gives a [`Permitted`] call where the verdict or the answer lets it run. Nothing else makes one.
//! 4. [`Pipeline::run`] runs it: in the hooks, out of the cache where its result is there, held to what the verdict is
//!    based on.

mod cache;
mod hooks;
mod judged;
mod panics;
mod pipeline;
mod question;
mod stopping;

pub use cache::ResultCache;
pub(crate) use hooks::CallHooks;
pub use hooks::{CallSite, Next};
pub(crate) use judged::{Judged, Permitted};
pub(crate) use panics::catching;
pub(crate) use pipeline::{CallOutcome, Pipeline};
pub(crate) use question::{Asking, WrittenQuestion};
pub(crate) use stopping::{Inside, until_stopped};
