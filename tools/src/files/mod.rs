//! Tools that read and change files, below the roots that the host grants and nowhere else.

mod apply_patch;
mod change;
mod diff;
mod edit;
mod glob;
mod grep;
mod image;
mod kind;
mod lines;
mod list_dir;
mod name;
mod pages;
mod permission;
mod read_file;
mod seen;
mod text;
mod validate;
mod watch;
mod write_file;

pub use self::apply_patch::apply_patch;
pub use self::edit::edit_file;
pub use self::glob::glob;
pub use self::grep::{GrepOutput, grep};
pub use self::list_dir::list_dir;
pub use self::read_file::read_file;
pub use self::write_file::write_file;
