//! Operations of the runtime's packages on a call that tools may not use: `helve` re-exports none of them.

use std::sync::Arc;

use crate::capability::{Confinement, Grants};
use crate::sandbox::SandboxFs;
use crate::tool::{Permit, ToolContext};

/// Issues the permit to run a call in a context, under the confinement that its verdict is based on.
pub fn issue_permit(context: ToolContext, confinement: Confinement) -> Permit {
    Permit::new(context, confinement)
}

/// Moves a permit to a context that is derived from the permit's own context.
pub fn move_permit(permit: Permit, context: ToolContext) -> Permit {
    permit.with_context(context)
}

/// Returns all capabilities that the host granted, whatever the tool declared.
#[must_use]
pub fn grants(context: &ToolContext) -> &Grants {
    context.grants()
}

/// Returns the files that the host granted, whatever the tool declared.
#[must_use]
pub fn granted_files(context: &ToolContext) -> Option<&Arc<dyn SandboxFs>> {
    context.granted_files()
}
