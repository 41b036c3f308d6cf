//! Errors of the search.

use helve_agent::session::SessionError;
use helve_text_index::TextIndexError;

/// An error of the search in past sessions.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionSearchError {
    /// The index cannot be used.
    #[error("the index of the sessions cannot be used")]
    Index(#[from] TextIndexError),
    /// The sessions cannot be read.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The session has no such turn.
    #[error(
        "the session `{session}` has no turn `{turn}`; leave the turn out to read the session from its beginning"
    )]
    UnknownTurn {
        /// The session.
        session: String,
        /// The turn.
        turn: String,
    },
    /// The program is shutting down.
    #[error("the program is shutting down")]
    Stopped,
}
