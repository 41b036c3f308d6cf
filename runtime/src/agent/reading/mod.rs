//! What the model reads back: the way of a tool's result into the turn, the journal and the next request.
//!
//! A result is freed of terminal escapes, its secrets are redacted, its [reducer] makes it shorter, it is cut to its share of
//! the budget of the round, and what comes from an untrusted tool is defused and enclosed. In that order: a secret is found
//! before a cut could hide its beginning, and nothing cuts an enclosure open. The whole is kept where it can be read on
//! ([`Spill`]).

mod ageing;
mod folder;
mod input;
mod label;
#[allow(
    unsafe_code,
    reason = "a linker section, which linkme blames on the crate that declares the slice"
)]
mod pager;
mod pass;
mod patience;
mod reader;
pub mod redact;
pub mod reducer;
mod spill;

pub use crate::untrusted::{self, Flag};
pub use ageing::{Age, Ageing};
pub use folder::FolderSpill;
pub use input::{ReadInput, Reading};
pub use label::label_of;
pub(super) use label::{label_of_content, source_of_text};
pub use pager::ResultPager;
pub use patience::next_look;
pub use reader::Reader;
pub use redact::{RedactedStream, Redactor};
pub use spill::{MemorySpill, Spill, SpillError, Spilled};
