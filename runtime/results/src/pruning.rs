//! Pruning: old results are shortened as the conversation fills the context of the model.

use serde::{Deserialize, Serialize};

use super::notice;
use helve_core::support::text;
use helve_core::transcript::{Content, ContentBlock, Message};

/// The number of most recent messages whose results are never pruned.
const FRESH_MESSAGES: usize = 10;

/// The number of characters that a trimmed result keeps at either end, by its third of the conversation, oldest first.
///
/// There are few lengths, so that a result stays the same over many requests and remains in the prompt cache of the
/// provider.
const TRIM_LENGTHS: [usize; 3] = [512, 2_048, 3_000];

/// The minimum number of characters that trimming must save.
const MIN_SAVED: usize = 64;

/// The extent to which old results are sent to the model.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum PruningLevel {
    /// The whole result.
    #[default]
    Whole,
    /// The beginning and the end.
    Trimmed,
    /// A placeholder line.
    Cleared,
}

impl PruningLevel {
    /// Returns the level for a context that is filled to `fill`: trimming starts at 0.3, clearing at 0.5.
    #[must_use]
    pub fn at_fill(fill: f64) -> Self {
        match fill {
            fill if fill >= 0.5 => Self::Cleared,
            fill if fill >= 0.3 => Self::Trimmed,
            _ => Self::Whole,
        }
    }
}

/// Shortens the old results of a conversation. Only the request is pruned, never the record.
///
/// The level never decreases ([`raise`](Self::raise)), so that a result which was sent in a shorter form stays in that
/// form.
///
/// ```
/// use helve::results::{PruningLevel, Pruning};
///
/// let mut pruning = Pruning::default();
/// assert!(pruning.raise(0.6));
/// assert!(!pruning.raise(0.4));
/// assert_eq!(pruning.level(), PruningLevel::Cleared);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pruning {
    level: PruningLevel,
}

impl Pruning {
    /// Returns the current level.
    #[must_use]
    pub fn level(self) -> PruningLevel {
        self.level
    }

    /// Raises the level for a last request that filled `fill` of the context, from 0 to 1. Returns whether the level
    /// changed.
    pub fn raise(&mut self, fill: f64) -> bool {
        let before = self.level;
        self.level = before.max(PruningLevel::at_fill(fill));
        self.level != before
    }

    /// Shortens the results of all messages but the most recent ones.
    pub fn apply(self, messages: &mut [Message]) {
        if self.level == PruningLevel::Whole {
            return;
        }
        let old = messages.len().saturating_sub(FRESH_MESSAGES);
        let results = messages[..old]
            .iter_mut()
            .filter_map(|message| match message {
                Message::Tool { content } => Some(content),
                _ => None,
            });
        let mut results: Vec<_> = results.flatten().collect();
        let all = results.len();
        for (rank, result) in results.iter_mut().enumerate() {
            let blocks = result.content.iter().map(|block| match block {
                ContentBlock::Text { text } => {
                    let short = self.shorten(text, Self::trim_length(rank, all));
                    short.map_or_else(|| block.clone(), ContentBlock::text)
                }
                other => other.clone(),
            });
            let blocks: Vec<ContentBlock> = blocks.collect();
            result.content = Content::from(blocks);
        }
    }

    /// Returns the number of characters that a trimmed result keeps at either end, by its rank among the old results,
    /// oldest first. A rank out of range counts as the newest.
    #[must_use]
    pub fn trim_length(rank: usize, all: usize) -> usize {
        let third = if rank < all { rank * 3 / all } else { 2 };
        TRIM_LENGTHS[third]
    }

    /// Returns the text without its middle, with `keep` characters at either end; `None` if this saves too little.
    #[must_use]
    pub fn trim(text: &str, keep: usize) -> Option<String> {
        let most = keep.saturating_mul(2);
        let is_long = |length: usize| length > most + MIN_SAVED;
        (is_long(text.len()) && is_long(text.chars().count()))
            .then(|| text::truncate_middle(text, most).into_owned())
    }

    /// Returns the text in the form in which it is sent, if that form is shorter.
    fn shorten(self, text: &str, keep: usize) -> Option<String> {
        let short = match self.level {
            PruningLevel::Whole => return None,
            PruningLevel::Trimmed => Self::trim(text, keep)?,
            PruningLevel::Cleared => {
                "[cleared to save context; make the call again if you need it]".to_owned()
            }
        };
        Some(with_pointer(text, short)).filter(|short| short.len() < text.len())
    }
}

/// Appends the notice with the instruction for reading the whole result.
fn with_pointer(text: &str, short: String) -> String {
    match notice::find_pointer(text) {
        Some(pointer) if !short.contains(pointer) => format!("{short}\n[{pointer}]"),
        _ => short,
    }
}
