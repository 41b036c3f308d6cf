//! What a failed call says, and to whom.

use std::error::Error;
use std::fmt;

use crate::sandbox::FsError;
use crate::schema::Mistakes;

/// What a call of a tool comes to.
pub type ToolResult = Result<crate::tool::ToolOutput, ToolError>;

/// A call that did not succeed; its text is written for the model.
///
/// Every standard error converts into it by `?`, so that a tool may return whatever error it has. It does not implement
/// [`Error`] itself, which is what makes that conversion possible.
#[derive(Debug)]
#[non_exhaustive]
pub enum ToolError {
    /// The arguments do not fit the schema; nothing ran.
    InvalidArguments(Mistakes),
    /// The tool cannot be called here: unknown, switched off, or something that it needs is absent.
    NotAvailable(String),
    /// The tool ran and failed.
    Failed(Failure),
    /// A policy or a person denied the call.
    Denied(Denial),
    /// What the call would overwrite has changed since it was read.
    StaleWrite(StaleWrite),
    /// The call was stopped before it came to a result.
    Cancelled(Interruption),
    /// The run cannot go on: the only error that ends it.
    Fatal(FatalError),
}

/// A tool that ran and failed, with the error that it returned.
#[derive(Debug)]
pub struct Failure {
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl Failure {
    /// Returns the error that the tool returned, where there was one.
    #[must_use]
    pub fn source(&self) -> Option<&(dyn Error + Send + Sync + 'static)> {
        self.source.as_deref()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// A call was refused, by a person, a policy or a capability that was not granted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Denial {
    /// Why, in words for the model.
    pub reason: String,
}

impl Denial {
    /// Creates a denial with its reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
        }
    }
}

/// A file changed on disk since it was read, so that writing would lose the change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` has changed since it was read; read it again, then repeat the change")]
pub struct StaleWrite {
    /// The path as the caller gave it.
    pub path: String,
}

/// A call was stopped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}{}", if *outcome_unknown { "; it may have taken effect: check before you repeat it" } else { "" })]
pub struct Interruption {
    /// What stopped it.
    pub reason: String,
    /// Whether the work may still go on, or may have taken effect.
    pub outcome_unknown: bool,
}

impl Interruption {
    /// Makes the interruption of a caller that cancelled.
    #[must_use]
    pub fn cancelled(outcome_unknown: bool) -> Self {
        Self {
            reason: "the call was cancelled".into(),
            outcome_unknown,
        }
    }

    /// Makes the interruption of a deadline that passed.
    #[must_use]
    pub fn deadline(outcome_unknown: bool) -> Self {
        Self {
            reason: "the call did not finish before its deadline".into(),
            outcome_unknown,
        }
    }
}

/// Ends the run: returned by a tool that knows that nothing after it can be trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FatalError {
    /// What happened, in words for the user.
    pub message: String,
}

impl ToolError {
    /// Creates a failure from a message.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(Failure {
            message: message.into(),
            source: None,
        })
    }

    /// Creates a failure that keeps the error that caused it.
    pub fn caused_by(source: Box<dyn Error + Send + Sync>) -> Self {
        known_error(&*source).unwrap_or_else(|| {
            Self::Failed(Failure {
                message: chain_text(&*source),
                source: Some(source),
            })
        })
    }

    /// Adds the last of what the tool had put out when it failed, which tends to say why.
    pub(crate) fn with_output(self, output: &str) -> Self {
        match self {
            Self::Failed(failure) if !output.is_empty() => Self::Failed(Failure {
                message: format!("{}\n\nIt had put out:\n{output}", failure.message),
                source: failure.source,
            }),
            other => other,
        }
    }

    /// Returns the stable word for this kind of error, as the journal and the JSON lines carry it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::InvalidArguments(_) => "invalid_arguments",
            Self::NotAvailable(_) => "not_available",
            Self::Failed(_) => "failed",
            Self::Denied(_) => "denied",
            Self::StaleWrite(_) => "stale_write",
            Self::Cancelled(_) => "cancelled",
            Self::Fatal(_) => "fatal",
        }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidArguments(mistakes) => mistakes.fmt(f),
            Self::NotAvailable(message) => f.write_str(message),
            Self::Failed(failure) => failure.fmt(f),
            Self::Denied(denied) => denied.fmt(f),
            Self::StaleWrite(stale) => stale.fmt(f),
            Self::Cancelled(interrupted) => interrupted.fmt(f),
            Self::Fatal(fatal) => fatal.fmt(f),
        }
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::caused_by(Box::new(error))
    }
}

