//! The transport that the native clients share: one connection to a provider, a request out, the events of a reply back.
//!
//! A client writes the body of a request, gives the path, and reads the reply with a [`Decoder`]; the rest is here.
//! [`post_stream`] does it over the network, [`decode`] without one.

#[cfg(feature = "genai")]
mod accessors;
mod api_error;
mod blocks;
mod connection;
mod decode;
mod decoder;
mod endpoint;
mod head;
mod network_error;
mod probe;
mod sse;
mod timeout;

pub(crate) use api_error::{ErrorBody, parse_api_error};
pub(crate) use blocks::{OutboundBlock, data_url};
pub(crate) use connection::post_stream;
pub(crate) use decode::decode;
pub(crate) use decoder::{Decoder, SseEvent};
pub use endpoint::Endpoint;
pub use head::ResponseHead;
#[cfg(feature = "genai")]
pub(crate) use network_error::unreachable_error;
pub(crate) use probe::probe;
