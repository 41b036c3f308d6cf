//! Opens the sandbox that was chosen.

use std::sync::Arc;

use super::{Sandbox, SandboxChoice, SandboxError, SandboxPolicy};

/// Opens a sandbox of the kind that was chosen.
///
/// # Errors
/// When a layer is missing that nobody accepted, or this program was built without that kind.
pub async fn open(
    choice: &SandboxChoice,
    policy: SandboxPolicy,
) -> Result<Arc<dyn Sandbox>, SandboxError> {
    let _ = policy;
    Err(SandboxError::Unavailable {
        kind: choice.to_string(),
        why: "this program was built without it".to_owned(),
    })
}
