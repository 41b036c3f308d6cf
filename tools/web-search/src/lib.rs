//! The tool of [helve](https://docs.rs/helve) that searches the web through Tavily, Exa, Brave, SearXNG or an engine of
//! the program. Depend on `helve`, not on this crate.

// Ambient authority is an error in this crate.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod cleanup;
mod engine;
mod provider;
mod report;
mod search;
mod settings;
mod text;
mod tool;

pub use self::engine::{
    Freshness, SearchAnswer, SearchEngine, SearchEngines, SearchError, SearchHit, SearchQuery,
};
pub use self::settings::{SearchBaseUrls, WebSearchSettings};
pub use self::tool::{toolset, web_search};
