//! Resources: what a client reads at a URI.

pub(super) mod answer;
mod listed;
mod source;

pub use listed::{ListedResource, ResourceTemplate};
pub use source::{ResourceChange, ResourceSource};
