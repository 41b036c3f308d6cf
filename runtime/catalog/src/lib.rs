//! Named definitions of several layers, of which one a name is used: the catalogue below
//! [helve](https://docs.rs/helve)'s skills. Depend on `helve`, not on this.
//!
//! A definition is whatever has a name and comes from somewhere: from the executable, a folder of the user or of the
//! project, a server. [`Catalog::resolve`] decides once which definition of each name is used, and keeps the others
//! with the reason, so that a command line can say what hides what.

mod catalog;
mod definition;

pub use catalog::{Catalog, Reason, Rules, Unused};
pub use definition::{Definition, Layer, Location};
