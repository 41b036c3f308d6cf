//! What is known of a page, besides its text.

use serde::{Deserialize, Serialize};

/// Which part of a page the text is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Extent {
    /// All of it.
    #[default]
    Whole,
    /// Its content, without navigation and the like.
    Content,
    /// What a selector named.
    Selected,
}

/// What is known of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PageFacts {
    pub(crate) title: Option<String>,
    pub(crate) published: Option<String>,
    pub(crate) site: Option<String>,
    /// The address that the page itself prefers, where it is another one.
    pub(crate) canonical: Option<String>,
    /// The address to which the page goes on by itself.
    pub(crate) refresh: Option<String>,
    pub(crate) images: usize,
    /// The characters that a reader does not see, and that were left out.
    pub(crate) hidden: usize,
    pub(crate) extent: Extent,
    /// Whether the text is longer than what is read of a page.
    pub(crate) is_cut: bool,
    /// The name of the encoding, where it is not UTF-8.
    pub(crate) encoding: Option<String>,
    /// The number of bytes that are no text in the encoding.
    pub(crate) replaced: usize,
    /// Other remarks.
    pub(crate) remarks: Vec<String>,
}
