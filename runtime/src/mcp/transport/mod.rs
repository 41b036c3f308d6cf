//! How messages go to a server and come back: through a program's input and output, or over HTTP.

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
pub(super) use sse::{Unopened, open as open_sse};
pub(super) use stdio::open as open_stdio;
pub(super) use watched::{Fallback, Listener, Watched};

/// The most bytes of one message.
pub(super) const LONGEST_MESSAGE: usize = 16 << 20;

/// Tells the place of an address, without what may be secret in it.
pub(super) fn place(url: &str) -> String {
    origin::address(url).map_or_else(|_| "its address".to_owned(), |url| origin::shown(&url))
}
