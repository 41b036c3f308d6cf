//! What a reviewer would flag in a skill that is not embedded, file by file and line by line.
//!
//! It is a reading aid and no wall: whoever wants to hide something from it can. What a skill may do is decided where it
//! is done, by the permission policy and the sandbox.

mod finding;

pub use finding::{ScanFinding, Severity};