/// Finds an error of helve's own, which keeps its meaning wherever it stands in a chain. What carries words says those of
/// the whole chain.
fn known_error(whole: &(dyn Error + 'static)) -> Option<ToolError> {
    let mut link = Some(whole);
    while let Some(error) = link {
        if error.is::<Denial>() || error.is::<crate::capability::Refusal>() {
            return Some(ToolError::Denied(Denial::new(chain_text(whole))));
        }
        if let Some(stale) = error.downcast_ref::<StaleWrite>() {
            return Some(ToolError::StaleWrite(stale.clone()));
        }
        if let Some(FsError::Changed { path }) = error.downcast_ref() {
            let path = path.clone();
            return Some(ToolError::StaleWrite(StaleWrite { path }));
        }
        if let Some(interrupted) = error.downcast_ref::<Interruption>() {
            return Some(ToolError::Cancelled(interrupted.clone()));
        }
        if let Some(mistakes) = error.downcast_ref::<Mistakes>() {
            return Some(ToolError::InvalidArguments(mistakes.clone()));
        }
        if error.is::<FatalError>() {
            let message = chain_text(whole);
            return Some(ToolError::Fatal(FatalError { message }));
        }
        link = error.source();
    }
    None
}

/// Writes an error and its causes in one line, as anyhow's `{:#}` does, without repeating a cause that the error already
/// quotes.
pub fn chain_text(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut link = error.source();
    while let Some(cause) = link {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        link = cause.source();
    }
    text
}

pub(crate) mod conversion {
    //! How a tool's error type becomes a [`ToolError`], decided where the type is concrete.

    use super::{Error, ToolError};

    /// Wraps the error of a tool; the method that fits best converts it.
    #[derive(Debug)]
    pub struct ErrorValue<E>(pub Option<E>);

    impl ErrorValue<anyhow::Error> {
        /// Converts an anyhow error, looking for helve's own errors where its conversion to a box would hide them.
        #[must_use]
        pub fn into_tool_error(self) -> ToolError {
            let Some(error) = self.0 else {
                return ToolError::failed("the tool failed");
            };
            let known = super::known_error(error.as_ref());
            known.unwrap_or_else(|| ToolError::caused_by(error.into()))
        }
    }

    /// Converts what has a conversion of its own.
    pub trait ViaInto {
        /// Converts the error.
        fn into_tool_error(self) -> ToolError;
    }

    impl<E: Into<ToolError>> ViaInto for ErrorValue<E> {
        fn into_tool_error(self) -> ToolError {
            self.0
                .map_or_else(|| ToolError::failed("the tool failed"), Into::into)
        }
    }

    /// Converts whatever becomes a boxed error: anyhow's, `String`, boxed errors.
    pub trait ViaBox<E> {
        /// Converts the error. By `&mut`, so that what takes itself by value goes first.
        #[expect(
            clippy::wrong_self_convention,
            reason = "the same name, so that method resolution chooses"
        )]
        fn into_tool_error(&mut self) -> ToolError
        where
            E: IntoToolError;
    }

    impl<E> ViaBox<E> for ErrorValue<E> {
        fn into_tool_error(&mut self) -> ToolError
        where
            E: IntoToolError,
        {
            self.0.take().map_or_else(
                || ToolError::failed("the tool failed"),
                IntoToolError::into_tool_error,
            )
        }
    }

    /// An error that a tool may return.
    #[diagnostic::on_unimplemented(
        message = "a tool cannot fail with `{Self}`",
        label = "not convertible to a `ToolError`",
        note = "implement `std::error::Error` for it, or `From<{Self}> for helve::ToolError`; a boxed error is a `Box<dyn Error + Send + Sync>`"
    )]
    pub trait IntoToolError {
        /// Converts the error.
        fn into_tool_error(self) -> ToolError;
    }

    #[diagnostic::do_not_recommend]
    impl<E: Into<Box<dyn Error + Send + Sync>>> IntoToolError for E {
        fn into_tool_error(self) -> ToolError {
            ToolError::caused_by(self.into())
        }
    }

    /// The error of a tool that cannot fail.
    #[derive(Debug)]
    pub enum Never {}

    impl From<Never> for ToolError {
        fn from(never: Never) -> Self {
            match never {}
        }
    }
}
