//! The key of a cached result.

use serde_json::Value;

use helve_core::tool::{Principal, Tool, ToolContext};
use helve_core::transcript::{AgentId, SessionId};

/// The tool, the caller, the arguments, and the size limit of the result, which tools may read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CacheKey {
    tool: String,
    agent: AgentId,
    session: SessionId,
    principal: Principal,
    arguments: String,
    result_budget: usize,
}

impl CacheKey {
    /// Creates the key of a call; returns `None` if its result must not be cached.
    pub(super) fn for_call(tool: &dyn Tool, cx: &ToolContext, arguments: &str) -> Option<Self> {
        let spec = tool.spec();
        let may_keep = spec.cached && spec.annotations.read_only == Some(true) && !cx.is_dry_run();
        // Without a session, the owner of the result is unknown.
        if !may_keep || cx.session_id().is_empty() {
            return None;
        }
        Some(Self {
            tool: spec.name.to_string(),
            agent: cx.agent_id().clone(),
            session: cx.session_id().clone(),
            principal: cx.principal().clone(),
            arguments: canonical_arguments(arguments)?,
            result_budget: cx.result_budget(),
        })
    }

    pub(super) fn weight(&self) -> usize {
        self.tool.len() + self.arguments.len() + size_of::<Self>()
    }
}

/// Returns the canonical form of arguments: without white space, with sorted keys. Returns `None` if the text is not a
/// JSON object.
fn canonical_arguments(arguments: &str) -> Option<String> {
    let arguments = Some(arguments.trim()).filter(|text| !text.is_empty());
    let mut value: Value = serde_json::from_str(arguments.unwrap_or("{}")).ok()?;
    value.sort_all_objects();
    value.is_object().then(|| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::canonical_arguments;

    #[test]
    fn spelling_does_not_matter() {
        let first = canonical_arguments(r#"{"b": [1, {"d": 1, "c": 2}], "a": "\u0041"}"#);
        assert_eq!(
            first,
            canonical_arguments(r#"{"a":"A","b":[1,{"c":2,"d":1}]}"#)
        );
        assert_eq!(canonical_arguments(" "), canonical_arguments("{}"));
        assert_eq!(canonical_arguments("[1]"), None);
        assert_ne!(
            canonical_arguments(r#"{"a":1}"#),
            canonical_arguments(r#"{"a":"1"}"#)
        );
    }
}
