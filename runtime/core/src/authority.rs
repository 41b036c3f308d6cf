//! What the packages of the runtime may do with a call, and a tool may not: `helve` re-exports none of it.

use std::sync::Arc;

use crate::capability::{Confinement, Grants};
use crate::sandbox::SandboxFs;
use crate::tool::{Permit, ToolContext};

/// Lets a call run in a context, held to what its verdict is based on.
pub fn issue_permit(context: ToolContext, confinement: Confinement) -> Permit {
    Permit::new(context, confinement)
}

/// Lets the same call run in a context that was derived from the one of its permit.
pub fn move_permit(permit: Permit, context: ToolContext) -> Permit {
    permit.with_context(context)
}

/// Returns all that the host granted, whatever the tool declared.
#[must_use]
pub fn grants(context: &ToolContext) -> &Grants {
    context.grants()
}

/// Returns the files that the host granted, whatever the tool declared.
#[must_use]
pub fn granted_files(context: &ToolContext) -> Option<&Arc<dyn SandboxFs>> {
    context.granted_files()
}
