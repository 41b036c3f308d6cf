//! Progress reports of running tools: for display, never for the model or the journal.

mod buffer;
mod settings;
mod tail;
mod update;

use std::fmt;
use std::sync::Arc;

pub use buffer::ProgressBuffer;
pub use settings::{InvalidProgressSetting, ProgressSettings};
pub use tail::tail_for_progress;
pub use update::{Audience, ProgressStream, ProgressUpdate};

use crate::tool::{ToolError, ToolOutput};

/// A receiver of tool reports; it must return immediately, since it is called from within the tool.
pub trait ProgressSink: Send + Sync {
    /// Receives a report.
    fn report(&self, update: ProgressUpdate);
}

impl<F: Fn(ProgressUpdate) + Send + Sync> ProgressSink for F {
    fn report(&self, update: ProgressUpdate) {
        self(update);
    }
}

/// Sends the progress of a tool to a listener. Without a listener it does nothing.
///
/// There are two kinds of report: pieces of output, which the user sees as one text per stream, and messages, which
/// are for logs and traces unless they have [another audience](ProgressUpdate::for_audience). An agent buffers
/// frequent reports: see [`ProgressSettings`].
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::prelude::*;
///
/// /// Builds the project.
/// #[tool]
/// async fn build(cx: &ToolContext) -> &'static str {
///     let progress = cx.progress();
///     progress.stdout("Compiling a\n");
///     progress.stderr("warning: unused\n");
///     progress.step(1.0, 2.0);
///     "built"
/// }
/// ```
#[derive(Clone, Default)]
pub struct Progress {
    sink: Option<Arc<dyn ProgressSink>>,
}

impl Progress {
    /// Creates a `Progress` that reports to `sink`.
    pub fn new(sink: impl ProgressSink + 'static) -> Self {
        Self {
            sink: Some(Arc::new(sink)),
        }
    }

    pub(crate) fn from_shared(sink: Arc<dyn ProgressSink>) -> Self {
        Self { sink: Some(sink) }
    }

    /// Reports whether there is a listener, for a tool to which creating a report is expensive.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.sink.is_some()
    }

    /// Reports a piece of the standard output of a process, or of a result as it grows.
    pub fn stdout(&self, text: impl Into<String>) {
        self.text(ProgressStream::Stdout, text);
    }

    /// Reports a piece of the standard error of a process.
    pub fn stderr(&self, text: impl Into<String>) {
        self.text(ProgressStream::Stderr, text);
    }

    /// Reports a piece of the tool's own information for the user.
    pub fn info(&self, text: impl Into<String>) {
        self.text(ProgressStream::Info, text);
    }

    /// Reports a piece of output, for the user.
    pub fn text(&self, stream: ProgressStream, text: impl Into<String>) {
        self.report_with(|| ProgressUpdate::text(stream, text));
    }

    /// Reports a message.
    pub fn message(&self, message: impl Into<String>) {
        self.report_with(|| ProgressUpdate::message(message));
    }

    /// Reports progress out of a total.
    pub fn step(&self, progress: f64, total: f64) {
        self.report(ProgressUpdate::step(progress, total));
    }

    /// Reports a message and the progress in percent.
    pub fn percent(&self, percent: f64, message: impl Into<String>) {
        self.report_with(|| ProgressUpdate {
            message: Some(message.into()),
            ..ProgressUpdate::step(percent, 100.0)
        });
    }

    /// Reports the end of the progress; an agent does so itself at the end of a call that reported anything.
    pub fn close(&self) {
        self.report(ProgressUpdate::closed());
    }

    /// Reports an update.
    pub fn report(&self, update: ProgressUpdate) {
        self.report_with(|| update);
    }

    fn report_with(&self, make: impl FnOnce() -> ProgressUpdate) {
        if let Some(sink) = &self.sink {
            sink.report(make());
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

/// An item of a tool that returns `impl Stream<Item = Update<T>>`: progress, and finally one value.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::Stream;
/// use helve::prelude::*;
///
/// /// Counts to three, and tells each number as progress.
/// #[tool(read_only)]
/// fn count() -> impl Stream<Item = Update<&'static str>> {
///     futures_util::stream::iter([Update::message("one"), Update::message("two"), Update::Done("three")])
/// }
/// ```
#[derive(Debug)]
pub enum Update<T> {
    /// A progress report.
    Progress(ProgressUpdate),
    /// A piece of the result, which is displayed as it arrives. The pieces are concatenated, followed by the final
    /// item. A stream of pieces may end without a final item.
    Output(ToolOutput),
    /// The result; the stream is not polled further.
    Done(T),
    /// The error that ended the work; the stream is not polled further.
    Failed(ToolError),
}

impl<T> Update<T> {
    /// Creates a report with a message.
    pub fn message(message: impl Into<String>) -> Self {
        Self::Progress(ProgressUpdate::message(message))
    }

    /// Creates a report of progress out of a total.
    #[must_use]
    pub fn step(progress: f64, total: f64) -> Self {
        Self::Progress(ProgressUpdate::step(progress, total))
    }

    /// Creates an item with a piece of the result.
    pub fn output(piece: impl Into<ToolOutput>) -> Self {
        Self::Output(piece.into())
    }

    /// Creates an item that ends the stream with an error.
    pub fn failed(error: impl Into<ToolError>) -> Self {
        Self::Failed(error.into())
    }
}
