//! The check of a connection that was not used for a while.

use std::time::Duration;

use rmcp::model::{ClientRequest, PingRequest};

use super::calls::ActiveRequest;
use super::live::LiveConnection;
use super::request::OutboundRequest;
use super::{CallError, Operation};
use crate::ServerName;

/// The idle time after which a server is pinged before its next request.
const MAX_IDLE: Duration = Duration::from_secs(60);
/// How long a server may take to answer a ping.
const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// Reports whether a connection can be used. A server that was idle is pinged first, and its connection is retired if
/// the server does not answer: a request that is sent to a dead server is lost, and must not be repeated.
pub(super) async fn is_usable(live: &LiveConnection, server: &ServerName) -> bool {
    if live.idle_time() < MAX_IDLE {
        return true;
    }
    let what = Operation::Reading("a ping".to_owned());
    let request = OutboundRequest::new(server, what, None, PING_TIMEOUT);
    let ping = ClientRequest::PingRequest(PingRequest::default());
    let active = ActiveRequest::new(None);
    let dead = match request.once(live, &active, ping).await {
        // A server that refuses the ping is there.
        Ok(_) | Err(CallError::Refused { .. } | CallError::Unauthorized { .. }) => return true,
        Err(error) => error,
    };
    tracing::debug!(error = %dead, "an MCP server does not answer and is started again");
    live.useless.cancel();
    false
}
