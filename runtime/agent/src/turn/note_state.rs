//! What a turn knows of its notes and reviews.

use serde::{Deserialize, Serialize};

use crate::journal::is_default;
use helve_core::transcript::Note;

/// What only turns with notes or guards have.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct NoteState {
    /// The ids of all notes of the turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) ids: Vec<String>,
    /// The notes that are held back until the reply and its results are complete.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) held: Vec<Note>,
    /// The number of further replies that guards have demanded.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) reviews: u32,
    /// The guards that have replaced the prompt or the current reply.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) replaced: Vec<String>,
}
