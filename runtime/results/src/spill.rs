//! The spill: the store of the full text of truncated results.

use std::collections::HashMap;
use std::fmt;

use futures_util::future::{BoxFuture, ready};

use helve_core::support::lock::Mutex;
use helve_core::transcript::{CallAddress, Label, SessionId, ToolName};

/// The whole text of a result that was cut. The text is redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpilledResult {
    /// The tool that returned the result.
    pub tool: ToolName,
    /// The source of the text, if the text is untrusted; its template tokens and tags are then defused.
    pub source: Option<String>,
    /// The text.
    pub text: String,
    /// The label of the text.
    pub label: Label,
}

impl SpilledResult {
    /// Creates the spilled text of a trusted result.
    pub fn new(tool: impl Into<ToolName>, text: impl Into<String>) -> Self {
        Self {
            tool: tool.into(),
            source: None,
            text: text.into(),
            label: Label::workspace(),
        }
    }

    /// Marks the text as untrusted, and sets its source.
    #[must_use]
    pub fn with_untrusted_source(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }
}

/// The spill could not be written or read.
#[derive(Debug, thiserror::Error)]
#[error("failed to {operation} spilled results at `{location}`")]
#[non_exhaustive]
pub struct SpillError {
    /// The operation: `write`, `read`, `copy` or `remove`.
    pub operation: &'static str,
    /// The location of the spill.
    pub location: String,
    /// The error of the operating system.
    pub source: std::io::Error,
}

/// Stores the full text of truncated results, by session.
pub trait Spill: Send + Sync + fmt::Debug {
    /// Stores a result by the address of its call. An earlier result with the address is replaced.
    ///
    /// # Errors
    /// The result cannot be written.
    fn put<'a>(
        &'a self,
        session: &'a SessionId,
        call: &'a CallAddress,
        spilled: &'a SpilledResult,
    ) -> BoxFuture<'a, Result<(), SpillError>>;

    /// Returns a result; `None` if the session has no result with that address.
    ///
    /// # Errors
    /// The result cannot be read.
    fn get<'a>(
        &'a self,
        session: &'a SessionId,
        call: &'a CallAddress,
    ) -> BoxFuture<'a, Result<Option<SpilledResult>, SpillError>>;
}

/// A spill in memory.
#[derive(Debug, Default)]
pub struct MemorySpill {
    results: Mutex<HashMap<(SessionId, CallAddress), SpilledResult>>,
}

impl MemorySpill {
    /// Creates an empty spill.
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
        spilled: &'a SpilledResult,
    ) -> BoxFuture<'a, Result<(), SpillError>> {
        let mut kept = self.results.lock();
        kept.insert((session.clone(), call.clone()), spilled.clone());
        Box::pin(ready(Ok(())))
    }

    fn get<'a>(
        &'a self,
        session: &'a SessionId,
        call: &'a CallAddress,
    ) -> BoxFuture<'a, Result<Option<SpilledResult>, SpillError>> {
        let kept = self.results.lock();
        let found = kept.get(&(session.clone(), call.clone())).cloned();
        Box::pin(ready(Ok(found)))
    }
}
