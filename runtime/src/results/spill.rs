//! Where the whole of a result is kept that was cut for the model.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use futures_util::future::{BoxFuture, ready};

use crate::transcript::{CallAddress, Label, SessionId, ToolName};

/// The whole text of a result that the model got a part of: what secrets there were are redacted already.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spilled {
    /// The tool whose result it is.
    pub tool: ToolName,
    /// Where it came from, if it is untrusted; then its template tokens and tags are defused already.
    pub source: Option<String>,
    /// The text.
    pub text: String,
    /// What the text is made of.
    pub label: Label,
}

impl Spilled {
    /// Makes what is to be kept of a result that can be trusted.
    pub fn new(tool: impl Into<ToolName>, text: impl Into<String>) -> Self {
        Self {
            tool: tool.into(),
            source: None,
            text: text.into(),
            label: Label::workspace(),
        }
    }

    /// Says that the text is untrusted, and where it came from.
    #[must_use]
    pub fn untrusted(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }
}

/// The place where results are kept could not be written or read.
#[derive(Debug, thiserror::Error)]
#[error("the results that were cut cannot be {doing} at `{place}`")]
#[non_exhaustive]
pub struct SpillError {
    /// `written` or `read`.
    pub doing: &'static str,
    /// Where.
    pub place: String,
    /// What happened.
    pub source: std::io::Error,
}

/// Keeps what did not fit, a session's results apart from any other's.
pub trait Spill: Send + Sync + fmt::Debug {
    /// Keeps a result under the address of its call; the last one counts.
    ///
    /// # Errors
    /// Where it cannot be written.
    fn put<'a>(
        &'a self,
        session: &'a SessionId,
        call: &'a CallAddress,
        spilled: &'a Spilled,
    ) -> BoxFuture<'a, Result<(), SpillError>>;

    /// Gives a result back, `None` where there is none of that address in that session.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn get<'a>(
        &'a self,
        session: &'a SessionId,
        call: &'a CallAddress,
    ) -> BoxFuture<'a, Result<Option<Spilled>, SpillError>>;
}

/// Keeps results in memory, for as long as the process lives.
#[derive(Debug, Default)]
pub struct MemorySpill {
    kept: Mutex<HashMap<(SessionId, CallAddress), Spilled>>,
}

impl MemorySpill {
    /// Makes an empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Spill for MemorySpill {
    fn put<'a>(
        &'a self,
        session: &'a SessionId,
        call: &'a CallAddress,
        spilled: &'a Spilled,
    ) -> BoxFuture<'a, Result<(), SpillError>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert((session.clone(), call.clone()), spilled.clone());
        Box::pin(ready(Ok(())))
    }

    fn get<'a>(
        &'a self,
        session: &'a SessionId,
        call: &'a CallAddress,
    ) -> BoxFuture<'a, Result<Option<Spilled>, SpillError>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.get(&(session.clone(), call.clone())).cloned();
        Box::pin(ready(Ok(found)))
    }
}
