//! The errors of models.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use helve_core::tool::chain_text;

/// The error of a reply that failed or is incomplete.
///
/// ```
/// use helve::model::ModelError;
///
/// let error = ModelError::provider("the queue is full");
/// assert_eq!(error.full_message(), "the model could not reply: the queue is full");
/// assert!(!error.is_transient());
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The provider responded with an error.
    #[error(transparent)]
    Api(Box<ApiError>),
    /// The provider could not be reached, or the connection was lost.
    #[error("{provider} could not be reached: {what}")]
    Network {
        /// The provider.
        provider: String,
        /// The problem, and what the user can do about it.
        what: String,
        /// The error of the HTTP client.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The provider was silent for too long.
    #[error("{provider} sent nothing for {} s", waited.as_secs())]
    TimedOut {
        /// The provider.
        provider: String,
        /// The time limit.
        waited: Duration,
    },
    /// A required setting of the provider is missing.
    #[error("{what}")]
    NotConfigured {
        /// The missing setting, and how to set it.
        what: String,
    },
    /// The provider failed in another way.
    #[error("the model could not reply: {0}")]
    Provider(#[source] Box<dyn Error + Send + Sync>),
    /// The stream ended without a stop event.
    #[error("the model's reply is incomplete: the stream ended without a stop event")]
    UnexpectedEnd,
    /// The events contradict each other.
    #[error("the model's reply is malformed: {0}")]
    Malformed(String),
    /// A scripted or replayed model has no further reply.
    #[error(
        "the model's script is exhausted: all {used} replies were used and another one was requested"
    )]
    ScriptEnded {
        /// The number of replies, all of which were used.
        used: usize,
    },
}

impl ModelError {
    /// Returns the error message with the causes that `Display` omits.
    #[must_use]
    pub fn full_message(&self) -> String {
        match self {
            Self::Provider(_) => chain_text(self),
            // The message of a connection error contains the cause.
            _ => self.to_string(),
        }
    }

    pub(crate) fn malformed(what: impl Into<String>) -> Self {
        Self::Malformed(what.into())
    }

    pub(crate) fn not_configured(what: impl Into<String>) -> Self {
        Self::NotConfigured { what: what.into() }
    }

    /// Wraps the error of a provider, or a message.
    pub fn provider(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Provider(error.into())
    }

    /// Reports whether a retry of the same request may succeed.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Api(error) => error.kind.is_transient(),
            Self::Network { .. } | Self::TimedOut { .. } | Self::UnexpectedEnd => true,
            Self::NotConfigured { .. }
            | Self::Provider(_)
            | Self::Malformed(_)
            | Self::ScriptEnded { .. } => false,
        }
    }

    /// Returns the delay that the provider requests before a retry, if any.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Api(error) => error.retry_after,
            _ => None,
        }
    }
}

impl From<ApiError> for ModelError {
    fn from(error: ApiError) -> Self {
        Self::Api(Box::new(error))
    }
}

/// An error response of a provider, or an error within a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiError {
    /// The kind of the error.
    pub kind: ApiErrorKind,
    /// The provider.
    pub provider: String,
    /// The message of the provider.
    pub message: String,
    /// The HTTP status; `None` if the error was received within a stream.
    pub status: Option<u16>,
    /// The provider's error code, such as `overloaded_error`.
    pub code: Option<String>,
    /// The delay that the provider requests before a retry.
    pub retry_after: Option<Duration>,
    /// The provider's id of the request, for support requests.
    pub request_id: Option<String>,
    /// Advice for the user.
    pub advice: Option<String>,
}

impl ApiError {
    /// Creates an error of a kind with the provider's message.
    pub fn new(
        kind: ApiErrorKind,
        provider: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            provider: provider.into(),
            message: message.into(),
            status: None,
            code: None,
            retry_after: None,
            request_id: None,
            advice: None,
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.provider, self.kind)?;
        match (self.status, &self.code) {
            (Some(status), Some(code)) => write!(f, " ({status}, {code})")?,
            (Some(status), None) => write!(f, " ({status})")?,
            (None, _) => {}
        }
        write!(f, ": {}", self.message)?;
        match &self.advice {
            Some(advice) => write!(f, "; {advice}"),
            None => Ok(()),
        }
    }
}

impl Error for ApiError {}

/// The kind of an error response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ApiErrorKind {
    /// The key is missing, wrong or expired.
    Authentication,
    /// The key is valid, and lacks a permission.
    Permission,
    /// The model or the URL does not exist.
    NotFound,
    /// The rate limit is exceeded.
    RateLimited,
    /// The credit or the quota is used up.
    Quota,
    /// The conversation exceeds the context window of the model.
    ContextTooLong,
    /// The request is invalid.
    InvalidRequest,
    /// The provider is overloaded.
    Overloaded,
    /// The provider had an internal error.
    Server,
    /// Any other error.
    Other,
}

impl ApiErrorKind {
    /// Reports whether a retry of the same request may succeed.
    #[must_use]
    pub fn is_transient(self) -> bool {
        matches!(self, Self::RateLimited | Self::Overloaded | Self::Server)
    }
}

impl fmt::Display for ApiErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Authentication => "does not accept the key",
            Self::Permission => "does not allow this key to do that",
            Self::NotFound => "does not have the requested model or path",
            Self::RateLimited => "is rate limiting requests",
            Self::Quota => "reports that the quota is exhausted",
            Self::ContextTooLong => "rejected the conversation as too long for the model",
            Self::InvalidRequest => "rejected the request as invalid",
            Self::Overloaded => "is overloaded",
            Self::Server => "failed",
            Self::Other => "answered with an error",
        })
    }
}
