//! Classifies the errors of transports.

use std::error::Error;

use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::origin::Elsewhere;
use crate::OAuthError;
use crate::sanitize::one_line;

/// The class of a transport's error, with its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The server requires authentication.
    Unauthorized(String),
    /// The server was not reached, and the message was not sent.
    Unreachable(String),
    /// The session is unknown to the server, and the message was not handled.
    SessionLost(String),
    /// Any other error; the message may have arrived.
    Broken(String),
}

/// What to do about a server that requires authentication.
const LOG_IN: &str = "log in with `mcp login` and its name, or set a token in its headers";

type Http = StreamableHttpError<reqwest::Error>;

impl Failure {
    pub(crate) fn from_source(error: &(dyn Error + 'static)) -> Self {
        let mut link = Some(error);
        while let Some(error) = link {
            if let Some(error) = error.downcast_ref::<OAuthError>() {
                return Self::Unauthorized(error.to_string());
            }
            if let Some(error) = error.downcast_ref::<Http>() {
                return Self::of_http(error);
            }
            link = error.source();
        }
        Self::Broken(one_line(&deepest(error).to_string(), 500))
    }

    pub(crate) fn reason(&self) -> &str {
        match self {
            Self::Unauthorized(reason)
            | Self::Unreachable(reason)
            | Self::SessionLost(reason)
            | Self::Broken(reason) => reason,
        }
    }

    fn of_http(error: &Http) -> Self {
        match error {
            Http::AuthRequired(_) => Self::Unauthorized(LOG_IN.to_owned()),
            Http::InsufficientScope(error) => Self::Unauthorized(match &error.required_scope {
                Some(scope) => format!(
                    "the login does not cover the scope `{}`: log in again with `mcp login` and its name",
                    one_line(scope, 200)
                ),
                None => "it forbids this to the login that it was shown".to_owned(),
            }),
            Http::Client(error) => Self::of_client(error),
            Http::Io(error) => match error.get_ref().and_then(|error| error.downcast_ref()) {
                Some(error) => Self::Unauthorized(OAuthError::reason(error)),
                None => Self::Broken(error.to_string()),
            },
            Http::SessionExpired | Http::ReinitializationFailed(_) => {
                Self::SessionLost("it has forgotten the session".to_owned())
            }
            Http::UnexpectedServerResponse(text) => {
                let text = one_line(text, 500);
                // Some servers respond to an unknown session with "bad request".
                if text.starts_with("HTTP 400") || text.starts_with("HTTP 404") {
                    Self::SessionLost(format!("it answered {text}"))
                } else if text.starts_with("HTTP 401") {
                    Self::Unauthorized(LOG_IN.to_owned())
                } else if text.starts_with("HTTP ") {
                    Self::Broken(format!("it answered {text}"))
                } else {
                    Self::Broken(text)
                }
            }
            Http::HttpStatus(status) => Self::Broken(format!("it answered HTTP {}", status.status)),
            Http::ResponseBodyTooLarge { max_size } => Self::Broken(format!(
                "it sent an answer of more than {} MiB",
                max_size >> 20
            )),
            Http::UnexpectedContentType(kind) => Self::Broken(format!(
                "it answered with {}, which is neither JSON nor events: see whether the address is that of its MCP \
                 endpoint",
                kind.as_deref()
                    .map_or("no content type".to_owned(), |kind| format!(
                        "`{}`",
                        one_line(kind, 100)
                    ))
            )),
            other => Self::Broken(one_line(&deepest(other).to_string(), 500)),
        }
    }

    fn of_client(error: &reqwest::Error) -> Self {
        if let Some(status) = error.status() {
            return Self::Broken(format!("it answered HTTP {}", status.as_u16()));
        }
        let cause = deepest(error);
        // The client's own message repeats the address, which may contain a password.
        let words = match cause.downcast_ref::<Elsewhere>() {
            Some(elsewhere) => elsewhere.to_string(),
            None if cause.is::<reqwest::Error>() && error.is_timeout() => {
                "no answer in time".to_owned()
            }
            None if cause.is::<reqwest::Error>() => "the request failed".to_owned(),
            None => one_line(&cause.to_string(), 300),
        };
        if error.is_connect() {
            Self::Unreachable(words)
        } else {
            Self::Broken(words)
        }
    }
}

/// Returns the root cause of an error, which is the most specific one.
fn deepest<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest
}
