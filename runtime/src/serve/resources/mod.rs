//! Resources: what a client reads at a URI.

mod listed;
mod source;

pub use listed::{ListedResource, ResourceTemplate};
pub use source::{ResourceChange, ResourceSource};
