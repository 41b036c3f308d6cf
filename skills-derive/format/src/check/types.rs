//! The rules for the types of the other fields.

use super::candidate::RuleInput;
use super::findings::into_findings;
use crate::codes::Code;
use crate::front_matter::{Value, allowed_tools};
use crate::problem::Finding;

/// Checks that `license` is text.
pub(super) fn license_is_text(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    let field = skill.front_matter.get("license");
    into_findings(field.and_then(|field| {
        (!matches!(field.value, Value::Text(_))).then(|| {
            let message = format!("`license` is {}, not text", field.value.kind());
            Finding::new(code, message)
                .with_position(field.at)
                .with_help("name the licence, or the file that holds it: `license: Apache-2.0`")
        })
    }))
}

/// Checks that `metadata` maps text to text.
pub(super) fn metadata_is_text(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    let Some(field) = skill.front_matter.get("metadata") else {
        return Vec::new();
    };
    let entries = match &field.value {
        Value::Mapping(entries) => entries,
        // `metadata:` without a value is a mapping without entries.
        Value::Text(text) if text.is_empty() => return Vec::new(),
        value => {
            let message = format!("`metadata` is {}, not a mapping", value.kind());
            let help = "write `key: value` lines under it, indented";
            return vec![
                Finding::new(code, message)
                    .with_position(field.at)
                    .with_help(help),
            ];
        }
    };
    let nested = entries
        .iter()
        .filter(|(_, value)| !matches!(value, Value::Text(_)));
    nested
        .map(|(key, value)| {
            let message = format!("`{key}` under `metadata` is {}, not text", value.kind());
            Finding::new(code, message)
                .with_position(field.at)
                .with_help(format!("write one text: `{key}: a, b`"))
        })
        .collect()
}

/// Checks that `allowed-tools` is text.
pub(super) fn allowed_tools_are_text(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    let field = skill.front_matter.get("allowed-tools");
    into_findings(field.and_then(|field| {
        (!matches!(field.value, Value::Text(_))).then(|| {
            let message = format!("`allowed-tools` is {}, not text", field.value.kind());
            let tools = allowed_tools(&field.value).join(" ");
            Finding::new(code, message)
                .with_position(field.at)
                .with_help(format!("write `allowed-tools: {tools}`"))
        })
    }))
}
