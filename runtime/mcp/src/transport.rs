//! The transports of connections: standard input and output of a program, HTTP, and SSE.

mod failure;
mod fault;
mod http;
mod lines;
mod origin;
mod pipe;
mod sse;
mod stdio;
mod watched;

pub(super) use self::http::open as open_http;
pub(super) use failure::Failure;
pub(super) use fault::Fault;
pub(super) use pipe::open as open_pipe;
pub(super) use sse::{SseError, open as open_sse};
pub(super) use stdio::open as open_stdio;
pub(super) use watched::{Fallback, Listener, WatchedTransport};

/// Returns the origin of a URL for messages, without the parts that may be secret.
pub(super) fn display_origin(url: &str) -> String {
    origin::address(url).map_or_else(|_| "its address".to_owned(), |url| origin::shown(&url))
}
