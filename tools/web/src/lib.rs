//! The tool of [helve](https://docs.rs/helve) that fetches web pages: their content as Markdown, JSON, feeds, text and
//! images. Depend on `helve`, not on this crate.
//!
//! Requests go through the guarded client of the host, and pages are parsed in a confined worker, within limits of time and
//! memory.

// Ambient authority is an error in this crate.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod cache;
mod charset;
mod feed;
mod fetch;
mod header;
mod html;
mod job;
mod json;
mod media;
mod page;
mod pdf;
mod permission;
mod question;
mod reading;
mod settings;
mod web_fetch;
mod xml;

pub use self::settings::WebFetchSettings;
pub use self::web_fetch::{PageFormat, toolset, web_fetch};
