//! The selection of a server's tools by patterns.

use crate::ToolSelection;
use helve_core::support::wildcard::matches;

/// Returns whether a tool is selected, by the server's own name of the tool.
pub(super) fn is_selected(selection: &ToolSelection, tool: &str) -> bool {
    let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, tool));
    selection.only.as_deref().is_none_or(any) && !any(&selection.without)
}

/// Returns the patterns that match no tool, because of a typo or because the server has removed the tool.
pub(super) fn unmatched<'s>(selection: &'s ToolSelection, tools: &[&str]) -> Vec<&'s str> {
    let only = selection.only.iter().flatten();
    let patterns = only.chain(&selection.without).map(String::as_str);
    patterns
        .filter(|pattern| !tools.iter().any(|tool| matches(pattern, tool)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{ToolSelection, is_selected};

    #[test]
    fn exclusions_override_the_selection() {
        let mut selection = ToolSelection::default();
        assert!(is_selected(&selection, "read"));
        selection.only = Some(vec!["read*".to_owned()]);
        selection.without = vec!["*_all".to_owned()];
        assert!(is_selected(&selection, "read_one"));
        assert!(!is_selected(&selection, "read_all"));
        assert!(!is_selected(&selection, "write_one"));
        selection.only = Some(Vec::new());
        assert!(!is_selected(&selection, "read_one"));
    }
}
