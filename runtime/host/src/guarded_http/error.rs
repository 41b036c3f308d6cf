//! What can go wrong with a request that was allowed.

use std::time::Duration;

/// A request that got no response, in words for the model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The method is none.
    #[error("`{}` is no HTTP method; use one such as GET or POST", method.escape_debug())]
    Method {
        /// The method, shortened.
        method: String,
    },
    /// A header cannot be sent.
    #[error("the header `{}` cannot be sent: {why}", name.escape_debug())]
    Header {
        /// Its name, shortened.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// One redirect led to the next.
    #[error("gave up after {limit} requests, each redirected to the next, at last to `{url}`")]
    Redirects {
        /// How many requests there were.
        limit: usize,
        /// Where the last one led.
        url: String,
    },
    /// The response is longer than can be taken.
    #[error("the response has more than {limit} bytes; ask for less of it")]
    TooLarge {
        /// How many bytes can be taken.
        limit: usize,
    },
    /// It took too long.
    #[error("there was no whole response within {limit:?}")]
    TimedOut {
        /// How long it may take.
        limit: Duration,
    },
    /// The host did not answer as it should.
    #[error("the host is allowed, and there was no response from it")]
    Transport(#[source] reqwest::Error),
    /// The HTTP client cannot be made.
    #[error("the HTTP client cannot be made; are there certificates on this system?")]
    Client(#[source] reqwest::Error),
    /// The program is ending.
    #[error("the program is shutting down")]
    Stopped,
}

impl HttpError {
    /// Converts an error of the client without the URL, which may hold a token.
    pub(super) fn transport(error: reqwest::Error) -> Self {
        Self::Transport(error.without_url())
    }
}
