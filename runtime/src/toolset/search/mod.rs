//! Finding tools by words.

mod asked;
mod best;
mod index;
mod read;
mod related;
mod stem;
mod words;

use std::sync::Arc;

use self::index::{Builder, Index};
use self::words::each_word;
use super::Toolset;
use crate::transcript::ToolName;

/// An index of a toolset's tools by the words of their names, descriptions, parameters and groups, and by words that are
/// about the same (BM25F).
///
/// ```
/// # extern crate helve_runtime as helve;
/// use helve::prelude::*;
/// use helve::toolset::ToolIndex;
///
/// /// Looks up the current weather for a city.
/// #[tool(read_only)]
/// fn get_weather() {}
///
/// /// Sends a mail.
/// #[tool]
/// fn send_mail() {}
///
/// let index = ToolIndex::of(&toolset![get_weather, send_mail]);
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
pub struct Found {
    /// Its name.
    pub name: ToolName,
    /// How well it fits; of use only beside others of the same search.
    pub score: f64,
}

impl ToolIndex {
    /// Makes an index of the tools as they are now.
    #[must_use]
    pub fn of(toolset: &Toolset) -> Self {
        let tools = toolset.tools();
        let mut builder = Builder::default();
        for tool in &tools {
            read::add(tool.spec(), &mut builder);
        }
        let name = |tool: &Arc<dyn crate::tool::Tool>| ToolName::new(Arc::clone(&tool.spec().name));
        Self {
            names: tools.iter().map(name).collect(),
            index: builder.finish(&read::PARTS),
        }
    }

    /// Finds the tools that fit some words best, the best first; none of those that have nothing to do with them.
    ///
    /// A tool gives way to others where much of its name is in the names of tools before it, so that the scores need not
    /// fall. What fits equally well is in the order of the names.
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<Found> {
        let found = self.index.search(query, limit).into_iter();
        let found = found.map(|(place, score)| Found {
            name: self.names[place].clone(),
            score: f64::from(score),
        });
        found.collect()
    }
}

/// How many words a message needs to be understood without the ones before it.
const ENOUGH: usize = 3;

/// Says whether a message can be searched for without what was said before it: not "yes, please do".
pub(crate) fn says_enough(message: &str) -> bool {
    let mut words = 0;
    each_word(message, ENOUGH * 50, |_| words += 1);
    words >= ENOUGH
}
