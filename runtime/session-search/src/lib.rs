//! The search in past sessions of [helve](https://docs.rs/helve). Depend on `helve` instead of this crate.
//!
//! An index follows the journals of the sessions: with the messages, each transaction stores how far a journal was read,
//! so that no message is missing and none is there twice, whenever a process ends. The journals are the truth; the index
//! can be removed at any time.
//!
//! The modules, from the lowest: `error`, `message` (the messages of a session), `hit` (what is asked for and found),
//! `followed` (what is stored about a session), `listing` (which sessions there are), `lookup`, `service`, `transcript` (a session to
//! read); and `time`, which uses none of them.

mod error;
mod followed;
mod hit;
mod listing;
mod lookup;
mod message;
mod service;
#[cfg(test)]
mod tests;
mod time;
mod transcript;

pub use error::SessionSearchError;
pub use helve_text_index::Snippet;
pub use hit::{Excerpt, SessionHit, SessionQuery};
pub use message::{MessageRole, SessionMessage};
pub use service::{IndexUpdate, SessionSearch};
pub use time::parse_time;
pub use transcript::{Transcript, TranscriptPage};
