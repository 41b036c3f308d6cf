//! What a transport's error means to whoever asked.

use std::error::Error;

use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::origin::Elsewhere;
use crate::mcp::OAuthError;
use crate::mcp::connection::words::tidy;

/// What a transport's error means, and what is told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::mcp) enum Failure {
    /// The server wants to know who the user is.
    Unauthorized(String),
    /// Nobody was reached: nothing was asked.
    Unreachable(String),
    /// The server no longer knows the session, and has not looked at the message.
    SessionLost(String),
    /// Something else; the message may have arrived.
    Broken(String),
}

type Http = StreamableHttpError<reqwest::Error>;

impl Failure {
    /// Finds out what an error means.
    pub(in crate::mcp) fn of(error: &(dyn Error + 'static)) -> Self {
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
        Self::Broken(tidy(&deepest(error).to_string(), 500))
    }

    /// Returns the words.
    pub(in crate::mcp) fn reason(&self) -> &str {
        match self {
            Self::Unauthorized(reason)
            | Self::Unreachable(reason)
            | Self::SessionLost(reason)
            | Self::Broken(reason) => reason,
        }
    }

    fn of_http(error: &Http) -> Self {
        match error {
            Http::AuthRequired(_) => Self::Unauthorized(
                "log in with `mcp login` and its name, or set a token in its headers".to_owned(),
            ),
            Http::InsufficientScope(error) => Self::Unauthorized(match &error.required_scope {
                Some(scope) => format!(
                    "the login does not cover the scope `{}`: log in again with `mcp login` and its name",
                    tidy(scope, 200)
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
                let text = tidy(text, 500);
                // Several servers refuse an unknown session as a bad request.
                if text.starts_with("HTTP 400") || text.starts_with("HTTP 404") {
                    Self::SessionLost(format!("it answered {text}"))
                } else if text.starts_with("HTTP 401") {
                    Self::Unauthorized(
                        "log in with `mcp login` and its name, or set a token in its headers"
                            .to_owned(),
                    )
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
                        tidy(kind, 100)
                    ))
            )),
            other => Self::Broken(tidy(&deepest(other).to_string(), 500)),
        }
    }

    fn of_client(error: &reqwest::Error) -> Self {
        if let Some(status) = error.status() {
            return Self::Broken(format!("it answered HTTP {}", status.as_u16()));
        }
        let cause = deepest(error);
        // The words of the client itself repeat the address, which may hold a password.
        let words = match cause.downcast_ref::<Elsewhere>() {
            Some(elsewhere) => elsewhere.to_string(),
            None if cause.is::<reqwest::Error>() && error.is_timeout() => {
                "no answer in time".to_owned()
            }
            None if cause.is::<reqwest::Error>() => "the request failed".to_owned(),
            None => tidy(&cause.to_string(), 300),
        };
        if error.is_connect() {
            Self::Unreachable(words)
        } else {
            Self::Broken(words)
        }
    }
}

/// Returns the first cause of an error, which says most.
fn deepest<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest
}
