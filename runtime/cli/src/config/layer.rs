//! The settings of one source.

use std::collections::BTreeMap;

use super::error::ConfigDiagnostic;
use super::key::Key;
use super::location::{KeyPath, SettingOrigin};
use super::value_kind::SettingValue;
use super::variables;

/// The value of a setting with its source.
#[derive(Debug, Clone)]
pub(crate) struct ConfigEntry {
    pub(crate) key: &'static Key,
    pub(crate) value: SettingValue,
    pub(crate) origin: SettingOrigin,
}

/// The settings of one source.
#[derive(Debug, Default)]
pub(super) struct ConfigLayer {
    pub(super) entries: BTreeMap<KeyPath, ConfigEntry>,
    pub(super) diagnostics: Vec<ConfigDiagnostic>,
}

impl ConfigLayer {
    /// Creates a layer of the texts of variables or flags.
    pub(super) fn from_texts(
        texts: impl IntoIterator<Item = (&'static Key, SettingOrigin, String)>,
    ) -> Self {
        let mut layer = Self::default();
        for (key, origin, text) in texts {
            match key.kind.parse_text(&text) {
                Ok(value) => {
                    let entry = ConfigEntry { key, value, origin };
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
    pub(super) fn server_names(&self) -> Vec<String> {
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

impl ConfigEntry {
    /// Renders the value for the user, without secrets.
    pub(crate) fn render_value(&self) -> String {
        let is_variable = |text: &str| variables::names(text).is_ok_and(|names| !names.is_empty());
        let text = |text: &String| match &self.origin {
            _ if !self.key.is_secret => format!("{:?}", redact_credentials(text)),
            // The name of a variable is not secret, but the text around it may be.
            SettingOrigin::File(_) if is_variable(text) => variables::redact(text),
            _ => "(set)".to_owned(),
        };
        match &self.value {
            SettingValue::Text(value) => text(value),
            SettingValue::List(values) => {
                let values: Vec<String> = values.iter().map(text).collect();
                format!("[{}]", values.join(", "))
            }
            SettingValue::Integer(number) => number.to_string(),
            SettingValue::Number(number) => number.to_string(),
            SettingValue::Bool(value) => value.to_string(),
        }
    }

    /// Returns its texts.
    pub(super) fn texts(&self) -> &[String] {
        match &self.value {
            SettingValue::Text(text) => std::slice::from_ref(text),
            SettingValue::List(texts) => texts,
            SettingValue::Integer(_) | SettingValue::Number(_) | SettingValue::Bool(_) => &[],
        }
    }
}

/// Hides the name and the password of an address.
pub(crate) fn redact_credentials(text: &str) -> String {
    let hidden = text.split_once("://").and_then(|(scheme, rest)| {
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let at = rest[..end].rfind('@')?;
        Some(format!("{scheme}://…{}", &rest[at..]))
    });
    hidden.unwrap_or_else(|| text.to_owned())
}
