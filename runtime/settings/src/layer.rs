//! The settings of one source.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::error::ConfigDiagnostic;
use super::key::Key;
use super::location::{FilePosition, KeyPath, SettingOrigin};
use super::value_kind::SettingValue;
use super::variables;
use helve_results::Redactor;

/// The value of a setting in one source.
#[derive(Debug, Clone)]
pub struct ConfigEntry {
    /// The key.
    pub key: Arc<Key>,
    /// The value.
    pub value: SettingValue,
    /// The source.
    pub origin: SettingOrigin,
}

#[derive(Debug, Default)]
pub struct ConfigLayer {
    pub entries: BTreeMap<KeyPath, ConfigEntry>,
    pub diagnostics: Vec<ConfigDiagnostic>,
    /// The tables that are no settings of this app.
    pub foreign_sections: Vec<ForeignSection>,
}

/// A table of a file that is no section of this app: a pack of another app may have declared it.
#[derive(Debug, Clone)]
pub struct ForeignSection {
    /// The name of the table.
    pub name: KeyPath,
    /// Where the table begins.
    pub position: FilePosition,
    /// The content.
    pub value: Value,
}

impl ConfigLayer {
    /// Creates a layer of the texts of variables or flags.
    pub fn from_texts(
        texts: impl IntoIterator<Item = (&'static Arc<Key>, SettingOrigin, String)>,
    ) -> Self {
        let mut layer = Self::default();
        for (key, origin, text) in texts {
            match key.kind.parse_text(&text) {
                Ok(value) => {
                    let entry = ConfigEntry {
                        key: key.clone(),
                        value,
                        origin,
                    };
                    layer.entries.insert(key.path(), entry);
                }
                Err(what) => layer.diagnostics.push(ConfigDiagnostic::new(&origin, what)),
            }
        }
        layer
    }
}

#[cfg(feature = "mcp")]
impl ConfigLayer {
    /// Returns the names of the MCP servers for which this source sets a command or a URL.
    pub fn server_names(&self) -> Vec<String> {
        let named = self.entries.keys().filter_map(|place| {
            let segments: Vec<&str> = place.segments().collect();
            match segments[..] {
                ["mcp", "servers", name, "command" | "url"] => Some(name.to_owned()),
                _ => None,
            }
        });
        named.collect()
    }
}

impl fmt::Display for ForeignSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, origin) = (&self.name, SettingOrigin::File(self.position.clone()));
        write!(
            f,
            "`[{name}]` ({origin}) is no section of this app: it is ignored"
        )
    }
}

impl ForeignSection {
    /// Writes its value as a person may see it. Which fields are secrets is not known here, so that their names decide.
    pub fn render_value(&self) -> String {
        let text = |text: &str| format!("{:?}", redact_credentials(text));
        let shown = render_json(&self.value, &text);
        Redactor::new().redact(&shown).into_owned()
    }
}

impl ConfigEntry {
    /// Renders the value as a file has it; a secret is hidden.
    pub fn render_value(&self) -> String {
        let is_variable = |text: &str| variables::names(text).is_ok_and(|names| !names.is_empty());
        let text = |text: &str| match &self.origin {
            _ if !self.key.is_secret => format!("{:?}", redact_credentials(text)),
            // The name of a variable is not secret, but the text around it may be.
            SettingOrigin::File(_) if is_variable(text) => variables::redact(text),
            _ => "(set)".to_owned(),
        };
        match &self.value {
            SettingValue::Text(value) | SettingValue::Json(Value::String(value)) => text(value),
            SettingValue::List(values) => {
                let values: Vec<String> = values.iter().map(|value| text(value)).collect();
                format!("[{}]", values.join(", "))
            }
            SettingValue::Json(_) if self.key.is_secret => "(set, not shown)".to_owned(),
            SettingValue::Json(value) => render_json(value, &text),
            SettingValue::Integer(number) => number.to_string(),
            SettingValue::Number(number) => number.to_string(),
            SettingValue::Bool(value) => value.to_string(),
        }
    }

    /// Returns the texts of the value, as they were written.
    pub fn texts(&self) -> Vec<&str> {
        match &self.value {
            SettingValue::Text(text) => vec![text.as_str()],
            SettingValue::List(texts) => texts.iter().map(String::as_str).collect(),
            SettingValue::Json(value) => json_texts(value),
            SettingValue::Integer(_) | SettingValue::Number(_) | SettingValue::Bool(_) => vec![],
        }
    }
}

fn json_texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text.as_str()],
        Value::Array(items) => items.iter().flat_map(json_texts).collect(),
        Value::Object(map) => map.values().flat_map(json_texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => vec![],
    }
}

/// Writes a value as TOML has it on one line.
fn render_json(value: &Value, text: &dyn Fn(&str) -> String) -> String {
    match value {
        Value::String(string) => text(string),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| render_json(item, text)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let entries: Vec<String> = map
                .iter()
                .map(|(name, value)| {
                    format!("{} = {}", KeyPath::new([name]), render_json(value, text))
                })
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
        other => other.to_string(),
    }
}

/// Hides the name and the password of an address.
pub fn redact_credentials(text: &str) -> String {
    let hidden = text.split_once("://").and_then(|(scheme, rest)| {
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let at = rest[..end].rfind('@')?;
        Some(format!("{scheme}://…{}", &rest[at..]))
    });
    hidden.unwrap_or_else(|| text.to_owned())
}
