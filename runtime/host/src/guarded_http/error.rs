//! Errors of a request that was allowed.

use std::time::Duration;

use helve_net::DecodeError;

/// An error of a request that got no response, worded for the model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The method is not a valid HTTP method.
    #[error("`{}` is no HTTP method; use one such as GET or POST", method.escape_debug())]
    Method {
        /// The method, shortened.
        method: String,
    },
    /// A header cannot be sent.
    #[error("the header `{}` cannot be sent: {why}", name.escape_debug())]
    Header {
        /// The name of the header, shortened.
        name: String,
        /// The reason why the header cannot be sent.
        why: &'static str,
    },
    /// A secret of the request may not be sent there.
    #[error("the secret `{}` is not sent: {why}", name.escape_debug())]
    Secret {
        /// The name of the secret.
        name: String,
        /// The reason why it is not sent.
        why: String,
    },
    /// The request exceeded the limit of redirects.
    #[error("gave up after {limit} requests, each redirected to the next, at last to `{url}`")]
    Redirects {
        /// The greatest number of requests.
        limit: usize,
        /// The URL that the last redirect led to.
        url: String,
    },
    /// The response exceeds the size limit.
    #[error("the response has more than {limit} bytes; ask for less of it")]
    TooLarge {
        /// The greatest size of a response, in bytes.
        limit: usize,
    },
    /// The request exceeded the time limit.
    #[error("there was no whole response within {limit:?}")]
    TimedOut {
        /// The time limit of a request.
        limit: Duration,
    },
    /// The connection or the exchange with the host failed.
    #[error("the host is allowed, and there was no response from it")]
    Transport(#[source] reqwest::Error),
    /// The response is compressed, and cannot be decoded.
    #[error(transparent)]
    Decode(DecodeError),
    /// The HTTP client cannot be created.
    #[error("the HTTP client cannot be made; are there certificates on this system?")]
    Client(#[source] reqwest::Error),
    /// The program is shutting down.
    #[error("the program is shutting down")]
    Stopped,
}

impl HttpError {
    /// Converts an error of the client without the URL, which may contain a token.
    pub(super) fn transport(error: reqwest::Error) -> Self {
        Self::Transport(error.without_url())
    }
}

impl From<DecodeError> for HttpError {
    fn from(error: DecodeError) -> Self {
        match error {
            DecodeError::TooLarge { limit } => Self::TooLarge { limit },
            DecodeError::TimedOut { limit } => Self::TimedOut { limit },
            other => Self::Decode(other),
        }
    }
}
