//! Markdown as a model writes it: its events, and HTML and plain text that are rendered from them.
//! [helve](https://docs.rs/helve)'s command line is based on this crate, and renders the same events for the terminal.
//! Depend on `helve` instead of this crate.

pub mod events;
pub mod html;
pub mod plain;
