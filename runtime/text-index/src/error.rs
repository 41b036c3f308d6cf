//! Errors of an index.

use helve_state::StateError;

/// An error of an operation on an index.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TextIndexError {
    /// The file of the index cannot be used. A damaged one is not an error: it becomes empty.
    #[error(transparent)]
    File(#[from] StateError),
    /// The program ends.
    #[error("the program ends")]
    Stopped,
    /// A part of a document or a name is empty or too long.
    #[error(
        "the {part} of a document has {size} bytes; the limit is {limit} bytes, and keys and names are not empty"
    )]
    Length {
        /// The name of the part.
        part: &'static str,
        /// The length of the part, in bytes.
        size: usize,
        /// The greatest length of the part, in bytes.
        limit: usize,
    },
}
