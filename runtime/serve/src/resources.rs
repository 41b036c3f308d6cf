//! Resources: contents that a client reads by URI.

mod listed;
pub(super) mod requests;
mod source;

pub use listed::{ListedResource, ResourceTemplate};
pub use source::{ResourceChange, ResourceSource};
