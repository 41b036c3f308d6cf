//! What one source says of the settings.

use std::collections::BTreeMap;

use super::error::Mistake;
use super::key::Key;
use super::kind::Value;
use super::place::{Origin, Place};
use super::variables;

/// What was said of one setting.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Entry {
    pub(in crate::cli) key: &'static Key,
    pub(in crate::cli) value: Value,
    pub(in crate::cli) origin: Origin,
}

/// What one source says.
#[derive(Debug, Default)]
pub(super) struct Layer {
    pub(super) entries: BTreeMap<Place, Entry>,
    pub(super) mistakes: Vec<Mistake>,
}

impl Layer {
    /// Takes the texts of variables or flags.
    pub(super) fn of_texts(
        texts: impl IntoIterator<Item = (&'static Key, Origin, String)>,
    ) -> Self {
        let mut layer = Self::default();
        for (key, origin, text) in texts {
            match key.kind.parse(&text) {
                Ok(value) => {
                    let entry = Entry { key, value, origin };
                    layer.entries.insert(key.place(), entry);
                }
                Err(what) => layer.mistakes.push(Mistake::new(&origin, what)),
            }
        }
        layer
    }
}

#[cfg(feature = "mcp")]
impl Layer {
    /// Returns the names of the MCP servers that this source says how to reach.
    pub(super) fn servers(&self) -> Vec<String> {
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

impl Entry {
    /// Writes its value as a person may see it.
    pub(in crate::cli) fn shown(&self) -> String {
        let is_variable = |text: &str| variables::names(text).is_ok_and(|names| !names.is_empty());
        let text = |text: &String| match &self.origin {
            _ if !self.key.is_secret => format!("{:?}", without_password(text)),
            // The name of a variable is no secret, and what stands beside it may be one.
            Origin::File(_) if is_variable(text) => variables::bare(text),
            _ => "(set, not shown)".to_owned(),
        };
        match &self.value {
            Value::Text(value) => text(value),
            Value::List(values) => {
                let values: Vec<String> = values.iter().map(text).collect();
                format!("[{}]", values.join(", "))
            }
            Value::Whole(number) => number.to_string(),
            Value::Number(number) => number.to_string(),
            Value::Switch(value) => value.to_string(),
        }
    }

    /// Returns its texts.
    pub(super) fn texts(&self) -> &[String] {
        match &self.value {
            Value::Text(text) => std::slice::from_ref(text),
            Value::List(texts) => texts,
            Value::Whole(_) | Value::Number(_) | Value::Switch(_) => &[],
        }
    }
}

/// Hides the name and the password of an address.
pub(in crate::cli) fn without_password(text: &str) -> String {
    let hidden = text.split_once("://").and_then(|(scheme, rest)| {
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let at = rest[..end].rfind('@')?;
        Some(format!("{scheme}://…{}", &rest[at..]))
    });
    hidden.unwrap_or_else(|| text.to_owned())
}
