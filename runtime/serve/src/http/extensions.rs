//! The extensions that the middleware adds to requests.

use std::net::IpAddr;
use std::sync::Arc;

/// The local address of the connection of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalAddress(pub(super) IpAddr);

/// The principal whose token a request has; `None` if the server needs no token.
#[derive(Debug, Clone)]
pub(super) struct Authenticated(pub(super) Option<Arc<str>>);
