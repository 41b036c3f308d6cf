//! The codec of `request_state`: the sealed id of a suspended call.

use rmcp::model::{RequestStateCodec, SealOptions};

use helve_core::support::random;
use helve_core::tool::Principal;
use helve_core::transcript::ToolCall;

/// Seals and opens the ids of suspended calls. The key is random, so that no other process opens them.
pub(super) struct StateCodec(RequestStateCodec);

impl StateCodec {
    pub(super) fn new() -> Self {
        Self(RequestStateCodec::new_unchecked(
            random::bytes::<32>().to_vec(),
        ))
    }

    /// Seals the id of a call, bound to a principal and a request.
    pub(super) fn seal(&self, id: u64, principal: &Principal, call: &ToolCall) -> String {
        let data = associated_data(principal, &call.name, &call.arguments);
        let options = SealOptions::new().associated_data(&data);
        self.0.seal_with(id.to_string().as_bytes(), &options)
    }

    /// Opens an id; returns `None` if it was not sealed for this principal and this request.
    pub(super) fn open(
        &self,
        sealed: &str,
        principal: &Principal,
        name: &str,
        arguments: &str,
    ) -> Option<u64> {
        let data = associated_data(principal, name, arguments);
        let payload = self.0.open_with(sealed, &data).ok()?;
        str::from_utf8(&payload).ok()?.parse().ok()
    }
}

/// Serializes what an id is bound to. JSON keeps the parts apart.
fn associated_data(principal: &Principal, name: &str, arguments: &str) -> Vec<u8> {
    // A tuple of strings always serializes.
    serde_json::to_vec(&(principal, name, arguments)).unwrap_or_default()
}
