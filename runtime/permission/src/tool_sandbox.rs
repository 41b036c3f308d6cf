//! The sandboxes of individual tools.

use std::borrow::Cow;
use std::sync::Arc;

use helve_core::authority;
use helve_core::sandbox::LazySandbox;
use helve_core::support::wildcard;
use helve_core::tool::ToolContext;

/// Returns the context of the calls of a tool: with its own sandbox and the files of that, if it has one.
pub(super) fn context_of_tool<'c>(context: &'c ToolContext, tool: &str) -> Cow<'c, ToolContext> {
    let grants = authority::grants(context);
    let is_its = |pattern: &String| wildcard::matches(pattern, tool);
    let mut own = grants.tool_sandboxes.iter();
    let Some(own) = own.find(|own| own.tools.iter().any(is_its)) else {
        return Cow::Borrowed(context);
    };
    let mut grants = grants.clone();
    grants.sandbox = Some(Arc::clone(&own.sandbox));
    grants.files.clone_from(&own.files);
    Cow::Owned(context.derive().grants(grants).build())
}

/// Lists all sandboxes of a session.
pub(super) fn sandboxes(context: &ToolContext) -> impl Iterator<Item = &Arc<LazySandbox>> {
    let grants = authority::grants(context);
    let own = grants.tool_sandboxes.iter().map(|own| &own.sandbox);
    grants.sandbox.iter().chain(own)
}
