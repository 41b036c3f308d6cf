//! Old results, made shorter when the conversation fills the model's context.

use serde::{Deserialize, Serialize};

use super::pass;
use crate::support::text;
use crate::transcript::{Content, ContentBlock, Message};

/// The last messages, whose results stay as they are.
const FRESH_MESSAGES: usize = 10;

/// What an old result keeps at either end: few lengths, so that a result stays the same over many requests and a
/// provider's cache of the conversation with it. The oldest third keeps least.
const KEPT: [usize; 3] = [512, 2_048, 3_000];

/// What trimming has to save to be worth it.
const LEAST_SAVED: usize = 64;

/// How much of old results is still sent.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Age {
    /// All of it.
    #[default]
    Whole,
    /// The beginning and the end.
    Trimmed,
    /// A line that says that there was one.
    Cleared,
}

impl Age {
    /// Returns what the fill of the context asks for: trimming from 0.3 of it on, clearing from 0.5.
    #[must_use]
    pub fn at_fill(fill: f64) -> Self {
        match fill {
            fill if fill >= 0.5 => Self::Cleared,
            fill if fill >= 0.3 => Self::Trimmed,
            _ => Self::Whole,
        }
    }
}

/// Makes old results of a conversation shorter: what is sent to the model, never what is recorded.
///
/// It only ever goes on ([`rise`](Self::rise)), so that what was sent once in a shorter form is sent so again.
///
/// ```
/// use helve_runtime::agent::reading::{Age, Ageing};
///
/// let mut ageing = Ageing::default();
/// assert!(ageing.rise(0.6));
/// assert!(!ageing.rise(0.4));
/// assert_eq!(ageing.age(), Age::Cleared);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ageing {
    age: Age,
}

impl Ageing {
    /// Returns how much of old results is sent.
    #[must_use]
    pub fn age(self) -> Age {
        self.age
    }

    /// Takes note of how much of the model's context the last request filled, from 0 to 1; says whether that changes
    /// what is sent.
    pub fn rise(&mut self, fill: f64) -> bool {
        let before = self.age;
        self.age = before.max(Age::at_fill(fill));
        self.age != before
    }

    /// Shortens the results of all messages but the last ones.
    pub fn apply(self, messages: &mut [Message]) {
        if self.age == Age::Whole {
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
                    let short = self.shorten(text, Self::kept(rank, all));
                    short.map_or_else(|| block.clone(), ContentBlock::text)
                }
                other => other.clone(),
            });
            let blocks: Vec<ContentBlock> = blocks.collect();
            result.content = Content::from(blocks);
        }
    }

    /// Returns how many characters a trimmed result keeps at either end, by its place among the old ones, the oldest
    /// first; what has no place there counts as the newest.
    #[must_use]
    pub fn kept(rank: usize, all: usize) -> usize {
        let third = if rank < all { rank * 3 / all } else { 2 };
        KEPT[third]
    }

    /// Returns a text with so many characters at either end and its middle left out, where that saves something.
    #[must_use]
    pub fn trimmed(text: &str, keep: usize) -> Option<String> {
        let most = keep.saturating_mul(2);
        let is_long = |length: usize| length > most + LEAST_SAVED;
        (is_long(text.len()) && is_long(text.chars().count()))
            .then(|| text::truncate_middle(text, most).into_owned())
    }

    /// Returns a text as it is sent, if shorter.
    fn shorten(self, text: &str, keep: usize) -> Option<String> {
        let short = match self.age {
            Age::Whole => return None,
            Age::Trimmed => Self::trimmed(text, keep)?,
            Age::Cleared => {
                "[cleared to save context; make the call again if you need it]".to_owned()
            }
        };
        Some(with_pointer(text, short)).filter(|short| short.len() < text.len())
    }
}

/// Carries over where the whole of a result can be read.
fn with_pointer(text: &str, short: String) -> String {
    match pass::pointer(text) {
        Some(pointer) if !short.contains(pointer) => format!("{short}\n[{pointer}]"),
        _ => short,
    }
}
