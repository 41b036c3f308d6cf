//! The definitions of a server, as entries of an approval.

use std::fmt::Write as _;

use rmcp::model::Tool;
use serde_json::Value;

use helve_permission::acceptances::{ContentEntry, EntryKind, digest_of_fields};

/// Returns the entry of a tool. The digest covers the text that the model reads and the schemas that calls are
/// validated against.
pub(crate) fn tool_entry(tool: &Tool) -> ContentEntry {
    let input = Value::Object((*tool.input_schema).clone());
    let output = tool.output_schema.as_deref().cloned();
    let output = output.map(Value::Object);
    let annotations = tool.annotations.as_ref();
    let annotations = annotations.and_then(|hints| serde_json::to_value(hints).ok());
    let canonical = |value: Option<&Value>| value.map(|value| sorted(value).to_string());
    let description = tool.description.as_deref().unwrap_or_default();
    let meaning = digest_of_fields([
        &*tool.name,
        description,
        &canonical(Some(&input)).unwrap_or_default(),
        &canonical(output.as_ref()).unwrap_or_default(),
    ]);
    let hints = digest_of_fields([
        tool.title.as_deref().unwrap_or_default(),
        &canonical(annotations.as_ref()).unwrap_or_default(),
    ]);
    let text = written(tool, &input, output.as_ref(), annotations.as_ref());
    ContentEntry::from_name(EntryKind::Tool, &*tool.name)
        .digest(meaning)
        .hints(hints)
        .text(&text)
        .summary(effects(tool), description)
}

/// Names the effects that a tool declares.
fn effects(tool: &Tool) -> &'static str {
    let hints = tool.annotations.as_ref();
    let hints = hints.map(|hints| (hints.read_only_hint, hints.destructive_hint));
    match hints {
        Some((Some(true), _)) => "read-only",
        Some((_, Some(true))) => "destructive",
        Some((Some(false), _) | (_, Some(false))) => "writes",
        _ => "no hints",
    }
}

pub(crate) fn instructions_entry(text: &str) -> ContentEntry {
    ContentEntry::with_text(EntryKind::Instructions, "", text)
}

#[cfg(feature = "skills")]
pub(crate) fn skill_entry(name: &str, digest: impl std::fmt::Display, text: &str) -> ContentEntry {
    ContentEntry::from_name(EntryKind::Skill, name)
        .digest(digest.to_string())
        .text(text)
}

/// Renders a tool as text, so that differences can be displayed line by line.
fn written(
    tool: &Tool,
    input: &Value,
    output: Option<&Value>,
    annotations: Option<&Value>,
) -> String {
    let mut text = String::new();
    if let Some(title) = &tool.title {
        let _ = writeln!(text, "title: {title}");
    }
    let _ = writeln!(
        text,
        "{}",
        tool.description.as_deref().unwrap_or_default().trim_end()
    );
    let schemas = [
        ("hints", annotations),
        ("arguments", Some(input)),
        ("result", output),
    ];
    for (name, value) in schemas {
        if let Some(value) = value {
            let pretty = serde_json::to_string_pretty(&sorted(value)).unwrap_or_default();
            let _ = writeln!(text, "{name}: {pretty}");
        }
    }
    text
}

/// Sorts the keys of a value, so that their order does not matter.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            entries
                .into_iter()
                .map(|(key, value)| (key.clone(), sorted(value)))
                .collect()
        }
        Value::Array(list) => list.iter().map(sorted).collect(),
        other => other.clone(),
    }
}
