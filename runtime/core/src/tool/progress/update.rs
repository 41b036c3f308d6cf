//! A progress report of a running tool.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One report of a tool at work: a piece of output, or words and numbers about how far it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ProgressUpdate {
    /// A piece of output; the pieces of one stream follow one another.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Where the text comes from; there is none without text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<ProgressStream>,
    /// What is happening, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How much is done; it only ever grows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<f64>,
    /// How much there is in all, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// Whether this is the last that the call reports.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
    /// Who is to see it.
    #[serde(default)]
    pub audience: Audience,
}

/// Where a piece of output comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProgressStream {
    /// The standard output of a process, or the result of a tool as it grows.
    #[default]
    Stdout,
    /// The standard error of a process.
    Stderr,
    /// The tool itself.
    Info,
}

/// Who is to see what a tool reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Audience {
    /// Observers of the run: a log, a trace.
    #[default]
    Internal,
    /// The person whom the agent works for.
    User,
    /// Monitors of many runs.
    Dashboard,
}

impl ProgressUpdate {
    /// Creates a report with a message only, for logs and traces.
    pub fn message(message: impl Into<String>) -> Self {
        Self {
            message: Some(message.into()),
            ..Self::default()
        }
    }

    /// Creates a report of progress out of a total, for logs and traces.
    #[must_use]
    pub fn step(progress: f64, total: f64) -> Self {
        Self {
            progress: Some(progress),
            total: Some(total),
            ..Self::default()
        }
    }

    /// Creates a report of a piece of output, for the user.
    pub fn text(stream: ProgressStream, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            stream: Some(stream),
            audience: Audience::User,
            ..Self::default()
        }
    }

    /// Creates the last report of a call.
    #[must_use]
    pub fn closed() -> Self {
        Self {
            closed: true,
            audience: Audience::User,
            ..Self::default()
        }
    }

    /// Sets the audience.
    #[must_use]
    pub fn for_audience(mut self, audience: Audience) -> Self {
        self.audience = audience;
        self
    }

    /// Returns the progress in percent, if the total is known.
    ///
    /// ```
    /// # extern crate helve_core as helve;
    /// use helve::tool::ProgressUpdate;
    ///
    /// assert_eq!(ProgressUpdate::step(3.0, 4.0).percent(), Some(75.0));
    /// assert_eq!(ProgressUpdate::message("begun").percent(), None);
    /// ```
    #[must_use]
    pub fn percent(&self) -> Option<f64> {
        let (progress, total) = (self.progress?, self.total?);
        let percent = 100.0 * progress / total;
        percent.is_finite().then(|| percent.clamp(0.0, 100.0))
    }

    /// Reports whether the report only counts, so that a later count replaces it.
    pub(super) fn is_counter(&self) -> bool {
        self.progress.is_some() && self.message.is_none() && self.stream.is_none() && !self.closed
    }
}
