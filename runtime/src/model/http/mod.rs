//! The transport that the native clients share: one connection to a provider, a request out, the events of a reply back.
//!
//! A client writes the body of a request, gives the path, and reads the reply with a [`Decoder`]; the rest is here.
//! [`stream`] does it over the network, [`decode`] without one.

mod blocks;
mod connection;
mod decode;
mod decoder;
mod endpoint;
mod failure;
mod frames;
mod head;
#[cfg(feature = "genai")]
mod outside;
mod reach;
mod wait;
mod wording;

pub(crate) use blocks::{Sendable, data_url};
pub(crate) use connection::stream;
pub(crate) use decode::decode;
pub(crate) use decoder::{Decoder, SseEvent};
pub use endpoint::Endpoint;
pub(crate) use failure::{ErrorBody, api_error};
pub use head::ResponseHead;
pub(crate) use reach::reach;
#[cfg(feature = "genai")]
pub(crate) use wording::unreachable;
