//! The sections that packs declare: their keys, and what the sources say of them.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::error::{ConfigDiagnostic, ConfigError};
use super::key::{AllowedFiles, Key};
use super::layer::ConfigEntry;
use super::location::{KeyPath, SettingOrigin};
use super::value_kind::{SettingValue, ValueKind};
use super::{Config, field_value, unset_variable, variable_value};
use crate::schema_field::SchemaField;

impl Key {
    /// Makes the key of a field of a section. A project may set it once the user has accepted the project's file.
    pub fn from_field(section: &str, field: SchemaField) -> Self {
        let path = [section].into_iter();
        let path = path.chain(field.path().iter().map(String::as_str));
        let default = field.default().filter(|_| !field.is_secret());
        Self {
            name: Cow::Owned(path.collect::<Vec<_>>().join(".")),
            about: Cow::Owned(first_line(field.description()).to_owned()),
            default: Cow::Owned(default.map(Value::to_string).unwrap_or_default()),
            is_required: field.is_required(),
            is_secret: field.is_secret(),
            allowed_files: AllowedFiles::Accepted,
            kind: ValueKind::Field(Arc::new(field)),
            ..Self::new("", ValueKind::Text, "", "")
        }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

impl Config {
    /// Returns what is said of a section of a pack, with the values of variables.
    pub fn section(&self, name: &str) -> Result<Value, ConfigError> {
        self.collect_section(name, |_, value| value)
    }

    /// Returns a section with the secrets taken out, to find out what may be said of it.
    pub fn section_without_secrets(&self, name: &str) -> Result<Value, ConfigError> {
        self.collect_section(name, |entry, value| {
            if entry.key.is_secret {
                hidden(value)
            } else {
                value
            }
        })
    }

    fn collect_section(
        &self,
        name: &str,
        shown: impl Fn(&ConfigEntry, Value) -> Value,
    ) -> Result<Value, ConfigError> {
        let mut section = Map::new();
        for (place, entry) in &self.entries {
            if place.segments().next() == Some(name) {
                let value = shown(entry, expanded_value(place, entry)?);
                let path: Vec<&str> = place.segments().skip(1).collect();
                insert_at(&mut section, &path, value);
            }
        }
        Ok(Value::Object(section))
    }
}

/// Replaces the parts of a secret.
fn hidden(value: Value) -> Value {
    match value {
        Value::String(_) => "…".into(),
        Value::Array(items) => items.into_iter().map(hidden).collect(),
        Value::Object(map) => {
            let entries = map.into_iter().map(|(name, value)| (name, hidden(value)));
            entries.collect::<Map<_, _>>().into()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Value::Null,
    }
}

fn expanded_value(place: &KeyPath, entry: &ConfigEntry) -> Result<Value, ConfigError> {
    let (SettingValue::Json(json), ValueKind::Field(field)) = (&entry.value, &entry.key.kind)
    else {
        return Ok(Value::Null);
    };
    let SettingOrigin::File(position) = &entry.origin else {
        return Ok(json.clone());
    };
    let expanded = field_value::expand_and_check(field, place, json, &variable_value)
        .map_err(|variable| unset_variable(position, place, &variable))?;
    let diagnostic =
        |what: String| ConfigError::Invalid(vec![ConfigDiagnostic::new(&entry.origin, what)]);
    expanded.map_err(diagnostic)
}

fn insert_at(map: &mut Map<String, Value>, path: &[&str], value: Value) {
    match path {
        [] => {}
        [name] => {
            map.insert((*name).to_owned(), value);
        }
        [name, rest @ ..] => {
            let inner = map
                .entry((*name).to_owned())
                .or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                insert_at(inner, rest, value);
            }
        }
    }
}
