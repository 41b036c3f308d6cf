//! Reviews: what guards decide.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The maximum number of further replies that guards may demand, unless the bounds state another one.
pub(crate) const DEFAULT_REVIEWS: u32 = 3;

/// What a guard decides.
///
/// ```
/// use helve::agent::turn::Review;
///
/// let review = Review::again("State the source.");
/// assert_eq!(serde_json::to_string(&review)?, r#"{"type":"again","note":"State the source."}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Review {
    /// The guard has no objection.
    Pass,
    /// The model reads a note: with the prompt, with the result of a call, or instead of a call; after its last reply, it
    /// replies once more.
    Again {
        /// The text for the model.
        note: String,
    },
    /// Another text takes the place of the prompt, of the arguments of a call, of a result, or of the reply.
    Replace {
        /// The text.
        text: String,
    },
    /// The turn ends, the call does not run, or its result is withheld.
    Block {
        /// The reason.
        why: String,
    },
}

impl Review {
    /// Creates the demand for another reply.
    pub fn again(note: impl Into<String>) -> Self {
        Self::Again { note: note.into() }
    }

    /// Creates a replacement.
    pub fn replace(text: impl Into<String>) -> Self {
        Self::Replace { text: text.into() }
    }

    /// Creates a refusal.
    pub fn block(why: impl Into<String>) -> Self {
        Self::Block { why: why.into() }
    }
}
