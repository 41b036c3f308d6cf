//! The index of [helve](https://docs.rs/helve) for texts: documents in SQLite, found by their words. Depend on `helve`
//! instead of this crate.
//!
//! The modules, from the lowest: `tokens`, `terms` (under which a text is found), `query`, `snippet`, `error`, `document`
//! (the values that an index takes and returns), `batch`, `embedding` (vectors and the trait of their models), `search`,
//! `changes` and `vectors` (the tables), `index`, `embeddings` (searches by meaning); and `fusion`, which uses none of them.

mod batch;
mod changes;
mod document;
mod embedding;
mod embeddings;
mod error;
mod fusion;
mod index;
mod query;
mod search;
mod snippet;
mod terms;
#[cfg(test)]
mod tests;
mod tokens;
mod vectors;

pub use batch::{Applied, IndexBatch};
pub use document::{Document, SourcePosition, TextHit, TextQuery};
pub use embedding::{EmbedError, EmbedFuture, TextEmbedder};
pub use embeddings::{EmbeddingUpdate, Embeddings};
pub use error::TextIndexError;
pub use fusion::{fuse_rankings, fuse_searches};
pub use index::{Collection, TextIndex};
pub use snippet::Snippet;
