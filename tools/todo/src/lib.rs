//! Tools for the tasks of a session of [helve](https://docs.rs/helve): a model plans with them what it does, and sees
//! what waits for what. Depend on `helve`, not on this crate.

// Ambient authority is an error in this crate.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod text;
mod todo_create;
mod todo_get;
mod todo_list;
mod todo_update;

pub use self::todo_create::todo_create;
pub use self::todo_get::todo_get;
pub use self::todo_list::todo_list;
pub use self::todo_update::{TodoStatus, todo_update};
