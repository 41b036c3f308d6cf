//! File tools of [helve](https://docs.rs/helve), which read and change files only below the roots that the host
//! grants. Depend on `helve`, not on this crate.

// Ambient authority is an error in this crate.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod apply_patch;
mod change;
mod content_kind;
mod diff;
#[cfg(feature = "documents")]
pub mod documents;
mod edit;
mod glob;
mod grep;
mod image;
mod lines;
mod list_dir;
mod name;
mod pdf;
mod permission;
mod read_file;
mod stop_token;
mod text;
mod validate;
mod write_file;

pub use self::apply_patch::apply_patch;
pub use self::edit::edit_file;
pub use self::glob::glob;
pub use self::grep::{GrepOutput, grep};
pub use self::list_dir::list_dir;
pub use self::read_file::read_file;
pub use self::write_file::write_file;
