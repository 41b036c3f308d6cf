//! Why a model gave no reply.

use std::error::Error;

/// Why a model gave no reply, or not the whole of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The provider, or the way to it, failed.
    #[error("the model could not reply: {0}")]
    Provider(#[source] Box<dyn Error + Send + Sync>),
    /// The stream ended without saying that the reply is over.
    #[error("the model's reply broke off: its stream ended without a stop event")]
    BrokenOff,
    /// The events contradict each other.
    #[error("the model's reply makes no sense: {0}")]
    Malformed(String),
    /// A scripted or replayed model was asked for more replies than it holds.
    #[error(
        "the script of the model is used up: all of its replies ({used}) were given, and one more was asked for"
    )]
    ScriptEnded {
        /// How many replies were used, which is all of them.
        used: usize,
    },
}

impl ModelError {
    /// Wraps the error of a provider, or a text that says what went wrong.
    pub fn provider(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Provider(error.into())
    }
}
