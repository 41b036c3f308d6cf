//! Catalogues of named definitions in several layers, of which one per name is used. [helve](https://docs.rs/helve)'s
//! skills are based on this crate. Depend on `helve` instead of this crate.
//!
//! A definition is anything with a name and a source: the executable, a folder of the user or of the project, or a
//! server. [`Catalog::resolve`] determines once which definition of each name is used, and keeps the others with the
//! reasons, so that a command line can list shadowed definitions.

mod catalog;
mod definition;

pub use catalog::{Catalog, Reason, Rules, Unused};
pub use definition::{Definition, Layer, Location};
