//! Schedules of [helve](https://docs.rs/helve)'s agents: prompts that are worked on at given times, whether or not a person is
//! present. Depend on `helve` instead of this crate.
//!
//! A [`Schedule`] makes runs, each a session of its own, whose journal is the truth about it. A
//! [`ScheduleRunner`] makes the runs that are due and works on them; several may, in any processes: the state file decides
//! which of them makes and which works on a run. A run has the authority that its maker had when the schedule was made, and
//! no more than the settings allow when it runs.
//!
//! The modules, from the lowest: `error`, `duration`, `cron`, `event`, `expression` (when work is due), `schedule`, `run`, `plan`
//! (what is due, without I/O), `store` (the state file), `firing` (what events make due), `authority`, `schedules` (makes, finds
//! and changes schedules), `context` (for tools), `guard` and `skills` (skills that run by themselves), `notifier` (for service managers), `progress` (how far a run
//! is), `runner`; `table` and `unit`, which render.

mod authority;
mod context;
mod cron;
mod duration;
mod error;
mod event;
mod expression;
mod firing;
mod guard;
mod notifier;
mod plan;
mod progress;
mod run;
mod runner;
mod schedule;
mod schedules;
#[cfg(feature = "skill-install")]
mod skills;
mod store;
mod table;
mod unit;

pub use authority::RunAuthority;
pub use context::ScheduleContext;
pub use error::{InvalidExpression, ScheduleError};
pub use expression::ScheduleExpression;
pub use guard::SkillGuard;
pub use notifier::ServiceNotifier;
pub use run::{RunStatus, ScheduledRun, is_silent};
pub use runner::{AgentReload, AgentReloads, ScheduleRunner};
pub use schedule::{MissedRuns, NewSchedule, OverlappingRuns, Schedule, ScheduleStatus, slug};
pub use schedules::{ScheduleChange, Schedules};
#[cfg(feature = "skill-install")]
pub use skills::SkillSchedules;
pub use table::{render_inbox, render_runs, render_schedule, render_schedules};
pub use unit::ServiceManager;
