//! The client of a call, as the tools use it: requests for input, log messages and progress.
//!
//! A call does not write to the client itself. The call sends [`ClientMessage`]s into a channel, and the code that drives
//! the call forwards them over a [`ClientChannel`]: the connection of the request that the call answers. A call that is
//! resumed is driven by another request, and so has another connection than before.

mod call_client;
mod channel;
mod convert;
mod features;
mod log_level;
mod message;
mod open_requests;
mod pending_request;
mod undeclared;

pub(super) use call_client::CallClient;
pub(super) use channel::ClientChannel;
pub(super) use convert::{block_to_rmcp, contents_to_rmcp};
pub(super) use features::{ClientFeatures, RequestContext, is_modern};
pub(super) use log_level::{LogFilter, SessionLogLevel};
pub(super) use message::{CHANNEL_CAPACITY, ClientMessage, Notification};
pub(super) use open_requests::OpenRequests;
pub(super) use pending_request::PendingRequest;
pub(super) use undeclared::UndeclaredCapability;
