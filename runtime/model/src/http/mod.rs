//! The transport that the native clients share: one connection to a provider, a request out, the events of a reply back.
//!
//! A client writes the body of a request, gives the path, and reads the reply with a [`Decoder`]; the rest is here.
//! [`post_stream`] does it over the network, [`decode`] without one.

mod api_error;
mod blocks;
mod connection;
mod decode;
mod endpoint;
mod head;
mod network_error;
mod sse;

pub(crate) use api_error::{ErrorBody, parse_api_error};
pub(crate) use blocks::{OutboundBlock, data_url, is_supported_image, sanitize_identifier};
#[cfg(feature = "genai")]
pub(crate) use connection::with_timeout;
pub(crate) use connection::{post_stream, probe};
#[cfg(feature = "genai")]
pub(crate) use decode::redact_error;
pub(crate) use decode::{Decoder, SseEvent, decode};
pub use endpoint::Endpoint;
pub(crate) use endpoint::without_secrets;
pub use head::ResponseHead;
#[cfg(feature = "genai")]
pub(crate) use network_error::unreachable_error;
