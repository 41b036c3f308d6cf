//! What a tool says while it works: to the screen, never to the model.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::tool::{ToolError, ToolOutput};

/// One report of a tool at work, in MCP's terms.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProgressUpdate {
    /// How much is done; it only ever grows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<f64>,
    /// How much there is in all, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// What is happening, or a piece of output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Where the message comes from.
    #[serde(default)]
    pub stream: ProgressStream,
}

/// Where a message of progress comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProgressStream {
    /// The tool itself.
    #[default]
    Info,
    /// The standard output of a process.
    Stdout,
    /// The standard error of a process.
    Stderr,
}

impl ProgressUpdate {
    /// Makes a report of words only.
    pub fn message(message: impl Into<String>) -> Self {
        Self {
            message: Some(message.into()),
            ..Self::default()
        }
    }

    /// Makes a report of so much done out of so much.
    #[must_use]
    pub fn step(progress: f64, total: f64) -> Self {
        Self {
            progress: Some(progress),
            total: Some(total),
            ..Self::default()
        }
    }
}

/// Takes what tools report; it must return at once, since it is called from inside the tool.
pub trait ProgressSink: Send + Sync {
    /// Takes one report.
    fn report(&self, update: ProgressUpdate);
}

impl<F: Fn(ProgressUpdate) + Send + Sync> ProgressSink for F {
    fn report(&self, update: ProgressUpdate) {
        self(update);
    }
}

/// The door through which a tool reports; without a listener it does nothing.
#[derive(Clone, Default)]
pub struct Progress {
    sink: Option<Arc<dyn ProgressSink>>,
}

impl Progress {
    /// Makes a door that leads to `sink`.
    pub fn to(sink: impl ProgressSink + 'static) -> Self {
        Self {
            sink: Some(Arc::new(sink)),
        }
    }

    /// Reports words.
    pub fn message(&self, message: impl Into<String>) {
        if self.sink.is_some() {
            self.report(ProgressUpdate::message(message));
        }
    }

    /// Reports so much done out of so much.
    pub fn step(&self, progress: f64, total: f64) {
        self.report(ProgressUpdate::step(progress, total));
    }

    /// Reports an update.
    pub fn report(&self, update: ProgressUpdate) {
        if let Some(sink) = &self.sink {
            sink.report(update);
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress")
            .field("listening", &self.sink.is_some())
            .finish()
    }
}

/// One item of a tool that returns `impl Stream<Item = Update<T>>`: progress, and in the end one value.
#[derive(Debug)]
pub enum Update<T> {
    /// How far it is.
    Progress(ProgressUpdate),
    /// A piece of the result, which is shown as it comes: the pieces follow one another, and whatever ends the stream
    /// follows them. A stream of pieces may just end.
    Output(ToolOutput),
    /// The result; the stream is not read further.
    Done(T),
    /// The error that ended the work; the stream is not read further.
    Failed(ToolError),
}

impl<T> Update<T> {
    /// Makes a report of words.
    pub fn message(message: impl Into<String>) -> Self {
        Self::Progress(ProgressUpdate::message(message))
    }

    /// Makes a report of so much done out of so much.
    #[must_use]
    pub fn step(progress: f64, total: f64) -> Self {
        Self::Progress(ProgressUpdate::step(progress, total))
    }

    /// Puts out a piece of the result.
    pub fn output(piece: impl Into<ToolOutput>) -> Self {
        Self::Output(piece.into())
    }

    /// Ends the stream with an error.
    pub fn failed(error: impl Into<ToolError>) -> Self {
        Self::Failed(error.into())
    }
}
