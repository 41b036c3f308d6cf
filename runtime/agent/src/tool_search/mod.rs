//! Finding tools by words.

mod diversity;
mod fields;
mod index;
mod query;
mod related;
mod stem;
mod words;

use std::sync::Arc;

use self::index::{Index, IndexBuilder};
use self::words::each_word;
use helve_core::toolset::Toolset;
use helve_core::transcript::ToolName;

/// An index of a toolset's tools by the words of their names, descriptions, parameters and groups, and by words that are
/// about the same (BM25F).
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

/// A tool that was found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolMatch {
    /// Its name.
    pub name: ToolName,
    /// How well it fits; of use only beside others of the same search.
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

    /// Finds the tools that fit some words best, the best first; none of those that have nothing to do with them.
    ///
    /// A tool gives way to others where much of its name is in the names of tools before it, so that the scores need not
    /// fall. What fits equally well is in the order of the names.
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

/// How many words a message needs to be understood without the ones before it.
const MIN_QUERY_WORDS: usize = 3;

/// Returns whether a message can be searched for without what was said before it: not "yes, please do".
pub(crate) fn is_self_contained(message: &str) -> bool {
    let mut words = 0;
    each_word(message, MIN_QUERY_WORDS * 50, |_| words += 1);
    words >= MIN_QUERY_WORDS
}
