//! Tools that read files, below the roots that the host grants and nowhere else.

mod grep;
mod image;
mod kind;
mod lines;
mod name;
mod permission;
mod read_file;
mod watch;

pub use self::grep::{GrepOutput, grep};
pub use self::read_file::read_file;
