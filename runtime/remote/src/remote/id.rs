//! Unique ids.

use helve_core::sandbox::SandboxId;
use helve_core::support::random;

pub(in super::super) fn new_id() -> SandboxId {
    let name = format!("helve-{}", nonce());
    SandboxId::new(&name).unwrap_or_else(|_| unreachable!("letters and digits are a handle"))
}

/// Makes a unique name: for files beside others, and for sandboxes.
pub(super) fn nonce() -> String {
    random::hex::<12>()
}
