//! Tool results: the pipeline from the value that a tool returns to the text that the model reads.
//!
//! The pipeline removes terminal escapes from a result, redacts secrets, lets a [reducer] shorten the result, cuts it
//! to its share of the budget of the round, and defuses and encloses the text of untrusted tools. The order matters:
//! redaction precedes the cut, which could hide the beginning of a secret, and enclosing follows it, so that no
//! enclosure is cut open. The whole text is [spilled](Spill) to a store from which the model can read on.
//!
//! The agent and the MCP server share the pipeline.

// The tools of this package use the public macro, whose expansion refers to `::helve::…`.
#[allow(
    unused_extern_crates,
    reason = "the lint does not see the paths that a macro writes"
)]
extern crate helve_core as helve;

mod draft;
mod enclosure;
mod folder_spill;
mod input;
mod label;
mod notice;
mod outcome;
mod pager;
mod pipeline;
mod poll_delay;
mod pruning;
pub mod redact;
pub mod reducer;
mod spill;

pub use enclosure::conversation_label;
pub use enclosure::{parse_enclosure, strip_enclosure};
pub use folder_spill::FolderSpill;
pub use helve_untrusted::Flag;
pub use input::{ProcessedResult, ResultInput};
pub use outcome::Outcome;
pub use pager::ResultPager;
pub use pipeline::ResultPipeline;
pub use poll_delay::next_poll_delay;
pub use pruning::{Pruning, PruningLevel};
pub use redact::{RedactedStream, Redactor};
pub use spill::{MemorySpill, Spill, SpillError, SpilledResult};
