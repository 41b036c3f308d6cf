//! The HTTP transport that the native clients share.
//!
//! A client encodes the body of a request, returns its path, and implements a [`Decoder`] for the reply.
//! [`post_stream`] sends the request over the network, and [`decode`] decodes a response of another transport.

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
pub(crate) use connection::{get_json, post_json, post_stream, probe};
pub(crate) use decode::{Decoder, SseEvent, decode, redact_error};
pub use endpoint::Endpoint;
pub(crate) use endpoint::without_secrets;
pub use head::ResponseHead;
#[cfg(feature = "genai")]
pub(crate) use network_error::unreachable_error;
