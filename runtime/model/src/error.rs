//! Why a model gave no reply.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use helve_core::tool::chain_text;

/// Why a model gave no reply, or not the whole of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The provider answered that it will not reply.
    #[error(transparent)]
    Api(Box<ApiError>),
    /// The provider could not be reached, or the connection broke.
    #[error("{provider} could not be reached: {what}")]
    Network {
        /// The provider.
        provider: String,
        /// What happened, and what the user can do about it.
        what: String,
        /// What the system says.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The provider said nothing for too long.
    #[error("{provider} sent nothing for {} s", waited.as_secs())]
    TimedOut {
        /// The provider.
        provider: String,
        /// How long was waited.
        waited: Duration,
    },
    /// A required setting of the provider is missing.
    #[error("{what}")]
    NotConfigured {
        /// What is missing, and how to supply it.
        what: String,
    },
    /// The provider, or the way to it, failed.
    #[error("the model could not reply: {0}")]
    Provider(#[source] Box<dyn Error + Send + Sync>),
    /// The stream ended without saying that the reply is over.
    #[error("the model's reply is incomplete: the stream ended without a stop event")]
    UnexpectedEnd,
    /// The events contradict each other.
    #[error("the model's reply is malformed: {0}")]
    Malformed(String),
    /// A scripted or replayed model was asked for more replies than it holds.
    #[error(
        "the model's script is exhausted: all {used} replies were used and another one was requested"
    )]
    ScriptEnded {
        /// How many replies were used, which is all of them.
        used: usize,
    },
}

impl ModelError {
    /// Returns the error message with the causes that the message leaves out.
    #[must_use]
    pub fn full_message(&self) -> String {
        match self {
            Self::Provider(_) => chain_text(self),
            // The words for a connection name the cause.
            _ => self.to_string(),
        }
    }

    pub(crate) fn malformed(what: impl Into<String>) -> Self {
        Self::Malformed(what.into())
    }

    pub(crate) fn not_configured(what: impl Into<String>) -> Self {
        Self::NotConfigured { what: what.into() }
    }

    /// Wraps the error of a provider, or a text that says what went wrong.
    pub fn provider(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Provider(error.into())
    }

    /// Reports whether the same request may well succeed a little later.
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

    /// Returns how long the provider asks the client to wait, where it says so.
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

/// What a provider answers in place of a reply, or in the middle of one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiError {
    /// What kind of error it is.
    pub kind: ApiErrorKind,
    /// The provider.
    pub provider: String,
    /// What the provider says.
    pub message: String,
    /// The HTTP status; none where the error came inside a stream that had begun well.
    pub status: Option<u16>,
    /// The provider's own word for the error, such as `overloaded_error`.
    pub code: Option<String>,
    /// How long the provider asks the client to wait.
    pub retry_after: Option<Duration>,
    /// The provider's id of the request, for its support.
    pub request_id: Option<String>,
    /// What the user can do about it.
    pub advice: Option<String>,
}

impl ApiError {
    /// Makes one of its kind and the provider's words.
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

/// What kind of error a provider answers with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ApiErrorKind {
    /// The key is missing, wrong or expired.
    Authentication,
    /// The key is good, and may not do this.
    Permission,
    /// There is no such model, or no such address.
    NotFound,
    /// Too many requests for now.
    RateLimited,
    /// The money or the quota is used up.
    Quota,
    /// The conversation is longer than the model takes.
    ContextTooLong,
    /// The request is wrong in itself.
    InvalidRequest,
    /// The provider is too busy.
    Overloaded,
    /// The provider failed.
    Server,
    /// None of these.
    Other,
}

impl ApiErrorKind {
    /// Reports whether the same request may well succeed a little later.
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
