//! What a user has approved of a server: its definitions by their digests, and how it is reached.

mod definition;
mod difference;
mod pins;
mod reach;

pub(super) use definition::{Definition, Record, Standing};
pub use difference::{DefinitionChange, DefinitionChangeKind, DefinitionSubject, Difference};
pub(super) use pins::Approved;
pub use pins::{Pins, PinsError};
pub(super) use reach::{described, key};
