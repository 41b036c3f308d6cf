//! The sealed name of a waiting call.

use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{Deserialize, Serialize};

use crate::support::random;
use crate::tool::Principal;
use crate::transcript::ToolCall;

/// Seals and opens the names of waiting calls; another process, or a later one, opens none of them.
pub(super) struct Seal(RequestStateCodec);

/// Names a question of a waiting call.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct Ticket {
    pub(super) call: u64,
    pub(super) round: u64,
}

impl Seal {
    pub(super) fn new() -> Self {
        Self(RequestStateCodec::new_unchecked(
            random::bytes::<32>().to_vec(),
        ))
    }

    /// Seals the name of a question, for this principal and this call alone.
    pub(super) fn seal(&self, ticket: Ticket, principal: &Principal, call: &ToolCall) -> String {
        let payload = format!("{} {}", ticket.call, ticket.round);
        let bound = bound(principal, &call.name, &call.arguments);
        let options = SealOptions::new().associated_data(&bound);
        self.0.seal_with(payload.as_bytes(), &options)
    }

    /// Opens a name; `None` where it was not sealed for this principal and this call.
    pub(super) fn open(
        &self,
        sealed: &str,
        principal: &Principal,
        name: &str,
        arguments: &str,
    ) -> Option<Ticket> {
        let bound = bound(principal, name, arguments);
        let payload = String::from_utf8(self.0.open_with(sealed, &bound).ok()?).ok()?;
        let (call, round) = payload.split_once(' ')?;
        Some(Ticket {
            call: call.parse().ok()?,
            round: round.parse().ok()?,
        })
    }
}

/// Writes down whom and what a name is bound to; as JSON, so that no part runs into the next.
fn bound(principal: &Principal, tool: &str, arguments: &str) -> Vec<u8> {
    // A few texts always serialise.
    serde_json::to_vec(&(principal, tool, arguments)).unwrap_or_default()
}
