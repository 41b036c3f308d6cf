//! The sandboxes and the network of individual tools.

use std::borrow::Cow;
use std::sync::Arc;

use helve_core::authority;
use helve_core::sandbox::LazySandbox;
use helve_core::support::wildcard;
use helve_core::tool::ToolContext;

/// Returns the context of the calls of a tool: with its own sandbox and the files of that, and its own network, if it has
/// them.
pub(super) fn context_of_tool<'c>(context: &'c ToolContext, tool: &str) -> Cow<'c, ToolContext> {
    let grants = authority::grants(context);
    let are_its = |tools: &[String]| tools.iter().any(|own| wildcard::matches(own, tool));
    let mut sandboxes = grants.tool_sandboxes.iter();
    let sandbox = sandboxes.find(|own| are_its(&own.tools));
    let http = grants.tool_http.iter().find(|own| are_its(&own.tools));
    if sandbox.is_none() && http.is_none() {
        return Cow::Borrowed(context);
    }
    let mut own_grants = grants.clone();
    if let Some(own) = sandbox {
        own_grants.sandbox = Some(Arc::clone(&own.sandbox));
        own_grants.files.clone_from(&own.files);
    }
    if let Some(own) = http {
        own_grants.http = Some(Arc::clone(&own.http));
    }
    Cow::Owned(context.derive().grants(own_grants).build())
}

/// Lists all sandboxes of a session.
pub(super) fn sandboxes(context: &ToolContext) -> impl Iterator<Item = &Arc<LazySandbox>> {
    let grants = authority::grants(context);
    let own = grants.tool_sandboxes.iter().map(|own| &own.sandbox);
    grants.sandbox.iter().chain(own)
}
