//! The search for tools of [helve](https://docs.rs/helve), by words. Depend on `helve` instead of this crate.

mod diversity;
mod fields;
mod index;
mod query;
mod related;
mod stem;
pub mod words;

use std::sync::Arc;

use self::index::{Index, IndexBuilder};
use self::words::each_word;
use helve_core::toolset::Toolset;
use helve_core::transcript::ToolName;

/// An index of the tools of a toolset by the words of their names, descriptions, parameters and groups, and by related
/// words (BM25F).
///
/// ```
/// use helve::prelude::*;
/// use helve::agent::tool_search::ToolIndex;
///
/// /// Looks up the current weather for a city.
/// #[tool(read_only)]
/// fn get_weather() {}
///
/// /// Sends a mail.
/// #[tool]
/// fn send_mail() {}
///
/// let index = ToolIndex::from_toolset(&toolset![get_weather, send_mail]);
/// assert_eq!(index.search("do I need an umbrella", 1)[0].name.as_str(), "get_weather");
/// ```
#[derive(Debug)]
pub struct ToolIndex {
    names: Vec<ToolName>,
    index: Index,
}

/// A match of a tool search.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolMatch {
    /// The name of the tool.
    pub name: ToolName,
    /// The score; only comparable within one search.
    pub score: f64,
}

impl ToolIndex {
    /// Creates an index of the tools as they are now.
    #[must_use]
    pub fn from_toolset(toolset: &Toolset) -> Self {
        let tools = toolset.tools();
        let mut builder = IndexBuilder::default();
        for tool in &tools {
            fields::add(tool.spec(), &mut builder);
        }
        let names = tools.iter().map(|tool| Arc::clone(&tool.spec().name));
        Self {
            names: names.map(ToolName::new).collect(),
            index: builder.finish(&fields::PARTS),
        }
    }

    /// Finds the tools that best match a query, the best first. Tools without any match are not returned.
    ///
    /// A tool is ranked lower if much of its name occurs in the names of better tools, so the scores may not decrease
    /// monotonically. Equal matches are ordered by name.
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<ToolMatch> {
        let found = self.index.search(query, limit).into_iter();
        let found = found.map(|(place, score)| ToolMatch {
            name: self.names[place].clone(),
            score: f64::from(score),
        });
        found.collect()
    }
}

/// The minimum number of words of a message that can be understood without the previous ones.
const MIN_QUERY_WORDS: usize = 3;

/// Returns whether a message can be searched for without the previous messages, unlike "yes, please do".
#[must_use]
pub fn is_self_contained(message: &str) -> bool {
    let mut words = 0;
    each_word(message, MIN_QUERY_WORDS * 50, |_| words += 1);
    words >= MIN_QUERY_WORDS
}
