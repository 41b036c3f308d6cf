//! Background jobs of [helve](https://docs.rs/helve)'s agents: tasks that outlive the turn that starts them, and the
//! process. Depend on `helve` instead of this crate.
//!
//! A job is a session of its own, whose journal is the truth about it. A [queue](helve_state::WorkQueue) decides which
//! process works on the job; if that process dies, another one continues the job from its journal. What the agent that
//! started a job is told about it are notes in its session, each of which is recorded once.
//!
//! The modules, from the lowest: `error`, `job` (what a job is like), `jobs` (finds, starts and stops jobs), `notice` (what
//! is told about jobs), `runner` (works on jobs, and wakes their sessions), `tools` (the tools of the model).

mod error;
mod job;
mod jobs;
mod notice;
mod runner;
mod tools;

pub use error::JobError;
pub use job::{Job, JobStatus};
pub use jobs::Jobs;
pub use runner::JobRunner;
