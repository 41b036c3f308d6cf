//! Tools for the schedules of [helve](https://docs.rs/helve): a model makes work due at given times, and sees what became of
//! it. Depend on `helve`, not on this crate.

// Ambient authority is an error in this crate.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod schedule_change;
mod schedule_create;
mod schedule_delete;
mod schedule_list;
mod schedule_runs;
mod text;

pub use self::schedule_change::{ScheduleAction, schedule_change};
pub use self::schedule_create::{MissedPolicy, schedule_create};
pub use self::schedule_delete::schedule_delete;
pub use self::schedule_list::schedule_list;
pub use self::schedule_runs::schedule_runs;
