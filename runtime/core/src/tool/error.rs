//! The errors of calls.

use std::error::Error;
use std::fmt;

use crate::sandbox::FsError;
use crate::schema::Mistakes;

/// The result of a tool call.
pub type ToolResult = Result<crate::tool::ToolOutput, ToolError>;

/// An error of a call; its text is written for the model.
///
/// Every standard error can be converted with `?`, so that a tool may return any error. `ToolError` does not implement
/// [`Error`] itself, which makes that conversion possible.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::prelude::*;
///
/// /// Divides two numbers.
/// #[tool(read_only)]
/// fn divide(
///     /// The number to divide.
///     a: i64,
///     /// The number to divide by.
///     b: i64,
/// ) -> Result<i64, ToolError> {
///     a.checked_div(b).ok_or_else(|| ToolError::failed("`b` must not be 0"))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let result = helve::testing::call(divide, helve::json!({ "a": 1, "b": 0 })).await;
/// assert_eq!(result.unwrap_err().to_string(), "`b` must not be 0");
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ToolError {
    /// The arguments do not match the schema; the tool did not run.
    InvalidArguments(Mistakes),
    /// The tool cannot be called here: it is unknown or disabled, or a dependency is missing.
    NotAvailable(String),
    /// The tool ran and failed.
    Failed(Failure),
    /// A policy or the user denied the call.
    Denied(Denial),
    /// The file that the call would overwrite has changed since it was read.
    StaleWrite(StaleWrite),
    /// The call was stopped before it returned a result.
    Cancelled(Interruption),
    /// The run cannot continue: the only error that ends the run.
    Fatal(FatalError),
}

/// The failure of a tool that ran, with the error that the tool returned.
#[derive(Debug)]
pub struct Failure {
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl Failure {
    /// Returns the error that the tool returned, if there was one.
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

/// The denial of a call by the user, by a policy or for a capability that was not granted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Denial {
    /// The reason, as text for the model.
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

/// The error for a file that has changed since it was read, so that writing would lose the change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` has changed since it was read; read it again, then repeat the change")]
pub struct StaleWrite {
    /// The path in the spelling of the caller.
    pub path: String,
}

/// The interruption of a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}{}", if *outcome_unknown { "; it may have taken effect: check before you repeat it" } else { "" })]
pub struct Interruption {
    /// The reason.
    pub reason: String,
    /// Whether the work may still go on, or may have taken effect.
    pub outcome_unknown: bool,
}

impl Interruption {
    /// Creates the interruption for a cancellation by the caller.
    #[must_use]
    pub fn cancelled(outcome_unknown: bool) -> Self {
        Self {
            reason: "the call was cancelled".into(),
            outcome_unknown,
        }
    }

    /// Creates the interruption for an expired deadline.
    #[must_use]
    pub fn deadline(outcome_unknown: bool) -> Self {
        Self {
            reason: "the call did not finish before its deadline".into(),
            outcome_unknown,
        }
    }
}

/// Ends the run: returned by a tool if no later result can be trusted.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::prelude::*;
/// use helve::tool::FatalError;
///
/// /// Writes a line to the log.
/// #[tool]
/// fn log(
///     /// The line.
///     line: &str,
/// ) -> Result<(), FatalError> {
///     Err(FatalError { message: format!("the disk is gone: {line}") })
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FatalError {
    /// The message for the user.
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

    /// Creates a failure with the error that caused it.
    pub fn caused_by(source: Box<dyn Error + Send + Sync>) -> Self {
        known_error(&*source).unwrap_or_else(|| {
            Self::Failed(Failure {
                message: chain_text(&*source),
                source: Some(source),
            })
        })
    }

    /// Adds the end of the output that the tool had produced before it failed, which often explains the failure.
    pub(crate) fn with_output(self, output: &str) -> Self {
        match self {
            Self::Failed(failure) if !output.is_empty() => Self::Failed(Failure {
                message: format!("{}\n\nIt had put out:\n{output}", failure.message),
                source: failure.source,
            }),
            other => other,
        }
    }

    /// Returns the stable name of this kind of error, as used in the journal and in JSON lines.
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

/// Finds an error of helve in a chain of causes, which keeps its kind wherever it is in the chain. Its message
/// includes the messages of the whole chain.
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

/// Formats an error and its causes in one line, as anyhow's `{:#}` does, without repeating a cause that the error
/// already contains.
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
    //! The conversion of a tool's error type to a [`ToolError`], resolved where the type is concrete.

    use super::{Error, ToolError};

    /// Wraps the error of a tool; method resolution selects the conversion.
    #[derive(Debug)]
    pub struct ErrorValue<E>(pub Option<E>);

    impl ErrorValue<anyhow::Error> {
        /// Converts an anyhow error and finds helve's own errors in it, which anyhow's conversion to a box would hide.
        #[must_use]
        pub fn into_tool_error(self) -> ToolError {
            let Some(error) = self.0 else {
                return ToolError::failed("the tool failed");
            };
            let known = super::known_error(error.as_ref());
            known.unwrap_or_else(|| ToolError::caused_by(error.into()))
        }
    }

    /// Converts errors that have their own conversion.
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

    /// Converts anything that converts to a boxed error: anyhow's errors, `String`, boxed errors.
    pub trait ViaBox<E> {
        /// Converts the error. Takes `&mut self`, so that conversions that take `self` by value take precedence.
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

    /// The error type of a tool that cannot fail.
    #[derive(Debug)]
    pub enum Never {}

    impl From<Never> for ToolError {
        fn from(never: Never) -> Self {
            match never {}
        }
    }
}
